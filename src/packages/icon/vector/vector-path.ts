/** The paths of a `<vector>`: their data, paints and strokes, and the cost of drawing them. */
import type { XmlElement } from '../../apk/binary-xml.ts';
import { drawingWork, pathWork } from '../drawing-cost.ts';
import { paintWork, type SvgPaint, svgPaint } from '../paint-svg.ts';
import { type SvgNode, svg } from '../svg.ts';
import type { DrawableReader } from './drawable.ts';
import { type AttributeReader, attributesOf } from './drawable-attributes.ts';
import { between, distance, flattenPath, type Point } from './flatten-path.ts';
import { readPaint } from './paint.ts';
import { type PathSegment, parsePathData, svgPathData } from './path-data.ts';
import { measurePath } from './path-ink.ts';

/** Returns the cost for a scale of canvas sides per viewport unit. */
export type Work = (scale: number) => number;

/** State shared by the elements of one vector. */
export interface Vector {
  reader: DrawableReader;
  /** The longer side of the viewport. */
  reach: number;
  works: Work[];
}

/** The position of an element in its vector. */
export interface Place {
  depth: number;
  /** The combined scale of the surrounding groups. */
  scale: number;
  /** The additional cost per path of the surrounding clips, which are applied to each path; null without clips. */
  clips: Work | null;
}

export async function readPath(vector: Vector, element: XmlElement, place: Place): Promise<SvgNode[]> {
  const attributes = attributesOf(vector.reader.files, element);
  const segments = await readTrimmed(vector, attributes);
  const fill = await readUse(vector, attributes, 'fill');
  const strokeWidth = await attributes.number('strokeWidth', 0);
  const stroke = strokeWidth > 0 ? await readUse(vector, attributes, 'stroke') : null;
  if (segments.length === 0 || (!fill && !stroke)) return [];
  const path: SvgNode['attributes'] = { d: svgPathData(segments), fill: 'none' };
  if (fill) {
    addWork(vector, place, segments, 0, fill.work);
    path.fill = fill.paint;
    path['fill-opacity'] = fill.opacity;
    path['fill-rule'] = (await attributes.integer('fillType', 0)) === 1 ? 'evenodd' : 'nonzero';
  }
  if (stroke) {
    addWork(vector, place, segments, strokeWidth, stroke.work);
    path.stroke = stroke.paint;
    path['stroke-opacity'] = stroke.opacity;
    path['stroke-width'] = strokeWidth;
    path['stroke-linecap'] = lineCaps[await attributes.integer('strokeLineCap', 0)] ?? 'butt';
    path['stroke-linejoin'] = lineJoins[await attributes.integer('strokeLineJoin', 0)] ?? 'miter';
    path['stroke-miterlimit'] = Math.max(1, await attributes.number('strokeMiterLimit', 4));
  }
  return [...(fill?.definitions ?? []), ...(stroke?.definitions ?? []), svg('path', path)];
}

const lineCaps = ['butt', 'round', 'square'];
const lineJoins = ['miter', 'round', 'bevel'];

/** Reads the shape of a `<clip-path>` and its cost per path. */
export async function readClip(
  vector: Vector,
  element: XmlElement,
  place: Place,
  id: string,
): Promise<{ node: SvgNode; work: Work }> {
  const attributes = attributesOf(vector.reader.files, element);
  const segments = await readSegments(vector, attributes);
  const isEvenOdd = (await attributes.integer('fillType', 0)) === 1;
  const ink = measurePath(segments, 0);
  return {
    node: svg('clipPath', { id }, [
      svg('path', { d: svgPathData(segments), 'clip-rule': isEvenOdd ? 'evenodd' : 'nonzero' }),
    ]),
    work: (scale) => drawingWork.clip * pathWork(ink, scale * place.scale),
  };
}

function addWork(
  { works }: Vector,
  place: Place,
  segments: readonly PathSegment[],
  strokeWidth: number,
  paint: number,
): void {
  const ink = measurePath(segments, strokeWidth);
  works.push((scale) => {
    const work = pathWork(ink, scale * place.scale);
    return paint + (place.clips ? work * drawingWork.clipped + place.clips(scale) : work);
  });
}

async function readUse(
  { reader, reach }: Vector,
  attributes: AttributeReader,
  use: 'fill' | 'stroke',
): Promise<(SvgPaint & { work: number }) | null> {
  const paint = await readPaint(reader.files, attributes.raw(use === 'fill' ? 'fillColor' : 'strokeColor'));
  if (!paint) return null;
  const alpha = await attributes.number(use === 'fill' ? 'fillAlpha' : 'strokeAlpha', 1);
  const used = svgPaint(paint, alpha, reach, reader.newId);
  return used.opacity > 0 ? { ...used, work: paintWork(paint) } : null;
}

async function readTrimmed(vector: Vector, attributes: AttributeReader): Promise<PathSegment[]> {
  const segments = await readSegments(vector, attributes);
  const trimmed = trimPath(
    segments,
    await attributes.number('trimPathStart', 0),
    await attributes.number('trimPathEnd', 1),
    await attributes.number('trimPathOffset', 0),
  );
  // Trimming turns a curve into many lines.
  vector.reader.files.spend('pathSegments', Math.max(0, trimmed.length - segments.length));
  return trimmed;
}

async function readSegments({ reader }: Vector, attributes: AttributeReader): Promise<PathSegment[]> {
  const text = (await attributes.text('pathData')) ?? '';
  reader.files.spend('pathCharacters', text.length);
  return parsePathData(text, (count) => reader.files.spend('pathSegments', count));
}

/** Enough that a full circle of two arcs has no visible corners. */
const linesPerCurve = 64;

/**
 * Returns the part of a path between two shares of its length, shifted by an offset, as lines. Like Android, uses only the first
 * subpath.
 *
 * @see `VectorDrawable.cpp`, applyTrim
 */
export function trimPath(
  segments: readonly PathSegment[],
  start: number,
  end: number,
  offset: number,
): PathSegment[] {
  if (start === 0 && end === 1) return [...segments];
  if (start === end) return [];
  const points = flattenPath(segments, linesPerCurve)[0] ?? [];
  const [from, to] = [(start + offset) % 1, (end + offset) % 1];
  if (from <= to) return cut(points, from, to);
  return [...cut(points, from, 1), ...(to > 0 ? cut(points, 0, to) : [])];
}

function cut(points: readonly Point[], from: number, to: number): PathSegment[] {
  const lengths = points.slice(1).map((point, index) => distance(points[index] ?? point, point));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const [first, last] = [from * total, to * total];
  const kept: Point[] = [];
  let walked = 0;
  for (const [index, length] of lengths.entries()) {
    const [a, b] = [points[index], points[index + 1]];
    if (a && b && walked + length >= first && walked <= last && length > 0) {
      if (kept.length === 0) kept.push(between(a, b, Math.max(0, (first - walked) / length)));
      kept.push(between(a, b, Math.min(1, (last - walked) / length)));
    }
    walked += length;
  }
  return kept.map(({ x, y }, index) => ({ command: index === 0 ? 'M' : 'L', numbers: [x, y] }));
}
