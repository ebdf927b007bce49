/**
 * The end of a request whose body was refused before it was read to its end. The answer is complete at once (its
 * Content-Length says so), but the response is held open while what still comes is thrown away: closing at once would
 * reset the connection, and most uploaders would report a broken pipe instead of the answer (RFC 9112, section 9.6).
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** Emits `body` at once and ends when the request's body has been read away, has broken off, or `seconds` have passed. */
export function bodyHeldOpen(body: string, request: IncomingMessage, seconds: number): Readable {
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
