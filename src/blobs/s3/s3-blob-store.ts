/** Blobs as objects `PREFIX` + key in one bucket of an S3 service. */
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { createSemaphore } from '../../core/semaphore.ts';
import type { S3BlobConfig } from '../blob-config.ts';
import { type BlobKey, isBlobKey, parseBlobKey } from '../blob-key.ts';
import { type BlobStore, type ByteRange, clampRange, type OpenBlob, type StoredBlob } from '../blob-store.ts';
import { fileBody, memoryBody } from './s3-body.ts';
import {
  connectS3,
  createLinkClient,
  defaultTimeouts,
  type S3Connection,
  type S3Timeouts,
} from './s3-connection.ts';
import { isS3Error, S3Error, toS3Error } from './s3-error.ts';
import { createS3Parts } from './s3-parts.ts';
import { type PutState, putBlob } from './s3-put.ts';

/** Shared by all concurrent puts, because each request uses a connection and half a MiB. */
const partConcurrency = 16;

export interface S3BlobStoreOptions {
  timeouts?: S3Timeouts;
  /** Page size of lists; the service may return fewer. */
  pageSize?: number;
}

/**
 * Unlike in other stores, concurrent puts of one key are only detected if the service supports `If-None-Match` (for multipart
 * uploads, on completion). Keys are never reused, so nothing depends on it.
 */
export function createS3BlobStore(config: S3BlobConfig, options: S3BlobStoreOptions = {}): BlobStore {
  const connection = connectS3(config, options.timeouts ?? defaultTimeouts);
  const pageSize = options.pageSize ?? 1000;
  const state: PutState = {
    inFlight: new Set(),
    parts: createSemaphore(partConcurrency),
    refusesConditions: false,
  };
  let hasWritten = false;
  const ping = async () => {
    await listPage(connection, { Prefix: connection.prefix, MaxKeys: 1 }, 1);
  };
  const store: BlobStore = {
    async put(key, file) {
      parseBlobKey(key);
      await putBlob(connection, state, key, await fileBody(file));
    },
    async putBytes(key, bytes) {
      parseBlobKey(key);
      await putBlob(connection, state, key, memoryBody(bytes));
    },
    open: (key, range) => openObject(connection, parseBlobKey(key), range),
    size: async (key) => sizeOfObject(connection, parseBlobKey(key)),
    async remove(key) {
      const Key = connection.prefix + parseBlobKey(key);
      await connection.request((abortSignal) =>
        connection.client.send(new DeleteObjectCommand({ Bucket: connection.bucket, Key }), { abortSignal }),
      );
    },
    list: (prefix) => listObjects(connection, prefix, pageSize),
    parts: createS3Parts(connection, state),
    removeLeftovers: (before) => removeOldUploads(connection, before, state.inFlight, pageSize),
    ping,
    async check() {
      await ping();
      // Writes an object only once, because a bucket with versioning would keep a version for every check.
      await (hasWritten ? beginAndAbortUpload(connection) : writeAndDeleteObject(connection));
      hasWritten = true;
    },
  };
  return config.links ? { ...store, link: createLink(config, connection) } : store;
}

async function openObject(
  connection: S3Connection,
  key: BlobKey,
  range?: ByteRange,
): Promise<OpenBlob | null> {
  // The service ignores an invalid range, so it is checked here. Only the service knows the size and rejects a range past the
  // end.
  if (range) clampRange(range, Number.MAX_SAFE_INTEGER);
  const wanted = {
    Bucket: connection.bucket,
    Key: connection.prefix + key,
    ...(range ? { Range: `bytes=${range.first}-${range.last}` } : {}),
  };
  try {
    const { Body, ContentLength, ContentRange } = await connection.request((abortSignal) =>
      connection.client.send(new GetObjectCommand(wanted), { abortSignal }),
    );
    if (!(Body instanceof Readable)) throw new TypeError('the SDK returned no stream');
    const sizeBytes = range ? Number(ContentRange?.split('/')[1]) : (ContentLength ?? Number.NaN);
    if (Number.isSafeInteger(sizeBytes)) return { sizeBytes, stream: Body };
    Body.destroy();
    throw new S3Error('refused', new Error(`the service returned no size, or no range of ${key}`));
  } catch (error) {
    if (isS3Error(error, 'absent')) return null;
    if (isS3Error(error, 'past-end'))
      throw new RangeError(`the blob ${key} ends before byte ${range?.first}`);
    throw error;
  }
}

async function sizeOfObject(connection: S3Connection, key: BlobKey): Promise<number | null> {
  const wanted = { Bucket: connection.bucket, Key: connection.prefix + key };
  try {
    const { ContentLength } = await connection.request((abortSignal) =>
      connection.client.send(new HeadObjectCommand(wanted), { abortSignal }),
    );
    if (ContentLength !== undefined) return ContentLength;
    throw new S3Error('refused', new Error(`the service returned no size for ${key}`));
  } catch (error) {
    if (isS3Error(error, 'absent')) return null;
    throw error;
  }
}

async function listPage(
  connection: S3Connection,
  page: { Prefix: string; MaxKeys: number; ContinuationToken?: string },
  attempts?: number,
) {
  const wanted = { Bucket: connection.bucket, ...page };
  return connection.request(
    (abortSignal) => connection.client.send(new ListObjectsV2Command(wanted), { abortSignal }),
    { attempts },
  );
}

async function* listObjects(
  connection: S3Connection,
  prefix: string,
  pageSize: number,
): AsyncGenerator<StoredBlob> {
  let token: string | undefined;
  do {
    const page = await listPage(connection, {
      Prefix: connection.prefix + prefix,
      MaxKeys: pageSize,
      ContinuationToken: token,
    });
    for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
      const key = Key.slice(connection.prefix.length);
      if (isBlobKey(key)) yield { key, sizeBytes: Size, modifiedAt: LastModified?.getTime() ?? Date.now() };
    }
    token = page.IsTruncated ? page.NextContinuationToken : undefined;
  } while (token);
}

const readinessName = '.readiness';

const readinessObject = ({ bucket, prefix }: S3Connection) => ({
  Bucket: bucket,
  Key: prefix + readinessName,
});

async function writeAndDeleteObject(connection: S3Connection): Promise<void> {
  const target = readinessObject(connection);
  await connection.request((abortSignal) =>
    connection.client.send(new PutObjectCommand({ ...target, Body: '' }), { abortSignal }),
  );
  await connection.request((abortSignal) =>
    connection.client.send(new DeleteObjectCommand(target), { abortSignal }),
  );
}

/** Proves write permission without leaving an object version behind. */
async function beginAndAbortUpload(connection: S3Connection): Promise<void> {
  const { client } = connection;
  const target = readinessObject(connection);
  const { UploadId } = await connection.request((abortSignal) =>
    client.send(new CreateMultipartUploadCommand(target), { abortSignal }),
  );
  await connection.request((abortSignal) =>
    client.send(new AbortMultipartUploadCommand({ ...target, UploadId }), { abortSignal }),
  );
}

/** Removes multipart uploads that never finished: the service keeps their parts, and charges for them, until they are aborted. */
async function removeOldUploads(
  connection: S3Connection,
  before: number,
  inFlight: ReadonlySet<string>,
  pageSize: number,
): Promise<number> {
  const { client, bucket: Bucket, prefix: Prefix } = connection;
  let removed = 0;
  let from: { KeyMarker?: string; UploadIdMarker?: string } | null = {};
  while (from) {
    const wanted = { Bucket, Prefix, MaxUploads: pageSize, ...from };
    const page: ListMultipartUploadsCommandOutput = await connection.request((abortSignal) =>
      client.send(new ListMultipartUploadsCommand(wanted), { abortSignal }),
    );
    for (const { Key = '', UploadId, Initiated } of page.Uploads ?? []) {
      const name = Key.slice(Prefix.length);
      const known = isBlobKey(name) || name === readinessName;
      const ours = known && UploadId !== undefined && !inFlight.has(UploadId);
      if (!ours || (Initiated?.getTime() ?? before) >= before) continue;
      const upload = { Bucket, Key, UploadId };
      await connection.request((abortSignal) =>
        client.send(new AbortMultipartUploadCommand(upload), { abortSignal }),
      );
      removed += 1;
    }
    const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
    from = IsTruncated && KeyMarker ? { KeyMarker, UploadIdMarker } : null;
  }
  return removed;
}

/** Signs links locally, without a request to the service. */
function createLink(config: S3BlobConfig, connection: S3Connection): NonNullable<BlobStore['link']> {
  const client = createLinkClient(config);
  return async (key, options) => {
    const command = new GetObjectCommand({
      Bucket: connection.bucket,
      Key: connection.prefix + parseBlobKey(key),
      ResponseContentType: options.contentType,
      ResponseContentDisposition: options.contentDisposition,
      ResponseCacheControl: 'private, max-age=0, must-revalidate',
    });
    try {
      return new URL(await getSignedUrl(client, command, { expiresIn: options.expiresInSeconds }));
    } catch (error) {
      throw toS3Error(error);
    }
  };
}
