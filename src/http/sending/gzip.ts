/** Compresses text responses, off the main thread. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const compress = promisify(gzip);

/** Compressing less saves no packet. */
const minCompressedBytes = 1024;

/** RFC 9110, section 12.5.3: listed, and not with the weight 0. */
export function acceptsGzip(header: string | undefined): boolean {
  return (header ?? '').split(',').some((coding) => {
    const [name = '', ...parameters] = coding.split(';').map((part) => part.trim().toLowerCase());
    return (name === 'gzip' || name === '*') && !parameters.some((one) => /^q=0(?:\.0*)?$/.test(one));
  });
}

/**
 * Whether another site can have made the visitor's browser send the request with its cookies (Fetch Metadata, section 2.4). The size of a
 * compressed answer would tell it how well a guess in the address matches a secret of the answer (BREACH). Browsers that do not say where a
 * request comes from get no compressed answers.
 */
const isFromElsewhere = ({ headers }: FastifyRequest) =>
  headers.cookie !== undefined && !/^(?:same-origin|none)$/.test(String(headers['sec-fetch-site'] ?? ''));

/** Sends text, compressed if the request accepts that and it reveals nothing. */
export async function sendText(reply: FastifyReply, text: string): Promise<FastifyReply> {
  const { request } = reply;
  if (!isCompressed(request, text)) return reply.send(text);
  return reply.header('Content-Encoding', 'gzip').send(await compress(text));
}

export const isCompressed = (request: FastifyRequest, text: string): boolean =>
  text.length >= minCompressedBytes &&
  acceptsGzip(String(request.headers['accept-encoding'] ?? '')) &&
  !isFromElsewhere(request);
