/** An email about an account, in words alone and as HTML: a few sentences and one link. */
import { renderToString } from 'preact-render-to-string';
import { accountTexts } from '../../accounts/account-texts.ts';
import type { AccountEmail } from '../../accounts/profile/account-email-content.ts';
import { language } from '../../web/shell/texts.ts';

/** Why the email comes; the last line of it. */
function reasonOf(letter: AccountEmail, origin: string): string {
  return (letter.reason ?? accountTexts.letters.reason)(new URL(origin).host);
}

export function renderAccountEmailText(letter: AccountEmail, origin: string): string {
  const parts = [
    ...letter.lines,
    `${letter.link.label}:\n${origin}${letter.link.path}`,
    // RFC 3676, section 4.3: what follows this line is a signature.
    `-- \n${reasonOf(letter, origin)}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

const font =
  "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Helvetica,Arial,sans-serif";
const paragraph = `margin:0 0 16px;${font};font-size:16px;line-height:1.5`;

/** Without colours of its own but the link's, so that mail programs show it in theirs, light or dark. */
export function renderAccountEmailHtml(letter: AccountEmail, origin: string): string {
  const address = `${origin}${letter.link.path}`;
  const content = (
    <html lang={language}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{letter.subject}</title>
      </head>
      <body style="margin:0;padding:24px;max-width:560px">
        {letter.lines.map((line) => (
          <p key={line} style={paragraph} dir="auto">
            {line}
          </p>
        ))}
        <p style={paragraph}>
          <a href={address}>{letter.link.label}</a>
        </p>
        <p style={`${paragraph};font-size:13px;word-break:break-all`}>{address}</p>
        <p style={`${paragraph};font-size:13px`}>{reasonOf(letter, origin)}</p>
      </body>
    </html>
  );
  return `<!doctype html>${renderToString(content)}`;
}
