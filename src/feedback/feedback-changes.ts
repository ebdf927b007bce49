/** Changes to feedback by people who manage the app. */
import { conflict, NotFound } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import { outboxQueries } from '../jobs/outbox-queries.ts';
import type { Attempts } from '../limits/attempts.ts';
import type { Actor } from '../owners/actor.ts';
import { auditQueries } from '../owners/audit-queries.ts';
import { type FeedbackStatus, type ManagedFeedback, replyLifetimeMs, replyLimit } from './feedback.ts';
import { feedbackQueries } from './feedback-queries.ts';
import { feedbackTexts } from './feedback-texts.ts';

export interface FeedbackChanges {
  setStatus(subject: ManagedFeedback, status: FeedbackStatus): Promise<void>;
  /** Throws `conflict` if no email can be sent, and `TooManyRequests`. */
  reply(by: { name: string }, subject: ManagedFeedback, text: string): Promise<void>;
  remove(by: Actor, subject: ManagedFeedback): Promise<void>;
}

const gone = () => new NotFound(feedbackTexts.errors.gone);

export function createFeedbackChanges(deps: {
  data: Data;
  attempts: Attempts;
  canSend: boolean;
  now: () => number;
  wakeOutbox: () => void;
}): FeedbackChanges {
  const { data, now } = deps;
  return {
    setStatus: async ({ feedback }, status) => {
      if (!(await feedbackQueries(data).setStatus(feedback.id, status, now()))) throw gone();
    },
    reply: async ({ name }, { app, feedback }, text) => {
      if (feedback.email === null) throw conflict(feedbackTexts.errors.noEmail);
      if (!deps.canSend) throw conflict(feedbackTexts.errors.noMail);
      await deps.attempts.count(['feedback-reply', app.id], replyLimit);
      const at = now();
      await data.transaction(async (tx) => {
        if ((await feedbackQueries(tx).find(feedback.id)) === null) throw gone();
        const replyId = await feedbackQueries(tx).insertReply({
          feedbackId: feedback.id,
          author: name,
          text,
          now: at,
        });
        const until = at + replyLifetimeMs;
        await outboxQueries(tx).add(app.owner.id, { kind: 'send-feedback-reply', replyId, until }, at);
      });
      deps.wakeOutbox();
    },
    remove: async (by, { app, feedback }) => {
      const at = now();
      await data.transaction(async (tx) => {
        const blobs = await feedbackQueries(tx).remove(feedback.id);
        if (blobs === null) throw gone();
        if (blobs.length > 0) await outboxQueries(tx).add(app.owner.id, { kind: 'remove-blobs', blobs }, at);
        await auditQueries(tx).record({
          at,
          actor: by,
          action: 'feedback.deleted',
          ownerId: app.owner.id,
          subject: `${app.packageName} (${app.platform})`,
          details: { feedback: feedback.id, revision: feedback.revision, screenshots: blobs.length },
        });
      });
      deps.wakeOutbox();
    },
  };
}
