/** An email about an account, as text and HTML: a few sentences and one link. */
import { renderToString } from 'preact-render-to-string';
import { accountTexts } from '../../accounts/account-texts.ts';
import type { AccountEmail } from '../../accounts/profile/account-email-content.ts';
import { currentLocale } from '../../core/language/current-language.ts';
import { linkTo } from '../../web/components/message-tags.tsx';
import type { Brand } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import { mailColors, mailSender, mailSupport } from './mail-brand.ts';

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
  const { support: address } = place.brand;
  const support = address === null ? [] : [texts.supportText({ address })];
  const parts = [
    ...email.lines,
    texts.labeledBelow({ label: email.link.label, value: `${place.origin}${email.link.path}` }),
    // Signature separator (RFC 3676, section 4.3).
    ['-- ', reasonOf(email, place), ...support].join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}

const font =
  "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Helvetica,Arial,sans-serif";
const paragraph = `margin:0 0 16px;${font};font-size:16px;line-height:1.5`;

/** Sets no color except for the button, so that email clients apply their light or dark theme. */
export function renderAccountEmailHtml(email: AccountEmail, place: AccountEmailPlace): string {
  const address = `${place.origin}${email.link.path}`;
  const support = mailSupport(place.brand);
  const { accent, onAccent } = mailColors(place.brand).light;
  const button = `display:inline-block;padding:12px 20px;border-radius:8px;font-weight:600;text-decoration:none;background:${accent};color:${onAccent}`;
  const content = (
    <html lang={currentLocale()}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{email.subject}</title>
      </head>
      <body style="margin:0;padding:24px;max-width:560px">
        {email.lines.map((line) => (
          <p key={line} style={paragraph} dir="auto">
            {line}
          </p>
        ))}
        <p style={paragraph}>
          <a href={address} style={button}>
            {email.link.label}
          </a>
        </p>
        <p style={`${paragraph};font-size:13px;word-break:break-all`}>{address}</p>
        <p style={`${paragraph};font-size:13px`}>
          <bdi>{reasonOf(email, place)}</bdi>
        </p>
        {support && (
          <p style={`${paragraph};font-size:13px`}>
            {texts.support({ address: support.label, link: linkTo(support.address) })}
          </p>
        )}
      </body>
    </html>
  );
  return `<!doctype html>${renderToString(content)}`;
}
