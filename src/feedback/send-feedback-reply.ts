/** Sends one reply to feedback, at most once. */
import { appName } from '../apps/app.ts';
import { appQueries } from '../apps/app-queries.ts';
import type { Brands } from '../branding/brands.ts';
import type { Data } from '../db/data.ts';
import type { Job } from '../jobs/outbox.ts';
import type { MailDelivery } from '../mail/delivery.ts';
import { feedbackQueries } from './feedback-queries.ts';
import { feedbackTexts } from './feedback-texts.ts';
import { renderReplyHtml, renderReplyText } from './reply-email.tsx';

export interface SendFeedbackReplyDeps {
  data: Data;
  brands: Pick<Brands, 'forEmail'>;
  /** Null if email cannot be sent. */
  delivery: Pick<MailDelivery, 'mailer' | 'from' | 'origin'> | null;
  now: () => number;
}

const maxSubjectName = 100;

/** Rejects if the email should be retried. */
export function createSendFeedbackReply({ data, brands, delivery, now }: SendFeedbackReplyDeps) {
  return async ({ replyId, until }: Extract<Job, { kind: 'send-feedback-reply' }>): Promise<void> => {
    const reply = await feedbackQueries(data).findReply(replyId);
    const feedback = reply && (await feedbackQueries(data).find(reply.feedbackId));
    const app = feedback && (await appQueries(data).findAppById(feedback.appId));
    if (!app || feedback.email === null) return;
    if (reply.state === 'sending') {
      // An earlier run did not finish, and sending again could deliver the reply twice.
      await feedbackQueries(data).changeReply(reply.id, 'sending', 'uncertain');
      return;
    }
    if (!delivery || now() > until) {
      await feedbackQueries(data).changeReply(reply.id, 'waiting', 'failed');
      return;
    }
    const { from, origin, mailer } = delivery;
    const email = {
      app: appName(app),
      author: reply.author,
      reply: reply.text,
      feedback: feedback.text,
      origin,
      brand: await brands.forEmail(app.owner),
    };
    const message = {
      messageId: `${reply.id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}`,
      date: now(),
      from,
      to: { name: '', address: feedback.email },
      subject: feedbackTexts.mail.subject({ app: email.app.slice(0, maxSubjectName) }),
      // Exchange suppresses automatic replies, [MS-OXCMAIL] 2.2.3.2.14.
      headers: { 'X-Auto-Response-Suppress': 'All' },
      text: renderReplyText(email),
      html: renderReplyHtml(email),
      pictures: [],
    };
    if (!(await feedbackQueries(data).changeReply(reply.id, 'waiting', 'sending'))) return;
    const outcome = await mailer.send(message);
    const state = ({ sent: 'sent', refused: 'failed', uncertain: 'uncertain', later: 'waiting' } as const)[
      outcome.kind
    ];
    await feedbackQueries(data).changeReply(reply.id, 'sending', state);
    if (outcome.kind === 'later') throw new Error(`the reply could not be sent: ${outcome.reason}`);
  };
}
