import { describe, expect, it } from 'vitest';
import { createTokenBuckets } from '../../src/http/token-buckets.ts';

const start = Date.UTC(2026, 10, 21);
const rate = { perMinute: 60, max: 5, maxCallers: 100 };

describe('token buckets', () => {
  it('allow a burst and then their rate, separately for each caller', () => {
    const buckets = createTokenBuckets(rate);
    const take = (caller: string, ms: number) => buckets.take(caller, start + ms);
    expect(Array.from({ length: 7 }, () => take('one', 0))).toEqual([0, 0, 0, 0, 0, 1000, 1000]);
    expect(take('other', 0)).toBe(0);
    expect([take('one', 400), take('one', 1000), take('one', 1000)]).toEqual([600, 0, 1000]);
    expect([take('one', 3500), take('one', 3500), take('one', 3500)]).toEqual([0, 0, 500]);
  });

  it('never exceed their capacity after a long pause', () => {
    const buckets = createTokenBuckets(rate);
    buckets.take('one', start);
    const later = start + 86_400_000;
    const waits = Array.from({ length: 6 }, () => buckets.take('one', later));
    expect(waits).toEqual([0, 0, 0, 0, 0, 1000]);
  });

  it('accept refunds of unused tokens', () => {
    const buckets = createTokenBuckets({ ...rate, max: 1 });
    expect(buckets.take('one', start)).toBe(0);
    buckets.refund('one');
    buckets.refund('nobody');
    expect([buckets.take('one', start), buckets.take('one', start)]).toEqual([0, 1000]);
    expect(buckets.has('nobody')).toBe(false);
  });

  it('reset when a clock was ahead and is set back', () => {
    const buckets = createTokenBuckets(rate);
    for (let taken = 0; taken < 5; taken++) buckets.take('one', start + 86_400_000);
    const given = Array.from({ length: 9 }, () => buckets.take('one', start));
    expect(given.filter((waitMs) => waitMs === 0)).toHaveLength(rate.max);
  });

  it('stay exact when a token takes a fractional number of milliseconds', () => {
    for (const perMinute of [7, 11, 1200, 70_001]) {
      const max = perMinute * 2;
      const buckets = createTokenBuckets({ perMinute, max, maxCallers: 10 });
      let given = 0;
      while (buckets.take('one', start) === 0) given++;
      expect(given).toBe(max);
    }
  });

  it('are limited to maxCallers, and keep an active caller', () => {
    const buckets = createTokenBuckets(rate);
    for (let taken = 0; taken < 5; taken++) buckets.take('busy', start);
    for (let stranger = 0; stranger < 10_000; stranger++) {
      buckets.take(`stranger ${stranger}`, start);
      expect(buckets.size()).toBeLessThanOrEqual(rate.maxCallers);
      if (stranger % 40 === 0) expect(buckets.take('busy', start)).toBe(1000);
    }
    expect(buckets.has('stranger 0')).toBe(false);
    expect(buckets.has('stranger 9999')).toBe(true);
  });
});
