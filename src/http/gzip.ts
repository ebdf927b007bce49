/** Compression of texts on the wire, off the main thread. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyRequest } from 'fastify';

const compress = promisify(gzip);

/** RFC 9110, section 12.5.3: listed, and not with the weight 0. */
export function takesGzip(request: FastifyRequest): boolean {
  const accepted = String(request.headers['accept-encoding'] ?? '');
  return accepted.split(',').some((coding) => /^\s*(gzip|\*)\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(coding));
}

export function gzipped(text: string): Promise<Buffer> {
  return compress(text);
}
