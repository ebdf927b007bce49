import * as v from 'valibot';
import type { Identify } from '../accounts/authorization/identify-http.ts';
import { appJson, appShape, buildJson, buildShape } from '../apps/app-json.ts';
import type { FileTokens } from '../apps/files/file-token.ts';
import { NotFound, unauthenticated } from '../core/errors.ts';
import { loadPagesJson } from '../distributions/load-shown-pages.ts';
import { pageShape } from '../distributions/page-json.ts';
import { json } from '../http/routes/answer.ts';
import type { StreamedBody } from '../http/routes/client.ts';
import { defineRoute, type Route, type RouteContext } from '../http/routes/route.ts';
import { networkOf } from '../limits/client-network.ts';
import { type AnonymousUploadLimit, createAnonymousUploadLimit } from './anonymous-upload-limit.ts';
import { claimOfKey, recheckKey } from './authorize-upload.ts';
import { type CountRefusedUpload, refundRefused } from './count-upload.ts';
import type { PublishBuild, PublishedBuild, PublishRequest } from './publish-build.ts';
import { createUploadAccess, type Sender, type UploadSubject } from './upload-access-http.ts';
import { readUploadBody, receiveFile, type UploadBodyDeps } from './upload-body-http.ts';
import { maxIdempotencyKeyLength, type UploadQuery, uploadFormSchema, uploadQuery } from './upload-fields.ts';
import { createUploadFormReader } from './upload-form.ts';
import { platformResult, platformUploadAnswer, uploadAnswer, uploadFindingsShape } from './upload-json.ts';
import { loadUploadFindings, loadUploadResult } from './upload-result.ts';

export interface UploadRouteDeps extends UploadBodyDeps {
  identify: Identify;
  fileTokens: FileTokens;
  publishBuild: PublishBuild;
  countRefusedUpload: CountRefusedUpload;
}

type UploadContext = RouteContext<unknown, UploadSubject> & {
  headers: { 'idempotency-key': string };
  query: UploadQuery;
  body: StreamedBody;
};

export function uploadRoutes(deps: UploadRouteDeps): Route[] {
  const anonymousUploads = createAnonymousUploadLimit(deps.limits, deps.now);
  const shared = {
    method: 'POST',
    access: createUploadAccess(deps),
    keyScope: 'upload',
    csrfExempt: 'authenticated by an API key, which browsers never send automatically',
    streamedBody: { describes: uploadFormSchema },
    query: uploadQuery,
    tag: 'Uploads',
    headers: {
      'idempotency-key': v.optional(v.pipe(v.string(), v.maxLength(maxIdempotencyKeyLength)), ''),
    },
  } as const;
  const receive = async (context: UploadContext) => {
    const published = await receiveUpload(deps, anonymousUploads, context);
    const about = { origin: context.client.origin, fileTokens: deps.fileTokens, now: deps.now() };
    return { app: published.app, results: await loadUploadResult(deps.data, published, about) };
  };
  return [
    defineRoute({
      ...shared,
      path: '/api/users/:owner/apps',
      summary: 'Upload an app',
      answer: uploadAnswer,
      handle: async (context) => json({ error: false as const, results: (await receive(context)).results }),
    }),
    defineRoute({
      ...shared,
      path: '/api/users/:owner/platforms/:platform/apps',
      summary: 'Upload an app for one platform',
      description:
        'Like the address without a platform, except for three fields that its clients decode in other types.',
      answer: platformUploadAnswer,
      handle: async (context) => {
        const { app, results } = await receive(context);
        return json({ error: false as const, results: platformResult(app, results, context.client.origin) });
      },
    }),
    defineRoute({
      ...shared,
      path: '/api/v1/owners/:owner/builds',
      operationId: 'uploadBuild',
      summary: 'Upload a build',
      description:
        'Takes the fields of the interface of existing uploaders. A repetition with the same Idempotency-Key within 24 hours gets the first build.',
      tag: 'Builds',
      status: 201,
      answer: uploadedShape,
      handle: async (context) => {
        const published = await receiveUpload(deps, anonymousUploads, context);
        const value = await loadUploadedJson(deps, published, context.client.origin);
        const { owner, platform, package_name: name, revision } = { ...value.app, ...value.build };
        const path = [owner, platform, name, 'builds', revision].map(encodeURIComponent).join('/');
        return json(value, { headers: { Location: `/api/v1/apps/${path}` } });
      },
    }),
  ];
}

export async function loadUploadedJson(
  { data, now }: Pick<UploadBodyDeps, 'data' | 'now'>,
  published: PublishedBuild,
  origin: string,
): Promise<v.InferOutput<typeof uploadedShape>> {
  const { app, build, page } = published;
  const context = { origin, now: now() };
  const { size_change, install_problems } = await loadUploadFindings(data, published, context);
  const [shownPage = null] = page ? await loadPagesJson(data, app, [page], context) : [];
  return {
    app: appJson(app, origin),
    build: buildJson(app, build, origin),
    page: shownPage,
    size_change,
    install_problems,
  };
}

export const uploadedShape = v.object({
  app: appShape,
  build: buildShape,
  page: v.pipe(v.nullable(pageShape), v.description('The page that the upload published to.')),
  ...v.omit(uploadFindingsShape, ['profile_expires_at']).entries,
});

async function receiveUpload(
  deps: UploadRouteDeps,
  anonymousUploads: AnonymousUploadLimit,
  context: UploadContext,
) {
  const { known } = context.subject;
  let refund = known && (await deps.countUpload(known.actor, known.owner));
  const count = async ({ actor, owner }: Sender) => {
    refund = await deps.countUpload(actor, owner);
  };
  return refundRefused(
    () => refund,
    () => receiveCounted(deps, anonymousUploads, context, count),
  );
}

async function receiveCounted(
  deps: UploadRouteDeps,
  anonymousUploads: AnonymousUploadLimit,
  { subject, client, headers, query, body }: UploadContext,
  count: (sender: Sender) => Promise<void>,
) {
  let sender = subject.known;
  let authorizing: Promise<void> | null = null;
  const anonymous = subject.known ? null : anonymousUploads.begin(networkOf(client.address));
  const authorize = async (unknown: UploadSubject & { known: null }, token: string) => {
    const authorized = await unknown.authorizeToken(token, body.checkKeyScopes);
    await count(authorized);
    sender = authorized;
    anonymous?.leave();
  };
  const reader = createUploadFormReader({
    origin: client.origin,
    query,
    receive: async (stream) => {
      // The lookup of a key that arrived before the file may still be running.
      await authorizing;
      await anonymous?.enter(stream);
      return receiveFile(
        deps,
        body.announcedBytes,
        stream,
        sender?.remainingBytes ?? Number.POSITIVE_INFINITY,
      );
    },
    authorizeToken: (token) => {
      if (!subject.known) authorizing = authorize(subject, token);
      return authorizing ?? undefined;
    },
  });
  try {
    body.accept();
    await readUploadBody(deps, body, { ...reader, bytes: (bytes) => anonymous?.count(bytes) });
    if (!sender) throw unauthenticated();
    return await publish(deps, sender, client.address, {
      form: reader.finish(),
      idempotencyKey: claimOfKey(sender.actor, headers['idempotency-key'] || null),
      answered: body.answered,
    });
  } finally {
    anonymous?.leave();
    await reader.dispose();
  }
}

async function publish(
  { publishBuild, countRefusedUpload, now }: UploadRouteDeps,
  { actor, owner, platform }: Sender,
  address: string,
  upload: Pick<PublishRequest, 'form' | 'idempotencyKey' | 'answered'>,
) {
  try {
    const recheckPermission = recheckKey(actor, owner, now);
    return await publishBuild({ ...upload, actor, owner, recheckPermission, platform, packageName: null });
  } catch (error) {
    // The distribution page does not exist, or belongs to another owner.
    if (error instanceof NotFound) await countRefusedUpload(actor, address);
    throw error;
  }
}
