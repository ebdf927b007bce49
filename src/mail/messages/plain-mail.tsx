/** Common parts of emails with a few paragraphs: the HTML document, and the end of both versions. */
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { currentLocale } from '../../core/language/current-language.ts';
import { linkTo } from '../../web/components/message-tags.tsx';
import type { Brand } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import { mailColors, mailSender, mailSupport } from './mail-brand.ts';

const font =
  "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Helvetica,Arial,sans-serif";
export const paragraphStyle = `margin:0 0 16px;${font};font-size:16px;line-height:1.5`;
export const fineStyle = `${paragraphStyle};font-size:13px`;

/** `signature`: lines below the text, such as the reason for the email. */
export function renderPlainMailText(
  paragraphs: readonly string[],
  { signature, brand: { support } }: { signature: readonly string[]; brand: Brand },
): string {
  const contact = support === null ? [] : [texts.supportText({ address: support })];
  // Signature separator (RFC 3676, section 4.3).
  return `${[...paragraphs, ['-- ', ...signature, ...contact].join('\n')].join('\n\n')}\n`;
}

/** Sets no color except for the button, so that email clients apply their light or dark theme. */
export function renderPlainMailHtml({
  subject,
  brand,
  children,
}: {
  subject: string;
  brand: Brand;
  children: ComponentChildren;
}): string {
  const support = mailSupport(brand);
  const content = (
    <html lang={currentLocale()}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{subject}</title>
      </head>
      <body style="margin:0;padding:24px;max-width:560px">
        {children}
        <p style={fineStyle}>
          <bdi>{mailSender(brand)}</bdi>
          {support && (
            <>
              {' · '}
              {texts.support({ address: support.label, link: linkTo(support.address) })}
            </>
          )}
        </p>
      </body>
    </html>
  );
  return `<!doctype html>${renderToString(content)}`;
}

export function MailButton({ address, brand, label }: { address: string; brand: Brand; label: string }) {
  const { accent, onAccent } = mailColors(brand).light;
  const style = `display:inline-block;padding:12px 20px;border-radius:8px;font-weight:600;text-decoration:none;background:${accent};color:${onAccent}`;
  return (
    <p style={paragraphStyle}>
      <a href={address} style={style}>
        {label}
      </a>
    </p>
  );
}
