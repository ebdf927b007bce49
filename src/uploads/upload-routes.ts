import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Identify } from '../access/identify-http.ts';
import type { LinkSigner } from '../apps/link-signer.ts';
import type { Spool, SpooledFile } from '../blobs/spool.ts';
import { SpoolFull, SpoolLimitExceeded } from '../blobs/spool-errors.ts';
import type { Limits } from '../config.ts';
import type { Data } from '../data.ts';
import { invalid, notFound, tooLarge, unauthenticated } from '../errors.ts';
import { errorSchema } from '../http/error-schema.ts';
import { type RouteModule, sendContinue } from '../http/http-server.ts';
import { readMultipart } from '../http/multipart.ts';
import { noteCaller } from '../http/request-log.ts';
import type { OriginOf } from '../http/request-origin.ts';
import type { Actor } from '../owners/actor.ts';
import type { Owner } from '../owners/owner.ts';
import { quotaReached } from '../owners/quota.ts';
import type { Platform } from '../packages/package-info.ts';
import { type AnonymousGate, createAnonymousGate } from './anonymous-gate.ts';
import { authorizeUpload } from './authorize-upload.ts';
import type { PublishBuild } from './publish-build.ts';
import { maxIdempotencyKeyLength, uploadFormSchema } from './upload-fields.ts';
import { createUploadFormReader } from './upload-form.ts';
import { buildResult, uploadAnswerSchema } from './upload-json.ts';
import { checkRoom } from './upload-room.ts';

export interface UploadRouteParts {
  data: Data;
  identify: Identify;
  originOf: OriginOf;
  links: LinkSigner;
  spool: Spool;
  publishBuild: PublishBuild;
  limits: Limits;
  now: () => number;
}

/** Room in a body for everything but its files. */
const formOverheadBytes = 4 * 1024 * 1024;
const maxFieldBytes = 1024 * 1024;
const maxParts = 100;

interface UploadAddress {
  Params: { owner: string; platform?: string };
}

const schema = {
  summary: 'Upload an app',
  description:
    'Takes an IPA or APK, and updates or makes a distribution page when one is named. Send Idempotency-Key to get the first result again when a job is tried again within 24 hours.',
  tags: ['Uploads'],
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({ maxLength: maxIdempotencyKeyLength })),
  }),
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
  const { limits } = parts;
  const actor = await parts.identify.actorByKey(request);
  const isForm = /^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '');
  if (!actor && (!isForm || !parts.identify.takesFormField)) throw unauthenticated();
  const owner = actor ? await authorizeUpload(parts.data, actor, request.params.owner) : null;
  // Without a key nobody learns what is not there.
  if (actor) readPlatform(request.params.platform);
  if (!isForm) throw invalid('the body must be multipart/form-data');
  const announcedBytes = Number(request.headers['content-length'] ?? 0);
  if (announcedBytes > limits.maxUploadBytes + formOverheadBytes) throw uploadTooLarge(limits);
  const known = actor && owner ? await knownSender(parts, request, actor, owner) : null;
  if ((await parts.spool.freeBytes()) - announcedBytes < limits.minimumFreeBytes) throw new SpoolFull();
  judgedHeads.set(request, {
    known,
    origin: parts.originOf(request),
  });
}

async function knownSender(
  { data, now }: UploadRouteParts,
  request: FastifyRequest,
  actor: Actor,
  owner: Owner,
): Promise<KnownSender> {
  const announcedBytes = Number(request.headers['content-length'] ?? 0);
  // The rest of the form is small, but how small is not known.
  const expected = {
    leastBytes: announcedBytes - formOverheadBytes,
    idempotencyKey: idempotencyKeyOf(request),
  };
  return { actor, owner, roomBytes: await checkRoom(data, owner, expected, now()) };
}

function idempotencyKeyOf(request: FastifyRequest): string | null {
  const key = (request.headers as Record<string, unknown>)['idempotency-key'];
  return typeof key === 'string' && key !== '' ? key : null;
}

function readPlatform(name: string | undefined): Platform | null {
  if (name === undefined) return null;
  const platform = name.toLowerCase();
  if (platform !== 'android' && platform !== 'ios') throw notFound(`there is no platform ${name}`);
  return platform;
}

function uploadTooLarge(limits: Limits) {
  return tooLarge(`application create error: the upload is larger than ${limits.maxUploadBytes} bytes`);
}

async function answerUpload(
  parts: UploadRouteParts,
  gate: AnonymousGate,
  request: FastifyRequest<UploadAddress>,
  reply: FastifyReply,
) {
  const judged = judgedHeads.get(request);
  if (!judged) throw unauthenticated();
  const { data, limits, identify, now } = parts;
  let known = judged.known;
  const visit = known ? null : gate.enter(now());
  const reader = createUploadFormReader({
    receive: (stream) => receiveFile(parts, request, stream, known?.roomBytes ?? Number.POSITIVE_INFINITY),
    judgeToken: async (token) => {
      if (known) return;
      const actor = await identify.actorOfFormField(token);
      noteCaller(request, actor.kind);
      const owner = await authorizeUpload(data, actor, request.params.owner);
      readPlatform(request.params.platform);
      known = await knownSender(parts, request, actor, owner);
      visit?.leave();
    },
  });
  try {
    sendContinue(request, reply);
    const maxBodyBytes = limits.maxUploadBytes + formOverheadBytes;
    const stallSeconds = limits.bodyStallSeconds;
    await readMultipart(
      request.raw,
      { maxBodyBytes, maxFieldBytes, maxParts, stallSeconds },
      { ...reader, bytes: (count) => visit?.count(count, now()) },
    );
    if (!known) throw unauthenticated();
    const form = reader.finish();
    const { actor, owner } = known as KnownSender;
    const published = await parts.publishBuild({
      actor,
      owner,
      form,
      platform: readPlatform(request.params.platform),
      idempotencyKey: idempotencyKeyOf(request),
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

/** A file is cut where it is larger than an upload may be, or than what the Owner may still store. */
async function receiveFile(
  { spool, limits }: UploadRouteParts,
  request: FastifyRequest,
  stream: Readable,
  roomBytes: number,
): Promise<SpooledFile> {
  const maxBytes = Math.min(limits.maxUploadBytes, roomBytes);
  try {
    return await spool.receive(stream, {
      maxBytes,
      // The body's length is a little more than the file's, and absent when it comes in chunks.
      expectedBytes: Math.min(Number(request.headers['content-length']), maxBytes) || undefined,
    });
  } catch (error) {
    if (error instanceof SpoolLimitExceeded && maxBytes < limits.maxUploadBytes) throw quotaReached();
    throw error;
  }
}
