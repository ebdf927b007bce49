/** Routes of browser uploads: a form that works without scripts, and the same paths for the script of the page. */

import type { Readable } from 'node:stream';
import * as v from 'valibot';
import type { Person } from '../../accounts/authorization/identify-http.ts';
import { requireTrusted } from '../../accounts/trusted-publishing/trusted-only.ts';
import { ownerUploadPath, uploadedPath } from '../../apps/app-paths.ts';
import type { FileTokens } from '../../apps/files/file-token.ts';
import { AppError } from '../../core/errors.ts';
import { errorRenderingOf } from '../../http/error-body.ts';
import { type Answer, html, json, redirect } from '../../http/routes/answer.ts';
import type { StreamedBody } from '../../http/routes/client.ts';
import { lenient, lenientText, type Values } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import type { Refund } from '../../limits/shared-rates.ts';
import { claimOfSession, recheckSession, sessionCredential } from '../authorize-upload.ts';
import type { PublishBuild, PublishedBuild } from '../publish-build.ts';
import type { ResumableUploads } from '../resumable/resumable-uploads.ts';

import { checkFreeSpace, readUploadBody, receiveFile, remainingQuotaFor } from '../upload-body-http.ts';
import {
  maxIdempotencyKeyLength,
  type UploadQuery,
  uploadFormSchema,
  uploadQuery,
} from '../upload-fields.ts';
import { buildResult } from '../upload-json.ts';
import { uploadTexts } from '../upload-texts.ts';
import { createBrowserFormReader, emptyUploadValues, type UploadValues } from './browser-form.ts';
import { renderBrowserUpload, type UploadTarget } from './browser-upload-page.tsx';
import { uploadErrorMessage, withUserMessage } from './upload-error-message.ts';
import {
  type CheckedUpload,
  createUploadTargetAccess,
  listUploadTargets,
  type UploadTargetAccessDeps,
  withCheckedHead,
} from './upload-target-access-http.ts';
import { renderFoundTargets, renderUploadTargets } from './upload-targets-page.tsx';

export interface BrowserUploadRouteDeps extends UploadTargetAccessDeps {
  fileTokens: FileTokens;
  publishBuild: PublishBuild;
  resumableUploads: ResumableUploads;
}

const tooLongKey = () => uploadTexts.form.keyLong({ limit: maxIdempotencyKeyLength });
const headers = {
  'idempotency-key': v.optional(v.pipe(v.string(), v.maxLength(maxIdempotencyKeyLength, tooLongKey)), ''),
};
const formQuery = { bytes: lenient(v.pipe(v.string(), v.regex(/^\d{1,15}$/), v.transform(Number))) };

type Headers = Values<typeof headers>;
type FormContext = RouteContext<Person, UploadTarget> & { query: Values<typeof formQuery>; headers: Headers };
type UploadContext = RouteContext<Person, CheckedUpload> & {
  headers: Headers;
  query: UploadQuery;
  body: StreamedBody;
};

/** For people who can upload there; everyone else gets `NotFound`. */
export function browserUploadRoutes(deps: BrowserUploadRouteDeps): Route[] {
  const shown = {
    method: 'GET',
    headers,
    query: formQuery,
    handle: (context: FormContext) => sendFormResponse(deps, context),
  } as const;
  const sent = {
    method: 'POST',
    headers,
    streamedBody: { describes: uploadFormSchema },
    query: uploadQuery,
    handle: (context: UploadContext) => respondToUpload(deps, context),
  } as const;
  const anywhere = createUploadTargetAccess(deps);
  const inProject = createUploadTargetAccess(deps, 'project');
  const ofOwner = { access: anywhere, path: '/users/:owner/upload' } as const;
  const ofProject = { access: inProject, path: '/organizations/:owner/upload' } as const;
  const ofApp = {
    access: anywhere,
    path: '/users/:owner/platforms/:platform/apps/:package/upload',
  } as const;
  return [
    uploadTargetsRoute(deps),
    defineRoute({ ...shown, ...ofOwner, summary: 'Show the upload form' }),
    defineRoute({
      ...sent,
      ...ofOwner,
      access: withCheckedHead(deps, anywhere),
      summary: 'Upload an app from a browser',
    }),
    defineRoute({ ...shown, ...ofProject, summary: 'Show the upload form of a Project' }),
    defineRoute({
      ...sent,
      ...ofProject,
      access: withCheckedHead(deps, inProject),
      summary: 'Upload an app to a Project from a browser',
    }),
    defineRoute({ ...shown, ...ofApp, summary: 'Show the upload form of an app' }),
    defineRoute({
      ...sent,
      ...ofApp,
      access: withCheckedHead(deps, anywhere),
      summary: 'Upload a build of an app from a browser',
    }),
  ];
}

function uploadTargetsRoute({ data, access }: BrowserUploadRouteDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/upload',
    summary: 'List where you can upload',
    access: access.signedIn,
    query: {
      q: lenientText(),
      after: lenientText(),
      before: lenientText(),
      part: lenient(v.literal('places')),
    },
    handle: async ({ caller, frame, query }) => {
      const found = await listUploadTargets(data, caller.actor, query);
      const [only, ...others] = found.owners;
      if (found.query === '' && only && others.length === 0) return redirect(ownerUploadPath(only));
      // Requested by live search.
      return html(query.part ? renderFoundTargets(found) : renderUploadTargets({ frame, found }));
    },
  });
}

/** The script checks the quota first, so that a long upload is not rejected at the end. `fields`: those of the unfinished upload with the key. */
async function sendFormResponse(deps: BrowserUploadRouteDeps, context: FormContext): Promise<Answer> {
  const { subject: place, caller, client, frame, query, headers } = context;
  if (client.wantsPage) return html(renderForm(deps, context, place));
  const announcedBytes = query.bytes ?? 0;
  const key = headers['idempotency-key'];
  try {
    await requireTrusted(deps.data, caller.actor, place.owner, place.app);
    await checkFreeSpace(deps, announcedBytes);
    const claim = claimOfSession(caller, key || null);
    await remainingQuotaFor(deps, claim, place.owner, announcedBytes);
  } catch (error) {
    throw withUserMessage(error, deps.limits);
  }
  const credential = sessionCredential(caller, deps.now);
  const begun = key && (await deps.resumableUploads.findBegun({ credential }, key));
  const value = { error: false, csrf: frame.formToken, ...(begun ? { fields: begun.fields } : {}) };
  return json(value, { headers: { 'Cache-Control': 'private, no-store' } });
}

async function respondToUpload(deps: BrowserUploadRouteDeps, context: UploadContext): Promise<Answer> {
  const { subject, caller, client } = context;
  let refund: Refund | null = null;
  let { refusal } = subject;
  try {
    if (!refusal) refund = await deps.countUpload({ userId: caller.actor.user.id }, subject.place.owner);
  } catch (error) {
    if (!(error instanceof AppError) || !client.wantsPage) throw withUserMessage(error, deps.limits);
    refusal = error;
  }
  return respondCounted(deps, { ...context, subject: { ...subject, refusal } }, async () => refund?.());
}

async function respondCounted(
  deps: BrowserUploadRouteDeps,
  context: UploadContext,
  refund: () => Promise<void>,
): Promise<Answer> {
  const { subject, client, headers, query, body, caller } = context;
  const { place, remainingBytes, refusal } = subject;
  const reader = createBrowserFormReader({
    origin: client.origin,
    query,
    checkFormToken: body.checkFormToken,
    refusal,
    receive: (stream) => receiveFile(deps, body.announcedBytes, stream, remainingBytes),
    discard: (stream) => discard(stream, deps.limits.refusedBodyDrainSeconds),
  });
  let published: PublishedBuild;
  try {
    body.accept();
    await readUploadBody(deps, body, reader, refusal !== null);
    published = await deps.publishBuild({
      actor: caller.actor,
      owner: place.owner,
      recheckPermission: recheckSession(caller, place.owner, deps.now),
      form: reader.finish(),
      platform: place.app?.platform ?? null,
      packageName: place.app?.packageName ?? null,
      idempotencyKey: claimOfSession(caller, headers['idempotency-key'] || null),
      answered: body.answered,
    });
  } catch (error) {
    if (error instanceof AppError) await refund();
    // Reading the rest of the form may have failed for a different reason than the original rejection.
    const reason = refusal && reader.proven() ? refusal : error;
    const isShown = reason instanceof AppError && reader.proven() && client.wantsPage;
    if (!isShown) throw withUserMessage(reason, deps.limits);
    return sendRejection(deps, context, reader.submitted(), reason);
  } finally {
    await reader.dispose();
  }
  const { app, build, page } = published;
  if (client.wantsPage) return redirect(uploadedPath(app, build.revision));
  const links = { origin: client.origin, fileTokens: deps.fileTokens };
  return json({ error: false, results: buildResult(app, build, page, links) });
}

function sendRejection(
  deps: BrowserUploadRouteDeps,
  context: UploadContext,
  submitted: UploadValues,
  error: AppError,
): Answer {
  const { kind, retryAfterSeconds } = error;
  const refusal = uploadErrorMessage(error, deps.limits.maxUploadBytes);
  const page = renderForm(deps, context, context.subject.place, { submitted, refusal });
  return html(page, {
    status: errorRenderingOf(kind).status,
    ...(retryAfterSeconds === null ? {} : { headers: { 'Retry-After': String(retryAfterSeconds) } }),
  });
}

function renderForm(
  { limits }: BrowserUploadRouteDeps,
  { frame }: RouteContext,
  place: UploadTarget,
  refused: { submitted: UploadValues; refusal: string } | null = null,
): string {
  return renderBrowserUpload({
    frame,
    place,
    submitted: refused?.submitted ?? emptyUploadValues,
    refusal: refused?.refusal ?? null,
    maxUploadBytes: limits.maxUploadBytes,
  });
}

async function discard(stream: Readable, seconds: number): Promise<void> {
  const deadline = setTimeout(() => stream.destroy(new Error('the rejected file is large')), seconds * 1000);
  try {
    for await (const _ of stream);
  } finally {
    clearTimeout(deadline);
  }
}
