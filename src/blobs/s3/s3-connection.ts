/** Requests to one bucket, each with its limits of time and its attempts. */
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { S3Client } from '@aws-sdk/client-s3';
import type { S3BlobConfig } from '../blob-config.ts';
import { faultOf, isFault } from './s3-faults.ts';

/** How long the service is waited for, and how often it is asked. */
export interface S3Patience {
  connectMs: number;
  /** A connection on which nothing comes or goes. */
  idleMs: number;
  /** A request without its body, from its start to the head of its answer. */
  answerMs: number;
  /** A body gets as much more time as it needs at this rate. */
  leastBytesPerSecond: number;
  attempts: number;
  /** Before the second attempt; it doubles before each later one. */
  firstPauseMs: number;
  /** For so long after a request that failed in all its attempts, none waits a second time for the service. */
  doubtMs: number;
  /** An attempt that failed within this has not waited. */
  quickMs: number;
}

export const defaultPatience: S3Patience = {
  connectMs: 5_000,
  idleMs: 15_000,
  answerMs: 60_000,
  leastBytesPerSecond: 64 * 1024,
  attempts: 3,
  firstPauseMs: 200,
  doubtMs: 10_000,
  quickMs: 500,
};

export interface RequestOptions {
  /** Of the body that is sent. */
  sizeBytes?: number;
  /** Ends the request and its further attempts. */
  stop?: AbortSignal;
  attempts?: number;
}

export interface S3Connection {
  client: S3Client;
  bucket: string;
  /** Before every key; ends with `/`, or is empty. */
  prefix: string;
  /**
   * SHA-256 (hexadecimal) of bodies that are streams. The SDK would sign them as unknown bytes; with it the service
   * holds what comes to what was meant.
   */
  contentHashes: WeakMap<Readable, string>;
  /**
   * Calls `send` until it succeeds, the service says no, or the attempts are used up; then rejects with S3Fault or
   * BlobStoreFull. The signal ends an attempt that takes too long; the body of an answer is not covered by it.
   */
  request<T>(send: (abortSignal: AbortSignal) => Promise<T>, options?: RequestOptions): Promise<T>;
}

export function connectS3(config: S3BlobConfig, patience: S3Patience): S3Connection {
  const client = createClient(config, config.endpoint, patience);
  const contentHashes = new WeakMap<Readable, string>();
  client.middlewareStack.add(
    (next) => (args) => {
      const request = args.request as { body?: unknown; headers: Record<string, string> };
      const hash = request.body instanceof Readable ? contentHashes.get(request.body) : undefined;
      if (hash !== undefined) request.headers['x-amz-content-sha256'] = hash;
      return next(args);
    },
    { step: 'build', name: 'slipwayContentHash' },
  );
  let doubtedUntil = 0;

  const attempt = async <T>(
    send: (abortSignal: AbortSignal) => Promise<T>,
    { sizeBytes = 0, stop }: RequestOptions,
  ): Promise<T> => {
    const late = new AbortController();
    const limitMs = patience.answerMs + (sizeBytes / patience.leastBytesPerSecond) * 1000;
    const alarm = setTimeout(() => late.abort(), limitMs);
    try {
      return await send(stop ? AbortSignal.any([stop, late.signal]) : late.signal);
    } finally {
      clearTimeout(alarm);
    }
  };

  return {
    client,
    bucket: config.bucket,
    prefix: config.prefix,
    contentHashes,
    async request(send, options = {}) {
      for (let count = 1; ; count += 1) {
        const begunAt = performance.now();
        try {
          const result = await attempt(send, options);
          doubtedUntil = 0;
          return result;
        } catch (error) {
          const fault = faultOf(error);
          options.stop?.throwIfAborted();
          if (!isFault(fault, 'undecided')) {
            doubtedUntil = 0;
            throw fault;
          }
          const now = performance.now();
          const gaveUp = now < doubtedUntil && now - begunAt > patience.quickMs;
          if (gaveUp || count >= (options.attempts ?? patience.attempts)) {
            doubtedUntil = now + patience.doubtMs;
            throw fault;
          }
        }
        // Spread, so that many that failed together do not come back together.
        const pauseMs = patience.firstPauseMs * 2 ** (count - 1) * (0.5 + Math.random());
        await pause(pauseMs, null, { signal: options.stop }).catch(() => undefined);
        options.stop?.throwIfAborted();
      }
    },
  };
}

/** A client of the same bucket at the address that clients of Slipway reach. */
export function createLinkClient(config: S3BlobConfig): S3Client {
  return createClient(config, config.publicEndpoint ?? config.endpoint, defaultPatience);
}

const ignore = () => undefined;

function createClient(config: S3BlobConfig, endpoint: string | null, patience: S3Patience): S3Client {
  const { region, pathStyle, credentials } = config;
  // A download holds its connection for as long as its reader takes; no number of them may hold up an upload.
  const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };
  return new S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint === null ? {} : { endpoint }),
    ...(credentials === null ? {} : { credentials }),
    // `request` does it: the SDK cannot send a stream twice.
    maxAttempts: 1,
    // Older services refuse or ignore them. What is sent is signed with its SHA-256, which every service checks.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // It would cost a connection of its own for every part.
    expectContinueHeader: false,
    // It would write to the console. What went wrong is thrown, and logged by who catches it.
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    requestHandler: {
      connectionTimeout: patience.connectMs,
      socketTimeout: patience.idleMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
}
