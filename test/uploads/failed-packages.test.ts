/** Packages that fail count by their time, however many arrive at once. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TooManyRequests } from '../../src/core/errors.ts';
import { defaultRates } from '../../src/limits/rate-config.ts';
import { createSharedRates } from '../../src/limits/shared-rates.ts';
import type { Actor } from '../../src/owners/actor.ts';
import { UnreadablePackage } from '../../src/packages/package-info.ts';
import { createFailedPackages } from '../../src/uploads/failed-packages.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { addUser } from '../support/sample-rows.ts';

let test: TestData;
beforeAll(async () => {
  test = await openTestData('sqlite');
});
afterAll(() => test.close());

const failedPackages = () =>
  createFailedPackages(
    createSharedRates({ queries: test.data.attempts, now: () => 1, refused: () => undefined }),
    { ...defaultRates, failedPackageSecondsPerHour: 30 },
  );
const personOf = async (name: string): Promise<Actor> => ({
  kind: 'user',
  user: await addUser(test.data, name),
});

it('counts at least six seconds, and stops many uploads at once soon after the limit', async () => {
  const { read } = failedPackages();
  const [ann, bob] = [await personOf('ann'), await personOf('bob')];
  let reads = 0;
  const fail = async () => {
    reads += 1;
    throw new UnreadablePackage('not a package');
  };
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => read(ann, fail)));
  const refused = outcomes.filter(
    (outcome) => outcome.status === 'rejected' && outcome.reason instanceof TooManyRequests,
  );
  expect(refused).toHaveLength(50 - reads);
  // Five reach the limit, while up to three others run.
  expect(reads).toBeGreaterThanOrEqual(5);
  expect(reads).toBeLessThanOrEqual(8);
  expect(await read(bob, async () => 'read')).toBe('read');
});

it('counts what a failure costs, and nothing else', async () => {
  const { convert, checkConversions } = failedPackages();
  const failing = (error: Error) => async () => {
    throw error;
  };
  await convert('owner', async () => 'converted');
  await expect(convert('owner', failing(new Error('the disk is full')))).rejects.toThrow('full');
  await expect(convert('owner', failing(new UnreadablePackage('bad').after(24_000)))).rejects.toThrow('bad');
  await checkConversions('owner');
  await expect(convert('owner', failing(new UnreadablePackage('bad').after(1)))).rejects.toThrow('bad');
  await expect(checkConversions('owner')).rejects.toThrow(TooManyRequests);
  await checkConversions('another owner');
});
