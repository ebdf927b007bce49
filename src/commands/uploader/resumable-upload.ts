/** Sends a file in chunks by tus 1.0, so that a broken connection or a restarted server costs one chunk. */
import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Credential } from './credential.ts';
import { InterruptedError, UploadError } from './upload-error.ts';
import { type UploadProgress, type UploadRequest, type UploadResponse, uploadFile } from './upload-file.ts';
import { chunkBytes as bufferBytes, type FormField } from './upload-form.ts';
import { backoffMs, maxRetryAfterMs, retryAfterMs } from './upload-retry.ts';
import type { UploadSource } from './upload-source.ts';

/** Larger files are sent this way from the start. */
export const resumableFromBytes = 64 * 1024 * 1024;
/** What a broken connection can cost. */
export const uploadChunkBytes = 8 * 1024 * 1024;
/** All headers of a request share 16 KiB. */
const maxMetadataBytes = 12 * 1024;
/** Without progress. Their pauses add up to three minutes, in which a server restarts. */
const defaultRetries = 10;
const terminateMs = 10_000;
const transientStatuses = [408, 429, 500, 502, 503, 504];
/** Another offset, another writer, or damaged bytes: HEAD says where to continue. */
const conflictStatuses = [409, 423, 460];

export interface ResumableUpload {
  baseUrl: URL;
  metadata: string;
  source: UploadSource;
  headers: Readonly<Record<string, string>>;
  idempotencyKey: string;
  /** Whether a later run will have the same key, and continue. */
  canContinueLater: boolean;
  credential: Credential;
  /** Null for the default. */
  retries: number | null;
  timeouts: UploadRequest['timeouts'];
  signal: AbortSignal;
  onProgress: (progress: UploadProgress) => void;
  onRetry: (retry: { reason: string; pauseMs: number; number: number; of: number }) => void;
}

/** Returns the value of `Upload-Metadata`; null if it is too long. */
export function tusMetadata(fields: readonly FormField[], owner: string, fileName: string): string | null {
  const all = [{ name: 'filename', value: fileName }, { name: 'owner', value: owner }, ...fields];
  const text = all.map(({ name, value }) => `${name} ${Buffer.from(value).toString('base64')}`).join(',');
  return text.length > maxMetadataBytes ? null : text;
}

/**
 * Returns the answer of the upload, with any status; null if the server has no resumable uploads, or a proxy hinders them.
 * Throws `UploadError`. If `signal` is aborted or no later run can continue, the server removes what it has received, which
 * would count toward the quota for a day.
 */
export async function uploadResumably(upload: ResumableUpload): Promise<UploadResponse | null> {
  const { source, credential, signal } = upload;
  const totalBytes = source.sizeBytes;
  const retries = upload.retries ?? defaultRetries;
  let key = await credential.get();
  let address: URL | null = null;
  let offset = 0;
  let isKnown = true;
  let failures = 0;
  let restarts = 0;
  let renewedAt = -1;

  const send = (method: string, url: URL, more: Partial<UploadRequest> & { own?: object } = {}) => {
    const { own = {}, ...rest } = more;
    const headers = { ...upload.headers, Authorization: `Bearer ${key}`, 'Tus-Resumable': '1.0.0', ...own };
    return uploadFile(
      { url, method, headers, form: null, timeouts: upload.timeouts, signal, ...rest },
      ({ phase, sentBytes }) => {
        const isEnd = phase === 'answering' && offset + sentBytes >= totalBytes && method === 'PATCH';
        upload.onProgress({
          phase: isEnd ? 'answering' : 'sending',
          sentBytes: offset + sentBytes,
          totalBytes,
        });
      },
    );
  };
  const create = () =>
    send('POST', new URL('api/v1/uploads', upload.baseUrl), {
      own: {
        'Upload-Length': String(totalBytes),
        'Upload-Metadata': upload.metadata,
        'Idempotency-Key': upload.idempotencyKey,
      },
    });
  const sendChunk = async (url: URL) => {
    const to = Math.min(offset + uploadChunkBytes, totalBytes);
    await source.assertUnchanged();
    const own = {
      'Upload-Offset': String(offset),
      'Upload-Checksum': `sha256 ${await digestOf(source, offset, to, signal)}`,
    };
    const pieces = to > offset ? [{ source, from: offset, to }] : [];
    const form = { contentType: 'application/offset+octet-stream', contentLength: to - offset, pieces };
    return send('PATCH', url, { own, form });
  };
  const terminate = async () => {
    const request = { signal: AbortSignal.timeout(terminateMs) };
    if (address !== null) await send('DELETE', address, request).catch(() => undefined);
  };
  const giveUp = async (answer: UploadResponse): Promise<UploadResponse> => {
    if (answer.status !== 200 && !upload.canContinueLater) await terminate();
    return answer;
  };
  /** Null if the upload continues. */
  const take = (answer: UploadResponse): UploadResponse | null => {
    const { status } = answer;
    const at = offsetIn(answer);
    if (address === null) {
      if (status !== 201) return answer;
      address = addressIn(answer, upload.baseUrl);
    } else if (status !== 204 && !(status === 200 && !isKnown)) return answer;
    if ((at === null && status !== 201) || (at ?? 0) > totalBytes)
      throw new UploadError(`${upload.baseUrl.origin} states an impossible offset.`);
    if ((at ?? 0) > offset) failures = 0;
    offset = at ?? 0;
    isKnown = true;
    return null;
  };

  try {
    for (;;) {
      const url: URL | null = address;
      const attempt = url === null ? create() : isKnown ? sendChunk(url) : send('HEAD', url);
      const outcome: UploadResponse | UploadError = await attempt.catch((error: unknown) => {
        if (error instanceof UploadError) return error;
        throw error;
      });
      if (outcome instanceof InterruptedError) throw outcome;
      let reason = outcome instanceof UploadError && outcome.isTransient ? outcome.message : null;
      if (outcome instanceof UploadError) {
        if (reason === null) throw outcome;
      } else {
        if (
          url === null
            ? lacksUploads(outcome, upload.baseUrl)
            : isKnown && offset === 0 && isHindered(outcome)
        ) {
          await terminate();
          return null;
        }
        if (outcome.status === 401 && credential.renew && renewedAt < offset) {
          renewedAt = offset;
          key = await credential.renew();
          continue;
        }
        // The upload has expired, or was removed.
        if (url !== null && [404, 410].includes(outcome.status) && restarts === 0) {
          restarts += 1;
          [address, offset, isKnown] = [null, 0, true];
          continue;
        }
        // HEAD has no body: the refusal of the complete upload is repeated for an empty chunk.
        const isRetried = [...transientStatuses, ...conflictStatuses].includes(outcome.status);
        if (url !== null && !isKnown && outcome.status >= 400 && !isRetried) {
          [offset, isKnown] = [totalBytes, true];
          continue;
        }
        const isConflict = url !== null && conflictStatuses.includes(outcome.status);
        if (isConflict || transientStatuses.includes(outcome.status))
          reason = `The server answered ${outcome.status}.`;
        else {
          const final = take(outcome);
          if (final) return await giveUp(final);
          continue;
        }
      }
      failures += 1;
      const asked = outcome instanceof UploadError ? 0 : retryAfterMs(outcome.retryAfter);
      if (failures > retries || asked > maxRetryAfterMs) {
        if (!(outcome instanceof UploadError)) return await giveUp(outcome);
        throw outcome;
      }
      const pauseMs = Math.max(backoffMs(failures), asked);
      upload.onRetry({ reason: reason ?? '', pauseMs, number: failures, of: retries });
      await wait(pauseMs, undefined, { signal }).catch(() => {
        throw new InterruptedError();
      });
      isKnown = address === null;
    }
  } catch (error) {
    if (error instanceof InterruptedError || !upload.canContinueLater) await terminate();
    throw error;
  }
}

const offsetIn = ({ uploadOffset }: UploadResponse): number | null =>
  /^\d{1,16}$/.test(uploadOffset ?? '') ? Number(uploadOffset) : null;

/** Null for an address elsewhere, which must not get the key. */
function addressIn({ location }: UploadResponse, baseUrl: URL): URL | null {
  const url = location !== null && URL.canParse(location, baseUrl) ? new URL(location, baseUrl) : null;
  return url?.origin === baseUrl.origin ? url : null;
}

const lacksUploads = (created: UploadResponse, baseUrl: URL): boolean =>
  [404, 405, 412, 501].includes(created.status) ||
  (created.status === 201 && addressIn(created, baseUrl) === null);

/** Whether a proxy, not the server, answered a chunk, or removed the headers of tus. */
const isHindered = (answer: UploadResponse): boolean =>
  answer.status === 204
    ? offsetIn(answer) === null
    : [403, 405, 501].includes(answer.status) && !answer.text.startsWith('{');

async function digestOf(
  source: UploadSource,
  from: number,
  to: number,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(bufferBytes);
  for (let position = from; position < to; ) {
    if (signal.aborted) throw new InterruptedError();
    const bytesRead = await source.read(buffer.subarray(0, Math.min(bufferBytes, to - position)), position);
    if (bytesRead === 0) throw new UploadError(`${source.path} was truncated during the upload.`);
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
  return hash.digest('base64');
}
