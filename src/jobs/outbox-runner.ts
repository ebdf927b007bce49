/** Runs due jobs with their handlers, a few at once in each lane, and retries failed ones. */

import { runInLanguage } from '../core/language/current-language.ts';
import type { Language } from '../core/language/languages.ts';
import type { Data } from '../db/data.ts';
import type { Claim } from './claim.ts';
import type { Claims } from './claims.ts';
import {
  type ClaimedJob,
  type Job,
  type JobHandlers,
  type Lane,
  lanes,
  NotReady,
  retryDelay,
} from './outbox.ts';
import { outboxQueries } from './outbox-queries.ts';

/** Jobs that another node added, or whose lease ended, are found at the latest after this long. */
const pollMs = 30_000;

export interface OutboxRunner {
  /** Checks for due jobs now: called after a commit that added one. */
  wake(): void;
  /** Does the same after the promise, for example a response that the jobs’ writes would delay. */
  wakeAfter(over: Promise<void>): void;
  /** Resolves when no job is running and none is due. */
  idle(): Promise<void>;
  /** Starts no more jobs and waits for running ones. */
  stop(): Promise<void>;
}

export interface OutboxLog {
  error(fields: object, message: string): void;
}

interface RunnerDeps {
  data: Data;
  claims: Claims;
  handlers: JobHandlers;
  /** Of jobs, unless they are for a person who has chosen another; English by default. */
  language?: Language;
  now: () => number;
  log: OutboxLog;
}

export function createOutboxRunner(deps: RunnerDeps): OutboxRunner {
  const runners = Object.values(lanes).map((lane) => createLaneRunner(deps, lane));
  const awaited = new Set<Promise<void>>();
  const wake = () => {
    for (const runner of runners) runner.wake();
  };
  return {
    wake,
    wakeAfter: (over) => {
      const woken = over.then(() => {
        awaited.delete(woken);
        wake();
      });
      awaited.add(woken);
    },
    idle: async () => {
      // A job of one lane may add one to another.
      while (awaited.size > 0 || runners.some((runner) => runner.busy()))
        await Promise.all([...awaited, ...runners.map((runner) => runner.idle())]);
    },
    stop: async () => {
      await Promise.all(runners.map((runner) => runner.stop()));
    },
  };
}

function createLaneRunner(deps: RunnerDeps, lane: Lane) {
  const { data, claims, now } = deps;
  const slots = new Set<Promise<void>>();
  let stopped = false;
  let wanted = false;
  let alarm: NodeJS.Timeout | undefined;

  /** Each slot runs one job after the other, and opens another slot while more are due. */
  const work = async () => {
    while (!stopped) {
      wanted = false;
      const claim = claims.begin();
      const claimed = await claimOne(claim);
      if (claimed) {
        openSlot();
        await runJob(deps, lane, claimed, claim);
      } else {
        claims.drop(claim);
        if (!wanted) return;
      }
    }
  };
  /** Without an answer, the database may have given a job to the claim. */
  const claimOne = async (claim: Claim) => {
    try {
      return (await outboxQueries(data).claim(lane, now(), 1, claim))[0];
    } catch (error) {
      await claims.settle(claim, () => outboxQueries(data).release(claim));
      throw error;
    }
  };
  const openSlot = () => {
    if (stopped || slots.size >= lane.jobsAtOnce) return;
    const slot = work()
      .then(() => outboxQueries(data).nextRunAt(lane))
      .catch((error) => {
        deps.log.error({ err: error }, 'the outbox could not be read');
        return null;
      })
      .then((due) => {
        slots.delete(slot);
        if (wanted) openSlot();
        else setAlarm(due);
      });
    slots.add(slot);
  };
  const setAlarm = (due: number | null) => {
    clearTimeout(alarm);
    if (stopped) return;
    const delay = due === null ? pollMs : Math.min(Math.max(due - now(), 250), pollMs);
    alarm = setTimeout(wake, delay);
    alarm.unref();
  };
  const wake = () => {
    wanted = true;
    openSlot();
  };
  const idle = async () => {
    while (slots.size > 0) await Promise.all(slots);
  };
  return {
    wake,
    idle,
    busy: () => slots.size > 0,
    stop: async () => {
      stopped = true;
      clearTimeout(alarm);
      await idle();
    },
  };
}

async function runJob(deps: RunnerDeps, lane: Lane, claimed: ClaimedJob, claim: Claim): Promise<void> {
  const { data, claims, log, now } = deps;
  const { id, job, attempts } = claimed;
  const settle = (write: (outbox: ReturnType<typeof outboxQueries>) => Promise<void>) =>
    claims.settle(claim, () => write(outboxQueries(data)));
  try {
    // Not that of the request that woke the runner.
    await runInLanguage(deps.language ?? 'en', () => handle(deps.handlers, job));
  } catch (error) {
    if (error instanceof NotReady) return settle((outbox) => outbox.putOff(id, error.until, claim));
    const dead = attempts >= lane.maxAttempts;
    // Not the job itself: it may contain user input or an address.
    const fields = { err: error, job: id, kind: job.kind, attempts };
    log.error(fields, `job ${job.kind} failed${dead ? ' for the last time' : ' and will be retried'}`);
    const runAt = now() + retryDelay(attempts);
    return settle((outbox) => outbox.retryLater(id, runAt, String(error), claim));
  }
  await settle((outbox) => outbox.finish(id, claim));
}

function handle(handlers: JobHandlers, job: Job): Promise<void> {
  if (job.kind === 'draw-icon') return handlers['draw-icon'](job);
  if (job.kind === 'verify-signature') return handlers['verify-signature'](job);
  if (job.kind === 'convert-bundle') return handlers['convert-bundle'](job);
  if (job.kind === 'announce-build') return handlers['announce-build'](job);
  if (job.kind === 'send-mail') return handlers['send-mail'](job);
  if (job.kind === 'send-letter') return handlers['send-letter'](job);
  if (job.kind === 'send-feedback-reply') return handlers['send-feedback-reply'](job);
  if (job.kind === 'announce-feedback') return handlers['announce-feedback'](job);
  if (job.kind === 'send-feedback-mail') return handlers['send-feedback-mail'](job);
  if (job.kind === 'key-expiry') return handlers['key-expiry'](job);
  if (job.kind === 'dispatch-event') return handlers['dispatch-event'](job);
  if (job.kind === 'tell-hooks') return handlers['tell-hooks'](job);
  if (job.kind === 'send-webhook') return handlers['send-webhook'](job);
  if (job.kind === 'send-hook') return handlers['send-hook'](job);
  if (job.kind === 'send-last-hook') return handlers['send-last-hook'](job);
  if (job.kind === 'remove-build') return handlers['remove-build'](job);
  if (job.kind === 'remove-builds') return handlers['remove-builds'](job);
  if (job.kind === 'retention-round') return handlers['retention-round'](job);
  if (job.kind === 'retain-builds') return handlers['retain-builds'](job);
  if (job.kind === 'check-files') return handlers['check-files'](job);
  if (job.kind === 'remove-app') return handlers['remove-app'](job);
  return handlers['remove-blobs'](job);
}
