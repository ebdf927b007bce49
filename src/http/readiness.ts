/**
 * Determines whether this node can serve requests. Readiness requests are not rate limited, so even a flood of them causes only
 * one check at a time.
 */
import { withTimeout } from '../core/time-limit.ts';

export interface ReadinessDeps {
  /** Rejects if the database or the blob store does not answer. Called for every request, one at a time. */
  ping(): Promise<void>;
  /** Rejects if the database or the blob store is not writable. Called at most every `writeCheckTtlMs`. */
  checkWritable(): Promise<void>;
  now(): number;
  /** How long a request waits for a check that does not finish. */
  waitTimeoutMs?: number;
}

/** How long a successful write counts. */
export const writeCheckTtlMs = 10_000;
/** Shorter than the usual timeout of load balancers. */
const defaultWaitTimeoutMs = 3000;

type Check = () => Promise<void>;

/** Resolves if this node is ready, and rejects with the reason if it is not. Either happens within `waitTimeoutMs`. */
export function createReadiness(deps: ReadinessDeps): Check {
  const waitTimeoutMs = deps.waitTimeoutMs ?? defaultWaitTimeoutMs;
  const ping = oneAtATime(waitTimeoutMs, deps.ping);
  const checkWritable = oneAtATime(waitTimeoutMs, remembered(deps.checkWritable, deps.now));
  return async () => {
    await Promise.all([ping(), checkWritable()]);
  };
}

/** All callers during a check share its result. A check that does not finish is abandoned, and the next caller starts another. */
function oneAtATime(limitMs: number, check: Check): Check {
  let inFlight: Promise<void> | null = null;
  return () => {
    inFlight ??= withTimeout(limitMs, check()).finally(() => {
      inFlight = null;
    });
    return inFlight;
  };
}

/** Reuses the latest result, good or bad, for `writeCheckTtlMs` after its end. */
function remembered(check: Check, now: () => number): Check {
  let last: { outcome: Promise<void>; endedAt: number } | null = null;
  let latest: Promise<void> | null = null;
  return () => {
    // A clock that was set back must not extend the validity of the result.
    if (last && Math.abs(now() - last.endedAt) < writeCheckTtlMs) return last.outcome;
    const outcome = check();
    latest = outcome;
    const remember = () => {
      if (outcome === latest) last = { outcome, endedAt: now() };
    };
    outcome.then(remember, remember);
    return outcome;
  };
}
