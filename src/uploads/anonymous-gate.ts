/**
 * Some uploaders send their key as a form field behind the file, so that bytes come before anybody is known. This gate
 * bounds what such requests can cost: how many at once, how many bytes of spool together, how slowly they may come.
 */
import { AppError } from '../errors.ts';

export interface AnonymousLimits {
  anonymousUploadsAtOnce: number;
  anonymousSpoolBytes: number;
  anonymousMinimumBytesPerSecond: number;
}

export interface AnonymousVisit {
  /** Counts bytes that came while nobody was known; throws `too_many` or `too_slow`. */
  count(bytes: number, now: number): void;
  /** The key has come, or the request is over. */
  leave(): void;
}

/** The rate is judged from here on: a slow start is no fault. */
const graceMs = 10_000;

export interface AnonymousGate {
  enter(now: number): AnonymousVisit;
}

export function createAnonymousGate(limits: AnonymousLimits): AnonymousGate {
  let visitors = 0;
  let spooledBytes = 0;
  const full = () =>
    new AppError(
      'too_many',
      'too many uploads without a key in the Authorization header at once: send the key there',
    );
  return {
    enter: (enteredAt) => {
      if (visitors >= limits.anonymousUploadsAtOnce) throw full();
      visitors++;
      let ownBytes = 0;
      let left = false;
      return {
        count: (bytes, now) => {
          if (left) return;
          ownBytes += bytes;
          spooledBytes += bytes;
          if (spooledBytes > limits.anonymousSpoolBytes) throw full();
          const elapsedMs = now - enteredAt;
          if (elapsedMs > graceMs && ownBytes < (limits.anonymousMinimumBytesPerSecond * elapsedMs) / 1000) {
            throw new AppError(
              'too_slow',
              'the body comes too slowly for an upload without a key in its header',
            );
          }
        },
        leave: () => {
          if (left) return;
          left = true;
          visitors--;
          spooledBytes -= ownBytes;
        },
      };
    },
  };
}
