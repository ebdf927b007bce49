/** The email with a reply to feedback, as text and HTML. */
import { renderToString } from 'preact-render-to-string';
import { currentLocale } from '../core/language/current-language.ts';
import { mailSender, mailSupport } from '../mail/messages/mail-brand.ts';
import { linkTo } from '../web/components/message-tags.tsx';
import type { Brand } from '../web/shell/page-frame.ts';
import { texts } from '../web/shell/texts.ts';
import { feedbackTexts } from './feedback-texts.ts';

export interface ReplyEmail {
  /** Name of the app. */
  app: string;
  author: string;
  reply: string;
  feedback: string;
  origin: string;
  brand: Brand;
}

const t = feedbackTexts.mail;
const hostOf = (origin: string) => new URL(origin).host;

export function renderReplyText({ app, author, reply, feedback, origin, brand }: ReplyEmail): string {
  const quoted = feedback.replace(/^/gm, '> ');
  const support = brand.support ? [texts.supportText({ address: brand.support })] : [];
  // Signature separator (RFC 3676, section 4.3).
  const parts = [
    t.intro({ author, app }),
    reply,
    t.yours,
    quoted,
    ['-- ', t.reason({ host: hostOf(origin) }), mailSender(brand), ...support].join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}

const font =
  "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Helvetica,Arial,sans-serif";
const paragraph = `margin:0 0 16px;${font};font-size:16px;line-height:1.5`;

/** Sets no color, so that email clients apply their light or dark theme. */
export function renderReplyHtml({ app, author, reply, feedback, origin, brand }: ReplyEmail): string {
  const support = mailSupport(brand);
  const content = (
    <html lang={currentLocale()}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{t.subject({ app })}</title>
      </head>
      <body style="margin:0;padding:24px;max-width:560px">
        <p style={paragraph}>{t.intro({ author, app })}</p>
        <p style={`${paragraph};white-space:pre-wrap`} dir="auto">
          {reply}
        </p>
        <p style={`${paragraph};font-size:13px`}>{t.yours}</p>
        <blockquote style={`${paragraph};font-size:13px;white-space:pre-wrap`} dir="auto">
          {feedback}
        </blockquote>
        <p style={`${paragraph};font-size:13px`}>{t.reason({ host: hostOf(origin) })}</p>
        <p style={`${paragraph};font-size:13px`}>
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
