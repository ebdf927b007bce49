/** The email about new feedback, as text and HTML. */
import { appTexts } from '../apps/app-texts.ts';
import { versionText } from '../apps/builds/version-text.ts';
import {
  fineStyle,
  MailButton,
  paragraphStyle,
  renderPlainMailHtml,
  renderPlainMailText,
} from '../mail/messages/plain-mail.tsx';
import type { MailLinks } from '../mail/pages/mail-paths.ts';
import { excerpt, formatList } from '../web/components/formats.ts';
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

export function renderFeedbackEmailText(email: FeedbackEmail): string {
  const { app, feedback, hasMore, inbox, links, brand } = email;
  return renderPlainMailText(
    [
      t.intro({ app }),
      ...feedback.map((one) => `${factsOf(one)}\n${excerpt(one.text, maxExcerpt).replace(/^/gm, '> ')}`),
      ...(hasMore ? [t.more] : []),
      texts.labeledBelow({ label: t.open, value: inbox }),
    ],
    {
      signature: [t.reason({ app }), texts.labeledText({ label: t.unsubscribe, value: links.unsubscribe })],
      brand,
    },
  );
}

export function renderFeedbackEmailHtml(email: FeedbackEmail): string {
  const { app, feedback, hasMore, inbox, links, brand } = email;
  return renderPlainMailHtml({
    subject: t.subject({ app }),
    brand,
    children: (
      <>
        <p style={paragraphStyle}>{t.intro({ app })}</p>
        {feedback.map((one) => (
          <blockquote key={one.id} style="margin:0 0 20px;padding:0 0 0 14px;border-left:3px solid #9aa8aa">
            <p style={`${paragraphStyle};margin:0 0 4px;white-space:pre-wrap`} dir="auto">
              {excerpt(one.text, maxExcerpt)}
            </p>
            <p style={`${fineStyle};margin:0`}>
              <bdi>{factsOf(one)}</bdi>
            </p>
          </blockquote>
        ))}
        {hasMore && <p style={paragraphStyle}>{t.more}</p>}
        <MailButton address={inbox} brand={brand} label={t.open} />
        <p style={fineStyle}>{t.reason({ app })}</p>
        <p style={fineStyle}>
          <a href={links.unsubscribe}>{t.unsubscribe}</a>
          {' · '}
          <a href={links.settings}>{t.settings}</a>
        </p>
      </>
    ),
  });
}
