/** Receives and refuses request bodies. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, invalid, tooLarge } from '../core/errors.ts';
import { httpTexts } from './http-texts.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** `100 Continue` has been sent. */
    continueSent: boolean;
  }
}

/** Whether the client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1). */
export function awaitsContinue(request: Pick<FastifyRequest, 'headers' | 'continueSent'>): boolean {
  return !request.continueSent && /^100-continue$/i.test(request.headers.expect?.trim() ?? '');
}

/** Sends `100 Continue` to a client that waits for it. */
export function sendContinue(request: FastifyRequest, reply: FastifyReply): void {
  if (!awaitsContinue(request)) return;
  request.continueSent = true;
  reply.raw.writeContinue();
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

export const hasUnreadBody = (request: IncomingMessage) => !request.complete && hasBody(request);

/**
 * Emits `body` at once, and ends when the request’s body has been discarded, has broken off, or `seconds` have passed. The
 * response is complete at once (its Content-Length says so) but stays open, because closing it would reset the connection, and
 * most uploaders would report a broken pipe instead of the response (RFC 9112, section 9.6).
 */
export function createHeldOpenBody(
  body: string | Buffer,
  request: IncomingMessage,
  seconds: number,
): Readable {
  const held = new Readable({ read: () => undefined });
  held.push(body);
  if (request.complete || request.destroyed) {
    held.push(null);
    return held;
  }
  const settle = () => {
    clearTimeout(deadline);
    request.off('end', settle);
    request.off('close', settle);
    request.off('error', settle);
    if (!held.readableEnded) held.push(null);
  };
  const deadline = setTimeout(() => {
    settle();
    request.socket.destroySoon();
  }, seconds * 1000);
  request.on('end', settle);
  request.on('close', settle);
  request.on('error', settle);
  request.unpipe();
  request.resume();
  return held;
}

const shortBodyTimeoutMs = 60_000;

/** Reads a complete streamed body. Closes the connection if that takes longer than a minute. */
export async function readShortBody(
  request: IncomingMessage,
  maxBytes: number,
  refusal = () => tooLarge(httpTexts.body.long({ limit: maxBytes })),
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw refusal();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const deadline = setTimeout(() => request.destroy(), shortBodyTimeoutMs);
  try {
    // The rest of a refused body is discarded after the response.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw refusal();
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw invalid(httpTexts.body.cut, error);
  } finally {
    clearTimeout(deadline);
  }
  return Buffer.concat(chunks);
}
