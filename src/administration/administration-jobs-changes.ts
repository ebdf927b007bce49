/** Retries or discards failed jobs. */

import { conflict } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import { mailQueries } from '../mail/mail-queries.ts';
import type { Actor } from '../owners/actor.ts';
import { auditQueries } from '../owners/audit-queries.ts';
import { canDiscard } from './administration-jobs.ts';
import { administrationQueries } from './administration-queries.ts';
import { administrationTexts } from './administration-texts.ts';

/** Each returns whether there was such a job. Running jobs, and jobs that never failed, are not changed. */
export interface JobChanges {
  retry(by: Actor, jobId: string): Promise<boolean>;
  /** Throws `conflict` for jobs that must be completed. */
  remove(by: Actor, jobId: string): Promise<boolean>;
}

export function createJobChanges(deps: {
  data: Data;
  now: () => number;
  wakeOutbox: () => void;
}): JobChanges {
  const { data, now } = deps;
  return {
    retry: async (by, jobId) => {
      const at = now();
      const found = await data.transaction(async (tx) => {
        const kind = await administrationQueries(tx).retryJob(jobId, at);
        if (kind === null) return false;
        const entry = { at, actor: by, action: 'work.run-again', ownerId: null };
        await auditQueries(tx).record({ ...entry, subject: kind, details: { job: jobId } });
        return true;
      });
      if (found) deps.wakeOutbox();
      return found;
    },
    remove: (by, jobId) =>
      data.transaction(async (tx) => {
        const at = now();
        const job = await administrationQueries(tx).discardJob(jobId);
        if (job === null) return false;
        if (!canDiscard(job.kind)) throw conflict(administrationTexts.work.keeps);
        if (job.kind === 'send-mail') {
          await mailQueries(tx).changeMail(job.mailId, ['waiting'], {
            state: 'closed',
            lastError: null,
            now: at,
          });
        }
        const entry = { at, actor: by, action: 'work.given-up', ownerId: null };
        await auditQueries(tx).record({ ...entry, subject: job.kind, details: { job: jobId } });
        return true;
      }),
  };
}
