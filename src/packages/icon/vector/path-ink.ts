import { distance, flattenPath, type Point } from './flatten-path.ts';
import type { PathSegment } from './path-data.ts';

/** The metrics of a path that determine its drawing time. */
export interface PathMetrics {
  lines: number;
  curves: number;
  /** In the coordinates of the path. */
  length: number;
  /** An upper bound for the number of line crossings; Infinity above `maxCrossings`. */
  crossings: number;
}

export const maxCrossings = 9_000_000;

const linesPerCurve = 6;
const cellsPerSide = 64;

/**
 * Measures a path, or the outline of its stroke if that has a width. Overestimates crossings: lines are assigned to grid cells,
 * and all lines in a cell may cross there. Scaling a path does not change the result.
 */
export function measurePath(segments: readonly PathSegment[], strokeWidth: number): PathMetrics {
  const subpaths = flattenPath(segments, linesPerCurve);
  const curves = segments.filter(({ command }) => 'CSQTA'.includes(command.toUpperCase())).length;
  const grid = createGrid(subpaths, strokeWidth);
  const ink: PathMetrics = { lines: 0, curves, length: 0, crossings: 0 };
  for (const points of subpaths) {
    for (let index = 1; index < points.length; index++) {
      const [from, to] = [points[index - 1], points[index]];
      if (!from || !to) continue;
      ink.lines++;
      ink.length += distance(from, to);
      if (ink.crossings > maxCrossings) return { ...ink, crossings: Number.POSITIVE_INFINITY };
      if (strokeWidth <= 0) ink.crossings += grid(from, to);
      else for (const side of sidesOf(from, to, strokeWidth)) ink.crossings += grid(...side);
    }
  }
  return ink;
}

/** Returns the four lines around a segment of a stroke. */
function sidesOf(from: Point, to: Point, width: number): [Point, Point][] {
  const length = distance(from, to);
  const [x, y] =
    length > 0
      ? [((to.x - from.x) / length) * (width / 2), ((to.y - from.y) / length) * (width / 2)]
      : [width / 2, 0];
  const a = { x: from.x - y, y: from.y + x };
  const b = { x: from.x + y, y: from.y - x };
  const c = { x: to.x + y, y: to.y - x };
  const d = { x: to.x - y, y: to.y + x };
  return [
    [a, b],
    [b, c],
    [c, d],
    [d, a],
  ];
}

/** Adds a line to the grid and returns how many lines its cells already contain. */
function createGrid(subpaths: readonly Point[][], margin: number): (from: Point, to: Point) => number {
  const counts = new Uint32Array(cellsPerSide * cellsPerSide);
  const x = rangeOf(subpaths, (point) => point.x, margin);
  const y = rangeOf(subpaths, (point) => point.y, margin);
  const cellOf = (value: number, range: { start: number; size: number }) =>
    Math.max(0, Math.min(cellsPerSide - 1, Math.floor(((value - range.start) / range.size) * cellsPerSide)));
  return (from, to) => {
    const across = (Math.abs(to.x - from.x) / x.size) * cellsPerSide;
    const down = (Math.abs(to.y - from.y) / y.size) * cellsPerSide;
    const steps = Math.ceil(across + down) + 1;
    let met = 0;
    let last = -1;
    for (let step = 0; step <= steps; step++) {
      const share = step / steps;
      const cell =
        cellOf(from.y + (to.y - from.y) * share, y) * cellsPerSide +
        cellOf(from.x + (to.x - from.x) * share, x);
      if (cell === last) continue;
      last = cell;
      const before = counts[cell] ?? 0;
      met += before;
      counts[cell] = before + 1;
    }
    return met;
  };
}

function rangeOf(
  subpaths: readonly Point[][],
  part: (point: Point) => number,
  margin: number,
): { start: number; size: number } {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const points of subpaths) {
    for (const point of points) {
      min = Math.min(min, part(point));
      max = Math.max(max, part(point));
    }
  }
  return { start: min - margin, size: Math.max(1e-9, max - min + margin * 2) };
}
