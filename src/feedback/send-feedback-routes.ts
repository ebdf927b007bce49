/** Routes of the feedback form on distribution pages. */
import * as v from 'valibot';
import type { Caller } from '../accounts/authorization/identify-http.ts';
import type { Spool } from '../blobs/spool/spool.ts';
import { AppError, FormInvalid, NotFound } from '../core/errors.ts';
import { runInLanguage } from '../core/language/current-language.ts';
import { readVisitor } from '../core/visitor.ts';
import type { Data } from '../db/data.ts';
import {
  type AdmittedPage,
  admitted,
  type PageAccess,
  type PageSubject,
} from '../distributions/access/page-access-http.ts';
import { distributionQueries } from '../distributions/distribution-queries.ts';
import { sendFeedbackPath } from '../distributions/page-paths.ts';
import { errorRenderingOf } from '../http/error-body.ts';
import { type Answer, html, redirect } from '../http/routes/answer.ts';
import type { StreamedBody } from '../http/routes/client.ts';
import { lenient, type Values } from '../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../http/routes/route.ts';
import { networkOf } from '../limits/client-network.ts';
import { deviceText } from './device-text.ts';
import { onlyAdmitted, onlyWithFeedback } from './feedback-access-http.ts';
import {
  createFeedbackReader,
  type FeedbackValues,
  feedbackFormSchema,
  readFeedback,
} from './feedback-form-http.ts';
import { renderFeedbackForm, renderFeedbackSent } from './feedback-form-page.tsx';
import type { SendFeedback } from './send-feedback.ts';

export interface SendFeedbackRouteDeps {
  data: Data;
  pageAccess: PageAccess;
  spool: Spool;
  sendFeedback: SendFeedback;
}

const headers = { 'sec-ch-ua-platform-version': v.optional(v.string()) };
const formQuery = {
  revision: lenient(v.pipe(v.string(), v.regex(/^\d{1,15}$/))),
  sent: lenient(v.literal('1')),
};
const buildsOffered = 20;
const path = '/distributions/:accessKey/feedback';

/** Signed-in people have a limit of their own across all pages, which others in their network cannot use up. */
export const feedbackLimit = {
  name: 'feedback',
  limit: 20,
  windowMs: 60 * 60_000,
  per: 'caller or network',
  within: 'accessKey',
  refusal: 'feedback',
} as const;

type FormContext = RouteContext<Caller | null, AdmittedPage> & { headers: Values<typeof headers> };

export function sendFeedbackRoutes(deps: SendFeedbackRouteDeps): Route[] {
  const access = onlyWithFeedback(deps.pageAccess);
  return [
    defineRoute({
      method: 'GET',
      path,
      summary: 'Show the feedback form of a distribution page',
      access,
      keyScope: 'read',
      headers,
      query: formQuery,
      handle: admitted(async (visit: FormContext & { query: Values<typeof formQuery> }) => {
        const { subject, frame, query } = visit;
        if (query.sent) return html(renderFeedbackSent({ frame, ...subject }));
        const submitted = { text: '', email: '', revision: query.revision ?? '' };
        return html(await renderForm(deps, visit, { submitted }));
      }),
    }),
    defineRoute({
      method: 'POST',
      path,
      summary: 'Send feedback about a build',
      access: onlyAdmitted(access),
      keyScope: 'read',
      headers,
      rateLimit: feedbackLimit,
      streamedBody: { describes: feedbackFormSchema },
      handle: async (visit) => receiveFeedback(deps, withPage(visit)),
    }),
  ];
}

function withPage<V extends { subject: PageSubject }>(visit: V): V & { subject: AdmittedPage } {
  if (visit.subject.gate !== null) throw new NotFound();
  return visit as V & { subject: AdmittedPage };
}

async function receiveFeedback(
  deps: SendFeedbackRouteDeps,
  visit: FormContext & { body: StreamedBody },
): Promise<Answer> {
  const { subject, body, client } = visit;
  const { page, app } = subject;
  const reader = createFeedbackReader({ spool: deps.spool, body });
  try {
    body.accept();
    await reader.read();
    const { isSpam, ...form } = readFeedback(reader.submitted(), emailOf(visit));
    if (!isSpam) {
      const files = reader.files();
      // In English, because the team reads it, not the tester.
      const device = runInLanguage('en', () => deviceOf(visit));
      const source = userOf(visit)?.id ?? networkOf(client.address);
      await deps.sendFeedback({ page, app, ...form, files, sender: nameOf(visit), device, source });
    }
    return redirect(`${sendFeedbackPath(page.accessKey)}?sent=1`);
  } catch (error) {
    const isShown = error instanceof AppError && error.kind !== 'not_found';
    if (!isShown || !reader.proven() || !client.wantsPage) throw error;
    if (error.kind !== 'too_many') await body.admit();
    return renderRefusal(deps, visit, reader.submitted(), error);
  } finally {
    await reader.dispose();
  }
}

async function renderRefusal(
  deps: SendFeedbackRouteDeps,
  visit: FormContext,
  submitted: FeedbackValues,
  error: AppError,
): Promise<Answer> {
  const { kind, retryAfterSeconds } = error;
  const errors = error instanceof FormInvalid ? error.errors : {};
  const refusal = error instanceof FormInvalid ? null : error.sentence;
  return html(await renderForm(deps, visit, { submitted, errors, refusal }), {
    status: errorRenderingOf(kind).status,
    ...(retryAfterSeconds === null ? {} : { headers: { 'Retry-After': String(retryAfterSeconds) } }),
  });
}

const userOf = ({ caller }: FormContext) => (caller?.actor.kind === 'user' ? caller.actor.user : null);
const emailOf = (visit: FormContext) => userOf(visit)?.email ?? null;
const nameOf = (visit: FormContext) => userOf(visit)?.name ?? null;

function deviceOf({ client, headers }: FormContext): string {
  const { userAgent } = client;
  const platformVersion = headers['sec-ch-ua-platform-version'];
  return deviceText(readVisitor({ userAgent, platformVersion }), userAgent);
}

async function renderForm(
  { data }: SendFeedbackRouteDeps,
  visit: FormContext,
  shown: {
    submitted: Pick<FeedbackValues, 'text' | 'email' | 'revision'>;
    errors?: FormInvalid['errors'];
    refusal?: string | null;
  },
): Promise<string> {
  const { frame, subject } = visit;
  const { page, app } = subject;
  return renderFeedbackForm({
    frame,
    page,
    app,
    builds: await offeredBuilds(data, page.id, shown.submitted.revision),
    submitted: shown.submitted,
    errors: shown.errors ?? {},
    refusal: shown.refusal ?? null,
    accountEmail: emailOf(visit),
    account: nameOf(visit),
    device: deviceOf(visit),
  });
}

/** Returns the latest builds of the page, and the chosen one if it is not among them. */
async function offeredBuilds(data: Data, pageId: string, revision: string) {
  const latest = await distributionQueries(data).listUpdates(pageId, { limit: buildsOffered });
  const chosen = /^[1-9]\d{0,14}$/.test(revision)
    ? await distributionQueries(data).findUpdate(pageId, Number(revision))
    : null;
  const updates = [...latest, ...(chosen ? [chosen] : [])].filter(({ withdrawn }) => !withdrawn);
  return [...new Map(updates.map((update) => [update.revision, update])).values()];
}
