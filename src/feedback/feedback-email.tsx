/** The email about new feedback, as text and HTML. */

import { renderToString } from 'preact-render-to-string';
import { appTexts } from '../apps/app-texts.ts';
import { versionText } from '../apps/builds/version-text.ts';
import { currentLocale } from '../core/language/current-language.ts';
import { mailColors, mailSender, mailSupport } from '../mail/messages/mail-brand.ts';
import type { MailLinks } from '../mail/pages/mail-paths.ts';
import { excerpt, formatList } from '../web/components/formats.ts';
import { linkTo } from '../web/components/message-tags.tsx';
import type { Brand } from '../web/shell/page-frame.ts';
import { texts } from '../web/shell/texts.ts';
import type { ListedFeedback } from './feedback.ts';
import { feedbackTexts } from './feedback-texts.ts';

export interface FeedbackEmail {
  /** Name of the app. */
  app: string;
  /** Newest first. */
  feedback: readonly ListedFeedback[];
  hasMore: boolean;
  /** Absolute address. */
  inbox: string;
  links: MailLinks;
  brand: Brand;
}

const t = feedbackTexts.announcement;
const maxExcerpt = 500;

/** For example `#15 2.4.0 (418), iPhone, iOS 17.5, jo, 2 screenshots`. */
function factsOf(feedback: ListedFeedback): string {
  const { revision, device, sender, screenshots } = feedback;
  return formatList([
    `${appTexts.app.revision({ revision })} ${versionText(feedback)}`,
    device,
    ...(sender === null ? [] : [sender]),
    ...(screenshots === 0 ? [] : [feedbackTexts.inbox.screenshots({ count: screenshots })]),
  ]);
}

export function renderFeedbackEmailText({
  app,
  feedback,
  hasMore,
  inbox,
  links,
  brand,
}: FeedbackEmail): string {
  const support = brand.support ? [texts.supportText({ address: brand.support })] : [];
  const parts = [
    t.intro({ app }),
    ...feedback.map((one) => `${factsOf(one)}\n${excerpt(one.text, maxExcerpt).replace(/^/gm, '> ')}`),
    ...(hasMore ? [t.more] : []),
    texts.labeledBelow({ label: t.open, value: inbox }),
    // Signature separator (RFC 3676, section 4.3).
    [
      '-- ',
      t.reason({ app }),
      texts.labeledText({ label: t.unsubscribe, value: links.unsubscribe }),
      ...support,
    ].join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}

const font =
  "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Helvetica,Arial,sans-serif";
const paragraph = `margin:0 0 16px;${font};font-size:16px;line-height:1.5`;
const fine = `${paragraph};font-size:13px`;

/** Sets no color except for the button, so that email clients apply their light or dark theme. */
export function renderFeedbackEmailHtml(email: FeedbackEmail): string {
  const { app, feedback, inbox, links, brand } = email;
  const support = mailSupport(brand);
  const { accent, onAccent } = mailColors(brand).light;
  const button = `display:inline-block;padding:12px 20px;border-radius:8px;font-weight:600;text-decoration:none;background:${accent};color:${onAccent}`;
  const content = (
    <html lang={currentLocale()}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{t.subject({ app })}</title>
      </head>
      <body style="margin:0;padding:24px;max-width:560px">
        <p style={paragraph}>{t.intro({ app })}</p>
        {feedback.map((one) => (
          <blockquote key={one.id} style="margin:0 0 20px;padding:0 0 0 14px;border-left:3px solid #9aa8aa">
            <p style={`${paragraph};margin:0 0 4px;white-space:pre-wrap`} dir="auto">
              {excerpt(one.text, maxExcerpt)}
            </p>
            <p style={`${fine};margin:0`}>
              <bdi>{factsOf(one)}</bdi>
            </p>
          </blockquote>
        ))}
        {email.hasMore && <p style={paragraph}>{t.more}</p>}
        <p style={paragraph}>
          <a href={inbox} style={button}>
            {t.open}
          </a>
        </p>
        <p style={fine}>{t.reason({ app })}</p>
        <p style={fine}>
          <a href={links.unsubscribe}>{t.unsubscribe}</a>
          {' · '}
          <a href={links.settings}>{t.settings}</a>
        </p>
        <p style={fine}>
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
