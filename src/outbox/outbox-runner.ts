/** Hands due jobs to their handlers, a few at once, and tries a failed one again later. */
import type { Data } from '../data.ts';
import { type ClaimedJob, type Job, type JobHandlers, maxAttempts, pauseAfter } from './outbox.ts';

const jobsAtOnce = 2;
/** Jobs that another node wrote, or whose lease ran out, are found at the latest after this long. */
const pollMs = 30_000;

export interface OutboxRunner {
  /** Looks for due jobs now: called after a commit that wrote one. */
  wake(): void;
  /** Resolves when no job is running and none is due. */
  idle(): Promise<void>;
  /** Starts nothing more and waits for what runs. */
  stop(): Promise<void>;
}

export interface OutboxLog {
  error(fields: object, message: string): void;
}

export function createOutboxRunner(parts: {
  data: Data;
  handlers: JobHandlers;
  now: () => number;
  log: OutboxLog;
}): OutboxRunner {
  const { data, now } = parts;
  let stopped = false;
  let wanted = false;
  let round: Promise<void> | null = null;
  let alarm: NodeJS.Timeout | undefined;

  const runRounds = async () => {
    while (wanted && !stopped) {
      wanted = false;
      const jobs = await data.outbox.claim(now(), jobsAtOnce);
      const ended = await Promise.allSettled(jobs.map((job) => runJob(parts, job)));
      const failed = ended.find((end) => end.status === 'rejected');
      if (failed) throw failed.reason;
      if (jobs.length === jobsAtOnce) wanted = true;
    }
    if (!stopped) setAlarm(await data.outbox.nextRunAt());
  };
  const setAlarm = (due: number | null) => {
    clearTimeout(alarm);
    const delay = due === null ? pollMs : Math.min(Math.max(due - now(), 250), pollMs);
    alarm = setTimeout(wake, delay);
    alarm.unref();
  };
  const wake = () => {
    wanted = true;
    if (stopped || round) return;
    round = runRounds()
      .catch((error) => {
        parts.log.error({ err: error }, 'the outbox could not be read');
        if (!stopped) setAlarm(null);
      })
      .finally(() => {
        round = null;
        if (wanted) wake();
      });
  };
  return {
    wake,
    idle: async () => {
      while (round) await round;
    },
    stop: async () => {
      stopped = true;
      clearTimeout(alarm);
      while (round) await round;
    },
  };
}

async function runJob(parts: Parameters<typeof createOutboxRunner>[0], claimed: ClaimedJob): Promise<void> {
  const { data, log, now } = parts;
  try {
    await handle(parts.handlers, claimed.job);
    await data.outbox.finish(claimed.id);
  } catch (error) {
    const dead = claimed.attempts >= maxAttempts;
    const fields = { err: error, job: claimed.job, attempts: claimed.attempts };
    log.error(fields, `job ${claimed.job.kind} failed${dead ? ' for the last time' : ', it is tried again'}`);
    await data.outbox.retryLater(claimed.id, now() + pauseAfter(claimed.attempts), String(error));
  }
}

function handle(handlers: JobHandlers, job: Job): Promise<void> {
  if (job.kind === 'draw-icon') return handlers['draw-icon'](job);
  return handlers['verify-signature'](job);
}
