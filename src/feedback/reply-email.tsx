/** The email with a reply to feedback, as text and HTML. */
import { mailSender } from '../mail/messages/mail-brand.ts';
import {
  fineStyle,
  paragraphStyle,
  renderPlainMailHtml,
  renderPlainMailText,
} from '../mail/messages/plain-mail.tsx';
import type { Brand } from '../web/shell/page-frame.ts';
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
  return renderPlainMailText([t.intro({ author, app }), reply, t.yours, quoted], {
    signature: [t.reason({ host: hostOf(origin) }), mailSender(brand)],
    brand,
  });
}

export function renderReplyHtml({ app, author, reply, feedback, origin, brand }: ReplyEmail): string {
  return renderPlainMailHtml({
    subject: t.subject({ app }),
    brand,
    children: (
      <>
        <p style={paragraphStyle}>{t.intro({ author, app })}</p>
        <p style={`${paragraphStyle};white-space:pre-wrap`} dir="auto">
          {reply}
        </p>
        <p style={fineStyle}>{t.yours}</p>
        <blockquote style={`${fineStyle};white-space:pre-wrap`} dir="auto">
          {feedback}
        </blockquote>
        <p style={fineStyle}>{t.reason({ host: hostOf(origin) })}</p>
      </>
    ),
  });
}
