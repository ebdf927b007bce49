import { expect, test } from 'vitest';
import { apiLevelOfCodename } from '../../../src/packages/apk/sdk-codenames.ts';

test.each([
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
