/** The browser's way in: a form that works without script, and the same address for the script of its page. */
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFrames } from '../access/page-frames-http.ts';
import { type Person, personOrSignIn, readSessionForm } from '../access/session-form-http.ts';
import { ownerUploadPath, revisionPath, uploadPath } from '../apps/addresses.ts';
import type { LinkSigner } from '../apps/link-signer.ts';
import type { ViewAccess } from '../apps/view-access.ts';
import { AppError } from '../errors.ts';
import { renderingOf } from '../http/error-reply.ts';
import type { RouteModule } from '../http/http-server.ts';
import { bodyHeldOpen, sendContinue } from '../http/request-body.ts';
import type { OriginOf } from '../http/request-origin.ts';
import { announcedBytesOf, streamedBodyOf } from '../http/routes/client.ts';
import type { AskedNames } from '../projects/list-by-name-http.ts';
import { type BrowserFormReader, createBrowserFormReader, nothingTyped } from './browser-form.ts';
import { renderBrowserUpload, type UploadPlace } from './browser-upload-page.tsx';
import { findUploadPlace, listUploadPlaces, type PlaceAddress } from './browser-upload-place-http.ts';
import type { PublishBuild, PublishedBuild } from './publish-build.ts';
import { refusalSentence } from './refusal-sentence.ts';
import {
  checkAnnouncedSize,
  checkFreeSpace,
  readUploadBody,
  receiveFile,
  roomFor,
  roomOf,
  type UploadBodyParts,
} from './upload-body-http.ts';
import { maxIdempotencyKeyLength } from './upload-fields.ts';
import type { UploadForm } from './upload-form.ts';
import { buildResult } from './upload-json.ts';
import { renderFoundPlaces, renderUploadPlaces } from './upload-places-page.tsx';

export interface BrowserUploadRouteParts extends UploadBodyParts {
  frames: PageFrames;
  viewAccess: ViewAccess;
  originOf: OriginOf;
  links: LinkSigner;
  publishBuild: PublishBuild;
}

interface UploadAddress {
  Params: PlaceAddress;
}

interface PlacesAddress {
  Querystring: AskedNames & { part?: unknown };
}

type PlacesRequest = FastifyRequest<PlacesAddress>;
type UploadRequest = FastifyRequest<UploadAddress>;

/** For those who may upload there; for everybody else there is nothing at these addresses. */
export function browserUploadRoutes(parts: BrowserUploadRouteParts): RouteModule {
  return (server) => {
    server.get<PlacesAddress>(uploadPath, (request, reply) => answerPlaces(parts, request, reply));
    for (const address of [
      '/users/:owner/upload',
      '/organizations/:owner/upload',
      '/users/:owner/platforms/:platform/apps/:package/upload',
    ]) {
      server.get<UploadAddress>(address, (request, reply) => answerPage(parts, request, reply));
      server.post<UploadAddress>(address, {
        config: { readsBody: true },
        onRequest: (request, reply) => judgeHead(parts, request, reply),
        onSend: async (request, reply, payload) => holdOpen(parts, request, reply, payload),
        handler: (request, reply) => answerUpload(parts, request, reply),
      });
    }
  };
}

async function answerPlaces(parts: BrowserUploadRouteParts, request: PlacesRequest, reply: FastifyReply) {
  const person = await personOrSignIn(parts.frames, request, reply);
  if (!person) return reply;
  const found = await listUploadPlaces(parts.data, person.actor.user, request.query);
  const [only, ...others] = found.owners;
  if (found.query === '' && only && others.length === 0) return reply.redirect(ownerUploadPath(only), 303);
  // What a script asks for while somebody types.
  if (request.query.part === 'places') return parts.frames.send(reply, renderFoundPlaces(found));
  return parts.frames.send(reply, renderUploadPlaces({ frame: parts.frames.of(request, person), found }));
}

async function answerPage(parts: BrowserUploadRouteParts, request: UploadRequest, reply: FastifyReply) {
  const person = await personOrSignIn(parts.frames, request, reply);
  if (!person) return reply;
  const place = await placeOf(parts, request, person);
  if (wantsPage(request)) return sendForm(parts, request, reply, { person, place });
  // Asked by the script before it sends a file, so that a long upload is not refused at its end.
  const { bytes } = request.query as Record<string, unknown>;
  const announcedBytes = typeof bytes === 'string' && /^\d{1,15}$/.test(bytes) ? Number(bytes) : 0;
  try {
    await checkFreeSpace(parts, announcedBytes);
    await roomFor(parts, idempotencyKeyOf(request), place.owner, announcedBytes);
  } catch (error) {
    throw inWords(parts, error);
  }
  return reply
    .header('Cache-Control', 'private, no-store')
    .send({ error: false, csrf: parts.frames.of(request, person).formToken });
}

function placeOf(parts: BrowserUploadRouteParts, request: UploadRequest, person: Person) {
  const isProject = request.routeOptions.url?.startsWith('/organizations/');
  return findUploadPlace(parts, person.actor, {
    ...request.params,
    ...(isProject ? { kind: 'project' } : {}),
  });
}

/** Who sends, and what is known to be wrong with what follows. */
interface Judged {
  person: Person;
  place: UploadPlace;
  roomBytes: number;
  refusal: AppError | null;
}

const judgedHeads = new WeakMap<FastifyRequest, Judged>();

/** Session, Owner, permission, announced size and room: before one byte of the body is read. */
async function judgeHead(parts: BrowserUploadRouteParts, request: UploadRequest, reply: FastifyReply) {
  const person = await personOrSignIn(parts.frames, request, reply);
  if (!person) return reply;
  const place = await placeOf(parts, request, person);
  const judged: Judged = { person, place, roomBytes: 0, refusal: null };
  try {
    checkKey(request);
    checkAnnouncedSize(parts, announcedBytesOf(request));
    judged.roomBytes = await roomOf(
      parts,
      { announcedBytes: announcedBytesOf(request), idempotencyKey: idempotencyKeyOf(request) },
      place.owner,
    );
    await checkFreeSpace(parts, announcedBytesOf(request));
    await parts.countUpload({ userId: person.actor.user.id }, place.owner);
  } catch (error) {
    // A form without script is read on, for it is to come again with what was typed.
    if (!(error instanceof AppError) || !wantsPage(request)) throw inWords(parts, error);
    judged.refusal = error;
  }
  judgedHeads.set(request, judged);
}

function idempotencyKeyOf({ headers }: FastifyRequest): string | null {
  const key = headers['idempotency-key'];
  return typeof key === 'string' && key !== '' ? key : null;
}

function checkKey(request: FastifyRequest): void {
  if ((idempotencyKeyOf(request)?.length ?? 0) > maxIdempotencyKeyLength) {
    throw new AppError('invalid', `Idempotency-Key has at most ${maxIdempotencyKeyLength} characters`);
  }
}

async function answerUpload(parts: BrowserUploadRouteParts, request: UploadRequest, reply: FastifyReply) {
  const judged = judgedHeads.get(request);
  if (!judged) throw new Error('the head of the request was not judged');
  const { person, refusal, roomBytes } = judged;
  const body = streamedBodyOf(request, reply, {
    accept: () => sendContinue(request, reply),
    checkFormToken: () => undefined,
  });
  const reader = createBrowserFormReader({
    checkToken: (csrf) => void readSessionForm(person, { csrf }),
    refusal,
    receive: (stream) => receiveFile(parts, body.announcedBytes, stream, roomBytes),
    discard: (stream) => discard(stream, parts.limits.refusedBodyDrainSeconds),
  });
  let published: PublishedBuild;
  try {
    body.accept();
    await readUploadBody(parts, body, reader, refusal !== null);
    published = await publish(parts, request, judged, reader.finish(), body.answered);
  } catch (error) {
    await reader.dispose();
    return answerRefusal(parts, request, reply, judged, reader, error);
  }
  await reader.dispose();
  const { app, build, page } = published;
  if (wantsPage(request)) {
    const address = revisionPath(app.owner, app.platform, app.packageName, build.revision);
    return reply.redirect(`${address}?done=uploaded`, 303);
  }
  const context = { origin: parts.originOf(request), links: parts.links };
  return { error: false as const, results: buildResult(app, build, page, context) };
}

function publish(
  { publishBuild }: BrowserUploadRouteParts,
  request: FastifyRequest,
  { person, place }: Judged,
  form: UploadForm,
  answered: Promise<void>,
): Promise<PublishedBuild> {
  return publishBuild({
    actor: person.actor,
    owner: place.owner,
    form,
    platform: place.app?.platform ?? null,
    packageName: place.app?.packageName ?? null,
    idempotencyKey: idempotencyKeyOf(request),
    answered,
  });
}

function answerRefusal(
  parts: BrowserUploadRouteParts,
  request: UploadRequest,
  reply: FastifyReply,
  { person, place, refusal }: Judged,
  reader: BrowserFormReader,
  error: unknown,
) {
  // Reading on for what was typed may have ended in another way than the refusal that was there before.
  const reason = refusal && reader.proven() ? refusal : error;
  const known = reason instanceof AppError && reader.proven();
  if (!known || !wantsPage(request)) throw inWords(parts, reason);
  if (reason.retryAfterSeconds !== null) reply.header('Retry-After', reason.retryAfterSeconds);
  return sendForm(parts, request, reply.code(renderingOf(reason.kind).status), {
    person,
    place,
    typed: reader.typed(),
    refusal: refusalSentence(reason, parts.limits.maxUploadBytes),
  });
}

function sendForm(
  parts: BrowserUploadRouteParts,
  request: UploadRequest,
  reply: FastifyReply,
  content: {
    person: Person;
    place: UploadPlace;
    typed?: ReturnType<BrowserFormReader['typed']>;
    refusal?: string;
  },
) {
  const html = renderBrowserUpload({
    frame: parts.frames.of(request, content.person),
    place: content.place,
    typed: content.typed ?? nothingTyped,
    refusal: content.refusal ?? null,
    maxUploadBytes: parts.limits.maxUploadBytes,
  });
  return parts.frames.send(reply, html);
}

/** What the script shows as it is. */
function inWords({ limits }: BrowserUploadRouteParts, error: unknown): unknown {
  if (!(error instanceof AppError) || error.kind === 'unauthenticated' || error.kind === 'not_found') {
    return error;
  }
  return new AppError(error.kind, refusalSentence(error, limits.maxUploadBytes), {
    cause: error,
    retryAfterSeconds: error.retryAfterSeconds,
  });
}

function wantsPage(request: FastifyRequest): boolean {
  return request.headers.accept?.includes('text/html') ?? false;
}

async function discard(stream: Readable, seconds: number): Promise<void> {
  const deadline = setTimeout(() => stream.destroy(new Error('the refused file is long')), seconds * 1000);
  try {
    for await (const _ of stream);
  } finally {
    clearTimeout(deadline);
  }
}

/** An answer that is out before the body is in: the rest is read away for a while, so that the browser sees it. */
function holdOpen(
  { limits }: BrowserUploadRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): unknown {
  const isText = typeof payload === 'string' || payload === undefined || payload === null;
  if (request.raw.complete || !isText) return payload;
  const text = payload ?? '';
  reply.header('Content-Length', Buffer.byteLength(text));
  return bodyHeldOpen(text, request.raw, limits.refusedBodyDrainSeconds);
}
