/** Sends one email about an account. Should it come twice, nothing is lost: the link in the newer one counts. */
import type { ComposeAccountEmail } from '../accounts/profile/account-email.ts';
import { newIdentifier } from '../core/identifier.ts';
import type { Job } from '../jobs/outbox.ts';
import type { MailDelivery } from './delivery.ts';
import { renderAccountEmailHtml, renderAccountEmailText } from './messages/account-email-html.tsx';

export interface SendLetterParts {
  /** Null where mail cannot be sent. */
  delivery: MailDelivery | null;
  composeAccountEmail: ComposeAccountEmail;
  now: () => number;
  log: { warn(fields: object, message: string): void };
}

/** Rejects when the email is to be tried again. */
export function createSendAccountEmail({ delivery, composeAccountEmail, now, log }: SendLetterParts) {
  return async (job: Extract<Job, { kind: 'send-letter' }>): Promise<void> => {
    if (!delivery || now() > job.until) return;
    const letter = await composeAccountEmail(job.letter);
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
      text: renderAccountEmailText(letter, origin),
      html: renderAccountEmailHtml(letter, origin),
      pictures: [],
    });
    if (outcome.kind === 'later') throw new Error(`the letter could not be sent: ${outcome.reason}`);
    if (outcome.kind !== 'sent') {
      log.warn({ reason: outcome.reason }, `a letter about ${job.letter.about} was not taken`);
    }
  };
}
