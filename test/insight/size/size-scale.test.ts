import { describe, expect, it } from 'vitest';
import { scaleOf } from '../../../src/insight/size/size-scale.ts';

const kib = 1024;
const mib = 1024 ** 2;

describe('the scale of a plot of sizes', () => {
  it.each([
    ['whole hundreds of KiB', [515 * kib, 615 * kib], 500 * kib, 700 * kib],
    ['tenths of a MiB', [1.93 * mib, 1.95 * mib], 1.9 * mib, 2.1 * mib],
    ['two units apart', [100 * kib, 40 * mib], 0, 100 * mib],
    ['a single size', [12 * mib], 11.9 * mib, 12.1 * mib],
    ['an empty package', [0], 0, 2],
    ['just below the next unit', [1023 * mib, 1023.9 * mib], 1022 * mib, 1024 * mib],
  ])('has round ends around %s', (_, sizes, low, high) => {
    const scale = scaleOf(sizes);
    expect([scale.low, scale.high]).toEqual([expect.closeTo(low, 0), expect.closeTo(high, 0)]);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(scale.low);
    expect(Math.max(...sizes)).toBeLessThan(scale.high);
  });
});
