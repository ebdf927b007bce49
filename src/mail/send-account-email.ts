/** Sends one email about an account. A duplicate is harmless, because only the newest link is valid. */
import type { AccountEmail } from '../accounts/profile/account-email-content.ts';
import type { Brands } from '../branding/brands.ts';
import { newIdentifier } from '../core/identifier.ts';
import type { AccountEmailJob, Job } from '../jobs/outbox.ts';
import type { MailDelivery } from './delivery.ts';
import { renderAccountEmailHtml, renderAccountEmailText } from './messages/account-email-html.tsx';
import { mailSender } from './messages/mail-brand.ts';

export interface SendAccountEmailDeps {
  /** Null if email cannot be sent. */
  delivery: MailDelivery | null;
  /** Null if the email should no longer be sent. `site`: the name of the installation's brand. */
  compose: (accountEmail: AccountEmailJob, site: string) => Promise<AccountEmail | null>;
  brands: Pick<Brands, 'forEmail'>;
  now: () => number;
  log: { warn(fields: object, message: string): void };
}

/** Rejects if the email should be retried. */
export function createSendAccountEmail(deps: SendAccountEmailDeps) {
  const { delivery, compose, now, log } = deps;
  return async (job: Extract<Job, { kind: 'send-account-email' }>): Promise<void> => {
    if (!delivery || now() > job.until) return;
    const brand = await deps.brands.forEmail(null);
    const email = await compose(job.accountEmail, mailSender(brand));
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
      text: renderAccountEmailText(email, { origin, brand }),
      html: renderAccountEmailHtml(email, { origin, brand }),
      pictures: [],
    });
    if (outcome.kind === 'later') throw new Error(`the email could not be sent: ${outcome.reason}`);
    if (outcome.kind !== 'sent') {
      log.warn(
        { reason: outcome.reason },
        `the mail server rejected an email about ${job.accountEmail.about}`,
      );
    }
  };
}
