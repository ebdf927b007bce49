/** Runs due jobs with their handlers, a few at a time in each lane, and retries failed ones. */

import type { Claim } from '../claims/claim.ts';
import type { Claims } from '../claims/claims.ts';
import { runInLanguage } from '../core/language/current-language.ts';
import type { Language } from '../core/language/languages.ts';
import { createSemaphore } from '../core/semaphore.ts';
import type { Data } from '../db/data.ts';
import {
  type ClaimedJob,
  type Job,
  type JobHandlers,
  type LaneName,
  laneNames,
  lanes,
  NotReady,
  retryDelay,
} from './outbox.ts';
import { outboxQueries } from './outbox-queries.ts';

/** Jobs added by another node, or with an expired lease, are found after at most this time. */
const pollMs = 10_000;
/** Prevents a busy loop if the clock is ahead of the timer. */
const minDelayMs = 250;
const queuedAtOnce = 500;

export interface OutboxRunner {
  /** Checks for due jobs now: called after a commit that added one. */
  wake(): void;
  /** Like `wake`, but after the promise, for example of a response that would be delayed by writes of the jobs. */
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
  /** Adds jobs that follow from what others committed; called before due jobs are looked for. */
  plan?: () => Promise<void>;
  /** Language of jobs, unless they are for a person who has chosen another one; English by default. */
  language?: Language;
  now: () => number;
  log: OutboxLog;
}

export function createOutboxRunner(deps: RunnerDeps): OutboxRunner {
  const plan = createPlan(deps, (name) => lanesByName.get(name)?.wake());
  const lanesByName = new Map(laneNames.map((name) => [name, createLaneRunner(deps, name, plan.include)]));
  const runners = [...lanesByName.values()];
  const awaited = new Set<Promise<void>>();
  return {
    wake: plan.check,
    wakeAfter: (over) => {
      const woken = over.then(() => {
        awaited.delete(woken);
        plan.check();
      });
      awaited.add(woken);
    },
    idle: async () => {
      // A job in one lane may add one to another.
      while (awaited.size > 0 || plan.busy() || runners.some((runner) => runner.busy()))
        await Promise.all([...awaited, plan.idle(), ...runners.map((runner) => runner.idle())]);
    },
    stop: async () => {
      await Promise.all([plan.stop(), ...runners.map((runner) => runner.stop())]);
    },
  };
}

/** Returns how long to wait for the next due job; null if none is planned. Other nodes may plan one in the meantime. */
export const alarmDelayMs = (due: number | null, now: number): number =>
  due === null ? pollMs : Math.min(Math.max(due - now, minDelayMs), pollMs);

/**
 * Moves jobs to their queues when they are due, releases those of processes that died, and wakes the lanes that have some. One
 * statement finds those lanes, so that an idle node needs one connection, not one per lane.
 */
function createPlan({ data, claims, now, log, plan }: RunnerDeps, wakeLane: (name: LaneName) => void) {
  let checking: Promise<void> | null = null;
  let wanted = false;
  let stopped = false;
  let alarm: NodeJS.Timeout | undefined;
  let alarmAt = Number.POSITIVE_INFINITY;

  const wakeLanes = async () => {
    for (const name of await outboxQueries(data).waitingLanes(now())) wakeLane(name);
  };
  const queueDueJobs = async (): Promise<number | null> => {
    const outbox = outboxQueries(data);
    if (claims.takesOver()) await outbox.releaseExpired();
    await plan?.();
    await wakeLanes();
    for (;;) {
      const due = await outbox.nextDueAt();
      if (due === null || due > now()) return due;
      // Repeated until none is left, so that each due job waits only for its turn, not for jobs that were due earlier.
      for (let queued = queuedAtOnce; queued === queuedAtOnce && !stopped; await wakeLanes())
        queued = await outbox.queueDueJobs(now(), queuedAtOnce);
      if (stopped) return null;
    }
  };
  const check = () => {
    wanted = true;
    if (checking || stopped) return;
    checking = (async () => {
      let due: number | null = null;
      try {
        while (wanted && !stopped) {
          wanted = false;
          due = await queueDueJobs();
        }
      } catch (error) {
        log.error({ err: error }, 'the outbox could not be read');
        due = null;
      }
      // Reset first, because jobs planned from now on change the alarm.
      checking = null;
      setAlarm(due);
    })();
  };
  const setAlarm = (due: number | null) => {
    clearTimeout(alarm);
    if (stopped) return;
    const delay = alarmDelayMs(due, now());
    alarmAt = now() + delay;
    alarm = setTimeout(check, delay);
    alarm.unref();
  };
  return {
    check,
    /** Makes sure that there is an alarm at the time for which a job was planned. */
    include: (runAt: number) => {
      if (checking) wanted = true;
      else if (runAt < alarmAt) setAlarm(runAt);
    },
    busy: () => checking !== null,
    idle: async () => {
      await checking;
    },
    stop: async () => {
      stopped = true;
      clearTimeout(alarm);
      await checking;
    },
  };
}

function createLaneRunner(deps: RunnerDeps, name: LaneName, planned: (runAt: number) => void) {
  const { data, claims, now } = deps;
  const { jobsAtOnce } = lanes[name];
  const maxSlots = jobsAtOnce > 1 ? jobsAtOnce + 1 : 1;
  const slots = new Set<Promise<void>>();
  /** Number of running jobs, by owner. */
  const running = new Map<string, number>();
  const count = (ownerId: string, change: 1 | -1) => {
    const jobs = (running.get(ownerId) ?? 0) + change;
    if (jobs === 0) running.delete(ownerId);
    else running.set(ownerId, jobs);
  };
  const claimInTurn = createSemaphore(1);
  let lastOwner: string | null = null;
  let stopped = false;
  let wanted = false;

  /** Each slot runs one job after another, and opens another slot while more are due. */
  const work = async () => {
    while (!stopped) {
      wanted = false;
      const claim = claims.begin();
      const claimed = await claimInTurn.run(() => claimOne(claim));
      if (claimed) {
        openSlot();
        await runJob(deps, name, claimed, claim, planned).finally(() => count(claimed.ownerId, -1));
      } else {
        claims.drop(claim);
        if (!wanted) return;
      }
    }
  };
  /** If claiming fails, the database may still have assigned a job to the claim. */
  const claimOne = async (claim: Claim) => {
    const free = maxSlots - running.values().reduce((sum, jobs) => sum + jobs, 0);
    const except = maxSlots > 1 && free === 1 ? [...running.keys()] : [];
    try {
      const claimed = await outboxQueries(data).claim(name, now(), claim, { after: lastOwner, except });
      if (!claimed) return null;
      lastOwner = claimed.ownerId;
      count(lastOwner, 1);
      return claimed;
    } catch (error) {
      await claims.settle(claim, () => outboxQueries(data).release(claim));
      throw error;
    }
  };
  const openSlot = () => {
    if (stopped || slots.size >= maxSlots) return;
    const slot = work()
      .catch((error) => deps.log.error({ err: error }, 'the outbox could not be read'))
      .then(() => {
        slots.delete(slot);
        if (wanted) openSlot();
      });
    slots.add(slot);
  };
  const idle = async () => {
    while (slots.size > 0) await Promise.all(slots);
  };
  return {
    wake: () => {
      wanted = true;
      openSlot();
    },
    idle,
    busy: () => slots.size > 0,
    stop: async () => {
      stopped = true;
      await idle();
    },
  };
}

async function runJob(
  deps: RunnerDeps,
  name: LaneName,
  claimed: ClaimedJob,
  claim: Claim,
  planned: (runAt: number) => void,
): Promise<void> {
  const { data, claims, log, now } = deps;
  const { id, job, attempts } = claimed;
  const { maxAttempts } = lanes[name];
  const settle = (write: (outbox: ReturnType<typeof outboxQueries>) => Promise<void>) =>
    claims.settle(claim, () => write(outboxQueries(data)));
  try {
    // Does not use the language of the request that woke the runner.
    await runInLanguage(deps.language ?? 'en', () => handle(deps.handlers, job, claimed.ownerId));
  } catch (error) {
    if (error instanceof NotReady) {
      await settle((outbox) => outbox.putOff(id, error.until, claim));
      return planned(error.until);
    }
    const dead = attempts >= maxAttempts;
    // Leaves out the job itself, which may contain user input or an address.
    const fields = { err: error, job: id, kind: job.kind, attempts };
    log.error(fields, `job ${job.kind} failed${dead ? ' for the last time' : ' and will be retried'}`);
    const runAt = now() + retryDelay(attempts);
    await settle((outbox) => outbox.retryLater(id, runAt, String(error), claim));
    return planned(runAt);
  }
  await settle((outbox) => outbox.finish(id, claim));
}

function handle(handlers: JobHandlers, job: Job, ownerId: string): Promise<void> {
  if (job.kind === 'draw-icon') return handlers['draw-icon'](job, ownerId);
  if (job.kind === 'verify-signature') return handlers['verify-signature'](job, ownerId);
  if (job.kind === 'analyze-build') return handlers['analyze-build'](job, ownerId);
  if (job.kind === 'convert-bundle') return handlers['convert-bundle'](job, ownerId);
  if (job.kind === 'announce-build') return handlers['announce-build'](job, ownerId);
  if (job.kind === 'send-mail') return handlers['send-mail'](job, ownerId);
  if (job.kind === 'send-account-email') return handlers['send-account-email'](job, ownerId);
  if (job.kind === 'send-feedback-reply') return handlers['send-feedback-reply'](job, ownerId);
  if (job.kind === 'announce-feedback') return handlers['announce-feedback'](job, ownerId);
  if (job.kind === 'send-feedback-mail') return handlers['send-feedback-mail'](job, ownerId);
  if (job.kind === 'key-expiry') return handlers['key-expiry'](job, ownerId);
  if (job.kind === 'dispatch-event') return handlers['dispatch-event'](job, ownerId);
  if (job.kind === 'send-webhook') return handlers['send-webhook'](job, ownerId);
  if (job.kind === 'send-last-webhook') return handlers['send-last-webhook'](job, ownerId);
  if (job.kind === 'remove-build') return handlers['remove-build'](job, ownerId);
  if (job.kind === 'remove-builds') return handlers['remove-builds'](job, ownerId);
  if (job.kind === 'retention-round') return handlers['retention-round'](job, ownerId);
  if (job.kind === 'retain-builds') return handlers['retain-builds'](job, ownerId);
  if (job.kind === 'check-files') return handlers['check-files'](job, ownerId);
  if (job.kind === 'analyze-builds') return handlers['analyze-builds'](job, ownerId);
  if (job.kind === 'store-rule-round') return handlers['store-rule-round'](job, ownerId);
  if (job.kind === 'directory-round') return handlers['directory-round'](job, ownerId);
  if (job.kind === 'send-store-rule-mail') return handlers['send-store-rule-mail'](job, ownerId);
  if (job.kind === 'seal-audit') return handlers['seal-audit'](job, ownerId);
  if (job.kind === 'stream-audit') return handlers['stream-audit'](job, ownerId);
  if (job.kind === 'privacy-round') return handlers['privacy-round'](job, ownerId);
  if (job.kind === 'remove-app') return handlers['remove-app'](job, ownerId);
  return handlers['remove-blobs'](job, ownerId);
}
