import { describe, expect, it } from 'vitest';
import { countsByDay, hoursLeftToday, lastDays, plotBars } from '../../src/pages/activity/activity-plot.ts';

const noon = Date.UTC(2026, 2, 1, 12);

describe('plot days', () => {
  it('end with today and span months, in UTC', () => {
    expect(lastDays(noon, 3)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
    expect(lastDays(Date.UTC(2026, 2, 1), 1)).toEqual(['2026-03-01']);
    expect(lastDays(Date.UTC(2026, 2, 1) - 1, 1)).toEqual(['2026-02-28']);
    const days = lastDays(noon, 90);
    expect([days.length, new Set(days).size, days[0]]).toEqual([90, 90, '2025-12-02']);
  });

  it('include the time left today', () => {
    expect(hoursLeftToday(noon)).toBe(12);
    expect(hoursLeftToday(noon + 1)).toBe(12);
    expect(hoursLeftToday(Date.UTC(2026, 2, 1))).toBe(24);
    expect(hoursLeftToday(Date.UTC(2026, 2, 2) - 1)).toBe(1);
  });

  it('sum all systems, and include days without visits', () => {
    const line = { people: 1, kind: 'view' } as const;
    const counts = [
      { ...line, day: '2026-02-27', system: 'ios', times: 2 },
      { ...line, day: '2026-02-27', system: 'android', times: 3 },
      { ...line, day: '2026-02-27', system: 'android', kind: 'install', times: 9 },
      { ...line, day: '2026-03-01', system: 'desktop', times: 1 },
      { ...line, day: '2025-01-01', system: 'desktop', times: 100 },
    ] as const;
    expect(countsByDay(counts, 'view', lastDays(noon, 3))).toEqual([5, 0, 1]);
    expect(countsByDay(counts, 'install', lastDays(noon, 3))).toEqual([9, 0, 0]);
  });
});

describe('plot bars', () => {
  it('start at the lower edge, scale with their value and stay in their slots', () => {
    const { width, height, top, bars } = plotBars([5, 0, 10]);
    expect({ width, height, top }).toEqual({ width: 30, height: 100, top: 10 });
    expect(bars).toEqual([
      { x: 1.5, y: 50, width: 7, height: 50 },
      null,
      { x: 21.5, y: 0, width: 7, height: 100 },
    ]);
  });

  it('use an even, round maximum close to the highest value', () => {
    for (let max = 0; max <= 5000; max++) {
      const { top } = plotBars([max]);
      expect(top).toBeGreaterThanOrEqual(max);
      expect(top).toBeLessThanOrEqual(Math.max(2, max * 1.5 + 1));
      expect(Number.isInteger(top / 2)).toBe(true);
    }
    expect([0, 1, 2, 3, 7, 11, 29, 87, 101, 4999].map((max) => plotBars([max]).top)).toEqual([
      2, 2, 2, 4, 8, 12, 30, 100, 120, 5000,
    ]);
  });

  it('show one visit next to thousands, and stay inside the plot', () => {
    const { height, bars } = plotBars([1, 9000, 8999]);
    for (const bar of bars) {
      expect(bar?.height).toBeGreaterThan(1);
      expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeCloseTo(height);
      expect(bar?.y).toBeGreaterThanOrEqual(0);
    }
  });

  it('are empty without values', () => {
    expect(plotBars([])).toMatchObject({ width: 0, bars: [] });
    expect(plotBars([0, 0]).bars).toEqual([null, null]);
  });
});
