import { describe, expect, it, test } from 'vitest';
import {
  androidReleases,
  androidVersionOf,
  apiLevelOfCodename,
  highestApiLevelOf,
  targetRefusal,
  unreleasedApiLevel,
} from '../../../src/packages/apk/android-releases.ts';

test.each([
  ['CinnamonBun', 37],
  ['CINNAMON_BUN', 37],
  ['Baklava', 36],
  ['VanillaIceCream', 35],
  ['UpsideDownCake', 34],
  ['Tiramisu', 33],
  ['Sv2', 32],
  ['S', 31],
  ['S.0a1b2c3d', 31],
  ['L', 21],
  ['MNC', 23],
  ['JELLY_BEAN_MR1', 17],
  ['28', 28],
  ['ZZZ', 10_000],
  ['constructor', 10_000],
  ['', 10_000],
])('the codename %s maps to its API level', (codename, level) =>
  expect(apiLevelOfCodename(codename)).toBe(level),
);

describe('versions of Android', () => {
  const newest = androidReleases.at(-1)?.level ?? 0;

  it('follow the rule of Android 13 for levels that are not known yet', () => {
    expect([35, 36, 37, newest + 1, newest + 30].map(androidVersionOf)).toEqual([
      '15',
      '16',
      '17',
      String(newest - 19),
      String(newest + 10),
    ]);
    expect([0, -1, unreleasedApiLevel, Number.NaN].map(androidVersionOf)).toEqual([null, null, null, null]);
  });

  it('are listed without gaps, as the rule says since Android 13', () => {
    expect(androidReleases.map(({ level }) => level)).toEqual(androidReleases.map((_, at) => at + 1));
    for (const { level, version } of androidReleases.filter((release) => release.level >= 33))
      expect(version).toBe(String(level - 20));
  });

  it.each([
    ['4', 20],
    ['4.4', 20],
    ['4.3', 18],
    ['4.4.2', 20],
    ['7.1.1', 25],
    ['8', 27],
    ['8.0', 26],
    ['11', 30],
    ['12', 32],
    ['12.1', 32],
    ['13', 33],
    ['16', 36],
    ['17', 37],
    ['25', 45],
  ])('%s has at most the API level %i', (version, level) => expect(highestApiLevelOf(version)).toBe(level));

  it('refuse old target SDKs', () => {
    expect([22, 23, 24].map((target) => targetRefusal(target)?.fromLevel)).toEqual([34, 35, undefined]);
  });
});
