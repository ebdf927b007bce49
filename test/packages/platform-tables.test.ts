/**
 * Fails when a table of platform versions has not been brought up to date: Android and iPhones are released once a year, and the months
 * move by some weeks. Add the new release to the table, with its month.
 */
import { expect, it } from 'vitest';
import { newestModelReleased } from '../../src/devices/device-models.ts';
import { verificationRule } from '../../src/distributions/install/developer-verification.ts';
import { appleListsCheckedOn } from '../../src/insight/checks/platform-lists.ts';
import { builtInRules } from '../../src/insight/checks/store-rules.ts';
import { androidReleases } from '../../src/packages/apk/android-releases.ts';

const maxAgeDays = 420;
const isOutdated = (month: string, today: Date) =>
  !(today.getTime() - Date.parse(month) <= maxAgeDays * 24 * 60 * 60_000);

it.each([
  ['androidReleases', androidReleases.at(-1)?.released ?? ''],
  ['models of iPhones', newestModelReleased],
  ['developer verification', verificationRule.checked],
  ["Apple's lists of SDKs and reasons", appleListsCheckedOn.slice(0, 7)],
])('%s has a release of the last year', (_table, month) => {
  expect(month).toMatch(/^\d{4}-\d{2}$/);
  expect(isOutdated(month, new Date())).toBe(false);
});

it('has compared every rule of the app stores with its source within a year', () => {
  const yearMs = 365 * 24 * 60 * 60_000;
  const old = builtInRules.filter(({ checkedOn }) => !(Date.now() - Date.parse(checkedOn) <= yearMs));
  expect(old.map(({ id }) => id)).toEqual([]);
  const newest = builtInRules.map(({ from }) => Date.parse(from ?? '')).filter(Number.isFinite);
  expect(Date.now() - Math.max(...newest)).toBeLessThanOrEqual(yearMs);
});

it('notices a table whose newest release is older than a year and some weeks', () => {
  expect(isOutdated('2026-06', new Date('2027-07-20'))).toBe(false);
  expect(isOutdated('2026-06', new Date('2027-08-20'))).toBe(true);
  expect(isOutdated('', new Date('2027-08-20'))).toBe(true);
});
