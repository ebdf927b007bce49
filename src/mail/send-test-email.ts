/** Sends a test email immediately, so that an administrator sees the answer of the mail server. */
import type { Brands } from '../branding/brands.ts';
import { newIdentifier } from '../core/identifier.ts';
import type { Data } from '../db/data.ts';
import type { User } from '../owners/owner.ts';
import { useLanguageOf } from '../owners/recipient-language.ts';
import type { MailDelivery } from './delivery.ts';
import { mailTexts } from './mail-texts.ts';
import type { SendOutcome } from './mailer.ts';
import { renderAccountEmailHtml, renderAccountEmailText } from './messages/account-email-html.tsx';
import { mailSender } from './messages/mail-brand.ts';
import { mailAdministrationPath } from './pages/mail-paths.ts';

export type SendTestEmail = (to: User & { email: string }) => Promise<SendOutcome>;

export function createSendTestEmail(deps: {
  delivery: Pick<MailDelivery, 'mailer' | 'from' | 'origin'>;
  data: Data;
  brands: Pick<Brands, 'forEmail'>;
  now: () => number;
}): SendTestEmail {
  const { from, origin, mailer } = deps.delivery;
  return async ({ id, name, email: address }) => {
    const brand = await deps.brands.forEmail(null);
    const site = mailSender(brand);
    await useLanguageOf(deps.data, id);
    const t = mailTexts.test;
    const email = {
      to: { name, address },
      subject: t.subject({ site }),
      lines: [t.canSend({ site }), t.spam],
      link: { label: t.link, path: mailAdministrationPath },
      reason: t.reason,
    };
    return mailer.send({
      messageId: `${newIdentifier(deps.now())}@${from.address.slice(from.address.lastIndexOf('@') + 1)}`,
      date: deps.now(),
      from,
      to: email.to,
      subject: email.subject,
      // RFC 3834 and, for Exchange, [MS-OXCMAIL] 2.2.3.2.14: prevents automatic replies.
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      text: renderAccountEmailText(email, { origin, brand }),
      html: renderAccountEmailHtml(email, { origin, brand }),
      pictures: [],
    });
  };
}
