/** Geometry of the plot of views and installs. Days are UTC days. */
import type { CountedKind, DayCount } from './page-count.ts';
import { dayOf } from './page-counts.ts';

/** Available periods in days. */
export const periods = [14, 30, 90] as const;
export type Period = (typeof periods)[number];

const dayMs = 24 * 60 * 60_000;

/** Lists the last days as `2026-11-21`, ending with today. */
export function lastDays(now: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => dayOf(now - (count - 1 - index) * dayMs));
}

/** Time left today. */
export function hoursLeftToday(now: number): number {
  return Math.ceil((dayMs - (now % dayMs)) / 3_600_000);
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

export interface Bar {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Plot {
  width: number;
  height: number;
  /** The even maximum of the axis, at least 2, so that half of it is a whole number. */
  top: number;
  /** One bar per value, in order. Null for no bar. */
  bars: (Bar | null)[];
}

const slotWidth = 10;
const barWidth = 7;
const plotHeight = 100;
/** Minimum share of the height, so that one visit next to a thousand stays visible. */
const minHeight = 1.5;

/** Returns bars from the lower edge, each centered in its slot. */
export function plotBars(values: readonly number[]): Plot {
  const top = evenTop(Math.max(0, ...values));
  const bars = values.map((value, index) => {
    if (value <= 0) return null;
    const height = rounded(Math.max(minHeight, (value / top) * plotHeight));
    return {
      x: rounded(index * slotWidth + (slotWidth - barWidth) / 2),
      y: rounded(plotHeight - height),
      width: barWidth,
      height,
    };
  });
  return { width: values.length * slotWidth, height: plotHeight, top, bars };
}

const steps = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/** Returns the least double of a round number that is not below `max`. */
function evenTop(max: number): number {
  const half = Math.max(1, max / 2);
  const power = 10 ** Math.floor(Math.log10(half));
  const step = steps.find((one) => one * power >= half && Number.isInteger(one * power)) ?? 10;
  return 2 * step * power;
}

const rounded = (value: number) => Math.round(value * 100) / 100;
