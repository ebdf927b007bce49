/** Compresses text responses, off the main thread. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyRequest } from 'fastify';

const compress = promisify(gzip);

/** RFC 9110, section 12.5.3: listed, and not with the weight 0. */
export function acceptsGzip(header: string | undefined): boolean {
  return (header ?? '').split(',').some((coding) => {
    const [name = '', ...parameters] = coding.split(';').map((part) => part.trim().toLowerCase());
    return (name === 'gzip' || name === '*') && !parameters.some((one) => /^q=0(?:\.0*)?$/.test(one));
  });
}

export function requestAcceptsGzip(request: FastifyRequest): boolean {
  return acceptsGzip(String(request.headers['accept-encoding'] ?? ''));
}

export function gzipped(text: string): Promise<Buffer> {
  return compress(text);
}
