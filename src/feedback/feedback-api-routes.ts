/** Feedback in `/api/v1`. */
import * as v from 'valibot';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import { appApiPath } from '../apps/app-api-routes.ts';
import type { ManagedAppAccess } from '../apps/managed-app-access-http.ts';
import { NotFound } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import { listAnswer, listPage, listQuery } from '../http/api/pagination.ts';
import { empty, json } from '../http/routes/answer.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import { feedbackStatuses, maxReplyCharacters } from './feedback.ts';
import { createManagedFeedback } from './feedback-access-http.ts';
import type { FeedbackChanges } from './feedback-changes.ts';
import { feedbackJson, feedbackShape } from './feedback-json.ts';
import { feedbackQueries } from './feedback-queries.ts';

export interface FeedbackApiRouteDeps {
  data: Data;
  access: RouteAccess;
  managedApp: ManagedAppAccess['managedApp'];
  feedbackChanges: FeedbackChanges;
}

const tag = 'Feedback';

export function feedbackApiRoutes(deps: FeedbackApiRouteDeps): Route[] {
  const { data, access, feedbackChanges } = deps;
  const managed = createManagedFeedback(data, deps.managedApp);
  const path = `${appApiPath}/feedback` as const;
  const one = `${path}/:feedback` as const;
  return [
    defineRoute({
      method: 'GET',
      path,
      operationId: 'listFeedback',
      summary: 'List the feedback on an app',
      description: 'The newest comes first.',
      tag,
      access: access.byKey(deps.managedApp),
      keyScope: 'read',
      query: {
        ...listQuery(v.tuple([v.string()])),
        status: v.optional(v.picklist(feedbackStatuses)),
        revision: v.optional(v.pipe(v.string(), v.regex(/^\d{1,15}$/), v.transform(Number))),
      },
      answer: listAnswer(feedbackShape),
      handle: async ({ subject: app, query: { limit, cursor, status, revision }, client }) => {
        const filter = { status: status ?? null, revision: revision ?? null };
        const found = await feedbackQueries(data).list(app.id, filter, {
          limit: limit + 1,
          below: cursor?.[0],
        });
        return listPage(found, { limit, client, positionOf: ({ id }) => [id], show: feedbackJson });
      },
    }),
    defineRoute({
      method: 'GET',
      path: one,
      operationId: 'getFeedback',
      summary: 'Show feedback',
      tag,
      access: access.byKey(managed),
      keyScope: 'read',
      answer: feedbackShape,
      handle: async ({ subject: { feedback } }) => json(feedbackJson(feedback)),
    }),
    defineRoute({
      method: 'PATCH',
      path: one,
      operationId: 'updateFeedback',
      summary: 'Change the status of feedback',
      tag,
      access: access.byKey(managed),
      keyScope: 'manage',
      json: { status: v.picklist(feedbackStatuses) },
      answer: feedbackShape,
      handle: async ({ subject, json: { status } }) => {
        await feedbackChanges.setStatus(subject, status);
        const changed = await feedbackQueries(data).find(subject.feedback.id);
        if (!changed) throw new NotFound();
        return json(feedbackJson(changed));
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: one,
      operationId: 'deleteFeedback',
      summary: 'Delete feedback',
      tag,
      access: access.byKey(managed),
      keyScope: 'manage',
      handle: async ({ caller, subject }) => {
        await feedbackChanges.remove(caller.actor, subject);
        return empty(204);
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${one}/reply`,
      operationId: 'replyToFeedback',
      summary: 'Reply to feedback by email',
      description: 'Fails with 409 if the sender accepts no reply, or the server sends no email.',
      tag,
      access: access.byUserKey(managed),
      keyScope: 'manage',
      json: { text: v.pipe(v.string(), v.trim(), v.nonEmpty('is empty'), v.maxLength(maxReplyCharacters)) },
      status: 202,
      answer: v.object({ accepted: v.literal(true) }),
      handle: async ({ caller, subject, json: { text } }) => {
        await feedbackChanges.reply(caller.actor.user, subject, text);
        return json({ accepted: true as const });
      },
    }),
  ];
}
