/**
 * Limits the work on packages that fail. Each one costs a process and time, so failures are counted by their time: for the
 * uploader while a package is read, and for the owner while an app bundle is converted. Waiting for packages of others does not
 * count.
 */
import { createSemaphore, type Semaphore } from '../core/semaphore.ts';
import type { RateConfig } from '../limits/rate-config.ts';
import type { RateLimitEntry, SharedRates } from '../limits/shared-rates.ts';
import { type Actor, actorId } from '../owners/actor.ts';
import { UnreadablePackage } from '../packages/package-info.ts';

export interface FailedPackages {
  /**
   * Reads a package of the uploader, unless too many failed before.
   *
   * @throws TooManyRequests
   */
  read<T>(by: Actor, work: () => Promise<T>): Promise<T>;
  /** Throws `TooManyRequests` if too many packages of the uploader failed. */
  checkReads(uploaderId: string): Promise<void>;
  /** Converts an app bundle of the owner, in the same way. */
  convert<T>(ownerId: string, work: () => Promise<T>): Promise<T>;
  /** Throws `TooManyRequests` if too many app bundles of the owner failed. */
  checkConversions(ownerId: string): Promise<void>;
}

/** The cost of starting a process. */
const minSeconds = 6;
/** How many packages of an uploader are read concurrently, so that many simultaneous uploads do not escape the limit. */
const readAtOnce = 4;

export function createFailedPackages(
  rates: SharedRates,
  { failedPackageSecondsPerHour: limit }: RateConfig,
): FailedPackages {
  const gates = new Map<string, { semaphore: Semaphore; users: number }>();
  /** Runs the work when fewer than `readAtOnce` are running for the subject. */
  const inTurn = async <T>(subject: string, work: () => Promise<T>): Promise<T> => {
    const gate = gates.get(subject) ?? { semaphore: createSemaphore(readAtOnce), users: 0 };
    gates.set(subject, gate);
    gate.users += 1;
    try {
      return await gate.semaphore.run(work);
    } finally {
      gate.users -= 1;
      if (gate.users === 0) gates.delete(subject);
    }
  };
  const check = async (entry: Omit<RateLimitEntry, 'limit'>): Promise<void> => {
    if (limit !== null) await rates.check({ ...entry, limit });
  };
  const limited = async <T>(entry: Omit<RateLimitEntry, 'limit'>, work: () => Promise<T>): Promise<T> => {
    await check(entry);
    try {
      return await work();
    } catch (error) {
      if (limit !== null && error instanceof UnreadablePackage)
        await rates.add(entry.subject, Math.max(minSeconds, Math.ceil(error.workMs / 1000)));
      throw error;
    }
  };
  const ofUploader = (id: string): Omit<RateLimitEntry, 'limit'> => ({
    kind: 'failed-package',
    subject: ['failed package', 'read by', id],
    refusal: 'failedPackages',
    from: null,
  });
  const ofOwner = (id: string): Omit<RateLimitEntry, 'limit'> => ({
    kind: 'failed-package',
    subject: ['failed package', 'converted for', id],
    refusal: 'failedBundles',
    from: null,
  });
  return {
    read: (by, work) => {
      const id = actorId(by);
      return inTurn(id, () => limited(ofUploader(id), work));
    },
    convert: (ownerId, work) => limited(ofOwner(ownerId), work),
    checkReads: (uploaderId) => check(ofUploader(uploaderId)),
    checkConversions: (ownerId) => check(ofOwner(ownerId)),
  };
}
