/**
 * Writes one blob to S3: a small one in one request, a larger one in parts, each verified by the service. Then confirms the
 * result. Not `@aws-sdk/lib-storage`: here the hash is known before the first byte is sent, and memory is limited.
 */
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
import { isS3Error, S3Error } from './s3-error.ts';

/** A blob up to this size is sent in one request, a larger one in parts of at least this size. */
export const minPartBytes = 16 * 1024 * 1024;
/** S3 allows 10,000 parts (https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html). */
const maxParts = 9_000;
/** Concurrent parts of one blob. */
const partConcurrency = 4;
/** Metadata that identifies the object of this put after a lost response. */
const putMark = 'slipway-put';

export const partSizeFor = (sizeBytes: number): number =>
  Math.max(minPartBytes, Math.ceil(sizeBytes / maxParts));

export interface PutState {
  /** Multipart uploads in progress in this process. */
  inFlight: Set<string>;
  /** Limits the parts that all puts send concurrently. */
  parts: Semaphore;
  /** Whether the service supports conditional writes. Learned from its responses. */
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

/** Rejects with BlobExists, BlobStoreFull, S3Error, or the error of reading the body. */
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
    await (body.sizeBytes > minPartBytes ? putMultipart(put) : putSingle(put));
  } catch (error) {
    if (!isS3Error(error, 'taken') && !isS3Error(error, 'undecided')) throw error;
    failure = error;
  }
  await confirm(put, failure);
}

/** Reads the stored object to learn the result: a response may be lost, and a refusal may concern an earlier attempt of the same put. */
async function confirm(put: Put, failure: unknown): Promise<void> {
  const { key } = put;
  const stored = await findObject(put).catch((error) => {
    throw failure ?? error;
  });
  if (stored === null) {
    throw failure ?? new S3Error('undecided', new Error(`the service accepted ${key} but does not have it`));
  }
  if (stored.mark !== put.mark) throw new BlobExists(key);
  if (stored.sizeBytes === put.body.sizeBytes) return;
  await put.connection.request((abortSignal) =>
    put.connection.client.send(new DeleteObjectCommand(put.target), { abortSignal }),
  );
  const sizes = `${stored.sizeBytes} bytes of ${put.body.sizeBytes}`;
  throw new S3Error('undecided', new Error(`the service stored ${sizes} of ${key}`));
}

async function findObject(put: Put): Promise<{ sizeBytes: number; mark: string | null } | null> {
  const { connection, target } = put;
  try {
    const { ContentLength, Metadata } = await connection.request((abortSignal) =>
      connection.client.send(new HeadObjectCommand(target), { abortSignal }),
    );
    return { sizeBytes: ContentLength ?? 0, mark: Metadata?.[putMark] ?? null };
  } catch (error) {
    if (isS3Error(error, 'absent')) return null;
    throw error;
  }
}

/**
 * Sends on condition that the key is absent. For a service without conditional writes, checks first, which two concurrent puts
 * can both pass.
 */
async function ifAbsent<T>(put: Put, send: (condition: { IfNoneMatch?: '*' }) => Promise<T>): Promise<T> {
  if (!put.state.refusesConditions) {
    try {
      return await send({ IfNoneMatch: '*' });
    } catch (error) {
      if (!isS3Error(error, 'not-implemented')) throw error;
      put.state.refusesConditions = true;
    }
  }
  await requireAbsent(put);
  return send({});
}

async function requireAbsent(put: Put): Promise<void> {
  if ((await findObject(put)) !== null) throw new BlobExists(put.key);
}

async function putSingle(put: Put): Promise<void> {
  const { connection, body } = put;
  const range = { first: 0, length: body.sizeBytes };
  await ifAbsent(put, (condition) =>
    sendRange(put, range, (sent, abortSignal) => {
      const command = new PutObjectCommand({ ...put.target, ...put.description, ...condition, ...sent });
      return connection.client.send(command, { abortSignal });
    }),
  );
}

async function putMultipart(put: Put): Promise<void> {
  const { connection, state, target } = put;
  const { UploadId } = await connection.request((abortSignal) =>
    connection.client.send(new CreateMultipartUploadCommand({ ...target, ...put.description }), {
      abortSignal,
    }),
  );
  if (!UploadId) throw new S3Error('refused', new Error('the service returned no upload ID'));
  state.inFlight.add(UploadId);
  const upload = { ...target, UploadId };
  try {
    const Parts = await sendParts(put, UploadId);
    // On a service without conditional writes, only this check prevents writing a blob twice.
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
    // The upload is absent because an earlier attempt completed it, and the response was lost.
    if (isS3Error(error, 'absent')) return;
    await abandon(put, UploadId);
    throw error;
  } finally {
    state.inFlight.delete(UploadId);
  }
}

/** If aborting fails, the sweep removes the upload later; the original error matters more. */
async function abandon(put: Put, UploadId: string): Promise<void> {
  const { client, request } = put.connection;
  const command = () => new AbortMultipartUploadCommand({ ...put.target, UploadId });
  await request((abortSignal) => client.send(command(), { abortSignal })).catch(() => undefined);
}

/** On the first error, aborts the other parts, and rejects once none is in progress. */
async function sendParts(put: Put, UploadId: string): Promise<CompletedPart[]> {
  const { connection, state, body } = put;
  const partBytes = partSizeFor(body.sizeBytes);
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
  await forEachConcurrently(Array(count).keys(), partConcurrency, (index, signal) =>
    state.parts.run(() => sendPart(index, signal)),
  );
  return done;
}

interface SentRange {
  Body: Readable;
  ContentLength: number;
}

/** Reads the range twice: once for its hash, which the signature needs first, and once for each attempt. */
export async function sendRange<T>(
  put: Pick<Put, 'body' | 'connection'>,
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
      // The SDK pipes the body and would wait forever for the rest of a failed one.
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
