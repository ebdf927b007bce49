/**
 * Sends stored bytes with ranges and validators (RFC 9110, sections 13 and 14). Supports one range per response, which is what
 * phones request.
 */

import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../core/errors.ts';
import { httpTexts } from '../http-texts.ts';
import type { SendFile, SentRange } from './send-file.ts';

export interface BlobResponse {
  /** Throws the error to send if the stored bytes are damaged. Called before `sizeBytes` is read, unless the client has the bytes. */
  check?(): Promise<void>;
  /** Opens the bytes or one range of them. Only called if they are sent. */
  open(range: SentRange | null): Promise<Readable | Buffer>;
  /** Opens and sends a local file, which is faster than `open`. */
  file?: { open(): Promise<FileHandle>; send: SendFile } | null;
  /** A header that makes a trusted proxy send the file, including ranges. Null if Slipway sends it. */
  sendfile?: { header: string; value: string } | null;
  /** A temporary link for downloading the bytes elsewhere. Null if they are only available here. */
  link?: (() => Promise<URL>) | null;
  readonly sizeBytes: number;
  /** Without quotes; changes with the bytes. */
  etag: string;
  contentType: string;
  modifiedAt: number;
  /** The file name of a download; null to display it inline. */
  fileName: string | null;
  /** Absent if clients cache it, and revalidate it each time. */
  cacheControl?: string;
}

export async function sendBlob(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: BlobResponse,
): Promise<void> {
  const etag = `"${answer.etag}"`;
  const isKnown = isFresh(request, etag, answer.modifiedAt);
  if (!isKnown) await answer.check?.();
  reply
    .header('ETag', etag)
    .header('Last-Modified', new Date(answer.modifiedAt).toUTCString())
    .header('Accept-Ranges', 'bytes')
    .header('Cache-Control', answer.cacheControl ?? 'private, max-age=0, must-revalidate')
    .type(answer.contentType);
  if (answer.fileName !== null) reply.header('Content-Disposition', contentDisposition(answer.fileName));
  if (isKnown) {
    reply.code(304).send();
    return;
  }
  if (answer.sendfile && request.method === 'GET' && isProxied(request)) {
    // The proxy announces its own support of ranges.
    reply.removeHeader('Accept-Ranges').header(answer.sendfile.header, answer.sendfile.value).send('');
    return;
  }
  // Ranges are defined only for GET (RFC 9110, section 14.2).
  const range = request.method === 'GET' ? readRange(request, answer, etag) : null;
  if (range === 'unsatisfiable') {
    reply.header('Content-Range', `bytes */${answer.sizeBytes}`).removeHeader('Content-Disposition');
    throw new AppError('range_not_satisfiable', httpTexts.head.range({ size: String(answer.sizeBytes) }));
  }
  // Everything except the bytes is known here, so responses without a body need no link.
  if (answer.link && request.method === 'GET') return redirectToBlob(reply, await answer.link());
  const first = range?.first ?? 0;
  const last = range?.last ?? answer.sizeBytes - 1;
  if (range) reply.code(206).header('Content-Range', `bytes ${first}-${last}/${answer.sizeBytes}`);
  reply.header('Content-Length', last - first + 1);
  if (request.method === 'HEAD') return sendHeadOnly(reply);
  if (!answer.file) {
    reply.send(await answer.open(range));
    return;
  }
  const handle = await answer.file.open();
  hijackReply(reply);
  await answer.file.send(reply.raw, handle, { first, last }).catch((error: unknown) => {
    request.log.error({ err: error }, `request ${request.id} failed while its response was sent`);
  });
}

/** Whether the request came through a trusted proxy, because clients that connect directly would get no bytes. */
const isProxied = ({ ips }: FastifyRequest) => (ips?.length ?? 0) > 1;

/** The link is short-lived and only for this client. The store sends its own validators. */
function redirectToBlob(reply: FastifyReply, link: URL): void {
  for (const name of ['ETag', 'Last-Modified', 'Accept-Ranges', 'Content-Disposition', 'Content-Type']) {
    reply.removeHeader(name);
  }
  reply.header('Cache-Control', 'no-store').redirect(link.href, 302);
}

/** Sets the length of the file, because Fastify would announce an empty body. */
function sendHeadOnly(reply: FastifyReply): void {
  hijackReply(reply);
  reply.raw.end();
}

/** Takes over the response, with the headers that were set on the reply. */
function hijackReply(reply: FastifyReply): void {
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  reply.raw.statusCode = reply.statusCode;
}

function isFresh(request: FastifyRequest, etag: string, modifiedAt: number): boolean {
  const known = request.headers['if-none-match'];
  if (known !== undefined)
    return known === '*' || known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
  const since = request.headers['if-modified-since'];
  return since !== undefined && Math.floor(modifiedAt / 1000) * 1000 <= Date.parse(since);
}

/** Ignores a header that is not a single byte range, as the specification allows. `If-Range` must match. */
function readRange(
  request: FastifyRequest,
  answer: BlobResponse,
  etag: string,
): SentRange | 'unsatisfiable' | null {
  const condition = request.headers['if-range'];
  if (condition !== undefined && condition !== etag) return null;
  const [matched, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range?.trim() ?? '') ?? [];
  if (matched === undefined || (from === '' && to === '')) return null;
  const size = answer.sizeBytes;
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== '' && Number(to) < first) return null;
  return first >= size ? 'unsatisfiable' : { first, last };
}

/** An ASCII name for old browsers, and the exact name in UTF-8 (RFC 6266). */
export function contentDisposition(fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%/]/g, '_');
  const exact = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}
