/** Sends one letter about an account. Should it come twice, nothing is lost: the link in the newer one counts. */
import type { WriteLetter } from '../accounts/profile/account-email.ts';
import { newIdentifier } from '../core/identifier.ts';
import type { Job } from '../jobs/outbox.ts';
import type { MailDelivery } from './delivery.ts';
import { renderLetterHtml, renderLetterText } from './messages/account-email-html.tsx';

export interface SendLetterParts {
  /** Null where mail cannot be sent. */
  delivery: MailDelivery | null;
  writeLetter: WriteLetter;
  now: () => number;
  log: { warn(fields: object, message: string): void };
}

/** Rejects when the letter is to be tried again. */
export function createSendLetter({ delivery, writeLetter, now, log }: SendLetterParts) {
  return async (job: Extract<Job, { kind: 'send-letter' }>): Promise<void> => {
    if (!delivery || now() > job.until) return;
    const letter = await writeLetter(job.letter);
    if (!letter) return;
    const { from, origin } = delivery;
    const outcome = await delivery.mailer.send({
      messageId: `${newIdentifier(now())}@${from.address.slice(from.address.lastIndexOf('@') + 1)}`,
      date: now(),
      from,
      to: letter.to,
      subject: letter.subject,
      // RFC 3834 and, for Exchange, [MS-OXCMAIL] 2.2.3.2.14: nobody's absence is to be answered to a machine.
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      text: renderLetterText(letter, origin),
      html: renderLetterHtml(letter, origin),
      pictures: [],
    });
    if (outcome.kind === 'later') throw new Error(`the letter could not be sent: ${outcome.reason}`);
    if (outcome.kind !== 'sent') {
      log.warn({ reason: outcome.reason }, `a letter about ${job.letter.about} was not taken`);
    }
  };
}
