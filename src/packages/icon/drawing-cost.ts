/**
 * Estimates the cost of drawing in advance, because a running rasterizer cannot be stopped. The unit is about a millisecond on a
 * slow core; the figures were measured with librsvg at `drawnSidePixels`.
 */
import { UnreadablePackage } from '../package-info.ts';
import type { PathMetrics } from './vector/path-ink.ts';

/** None of 1,200 real drawables needs more than 20 without a sweep gradient, or 100 with one. */
export const maxDrawingWork = 1_500;

export const drawingWork = {
  shape: 0.2,
  linearGradient: 1.5,
  radialGradient: 4,
  sweepGradient: 75,
  alpha: 1,
  /** Multiplied by the cost of filling the shape of the clip, for each path in it. */
  clip: 1.5,
  /** Multiplied by the cost of a clipped path, because the two are intersected as polygons. */
  clipped: 4,
  tint: 18,
  /** Cost of a stroke's dash. */
  dash: 0.01,
  /** Cost of a picture, mostly for decoding. */
  picture: 2,
  picturePixel: 1 / 50_000,
} as const;

/** The dimensions and budget of a drawing. */
export interface DrawingCanvas {
  /** The longer visible side in dp. */
  side: number;
  /** @throws UnreadablePackage if `maxDrawingWork` is exceeded */
  spend(work: number): void;
}

export function createCanvas(side: number): DrawingCanvas {
  let left = maxDrawingWork;
  return {
    side,
    spend(work) {
      left -= work;
      // Includes NaN, which results from extreme sizes.
      if (!(left >= 0)) throw new UnreadablePackage('the icon is too complex to draw');
    },
  };
}

/** Additional lines, beyond those counted by `measurePath`, of a curve as long as the canvas. */
const linesPerCurve = 16;
const linesPerUnit = 1_000;
const crossingsPerUnit = 3_000;
/** Cost of a path as long as the canvas is high, which crosses each row of pixels once. */
const workPerRound = 1 / 25;

/**
 * Returns the work of filling a path, or the outline of a stroke. The rasterizer keeps lines sorted by position from row to row,
 * so the cost is the number of changes in this order, which is the number of crossings.
 * @param scale canvas sides per unit of the path
 */
export function pathWork(ink: PathMetrics, scale: number): number {
  const rounds = ink.length * scale;
  const lines = ink.lines + linesPerCurve * Math.sqrt(ink.curves * rounds);
  return (
    drawingWork.shape +
    lines / linesPerUnit +
    Math.min(rounds, lines) * workPerRound +
    ink.crossings / crossingsPerUnit
  );
}
