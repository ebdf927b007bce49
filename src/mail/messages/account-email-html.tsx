/** An email about an account, as text and HTML: a few sentences and a link. */
import { accountTexts } from '../../accounts/account-texts.ts';
import type { AccountEmail } from '../../accounts/profile/account-email-content.ts';
import type { Brand } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import { mailSender } from './mail-brand.ts';
import {
  fineStyle,
  MailButton,
  paragraphStyle,
  renderPlainMailHtml,
  renderPlainMailText,
} from './plain-mail.tsx';

interface AccountEmailPlace {
  /** Public origin for links. */
  origin: string;
  brand: Brand;
}

/** The last line, which states the reason for the email. */
function reasonOf(email: AccountEmail, { origin, brand }: AccountEmailPlace): string {
  const reason = email.reason ?? accountTexts.emails.reason;
  return reason({ host: new URL(origin).host, site: mailSender(brand) });
}

export function renderAccountEmailText(email: AccountEmail, place: AccountEmailPlace): string {
  const link = texts.labeledBelow({ label: email.link.label, value: `${place.origin}${email.link.path}` });
  return renderPlainMailText([...email.lines, link], {
    signature: [reasonOf(email, place)],
    brand: place.brand,
  });
}

export function renderAccountEmailHtml(email: AccountEmail, place: AccountEmailPlace): string {
  const address = `${place.origin}${email.link.path}`;
  const { brand } = place;
  return renderPlainMailHtml({
    subject: email.subject,
    brand,
    children: (
      <>
        {email.lines.map((line) => (
          <p key={line} style={paragraphStyle} dir="auto">
            {line}
          </p>
        ))}
        <MailButton address={address} brand={brand} label={email.link.label} />
        <p style={`${fineStyle};word-break:break-all`}>{address}</p>
        <p style={fineStyle}>
          <bdi>{reasonOf(email, place)}</bdi>
        </p>
      </>
    ),
  });
}
