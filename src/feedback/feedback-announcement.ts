/**
 * Emails about new feedback to the people who manage the app. The feedback of an app is collected, so that a person
 * receives at most one email in 15 minutes.
 */
import { type App, appName } from '../apps/app.ts';
import { appFeedbackPath } from '../apps/app-paths.ts';
import { appQueries } from '../apps/app-queries.ts';
import type { Brands } from '../branding/brands.ts';
import { newIdentifier } from '../core/identifier.ts';
import type { Connection, Data } from '../db/data.ts';
import type { Job } from '../jobs/outbox.ts';
import { outboxQueries } from '../jobs/outbox-queries.ts';
import type { MailDelivery } from '../mail/delivery.ts';
import { subscriptionHeaders } from '../mail/messages/subscription-headers.ts';
import { mailLinks, unsubscribePath } from '../mail/pages/mail-paths.ts';
import type { UnsubscribeTokens } from '../mail/pages/unsubscribe-token.ts';
import { admitsEmail } from '../owners/policies/enforce-policies.ts';
import { useLanguageOf } from '../owners/recipient-language.ts';
import { renderFeedbackEmailHtml, renderFeedbackEmailText } from './feedback-email.tsx';
import { feedbackQueries } from './feedback-queries.ts';
import { feedbackTexts } from './feedback-texts.ts';

export const collectMs = 15 * 60_000;
/** Feedback from the end of the period may not be committed yet. */
const graceMs = 60_000;
/** An email is dropped if it could not be sent for this long. */
const lifetimeMs = 24 * 60 * 60_000;
const recipientsPerBatch = 500;
const maxShown = 10;
const maxSubjectName = 100;

type Announcement = Extract<Job, { kind: 'announce-feedback' }>;

/** `at`: the time in the identifier of the feedback. Call it in the transaction of the feedback. */
export async function planAnnouncement(
  tx: Connection,
  { id: appId, owner }: Pick<App, 'id' | 'owner'>,
  at: number,
  now: number,
): Promise<void> {
  const from = Math.floor(at / collectMs) * collectMs;
  const job: Announcement = { kind: 'announce-feedback', appId, from, to: from + collectMs };
  await outboxQueries(tx).addOnce(`feedback-${appId}-${from}`, owner.id, job, now, job.to + graceMs);
}

export interface AnnounceFeedbackDeps {
  data: Data;
  brands: Pick<Brands, 'forEmail'>;
  tokens: UnsubscribeTokens;
  /** Null if email cannot be sent. */
  delivery: Pick<MailDelivery, 'mailer' | 'from' | 'origin'> | null;
  now: () => number;
  wakeOutbox: () => void;
}

/** Adds one job for each recipient. */
export function createAnnounceFeedback({ data, now, wakeOutbox }: AnnounceFeedbackDeps) {
  return async ({ appId, from, to }: Announcement, ownerId: string): Promise<void> => {
    const app = await appQueries(data).findAppById(appId);
    if (!app) return;
    const until = to + lifetimeMs;
    await data.transaction(async (tx) => {
      let after = '';
      for (;;) {
        const recipients = await feedbackQueries(tx).listRecipients(app, {
          after,
          limit: recipientsPerBatch,
        });
        for (const { userId } of recipients) {
          const job: Job = { kind: 'send-feedback-mail', userId, appId, from, to, until };
          await outboxQueries(tx).addOnce(`feedback-${appId}-${from}-${userId}`, ownerId, job, now(), now());
        }
        after = recipients.at(-1)?.userId ?? '';
        if (recipients.length < recipientsPerBatch) return;
      }
    });
    wakeOutbox();
  };
}

/** Rejects if the email should be retried. */
export function createSendFeedbackMail(deps: AnnounceFeedbackDeps) {
  const { data, delivery, now } = deps;
  return async (job: Extract<Job, { kind: 'send-feedback-mail' }>): Promise<void> => {
    if (!delivery || now() > job.until) return;
    const app = await appQueries(data).findAppById(job.appId);
    if (!app) return;
    // The person may have left or unsubscribed, and someone may have handled the feedback.
    const [to] = await feedbackQueries(data).listRecipients(app, { only: job.userId, limit: 1 });
    const found = await listNewFeedback(data, app, job);
    if (!to || found.length === 0 || !(await admitsEmail(data, app.owner.id, to.address))) return;
    await useLanguageOf(data, to.userId);
    const { from, origin, mailer } = delivery;
    const unsubscribe = `${origin}${unsubscribePath(deps.tokens.issue({ userId: to.userId, subjectId: app.id }))}`;
    const email = {
      app: appName(app),
      feedback: found.slice(0, maxShown),
      hasMore: found.length > maxShown,
      inbox: `${origin}${appFeedbackPath(app)}?status=new`,
      links: mailLinks(origin, unsubscribe),
      brand: await deps.brands.forEmail(app.owner),
    };
    const outcome = await mailer.send({
      messageId: `${newIdentifier(now())}@${from.address.slice(from.address.lastIndexOf('@') + 1)}`,
      date: now(),
      from,
      to: { name: to.name, address: to.address },
      subject: feedbackTexts.announcement.subject({ app: email.app.slice(0, maxSubjectName) }),
      headers: subscriptionHeaders(`feedback.${app.id}`, unsubscribe, origin),
      text: renderFeedbackEmailText(email),
      html: renderFeedbackEmailHtml(email),
      pictures: [],
    });
    if (outcome.kind === 'later') throw new Error(`the email could not be sent: ${outcome.reason}`);
  };
}

/** Identifiers start with their time of creation. */
const startOf = (at: number) => newIdentifier(at).slice(0, 10);

/** Reads one more than the email shows. */
const listNewFeedback = (data: Data, app: App, { from, to }: Pick<Announcement, 'from' | 'to'>) =>
  feedbackQueries(data).list(
    app.id,
    { status: 'new', revision: null },
    { limit: maxShown + 1, above: startOf(from), below: startOf(to) },
  );
