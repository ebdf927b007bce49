/** The versions that the tests of Maven compare (maven-artifact 3.9, ComparableVersionTest). */
import { expect, it } from 'vitest';
import { compareVersions } from '../../src/insight/dependencies/maven-version.ts';

const words = (text: string) => text.trim().split(/\s+/);

it.each([
  `1-alpha2snapshot 1-alpha2 1-alpha-123 1-beta-2 1-beta123 1-m2 1-m11 1-rc 1-cr2 1-rc123 1-SNAPSHOT 1 1-sp 1-sp2 1-sp123
   1-abc 1-def 1-pom-1 1-1-snapshot 1-1 1-2 1-123`,
  `2.0 2.0.a 2-1 2.0.2 2.0.123 2.1.0 2.1-a 2.1b 2.1-c 2.1-1 2.1.0.1 2.2 2.123 11.a2 11.a11 11.b2 11.b11 11.m2 11.m11 11 11.a
   11b 11c 11m`,
  '1.0-alpha-1-SNAPSHOT 1.0-alpha-1 1.0-alpha-2 1.0-beta-1 1.0-SNAPSHOT 1.0 1.0-1 1.0-2 1.0.1 1.1 1.2.0 1.5 2 2.5',
  '2.0-1 2.0.1 2.0.1-klm 2.0.1-lmn 2.0.1-xyz 2.0.1-123',
  '6.1.0rc3 6.1.0 6.1H.5-beta',
  '20190126.230843 1234567890.12345 123456789012345.1H.5-beta 12345678901234567890.1H.5-beta',
  '1-0.alpha 1-0.beta 1',
])('are in this order: %s', (list) => {
  const ordered = words(list);
  for (const [index, one] of ordered.entries())
    for (const [at, other] of ordered.entries())
      expect([one, other, Math.sign(compareVersions(one, other))]).toEqual([
        one,
        other,
        Math.sign(index - at),
      ]);
});

it.each([
  '1 1.0 1.0.0 1-0 1.0-0 0001 1ga 1GA 1release 1RELeaSE 1final 1FinaL',
  '1a 1-a 1.0-a 1.0.0-a 1.0a 1.0.0a 1A',
  '1x 1-x 1.0-x 1.0.0-x 1.0x 1.0.0x 1X',
  '1cr 1rc 1Cr 1cR',
  '1a1 1-alpha-1',
  '1b2 1-beta-2',
  '1m3 1-milestone-3 1MileStone3',
  `0 00 ${'0'.repeat(19)}`,
  '1-abcdefghijklmnopqrstuvwxyz 1-ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  ...words('abc alpha a beta b def milestone m RC').map((word) => `2-${word} 2.0.${word} 2.0.0.${word}`),
])('are equal: %s', (list) => {
  for (const one of words(list))
    for (const other of words(list))
      expect([one, other, compareVersions(one, other)]).toEqual([one, other, 0]);
});

it.each([
  ...words('abc alpha a beta b def milestone m RC').map((word) => [`1.0.0.${word}1`, `1.0.0-${word}2`]),
  ...['1.0-sp1-redhat', '1.0-sp-1-redhat', '1.0-sp.1-redhat'].map((version) => ['1.0.final-redhat', version]),
])('%s precedes %s', (one = '', other = '') => {
  expect(compareVersions(one, other)).toBeLessThan(0);
  expect(compareVersions(other, one)).toBeGreaterThan(0);
});

it('are compared in bounded time, whatever they are', () => {
  for (const part of ['-', '.', '1-', 'a1', '0', 'a-1.'])
    expect(compareVersions(part.repeat(1_000_000), part.repeat(1_000_000))).toBe(0);
});
