/** Routes of the Feedback tab, for people who manage the app. */
import { Readable } from 'node:stream';
import * as v from 'valibot';
import type { Person } from '../accounts/authorization/identify-http.ts';
import type { App } from '../apps/app.ts';
import type { AppHeads } from '../apps/app-heads.ts';
import { appFeedbackPath } from '../apps/app-paths.ts';
import type { ManagedAppAccess } from '../apps/managed-app-access-http.ts';
import { parseBlobKey } from '../blobs/blob-key.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { NotFound } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import { content, html, redirect } from '../http/routes/answer.ts';
import { lenient, multiline, type Values } from '../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../http/routes/route.ts';
import { formatCount } from '../web/components/formats.ts';
import type { PageLinks } from '../web/components/paging.tsx';
import {
  type FeedbackFilter,
  feedbackStatuses,
  type ListedFeedback,
  type ManagedFeedback,
  maxReplyCharacters,
} from './feedback.ts';
import { createManagedFeedback } from './feedback-access-http.ts';
import type { FeedbackChanges } from './feedback-changes.ts';
import { type FeedbackFormat, feedbackContentTypes, feedbackLines } from './feedback-export.ts';
import { type FeedbackPageProps, renderFeedbackPage } from './feedback-page.tsx';
import { feedbackPath, filterQuery } from './feedback-paths.ts';
import { feedbackQueries } from './feedback-queries.ts';
import { feedbackTexts } from './feedback-texts.ts';
import { renderInbox } from './inbox-page.tsx';

export interface InboxRouteDeps {
  data: Data;
  blobs: BlobStore;
  managedApp: ManagedAppAccess['managedApp'];
  appHeads: AppHeads;
  feedbackChanges: FeedbackChanges;
  canSendMail: boolean;
}

const rowsPerPage = 30;
const identifier = v.pipe(v.string(), v.regex(/^[0-9a-z]{26}$/));
const status = v.picklist(feedbackStatuses);
const filterFields = {
  status: lenient(status),
  revision: lenient(v.pipe(v.string(), v.regex(/^\d{1,15}$/), v.transform(Number))),
};
const listQuery = {
  ...filterFields,
  below: lenient(identifier),
  above: lenient(identifier),
  done: lenient(v.literal('deleted')),
};
const t = feedbackTexts.errors;
const listPath = '/users/:owner/platforms/:platform/apps/:package/feedback';
const path = `${listPath}/:feedback` as const;

const filterOf = (query: Values<typeof filterFields>): FeedbackFilter => ({
  status: query.status ?? null,
  revision: query.revision ?? null,
});

export function inboxRoutes(deps: InboxRouteDeps): Route[] {
  const { data, managedApp, feedbackChanges } = deps;
  const managedFeedback = createManagedFeedback(data, managedApp);
  const form = { method: 'POST', access: managedFeedback, page: path, reauthentication: false } as const;
  const back = ({ app, feedback }: ManagedFeedback, done: 'saved' | 'replied') =>
    redirect(`${feedbackPath(app, feedback.id)}?done=${done}`);
  return [
    defineRoute({
      method: 'GET',
      path: listPath,
      summary: 'List the feedback on an app',
      access: managedApp,
      query: listQuery,
      handle: async (context) => html(await renderList(deps, context)),
    }),
    ...(['csv', 'jsonl'] as const).map((format) => exportRoute(deps, format)),
    defineRoute({
      method: 'GET',
      path,
      summary: 'Show feedback',
      access: managedFeedback,
      query: { done: lenient(v.picklist(['saved', 'replied'])) },
      handle: async (context) => {
        const { done } = context.query;
        return html(await renderOne(deps, context, { done: done ? feedbackTexts.done[done] : null }));
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/screenshots/:number`,
      summary: 'Show a screenshot of feedback',
      access: managedFeedback,
      params: { number: v.pipe(v.string(), v.regex(/^[1-9]$/), v.transform(Number)) },
      handle: ({ subject, params }) => sendScreenshot(deps, subject.feedback, params.number),
    }),
    defineRoute({
      ...form,
      path: `${path}/status`,
      summary: 'Change the status of feedback',
      form: { status: v.picklist(feedbackStatuses, () => t.status) },
      handle: async ({ subject, form: given }) => {
        await feedbackChanges.setStatus(subject, given.status);
        return back(subject, 'saved');
      },
      renderErrors: ({ errors }, context) => renderOne(deps, context, { errors }),
    }),
    defineRoute({
      ...form,
      path: `${path}/reply`,
      summary: 'Reply to feedback by email',
      form: {
        reply: v.pipe(
          multiline(),
          v.nonEmpty(() => t.replyMissing),
          v.check(
            (text) => [...text].length <= maxReplyCharacters,
            () => t.replyLong({ limit: formatCount(maxReplyCharacters) }),
          ),
        ),
      },
      handle: async ({ subject, caller, form: { reply } }) => {
        await feedbackChanges.reply(caller.actor.user, subject, reply);
        return back(subject, 'replied');
      },
      renderedErrorKinds: ['too_many'],
      renderErrors: ({ errors, error, submitted }, context) =>
        renderOne(deps, context, { errors: { reply: [error.sentence], ...errors }, submitted }),
    }),
    defineRoute({
      ...form,
      path: `${path}/delete`,
      summary: 'Delete feedback',
      form: {},
      handle: async ({ subject, caller }) => {
        await feedbackChanges.remove(caller.actor, subject);
        return redirect(`${appFeedbackPath(subject.app)}?done=deleted`);
      },
    }),
  ];
}

function exportRoute({ data, managedApp }: InboxRouteDeps, format: FeedbackFormat): Route {
  return defineRoute({
    method: 'GET',
    path: `${listPath}.${format}`,
    summary: `Export the feedback on an app as ${format === 'csv' ? 'CSV' : 'JSON lines'}`,
    access: managedApp,
    query: filterFields,
    handle: async ({ subject: app, query, client }) => {
      const source = { app, filter: filterOf(query), origin: client.origin };
      return content(feedbackContentTypes[format], Readable.from(feedbackLines(data, source, format)), {
        headers: {
          'Content-Disposition': `attachment; filename="feedback.${format}"`,
          'Cache-Control': 'private, no-store',
        },
      });
    },
  });
}

async function renderList(
  { data, appHeads }: InboxRouteDeps,
  { frame, subject: app, query }: RouteContext<Person, App> & { query: Values<typeof listQuery> },
): Promise<string> {
  const filter = filterOf(query);
  const { below, above } = query;
  const found = await feedbackQueries(data).list(app.id, filter, { limit: rowsPerPage + 1, below, above });
  const feedback = above === undefined ? found.slice(0, rowsPerPage) : found.slice(-rowsPerPage);
  const hasMore = found.length > rowsPerPage;
  const link = (name: 'above' | 'below', one: ListedFeedback | undefined) =>
    one ? `${appFeedbackPath(app)}${filterQuery(filter, { [name]: one.id })}` : null;
  const hasNewer = above === undefined ? below !== undefined : hasMore;
  const hasOlder = above === undefined ? hasMore : true;
  const paging: PageLinks = {
    newer: hasNewer ? link('above', feedback[0]) : null,
    older: hasOlder ? link('below', feedback.at(-1)) : null,
  };
  return renderInbox({
    frame,
    head: await appHeads.ofManaged(app),
    feedback,
    filter,
    counts: await feedbackQueries(data).count(app.id),
    builds: await feedbackQueries(data).listBuilds(app.id),
    paging,
    done: query.done ? feedbackTexts.done[query.done] : null,
  });
}

async function renderOne(
  { data, appHeads, canSendMail }: InboxRouteDeps,
  { frame, subject: { app, feedback } }: RouteContext<Person, ManagedFeedback>,
  shown: Partial<Pick<FeedbackPageProps, 'submitted' | 'errors' | 'done'>>,
): Promise<string> {
  return renderFeedbackPage({
    frame,
    head: await appHeads.ofManaged(app),
    feedback,
    screenshots: await feedbackQueries(data).listScreenshots(feedback.id),
    replies: await feedbackQueries(data).listReplies(feedback.id),
    canSendMail,
    submitted: { reply: '' },
    errors: {},
    done: null,
    ...shown,
  });
}

/** Sends it in a way that it can't act as a document of this site: it runs no scripts, and other sites can't embed it. */
async function sendScreenshot({ data, blobs }: InboxRouteDeps, feedback: ListedFeedback, number: number) {
  const screenshots = await feedbackQueries(data).listScreenshots(feedback.id);
  const screenshot = screenshots.find((one) => one.number === number);
  const opened = screenshot && (await blobs.open(parseBlobKey(screenshot.blob)));
  if (!opened) throw new NotFound();
  return content('image/webp', opened.stream, {
    headers: {
      'Content-Length': String(opened.sizeBytes),
      'Content-Disposition': `inline; filename="screenshot-${number}.webp"`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Cache-Control': 'private, max-age=3600',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}
