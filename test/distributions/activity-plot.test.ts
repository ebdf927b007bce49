import { describe, expect, it } from 'vitest';
import { countsByDay, lastDays, stackSeries } from '../../src/distributions/activity/activity-plot.ts';

const noon = Date.UTC(2026, 2, 1, 12);

describe('plot days', () => {
  it('end with today and span months, in UTC', () => {
    expect(lastDays(noon, 3)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
    expect(lastDays(Date.UTC(2026, 2, 1), 1)).toEqual(['2026-03-01']);
    expect(lastDays(Date.UTC(2026, 2, 1) - 1, 1)).toEqual(['2026-02-28']);
    const days = lastDays(noon, 90);
    expect([days.length, new Set(days).size, days[0]]).toEqual([90, 90, '2025-12-02']);
  });

  it('sum all systems, and include days without visits', () => {
    const line = { people: 1, members: 0, kind: 'view' } as const;
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

describe('stacked series', () => {
  const pointsOf = (path = '') => path.slice(1).replace('Z', '').split('L');

  it('put the first series on top, and reach from edge to edge', () => {
    const { width, height, top, areas, total } = stackSeries(
      [
        { label: 'new', values: [0, 4] },
        { label: 'old', values: [4, 2] },
      ],
      2,
    );
    expect({ width, height, top }).toEqual({ width: 200, height: 400, top: 6 });
    expect(pointsOf(areas[1])).toEqual([
      ...['0 133.3', '50 133.3', '150 266.7', '200 266.7'],
      ...['200 400', '150 400', '50 400', '0 400'],
    ]);
    expect(pointsOf(areas[0])).toEqual([
      ...['0 133.3', '50 133.3', '150 0', '200 0'],
      ...['200 266.7', '150 266.7', '50 133.3', '0 133.3'],
    ]);
    expect(pointsOf(total)).toEqual(['0 133.3', '50 133.3', '150 0', '200 0']);
  });

  it('use an even, round maximum close to the highest sum', () => {
    const topOf = (max: number) => stackSeries([{ label: '', values: [max] }], 1).top;
    for (let max = 0; max <= 5000; max++) {
      const top = topOf(max);
      expect(top).toBeGreaterThanOrEqual(max);
      expect(top).toBeLessThanOrEqual(Math.max(2, max * 1.5 + 1));
      expect(Number.isInteger(top / 2)).toBe(true);
    }
    expect([0, 1, 2, 3, 7, 11, 29, 87, 101, 4999].map(topOf)).toEqual([
      2, 2, 2, 4, 8, 12, 30, 100, 120, 5000,
    ]);
  });

  it('are empty without values', () => {
    expect(stackSeries([], 7)).toMatchObject({ width: 700, top: 2, areas: [] });
  });
});
