import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyHolder } from '../access/authenticate.ts';
import type { Identify } from '../access/identify-http.ts';
import type { LinkSigner } from '../apps/link-signer.ts';
import { invalid, notFound, unauthenticated } from '../errors.ts';
import { errorSchema } from '../http/error-schema.ts';
import { type RouteModule, sendContinue } from '../http/http-server.ts';
import { noteCaller } from '../http/request-log.ts';
import type { OriginOf } from '../http/request-origin.ts';
import { object, text } from '../json-schema.ts';
import type { Actor } from '../owners/actor.ts';
import type { Owner } from '../owners/owner.ts';
import type { Platform } from '../packages/package-info.ts';
import { type AnonymousGate, createAnonymousGate } from './anonymous-gate.ts';
import { authorizeUpload } from './authorize-upload.ts';
import type { PublishBuild } from './publish-build.ts';
import {
  announcedBytesOf,
  answeredOf,
  checkAnnouncedSize,
  checkFreeSpace,
  idempotencyKeyOf,
  readUploadBody,
  receiveFile,
  roomOf,
  type UploadBodyParts,
} from './upload-body-http.ts';
import { maxIdempotencyKeyLength, uploadFormSchema } from './upload-fields.ts';
import { createUploadFormReader } from './upload-form.ts';
import { buildResult, uploadAnswerSchema } from './upload-json.ts';

export interface UploadRouteParts extends UploadBodyParts {
  identify: Identify;
  originOf: OriginOf;
  links: LinkSigner;
  publishBuild: PublishBuild;
}

interface UploadAddress {
  Params: { owner: string; platform?: string };
}

const schema = {
  summary: 'Upload an app',
  description:
    'Takes an IPA or APK, and updates or makes a distribution page when one is named. Send Idempotency-Key to get the first result again when a job is tried again within 24 hours.',
  tags: ['Uploads'],
  headers: object(
    {},
    { optional: { 'idempotency-key': text(undefined, { maxLength: maxIdempotencyKeyLength }) } },
  ),
  response: {
    200: uploadAnswerSchema,
    400: errorSchema,
    401: errorSchema,
    403: errorSchema,
    404: errorSchema,
    408: errorSchema,
    409: errorSchema,
    413: errorSchema,
    429: errorSchema,
    507: errorSchema,
  },
};

export function uploadRoutes(parts: UploadRouteParts): RouteModule {
  const gate = createAnonymousGate(parts.limits);
  const handler = (request: FastifyRequest<UploadAddress>, reply: FastifyReply) =>
    answerUpload(parts, gate, request, reply);
  const onRequest = (request: FastifyRequest<UploadAddress>) => checkHead(parts, request);
  const config = { readsBody: true, multipartBody: uploadFormSchema };
  return (server) => {
    server.post('/api/users/:owner/apps', { schema, config, onRequest, handler });
    server.post('/api/users/:owner/platforms/:platform/apps', {
      schema: { ...schema, summary: 'Upload an app of one platform' },
      config,
      onRequest,
      handler,
    });
  };
}

/** What the head of the request said, carried to the handler. */
interface Judged {
  known: KnownSender | null;
  origin: string;
}

interface KnownSender {
  actor: Actor;
  owner: Owner;
  /** What a file may have until the Owner's quota is reached. */
  roomBytes: number;
}

const judgedHeads = new WeakMap<FastifyRequest, Judged>();

/** The key, the Owner, the permission, the announced size and the Host are judged before one byte of the body is read. */
async function checkHead(parts: UploadRouteParts, request: FastifyRequest<UploadAddress>): Promise<void> {
  const actor = await parts.identify.actorByKey(request);
  const isForm = /^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '');
  if (!actor && (!isForm || !parts.identify.takesFormField)) throw unauthenticated();
  const owner = actor ? await authorizeUpload(parts.data, actor, request.params.owner) : null;
  // Without a key nobody learns what is not there.
  if (actor) readPlatform(request.params.platform);
  if (!isForm) throw invalid('the body must be multipart/form-data');
  checkAnnouncedSize(parts, request);
  await checkFreeSpace(parts, announcedBytesOf(request));
  const known = actor && owner ? await knownSender(parts, request, actor, owner) : null;
  judgedHeads.set(request, {
    known,
    origin: parts.originOf(request),
  });
}

async function knownSender(
  parts: UploadRouteParts,
  request: FastifyRequest,
  actor: KeyHolder,
  owner: Owner,
): Promise<KnownSender> {
  const roomBytes = await roomOf(parts, request, owner);
  await parts.countUpload(actor, owner);
  return { actor, owner, roomBytes };
}

function readPlatform(name: string | undefined): Platform | null {
  if (name === undefined) return null;
  const platform = name.toLowerCase();
  if (platform !== 'android' && platform !== 'ios') throw notFound(`there is no platform ${name}`);
  return platform;
}

async function answerUpload(
  parts: UploadRouteParts,
  gate: AnonymousGate,
  request: FastifyRequest<UploadAddress>,
  reply: FastifyReply,
) {
  const judged = judgedHeads.get(request);
  if (!judged) throw unauthenticated();
  const { data, identify, now } = parts;
  const answered = answeredOf(reply);
  let known = judged.known;
  const visit = known ? null : gate.enter(now());
  const reader = createUploadFormReader({
    receive: (stream) => receiveFile(parts, request, stream, known?.roomBytes ?? Number.POSITIVE_INFINITY),
    judgeToken: async (token) => {
      if (known) return;
      const actor = await identify.actorOfFormField(request, token);
      noteCaller(request, actor.kind);
      const owner = await authorizeUpload(data, actor, request.params.owner);
      readPlatform(request.params.platform);
      known = await knownSender(parts, request, actor, owner);
      visit?.leave();
    },
  });
  try {
    sendContinue(request, reply);
    await readUploadBody(parts, request, { ...reader, bytes: (count) => visit?.count(count, now()) });
    if (!known) throw unauthenticated();
    const form = reader.finish();
    const { actor, owner } = known as KnownSender;
    const published = await parts.publishBuild({
      actor,
      owner,
      form,
      platform: readPlatform(request.params.platform),
      packageName: null,
      idempotencyKey: idempotencyKeyOf(request),
      answered,
    });
    const context = { origin: judged.origin, links: parts.links };
    return {
      error: false as const,
      results: buildResult(published.app, published.build, published.page, context),
    };
  } finally {
    visit?.leave();
    await reader.dispose();
  }
}
