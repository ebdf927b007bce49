import type { PathSegment } from './path-data.ts';

export interface Point {
  x: number;
  y: number;
}

export function distance(a: Point, b: Point): number {
  return Math.hypot(b.x - a.x, b.y - a.y);
}

export function between(a: Point, b: Point, share: number): Point {
  return { x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share };
}

/** Returns the points of each subpath, with curves as `linesPerCurve` lines. */
export function flattenPath(segments: readonly PathSegment[], linesPerCurve: number): Point[][] {
  const subpaths: Point[][] = [];
  let points: Point[] = [];
  let current: Point = { x: 0, y: 0 };
  let control: Step['control'] = null;
  for (const { command, numbers } of segments) {
    const letter = command.toUpperCase();
    if (letter === 'Z') {
      current = points[0] ?? current;
      control = null;
      points.push(current);
      continue;
    }
    const origin = command === letter ? { x: 0, y: 0 } : current;
    const step = readStep(letter, numbers, origin, current, control, linesPerCurve);
    if (letter === 'M') {
      if (points.length > 1) subpaths.push(points);
      points = [];
    } else if (points.length === 0) points.push(current);
    for (const point of step.points) points.push(point);
    current = step.points.at(-1) ?? current;
    control = step.control;
  }
  if (points.length > 1) subpaths.push(points);
  return subpaths;
}

interface Step {
  points: Point[];
  /** The previous control point, which the commands S and T reflect. */
  control: { kind: 'C' | 'Q'; point: Point } | null;
}

function readStep(
  letter: string,
  numbers: readonly number[],
  origin: Point,
  current: Point,
  control: Step['control'],
  lines: number,
): Step {
  const at = (index: number): Point => ({
    x: origin.x + (numbers[index] ?? 0),
    y: origin.y + (numbers[index + 1] ?? 0),
  });
  const reflected = (kind: 'C' | 'Q'): Point =>
    control?.kind === kind
      ? { x: 2 * current.x - control.point.x, y: 2 * current.y - control.point.y }
      : current;
  const curve = (kind: 'C' | 'Q', ...controls: Point[]): Step => ({
    points: flattenCurve([current, ...controls], lines),
    control: { kind, point: controls.at(-2) ?? current },
  });
  switch (letter) {
    case 'H':
      return { points: [{ x: origin.x + (numbers[0] ?? 0), y: current.y }], control: null };
    case 'V':
      return { points: [{ x: current.x, y: origin.y + (numbers[0] ?? 0) }], control: null };
    case 'C':
      return curve('C', at(0), at(2), at(4));
    case 'S':
      return curve('C', reflected('C'), at(0), at(2));
    case 'Q':
      return curve('Q', at(0), at(2));
    case 'T':
      return curve('Q', reflected('Q'), at(0));
    case 'A':
      return { points: flattenArc(current, at(5), numbers, lines), control: null };
    default:
      return { points: [at(0)], control: null };
  }
}

/** De Casteljau's algorithm. */
function flattenCurve(controls: readonly Point[], lines: number): Point[] {
  return Array.from({ length: lines }, (_, index) => {
    const share = (index + 1) / lines;
    let level = [...controls];
    while (level.length > 1) {
      level = level.slice(1).map((point, before) => between(level[before] ?? point, point, share));
    }
    return level[0] ?? { x: 0, y: 0 };
  });
}

/** SVG 2, appendix B.2.4: from end points to center and angles. */
function flattenArc(start: Point, end: Point, numbers: readonly number[], lines: number): Point[] {
  const [rawX = 0, rawY = 0, degrees = 0, large = 0, sweep = 0] = numbers;
  let [radiusX, radiusY] = [Math.abs(rawX), Math.abs(rawY)];
  if (radiusX === 0 || radiusY === 0) return [end];
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const half = { x: (start.x - end.x) / 2, y: (start.y - end.y) / 2 };
  const turned = { x: cos * half.x + sin * half.y, y: cos * half.y - sin * half.x };
  const excess = (turned.x / radiusX) ** 2 + (turned.y / radiusY) ** 2;
  if (excess === 0) return [end];
  radiusX *= Math.max(1, Math.sqrt(excess));
  radiusY *= Math.max(1, Math.sqrt(excess));
  const sign = (large !== 0) === (sweep !== 0) ? -1 : 1;
  const factor = sign * Math.sqrt(Math.max(0, 1 / Math.max(1e-12, Math.min(1, excess)) - 1));
  const center = { x: (factor * radiusX * turned.y) / radiusY, y: (-factor * radiusY * turned.x) / radiusX };
  const angleOf = (x: number, y: number) => Math.atan2(y / radiusY, x / radiusX);
  const from = angleOf(turned.x - center.x, turned.y - center.y);
  let span = angleOf(-turned.x - center.x, -turned.y - center.y) - from;
  if (sweep !== 0 && span < 0) span += 2 * Math.PI;
  if (sweep === 0 && span > 0) span -= 2 * Math.PI;
  return Array.from({ length: lines }, (_, index) => {
    const angle = from + (span * (index + 1)) / lines;
    const x = center.x + radiusX * Math.cos(angle);
    const y = center.y + radiusY * Math.sin(angle);
    return { x: cos * x - sin * y + (start.x + end.x) / 2, y: sin * x + cos * y + (start.y + end.y) / 2 };
  });
}
