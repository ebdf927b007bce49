/**
 * Ends requests of clients that transfer less than a minimum rate in either direction, averaged over a window. Only the time
 * counts in which the server waits for the client: for requested body bytes, or for buffer space for response bytes. Sockets are
 * sampled a few times per window, so transfers have no overhead.
 */
import type { ServerResponse } from 'node:http';
import { AppError } from '../../core/errors.ts';
import { httpTexts } from '../http-texts.ts';
import { awaitsContinue } from '../request-body.ts';
import type { FollowedRequest } from '../request-log.ts';
import { acceptedBytes, readSendQueues, type SendQueues, socketInode } from './send-queues.ts';

export interface TransferLimits {
  /** Null if only a stalled client is disconnected. */
  minTransferBytesPerSecond: number | null;
  transferWindowSeconds: number;
  /** How long the rest of a body is discarded after the response. */
  refusedBodyDrainSeconds: number;
}

export interface TransferWatch {
  /** Returns a function to call after the response, which ends the observation. */
  follow(request: FollowedRequest, response: ServerResponse): () => void;
  close(): void;
}

type Direction = 'receiving' | 'sending';

/** The progress of a connection, in bytes. */
interface Progress {
  received: number;
  /** Bytes accepted by the kernel. */
  accepted: number;
  /** Bytes acknowledged by the client; null if the system does not report them. */
  acknowledged: number | null;
}

interface Exchange {
  request: FollowedRequest;
  response: ServerResponse;
  /** The direction at the last sample. */
  direction: Direction | null;
  at: number;
  progress: Progress;
  /** The periods in which the server waited for the client, latest last; together about one window. */
  samples: { ms: number; bytes: number }[];
  inode: string | null;
  /** Whether the error was passed to the reader of the body. */
  hasFailed: boolean;
}

const samplesPerWindow = 30;

export function createTransferWatch(limits: TransferLimits): TransferWatch {
  const windowMs = limits.transferWindowSeconds * 1000;
  const minBytes = Math.max(1, ((limits.minTransferBytesPerSecond ?? 0) * windowMs) / 1000);
  const exchanges = new Set<Exchange>();
  let looking = false;

  const look = async () => {
    if (looking) return;
    looking = true;
    try {
      const isQuiet = (exchange: Exchange) =>
        directionOf(exchange) === 'sending' &&
        acceptedBytes(exchange.request.raw.socket) - exchange.progress.accepted < minBytes;
      const queues = [...exchanges].some(isQuiet) ? await readSendQueues() : null;
      for (const exchange of exchanges) checkRate(exchange, queues);
    } finally {
      looking = false;
    }
  };
  const checkRate = (exchange: Exchange, queues: SendQueues | null) => {
    const now = performance.now();
    const { direction: before, progress: last, samples } = exchange;
    const direction = directionOf(exchange);
    const progress = progressOf(exchange, queues);
    const bytes = direction === 'receiving' ? progress.received - last.received : sentBetween(last, progress);
    // If it was not waiting at the last sample, it is unknown for how long it has been.
    const sample = { ms: direction === before ? now - exchange.at : 0, bytes };
    Object.assign(exchange, { direction, progress, at: now });
    if (direction !== before) samples.length = 0;
    if (direction === null) return;
    samples.push(sample);
    let ms = samples.reduce((sum, one) => sum + one.ms, 0);
    while (ms - (samples[0]?.ms ?? 0) >= windowMs) ms -= samples.shift()?.ms ?? 0;
    const total = samples.reduce((sum, one) => sum + one.bytes, 0);
    if (ms >= windowMs && total < minBytes) cut(exchange, direction);
  };
  const cut = (exchange: Exchange, direction: Direction) => {
    const { raw, log, id } = exchange.request;
    if (direction === 'receiving' && !exchange.hasFailed && raw.listenerCount('error') > 0) {
      // The reader of the body gets the error and responds. The connection stays open for the response.
      exchange.hasFailed = true;
      exchange.samples.length = 0;
      raw.emit('error', tooSlow(limits));
      return;
    }
    log.info(`request ${id} was cut off: the client is slower than the minimum transfer rate`);
    exchanges.delete(exchange);
    // A reset also frees the kernel’s buffers.
    raw.socket.resetAndDestroy();
  };
  const timer = setInterval(() => void look(), windowMs / samplesPerWindow);
  timer.unref();
  return {
    follow: (request, response) => {
      if (request.declared?.eventStream) return () => undefined;
      const { socket } = request.raw;
      const exchange: Exchange = {
        request,
        response,
        samples: [],
        inode: null,
        hasFailed: false,
        direction: directionOf({ request, response }),
        at: performance.now(),
        progress: { received: socket.bytesRead, accepted: acceptedBytes(socket), acknowledged: null },
      };
      exchanges.add(exchange);
      return () => {
        exchanges.delete(exchange);
        if (!request.raw.complete && !socket.destroyed) endUnreadBody(request, limits);
      };
    },
    close: () => clearInterval(timer),
  };
}

/** Returns what the server waits for; null if the server itself is busy. */
function directionOf({ request, response }: Pick<Exchange, 'request' | 'response'>): Direction | null {
  // Only the first of several pipelined requests has the socket.
  if (response.headersSent) return (response.socket?.writableLength ?? 0) > 0 ? 'sending' : null;
  const isBodyPending = !request.raw.complete && request.raw.readableLength === 0;
  return isBodyPending && !awaitsContinue(request) ? 'receiving' : null;
}

function progressOf(exchange: Exchange, queues: SendQueues | null): Progress {
  const { socket } = exchange.request.raw;
  if (queues !== null) exchange.inode ??= socketInode(socket);
  const accepted = acceptedBytes(socket);
  const queued = queues?.get(exchange.inode ?? '');
  return {
    received: socket.bytesRead,
    accepted,
    acknowledged: queued === undefined ? null : accepted - queued,
  };
}

function sentBetween(last: Progress, now: Progress): number {
  const accepted = now.accepted - last.accepted;
  if (now.acknowledged === null || last.acknowledged === null) return accepted;
  return Math.max(accepted, now.acknowledged - last.acknowledged);
}

/** Limits how long the unread body of an answered request is discarded. */
function endUnreadBody({ raw }: FollowedRequest, { refusedBodyDrainSeconds }: TransferLimits): void {
  const deadline = setTimeout(() => raw.destroy(), refusedBodyDrainSeconds * 1000);
  deadline.unref();
  raw.once('end', () => clearTimeout(deadline)).once('close', () => clearTimeout(deadline));
}

function tooSlow({
  minTransferBytesPerSecond: rate,
  transferWindowSeconds: seconds,
}: TransferLimits): AppError {
  const refusal = rate === null ? httpTexts.body.silent({ seconds }) : httpTexts.body.slow({ rate, seconds });
  return new AppError('too_slow', refusal);
}
