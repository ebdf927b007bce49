import { between, distance, flattenPath, type Point } from './flatten-path.ts';
import type { PathSegment } from './path-data.ts';

/** A full circle of two arcs shows no corners. */
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
