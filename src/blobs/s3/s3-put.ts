/** Writing one blob to S3: small ones with one request, others in parts, each checked by the service and all confirmed. */
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { forEachConcurrently, type Semaphore } from '../../core/semaphore.ts';
import type { BlobKey } from '../blob-key.ts';
import { BlobExists } from '../blob-store.ts';
import type { S3Body } from './s3-body.ts';
import type { S3Connection } from './s3-connection.ts';
import { isFault, S3Fault } from './s3-faults.ts';

/** A blob up to this size goes up with one request, a larger one in parts of at least this size. */
export const leastPartBytes = 16 * 1024 * 1024;
/** S3 knows 10,000 parts (https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html). */
const mostParts = 9_000;
/** Of one blob, at once. */
const partsAtOnce = 4;
/** Metadata by which a put knows its own object again, when an answer was lost. */
const putMark = 'slipway-put';

export const partBytesOf = (sizeBytes: number): number =>
  Math.max(leastPartBytes, Math.ceil(sizeBytes / mostParts));

export interface PutState {
  /** Uploads in parts that are under way in this process. */
  underWay: Set<string>;
  /** Runs a part when one of those that all puts share is free. */
  parts: Semaphore;
  /** The service refuses what it is told to write only when nothing is there yet. Learnt from its answers. */
  refusesConditions: boolean;
}

interface Put {
  key: BlobKey;
  connection: S3Connection;
  state: PutState;
  body: S3Body;
  mark: string;
  target: { Bucket: string; Key: string };
  description: { ContentType: string; Metadata: Record<string, string> };
}

/** Rejects with BlobExists, BlobStoreFull, S3Fault or what reading the body threw. */
export async function putBlob(
  connection: S3Connection,
  state: PutState,
  key: BlobKey,
  body: S3Body,
): Promise<void> {
  const mark = randomUUID();
  const put: Put = {
    key,
    connection,
    state,
    body,
    mark,
    target: { Bucket: connection.bucket, Key: connection.prefix + key },
    description: { ContentType: 'application/octet-stream', Metadata: { [putMark]: mark } },
  };
  let failure: unknown = null;
  try {
    await (body.sizeBytes > leastPartBytes ? putInParts(put) : putAtOnce(put));
  } catch (error) {
    if (!isFault(error, 'taken') && !isFault(error, 'undecided')) throw error;
    failure = error;
  }
  await confirm(put, failure);
}

/** What lies there decides: an answer may be lost, and a refusal may be about an earlier attempt of the same put. */
async function confirm(put: Put, failure: unknown): Promise<void> {
  const { key } = put;
  const stored = await findObject(put).catch((error) => {
    throw failure ?? error;
  });
  if (stored === null) {
    throw failure ?? new S3Fault('undecided', new Error(`the service took ${key} and does not have it`));
  }
  if (stored.mark !== put.mark) throw new BlobExists(key);
  if (stored.sizeBytes === put.body.sizeBytes) return;
  await put.connection.request((abortSignal) =>
    put.connection.client.send(new DeleteObjectCommand(put.target), { abortSignal }),
  );
  const sizes = `${stored.sizeBytes} bytes of ${put.body.sizeBytes}`;
  throw new S3Fault('undecided', new Error(`the service kept ${sizes} of ${key}`));
}

async function findObject(put: Put): Promise<{ sizeBytes: number; mark: string | null } | null> {
  const { connection, target } = put;
  try {
    const { ContentLength, Metadata } = await connection.request((abortSignal) =>
      connection.client.send(new HeadObjectCommand(target), { abortSignal }),
    );
    return { sizeBytes: ContentLength ?? 0, mark: Metadata?.[putMark] ?? null };
  } catch (error) {
    if (isFault(error, 'absent')) return null;
    throw error;
  }
}

/**
 * Sends with the condition that nothing is there yet. Of a service that refuses conditions as such it is asked before,
 * which two puts at once can both do.
 */
async function ifAbsent<T>(put: Put, send: (condition: { IfNoneMatch?: '*' }) => Promise<T>): Promise<T> {
  if (!put.state.refusesConditions) {
    try {
      return await send({ IfNoneMatch: '*' });
    } catch (error) {
      if (!isFault(error, 'not-implemented')) throw error;
      put.state.refusesConditions = true;
    }
  }
  await requireAbsent(put);
  return send({});
}

async function requireAbsent(put: Put): Promise<void> {
  if ((await findObject(put)) !== null) throw new BlobExists(put.key);
}

async function putAtOnce(put: Put): Promise<void> {
  const { connection, body } = put;
  const range = { first: 0, length: body.sizeBytes };
  await ifAbsent(put, (condition) =>
    sendRange(put, range, (sent, abortSignal) => {
      const command = new PutObjectCommand({ ...put.target, ...put.description, ...condition, ...sent });
      return connection.client.send(command, { abortSignal });
    }),
  );
}

async function putInParts(put: Put): Promise<void> {
  const { connection, state, target } = put;
  const { UploadId } = await connection.request((abortSignal) =>
    connection.client.send(new CreateMultipartUploadCommand({ ...target, ...put.description }), {
      abortSignal,
    }),
  );
  if (!UploadId) throw new S3Fault('refused', new Error('the service named no upload'));
  state.underWay.add(UploadId);
  const upload = { ...target, UploadId };
  try {
    const Parts = await sendParts(put, UploadId);
    // Where the service does not know the condition below, this is all that keeps a blob from being written twice.
    await requireAbsent(put);
    await ifAbsent(put, (condition) =>
      connection.request((abortSignal) =>
        connection.client.send(
          new CompleteMultipartUploadCommand({ ...upload, ...condition, MultipartUpload: { Parts } }),
          { abortSignal },
        ),
      ),
    );
  } catch (error) {
    // Absent: an earlier attempt ended the upload, and its answer was lost.
    if (isFault(error, 'absent')) return;
    await abandon(put, UploadId);
    throw error;
  } finally {
    state.underWay.delete(UploadId);
  }
}

/** What cannot be removed now is removed with the leftovers; the fault that led here matters more. */
async function abandon(put: Put, UploadId: string): Promise<void> {
  const { client, request } = put.connection;
  const command = () => new AbortMultipartUploadCommand({ ...put.target, UploadId });
  await request((abortSignal) => client.send(command(), { abortSignal })).catch(() => undefined);
}

/** On the first fault the other parts are ended, and none is under way any more when this rejects. */
async function sendParts(put: Put, UploadId: string): Promise<CompletedPart[]> {
  const { connection, state, body } = put;
  const partBytes = partBytesOf(body.sizeBytes);
  const count = Math.ceil(body.sizeBytes / partBytes);
  const done: CompletedPart[] = [];
  const sendPart = async (index: number, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    const first = index * partBytes;
    const range = { first, length: Math.min(partBytes, body.sizeBytes - first) };
    const PartNumber = index + 1;
    const { ETag } = await sendRange(
      put,
      range,
      (sent, abortSignal) => {
        const command = new UploadPartCommand({ ...put.target, UploadId, PartNumber, ...sent });
        return connection.client.send(command, { abortSignal });
      },
      signal,
    );
    done[index] = { ETag, PartNumber };
  };
  await forEachConcurrently(Array(count).keys(), partsAtOnce, (index, signal) =>
    state.parts.run(() => sendPart(index, signal)),
  );
  return done;
}

interface SentRange {
  Body: Readable;
  ContentLength: number;
}

/** Reads the range twice: to know its hash, which is signed and so comes before it, and for each attempt. */
async function sendRange<T>(
  put: Put,
  { first, length }: { first: number; length: number },
  send: (sent: SentRange, abortSignal: AbortSignal) => Promise<T>,
  stop?: AbortSignal,
): Promise<T> {
  const sha256 = await put.body.sha256(first, length);
  const broken = new AbortController();
  const stops = stop ? AbortSignal.any([stop, broken.signal]) : broken.signal;
  return put.connection.request(
    async (abortSignal) => {
      const body = put.body.read(first, length);
      put.connection.contentHashes.set(body, sha256);
      // The SDK pipes the body and would wait for the rest of one that fails.
      body.once('error', (error) => broken.abort(error));
      try {
        return await send({ Body: body, ContentLength: length }, abortSignal);
      } finally {
        body.destroy();
      }
    },
    { sizeBytes: length, stop: stops },
  );
}
