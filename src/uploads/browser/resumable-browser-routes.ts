/** Routes with which the script of the upload form sends a file in several requests. */
import * as v from 'valibot';
import type { Person } from '../../accounts/authorization/identify-http.ts';
import { requireTrusted } from '../../accounts/trusted-publishing/trusted-only.ts';
import { appUploadPath, ownerUploadPath } from '../../apps/app-paths.ts';
import { conflict, NotFound } from '../../core/errors.ts';
import { normalizeLineEndings } from '../../core/line-endings.ts';
import { json, redirect } from '../../http/routes/answer.ts';
import { lenientText, type Values } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import { sessionCredential } from '../authorize-upload.ts';
import { refundRefused } from '../count-upload.ts';
import type { ResumableUpload } from '../resumable/resumable-upload.ts';
import { chunkOf } from '../resumable/resumable-upload-routes.ts';
import type { UploadSender, UploadState } from '../resumable/resumable-uploads.ts';
import { readOffset } from '../resumable/tus-headers.ts';
import { checkFreeSpace, uploadTooLarge } from '../upload-body-http.ts';
import { maxIdempotencyKeyLength, maxTextBytes } from '../upload-fields.ts';
import { buildResult } from '../upload-json.ts';
import { uploadTexts } from '../upload-texts.ts';
import type { UploadTarget } from './browser-upload-page.tsx';
import type { BrowserUploadRouteDeps } from './browser-upload-routes.ts';
import { withUserMessage } from './upload-error-message.ts';
import { createUploadTargetAccess } from './upload-target-access-http.ts';

interface KnownParams {
  owner: string;
  platform?: string;
  package?: string;
  upload: string;
}
interface KnownUpload {
  place: UploadTarget;
  upload: ResumableUpload;
}

const key = { idempotency_key: v.pipe(v.string(), v.nonEmpty(), v.maxLength(maxIdempotencyKeyLength)) };
const beginning = {
  ...key,
  filename: v.pipe(v.string(), v.nonEmpty(), v.maxLength(255)),
  bytes: v.pipe(v.string(), v.regex(/^[1-9]\d{0,14}$/), v.transform(Number)),
  message: lenientText(),
  release_note: lenientText(),
  distribution_key: lenientText(),
  distribution_name: lenientText(),
  disable_notify: lenientText(),
};
/** Two long texts, each byte of which takes three. */
const maxBeginningBytes = 8 * maxTextBytes;
const part = {
  'upload-offset': v.optional(v.string()),
  'form-token': v.optional(v.string(), ''),
};

/**
 * An upload is found by the key that the browser remembers, so that a repeated request has the same outcome: it continues the upload,
 * or answers with its build or refusal.
 */
export function resumableBrowserRoutes(deps: BrowserUploadRouteDeps): Route[] {
  const anywhere = createUploadTargetAccess(deps);
  const inProject = createUploadTargetAccess(deps, 'project');
  return [
    ...routesBelow('/users/:owner/upload', anywhere, deps),
    ...routesBelow('/organizations/:owner/upload', inProject, deps),
    ...routesBelow('/users/:owner/platforms/:platform/apps/:package/upload', anywhere, deps),
  ];
}

function routesBelow(
  page: string,
  target: ReturnType<typeof createUploadTargetAccess>,
  deps: BrowserUploadRouteDeps,
): Route[] {
  const { resumableUploads } = deps;
  const path = page as '/users/:owner/upload';
  const known: Access<KnownParams, Person, KnownUpload> = {
    ...target,
    authorize: async (person, params, request) => {
      const place = await target.authorize(person, params, request);
      await requireTrusted(deps.data, person.actor, place.owner, place.app);
      const upload = await resumableUploads.find(person.actor, params.upload);
      if (upload.ownerId !== place.owner.id) throw new NotFound();
      return { place, upload };
    },
  };
  const senderOf = (
    { caller, client }: RouteContext<Person>,
    { owner, app }: UploadTarget,
    answered = Promise.resolve(),
  ): UploadSender => ({
    actor: caller.actor,
    credential: sessionCredential(caller, deps.now),
    owner,
    app,
    origin: client.origin,
    answered,
  });
  /** Answers with the state, or with a message that the script shows unchanged. */
  const answer = async (work: Promise<UploadState>, { client }: RouteContext<Person>) => {
    const { upload, published } = await work.catch((error: unknown) => {
      throw withUserMessage(error, deps.limits);
    });
    const links = { origin: client.origin, fileTokens: deps.fileTokens };
    const results = published && buildResult(published.app, published.build, published.page, links);
    const value = { error: false, id: upload.id, offset: upload.receivedBytes, results };
    return json(value, { headers: { 'Cache-Control': 'private, no-store' } });
  };
  const begin = async (sender: UploadSender, place: UploadTarget, form: Values<typeof beginning>) => {
    await requireTrusted(deps.data, sender.actor, place.owner, place.app);
    const { bytes: sizeBytes, idempotency_key: idempotencyKey, ...texts } = form;
    const given = Object.entries({ ...texts, owner: place.owner.name })
      .filter(([, text]) => text !== '')
      .map(([name, text]) => [name, normalizeLineEndings(text)]);
    const wanted = { fields: Object.fromEntries(given), sizeBytes, idempotencyKey };
    const begun = await resumableUploads.resume(sender, wanted);
    if (begun)
      return resumableUploads.read(begun, sender).catch((error: unknown) => {
        // The page exists: the upload has ended since, or its build was deleted.
        throw error instanceof NotFound ? conflict(uploadTexts.resumable.buildDeleted) : error;
      });
    if (sizeBytes > deps.limits.maxUploadBytes) throw uploadTooLarge(deps.limits);
    await checkFreeSpace(deps, sizeBytes);
    const refund = await deps.countUpload({ userId: sender.credential.id }, place.owner);
    return refundRefused(
      () => refund,
      async () => resumableUploads.read(await resumableUploads.create(sender, wanted), sender),
    );
  };
  const form = { page: path, reauthentication: false } as const;

  return [
    defineRoute({
      ...form,
      method: 'POST',
      path: `${path}/resumable`,
      summary: 'Begin or continue a resumable upload from a browser',
      access: target,
      maxBodyBytes: maxBeginningBytes,
      form: beginning,
      handle: (context) => {
        const { subject: place } = context;
        return answer(begin(senderOf(context, place), place, context.form), context);
      },
    }),
    defineRoute({
      ...form,
      method: 'POST',
      path: `${path}/resumable/cancel`,
      summary: 'Cancel a resumable upload from a browser',
      access: target,
      form: key,
      handle: async (context) => {
        const sender = senderOf(context, context.subject);
        const begun = await resumableUploads.findBegun(sender, context.form.idempotency_key);
        if (begun) await resumableUploads.terminate(begun);
        const { owner, app } = context.subject;
        return redirect(app ? appUploadPath(app) : ownerUploadPath(owner));
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/resumable/:upload`,
      access: known,
      summary: 'Send a part of a resumable upload from a browser',
      streamedBody: { describes: { type: 'string', format: 'binary' } },
      headers: part,
      handle: async (context) => {
        const { subject, body, headers } = context;
        // A header, because the body is a part of the file.
        body.checkFormToken(headers['form-token']);
        const chunk = chunkOf(body, headers, readOffset(headers));
        const sender = senderOf(context, subject.place, body.answered);
        return answer(resumableUploads.write(subject.upload, chunk, sender), context);
      },
    }),
  ];
}
