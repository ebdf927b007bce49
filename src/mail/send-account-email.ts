/** Sends one email about an account. A duplicate is harmless: only the newest link is valid. */
import type { ComposeAccountEmail } from '../accounts/profile/account-email.ts';
import { newIdentifier } from '../core/identifier.ts';
import type { Job } from '../jobs/outbox.ts';
import type { MailDelivery } from './delivery.ts';
import { renderAccountEmailHtml, renderAccountEmailText } from './messages/account-email-html.tsx';

export interface SendAccountEmailDeps {
  /** Null if email cannot be sent. */
  delivery: MailDelivery | null;
  composeAccountEmail: ComposeAccountEmail;
  now: () => number;
  log: { warn(fields: object, message: string): void };
}

/** Rejects to retry the email. */
export function createSendAccountEmail({ delivery, composeAccountEmail, now, log }: SendAccountEmailDeps) {
  return async (job: Extract<Job, { kind: 'send-letter' }>): Promise<void> => {
    if (!delivery || now() > job.until) return;
    const email = await composeAccountEmail(job.letter);
    if (!email) return;
    const { from, origin } = delivery;
    const outcome = await delivery.mailer.send({
      messageId: `${newIdentifier(now())}@${from.address.slice(from.address.lastIndexOf('@') + 1)}`,
      date: now(),
      from,
      to: email.to,
      subject: email.subject,
      // RFC 3834 and, for Exchange, [MS-OXCMAIL] 2.2.3.2.14: prevents automatic replies.
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      text: renderAccountEmailText(email, origin),
      html: renderAccountEmailHtml(email, origin),
      pictures: [],
    });
    if (outcome.kind === 'later') throw new Error(`the email could not be sent: ${outcome.reason}`);
    if (outcome.kind !== 'sent') {
      log.warn({ reason: outcome.reason }, `the mail server rejected an email about ${job.letter.about}`);
    }
  };
}
