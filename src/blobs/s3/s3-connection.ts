/** Requests to one bucket, with timeouts and retries. */
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { S3Client } from '@aws-sdk/client-s3';
import type { S3BlobConfig } from '../blob-config.ts';
import { isS3Error, toS3Error } from './s3-error.ts';

export interface S3Timeouts {
  connectMs: number;
  /** For a connection without traffic. */
  idleMs: number;
  /** For a request without its body, until the headers of the response arrive. */
  responseTimeoutMs: number;
  /** Adds time for a body: its size divided by this rate. */
  minBytesPerSecond: number;
  attempts: number;
  /** Pause before the second attempt; doubles before each later one. */
  firstPauseMs: number;
  /** After a request has failed in all attempts, requests get only one slow attempt for this long. */
  circuitOpenMs: number;
  /** A failure within this time does not count as waiting for the service. */
  failFastMs: number;
}

export const defaultTimeouts: S3Timeouts = {
  connectMs: 5_000,
  idleMs: 15_000,
  responseTimeoutMs: 60_000,
  minBytesPerSecond: 64 * 1024,
  attempts: 3,
  firstPauseMs: 200,
  circuitOpenMs: 10_000,
  failFastMs: 500,
};

export interface RequestOptions {
  /** Size of the request body. */
  sizeBytes?: number;
  /** Aborts the request and its retries. */
  stop?: AbortSignal;
  attempts?: number;
}

export interface S3Connection {
  client: S3Client;
  bucket: string;
  /** Prepended to every key; ends with `/`, or is empty. */
  prefix: string;
  /**
   * SHA-256 (hexadecimal) of stream bodies, with which the service verifies the content. The SDK would send them with an unsigned
   * payload.
   */
  contentHashes: WeakMap<Readable, string>;
  /**
   * Calls `send` until it succeeds, the service refuses, or the attempts are used up; then rejects with S3Error or BlobStoreFull.
   * The signal aborts an attempt that takes too long; it does not cover the body of a response.
   */
  request<T>(send: (abortSignal: AbortSignal) => Promise<T>, options?: RequestOptions): Promise<T>;
}

export function connectS3(config: S3BlobConfig, timeouts: S3Timeouts): S3Connection {
  const client = createClient(config, config.endpoint, timeouts);
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
  let circuitOpenUntil = 0;

  const attempt = async <T>(
    send: (abortSignal: AbortSignal) => Promise<T>,
    { sizeBytes = 0, stop }: RequestOptions,
  ): Promise<T> => {
    const late = new AbortController();
    const limitMs = timeouts.responseTimeoutMs + (sizeBytes / timeouts.minBytesPerSecond) * 1000;
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
          circuitOpenUntil = 0;
          return result;
        } catch (error) {
          const s3Error = toS3Error(error);
          options.stop?.throwIfAborted();
          if (!isS3Error(s3Error, 'undecided')) {
            circuitOpenUntil = 0;
            throw s3Error;
          }
          const now = performance.now();
          const gaveUp = now < circuitOpenUntil && now - begunAt > timeouts.failFastMs;
          if (gaveUp || count >= (options.attempts ?? timeouts.attempts)) {
            circuitOpenUntil = now + timeouts.circuitOpenMs;
            throw s3Error;
          }
        }
        // Adds jitter, so that requests that failed together do not retry together.
        const pauseMs = timeouts.firstPauseMs * 2 ** (count - 1) * (0.5 + Math.random());
        await pause(pauseMs, null, { signal: options.stop }).catch(() => undefined);
        options.stop?.throwIfAborted();
      }
    },
  };
}

/** Creates a client for the same bucket at the public endpoint, to sign links. */
export function createLinkClient(config: S3BlobConfig): S3Client {
  return createClient(config, config.publicEndpoint ?? config.endpoint, defaultTimeouts);
}

const ignore = () => undefined;

function createClient(config: S3BlobConfig, endpoint: string | null, timeouts: S3Timeouts): S3Client {
  const { region, pathStyle, credentials } = config;
  // A download uses its connection for as long as its reader takes, and must never block an upload.
  const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };
  return new S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint === null ? {} : { endpoint }),
    ...(credentials === null ? {} : { credentials }),
    // The SDK cannot send a stream twice, so `request` retries instead.
    maxAttempts: 1,
    // Older services refuse or ignore checksums. Bodies are signed with their SHA-256, which every service verifies.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // The SDK would use a separate connection for every part.
    expectContinueHeader: false,
    // The SDK would write to the console. Errors are thrown, and callers log them.
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    requestHandler: {
      connectionTimeout: timeouts.connectMs,
      socketTimeout: timeouts.idleMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
}
