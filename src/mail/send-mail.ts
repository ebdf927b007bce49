/** Sends one email, at most once. */
import type { Data } from '../db/data.ts';
import type { Job } from '../jobs/outbox.ts';
import type { MailDelivery } from './delivery.ts';
import type { Mail } from './mail.ts';
import { mailQueries } from './mail-queries.ts';
import type { SendOutcome } from './mailer.ts';

export interface SendMailDeps {
  data: Data;
  /** Null if email cannot be sent. Waiting emails are then only stored. */
  delivery: Pick<MailDelivery, 'mailer' | 'compose'> | null;
  now: () => number;
}

const interruptedReason = 'interrupted';

/** Rejects if the email should be retried; the outbox then runs the job again after a pause. */
export function createSendMail(deps: SendMailDeps) {
  const { data, delivery, now } = deps;
  return async (job: Extract<Job, { kind: 'send-mail' }>): Promise<void> => {
    const mail = await mailQueries(data).findMail(job.mailId);
    if (!mail) return;
    if (mail.state === 'sending') return settleInterrupted(data, mail, now());
    if (mail.state !== 'waiting') return;
    const settle = (state: Mail['state'], lastError: string | null) =>
      mailQueries(data).changeMail(mail.id, ['waiting'], { state, lastError, now: now() });
    if (!delivery) {
      await settle('kept', mail.lastError);
      return;
    }
    if (now() > job.until) {
      await settle(mail.attempts > 0 ? 'dead' : 'closed', mail.lastError ?? 'old');
      return;
    }
    // Everything slow or fallible happens before the email counts as being sent.
    const message = await delivery.compose(mail);
    if (!message) {
      await settle('closed', 'unwanted');
      return;
    }
    if (!(await mailQueries(data).takeMail(mail.id, now()))) return;
    await settleSent(data, mail, await delivery.mailer.send(message), now());
  };
}

/** Only one process at a time holds the job, so the process that was sending the email has died. */
async function settleInterrupted(data: Data, mail: Mail, now: number): Promise<void> {
  await mailQueries(data).changeMail(mail.id, ['sending'], {
    state: 'uncertain',
    lastError: interruptedReason,
    now,
  });
}

const statesAfter = { sent: 'sent', refused: 'dead', uncertain: 'uncertain', later: 'waiting' } as const;

async function settleSent(data: Data, mail: Mail, outcome: SendOutcome, now: number): Promise<void> {
  const lastError = outcome.kind === 'sent' ? null : outcome.reason;
  await mailQueries(data).changeMail(mail.id, ['sending'], {
    state: statesAfter[outcome.kind],
    lastError,
    now,
  });
  if (outcome.kind === 'later') throw new Error(`the email ${mail.id} could not be sent: ${lastError}`);
}
