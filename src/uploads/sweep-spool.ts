/** Removes leftovers of earlier processes: partial uploads, blobs without a row and expired rows. */
import { sessionQueries } from '../accounts/sessions/session-queries.ts';
import { buildQueries } from '../apps/builds/build-queries.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Spool } from '../blobs/spool/spool.ts';
import { sweepAgeMs, sweepBlobs, type TrackedPuts } from '../blobs/sweep-blobs.ts';
import type { Data } from '../db/data.ts';
import { attemptQueries } from '../limits/attempt-queries.ts';
import { longestAttemptWindowMs } from '../limits/attempts.ts';
import { idempotencyQueries } from './idempotency-queries.ts';

export interface LeftoverSweepDeps {
  data: Data;
  blobs: BlobStore;
  spool: Spool;
  /** Blobs stored by this process. */
  puts: Pick<TrackedPuts, 'has' | 'forget'>;
  /** Epoch milliseconds of the clock of the file system. */
  startedAt: number;
  /** Whether other processes may put blobs into the same store. */
  sharesBlobs: boolean;
  now: () => number;
  log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
}

export interface LeftoverSweep {
  /** Resolves when the sweep is done. Never rejects: errors are logged, and the next start tries again. */
  done: Promise<void>;
  /** Stops after the current batch. */
  stop(): Promise<void>;
}

class Stopped extends Error {}

/**
 * Sweeps once while uploads continue, and skips what this process writes. The spool belongs to the only server of the data
 * folder. If other processes also store blobs, only unreferenced blobs older than a day are removed.
 */
export function startLeftoverSweep(deps: LeftoverSweepDeps): LeftoverSweep {
  let stopped = false;
  const unlessStopped = <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (stopped) throw new Stopped();
    return work();
  };
  const done = sweep(deps, unlessStopped)
    .catch((error) => {
      if (!(error instanceof Stopped)) deps.log.error({ err: error }, 'the startup sweep failed');
    })
    .finally(deps.puts.forget);
  return {
    done,
    stop: () => {
      stopped = true;
      return done;
    },
  };
}

async function sweep(
  deps: LeftoverSweepDeps,
  unlessStopped: <Result>(work: () => Promise<Result>) => Promise<Result>,
): Promise<void> {
  const { data, blobs, spool, puts, log } = deps;
  const bodies = await spool.sweepLeftovers();
  const swept = await sweepBlobs({
    store: blobs,
    isNamed: (keys) => unlessStopped(() => buildQueries(data).namedBlobs(keys)),
    before: deps.sharesBlobs ? deps.startedAt - sweepAgeMs : Number.POSITIVE_INFINITY,
    mayBeNamed: puts.has,
  });
  const time = deps.now();
  await unlessStopped(() => sessionQueries(data).deleteExpiredSessions(time));
  await unlessStopped(() => idempotencyQueries(data).deleteOld(time));
  await unlessStopped(() => attemptQueries(data).deleteOldAttempts(time - longestAttemptWindowMs));
  const { removed, freedBytes, leftovers } = swept;
  if (bodies + removed + leftovers === 0) return;
  log.info({ bodies, blobs: removed, freedBytes, leftovers }, 'removed leftovers of an earlier process');
}
