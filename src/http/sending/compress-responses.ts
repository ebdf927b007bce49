/**
 * Compresses pages, JSON and exports. Packages and images are already compressed, and event streams must not wait for a full
 * buffer. Texts are compressed on the main thread, because passing them to another one takes two to four times as much processor
 * time, and rendering takes ten times as long. Not `@fastify/compress`, which has five dependencies and compresses responses
 * whatever site requests them.
 */
import { pipeline, type Readable, type Transform } from 'node:stream';
import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptedCoding, type ContentCoding, minCompressedBytes } from './content-coding.ts';

/** Sorted by processor time per page: gzip takes four times as long as zstd, brotli slightly less. */
const preferred = ['zstd', 'br', 'gzip'] as const;

const compressible = /^(?:text\/(?!event-stream)|application\/(?:problem\+)?json|application\/x-ndjson)/;

const gzipOptions = { level: 6 };
/** A window of 256 KiB is more than a page, and takes little memory per response. */
const brotliOptions = {
  params: {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_QUALITY]: 4,
    [constants.BROTLI_PARAM_LGWIN]: 18,
  },
};
const zstdOptions = {
  params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_windowLog]: 18 },
};

interface Compressor {
  whole(bytes: Buffer): Buffer;
  stream(): Transform;
}

const compressors: Record<ContentCoding, Compressor> = {
  gzip: { whole: (bytes) => gzipSync(bytes, gzipOptions), stream: () => createGzip(gzipOptions) },
  br: {
    whole: (bytes) =>
      brotliCompressSync(bytes, {
        params: { ...brotliOptions.params, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength },
      }),
    stream: () => createBrotliCompress(brotliOptions),
  },
  zstd: {
    whole: (bytes) => zstdCompressSync(bytes, { ...zstdOptions, pledgedSrcSize: bytes.byteLength }),
    stream: () => createZstdCompress(zstdOptions),
  },
};

export function addCompression(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => done(null, compress(request, reply, payload)));
}

function compress(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  if (!mayCompress(reply)) return payload;
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) {
    const coding = responseCoding(request, reply, Buffer.byteLength(payload));
    if (coding === null) return payload;
    announce(reply, coding);
    return compressors[coding].whole(Buffer.from(payload));
  }
  // A stream of known length is complete before it ends; see `createHeldOpenBody`.
  if (!isStream(payload) || reply.hasHeader('content-length')) return payload;
  const coding = responseCoding(request, reply, Infinity);
  if (coding === null) return payload;
  announce(reply, coding);
  if (request.method === 'HEAD') return payload;
  // A client that disconnects destroys both; an error of the source cuts the response off.
  return pipeline(payload, compressors[coding].stream(), () => undefined);
}

/**
 * Returns the coding of a response of this size for this client; null for none. Announces in `Vary` that other clients get
 * another coding.
 */
export function responseCoding(
  request: FastifyRequest,
  reply: FastifyReply,
  sizeBytes: number,
): ContentCoding | null {
  if (sizeBytes < minCompressedBytes) return null;
  const varying = String(reply.getHeader('vary') ?? '');
  if (!varying.includes('Accept-Encoding'))
    reply.header('Vary', ['Accept-Encoding', varying].filter((name) => name !== '').join(', '));
  return isChosenByAnotherSite(request) ? null : acceptedCoding(request, preferred);
}

/**
 * Whether another site may have chosen the address or form of a request to which the browser added context (cookies, its
 * network). The length of a compressed response would then reveal whether the text chosen by the site also occurs elsewhere in
 * the page (BREACH, https://breachattack.com). Without a query, no text chosen by a site is repeated on a page. Browsers state
 * the origin of requests to https sites in `Sec-Fetch-Site` (https://w3c.github.io/webappsec-fetch-metadata); a request without
 * it and without cookies comes from a program.
 */
function isChosenByAnotherSite({ method, url, headers }: FastifyRequest): boolean {
  if ((method === 'GET' || method === 'HEAD') && !url.includes('?')) return false;
  const site = headers['sec-fetch-site'];
  return site === undefined ? headers.cookie !== undefined : site !== 'same-origin' && site !== 'none';
}

const taken = ['content-encoding', 'content-range', 'accept-ranges'];

/** Ranges refer to bytes of the response without a coding. */
function mayCompress(reply: FastifyReply): boolean {
  return (
    !taken.some((name) => reply.hasHeader(name)) &&
    compressible.test(String(reply.getHeader('content-type') ?? ''))
  );
}

function announce(reply: FastifyReply, coding: ContentCoding): void {
  reply.header('Content-Encoding', coding).removeHeader('Content-Length');
}

export const isStream = (payload: unknown): payload is Readable =>
  typeof payload === 'object' && payload !== null && 'pipe' in payload;
