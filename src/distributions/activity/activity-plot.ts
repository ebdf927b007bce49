/** Geometry of the plot by version. Days are UTC days. Pure. */
import type { PlotSeries } from './adoption.ts';
import type { CountedKind, DayCount } from './page-count.ts';
import { dayOf } from './page-counts.ts';

/** Available periods in days. */
export const periods = [7, 30, 90] as const;
export type Period = (typeof periods)[number];

const dayMs = 24 * 60 * 60_000;

/** Lists the last days as `2026-11-21`, ending with today. */
export function lastDays(now: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => dayOf(now - (count - 1 - index) * dayMs));
}

/** Sums all systems per day. */
export function countsByDay(
  counts: readonly DayCount[],
  kind: CountedKind,
  days: readonly string[],
): number[] {
  const times = new Map<string, number>();
  for (const count of counts) {
    if (count.kind === kind) times.set(count.day, (times.get(count.day) ?? 0) + count.times);
  }
  return days.map((day) => times.get(day) ?? 0);
}

export interface StackedPlot {
  width: number;
  height: number;
  /** The maximum of the axis: even and at least 2, so that half of it is a whole number. */
  top: number;
  /** Paths in the order of the series. The first one is on top. */
  areas: string[];
  /** The upper edge of all areas. */
  total: string;
}

const slotWidth = 100;
const plotHeight = 400;

/** Stacks the series, from the last one upwards. Each day has a slot, and the areas reach from edge to edge. */
export function stackSeries(series: readonly PlotSeries[], days: number): StackedPlot {
  const width = days * slotWidth;
  const sums: number[][] = [Array.from({ length: days }, () => 0)];
  for (const { values } of [...series].reverse()) {
    const below = sums.at(-1) ?? [];
    sums.push(below.map((sum, day) => sum + (values[day] ?? 0)));
  }
  const top = evenTop(Math.max(0, ...(sums.at(-1) ?? [])));
  const edge = (values: readonly number[]) => {
    const y = values.map((value) => rounded(plotHeight * (1 - value / top)));
    const points = y.map((at, day) => `${rounded((day + 0.5) * slotWidth)} ${at}`);
    return [`0 ${y[0] ?? plotHeight}`, ...points, `${width} ${y.at(-1) ?? plotHeight}`];
  };
  const areas = series.map((_, index) => {
    const upper = series.length - index;
    const lowerEdge = edge(sums[upper - 1] ?? []).reverse();
    return `M${edge(sums[upper] ?? []).join('L')}L${lowerEdge.join('L')}Z`;
  });
  return { width, height: plotHeight, top, areas, total: `M${edge(sums.at(-1) ?? []).join('L')}` };
}

const steps = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/** Returns the smallest number, at least `max`, that is twice a round whole number. */
function evenTop(max: number): number {
  const half = Math.max(1, max / 2);
  const power = 10 ** Math.floor(Math.log10(half));
  const step = steps.find((one) => one * power >= half && Number.isInteger(one * power)) ?? 10;
  return 2 * step * power;
}

const rounded = (value: number) => Math.round(value * 10) / 10;
