/**
 * What drawing costs, estimated before it is done, because a rasteriser at work cannot be stopped. The unit is about a millisecond of a
 * slow core; the figures are measured with librsvg at `drawnSidePixels`.
 */
import { UnreadablePackage } from '../package-info.ts';
import type { PathInk } from './vector/path-ink.ts';

/** Of 1,200 real drawables none needs more than 20 without a sweep, 100 with one. */
export const maxDrawingWork = 1_500;

export const drawingWork = {
  shape: 0.2,
  linearGradient: 1.5,
  radialGradient: 4,
  sweepGradient: 75,
  alpha: 1,
  /** Times what filling the clip's shape costs, for each path in it. */
  clip: 1.5,
  /** Times what a path costs that is in a clip: the two are intersected as polygons. */
  clipped: 4,
  tint: 18,
  /** Of a stroke's dash. */
  dash: 0.01,
  /** Of a picture: decoding is most of it. */
  picture: 2,
  picturePixel: 1 / 50_000,
} as const;

/** What a drawable is drawn on. */
export interface DrawingCanvas {
  /** The longer side of what is seen of it, in dp. */
  side: number;
  /** @throws UnreadablePackage when all of `maxDrawingWork` is spent */
  spend(work: number): void;
}

export function createCanvas(side: number): DrawingCanvas {
  let left = maxDrawingWork;
  return {
    side,
    spend(work) {
      left -= work;
      // Also for NaN, which sizes beyond all bounds may come to.
      if (!(left >= 0)) throw new UnreadablePackage('the icon is too complex to draw');
    },
  };
}

/** More lines of a curve as long as the canvas than `measureInk` counts. */
const linesPerCurve = 16;
const linesPerUnit = 1_000;
const crossingsPerUnit = 3_000;
/** Of a path as long as the canvas is high, which then meets each row of pixels once. */
const workPerRound = 1 / 25;

/**
 * The work of filling a path, or the outline of a stroke. The rasteriser keeps, from row to row, the lines in the order in which they
 * meet it: what costs is how often they change places, that is, cross.
 *
 * @param scale canvas sides per unit of the path
 */
export function pathWork(ink: PathInk, scale: number): number {
  const rounds = ink.length * scale;
  const lines = ink.lines + linesPerCurve * Math.sqrt(ink.curves * rounds);
  return (
    drawingWork.shape +
    lines / linesPerUnit +
    Math.min(rounds, lines) * workPerRound +
    ink.crossings / crossingsPerUnit
  );
}
