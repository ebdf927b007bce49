/** Receives bodies of uploads, with the same limits and spool for all kinds of senders. */

import type { Readable } from 'node:stream';
import type { Spool, SpooledFile } from '../blobs/spool/spool.ts';
import { SpoolFull, SpoolLimitExceeded } from '../blobs/spool/spool-errors.ts';
import type { Limits } from '../config.ts';
import { formatBytes } from '../core/byte-size.ts';
import { AppError, tooLarge } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import { type MultipartReader, readMultipart } from '../http/multipart.ts';
import type { StreamedBody } from '../http/routes/client.ts';
import type { Owner } from '../owners/owner.ts';
import { quotaReached } from '../owners/quota.ts';
import type { PackageReader } from '../packages/package-reader.ts';
import type { CountUpload } from './count-upload.ts';
import type { UploadClaim } from './idempotency-queries.ts';
import { checkRemainingQuota } from './remaining-quota.ts';
import { maxFieldBytes } from './upload-fields.ts';
import { uploadTexts } from './upload-texts.ts';

export interface UploadBodyDeps {
  data: Data;
  spool: Spool;
  packages: Pick<PackageReader, 'prepare'>;
  limits: Limits;
  countUpload: CountUpload;
  now: () => number;
}

/** How much longer than the files a body may be. */
const formOverheadBytes = 4 * 1024 * 1024;
/** Longer than the longest stored text. Limits the memory for fields that arrive before the caller is identified. */
const maxParts = 100;

/** Throws `too_large` if the announced size exceeds the upload limit. */
export function checkAnnouncedSize({ limits }: UploadBodyDeps, announcedBytes: number): void {
  if (announcedBytes > limits.maxUploadBytes + formOverheadBytes) {
    throw uploadTooLarge(limits);
  }
}

/** An error with the prefix that existing clients recognize. */
export function uploadTooLarge({ maxUploadBytes }: Limits): AppError {
  const sentence = uploadTexts.refusals.tooLarge({ limit: formatBytes(maxUploadBytes) });
  return tooLarge(`application create error: ${sentence}`);
}

/** Throws `no_space` if the announced size would fill the disk. */
export async function checkFreeSpace(
  { spool, limits }: UploadBodyDeps,
  announcedBytes: number,
): Promise<void> {
  if ((await spool.freeBytes()) - announcedBytes < limits.minimumFreeBytes) throw new SpoolFull();
}

/** Returns the bytes left in the owner's quota. Throws `forbidden` if the announced size does not fit. */
export function remainingQuotaOf(
  deps: UploadBodyDeps,
  { announcedBytes, idempotencyKey }: { announcedBytes: number; idempotencyKey: UploadClaim | null },
  owner: Owner,
): Promise<number> {
  // The rest of the form is small, but its size is unknown.
  return remainingQuotaFor(deps, idempotencyKey, owner, announcedBytes - formOverheadBytes);
}

/** Like `remainingQuotaOf`, for files of at least `minBytes` in total. */
export function remainingQuotaFor(
  { data, now }: UploadBodyDeps,
  idempotencyKey: UploadClaim | null,
  owner: Owner,
  minBytes: number,
): Promise<number> {
  return checkRemainingQuota(data, owner, { minBytes, idempotencyKey }, now());
}

/** `refused`: the announced size is known to be too large, but the body is read anyway. */
export async function readUploadBody(
  { limits }: UploadBodyDeps,
  { message, announcedBytes }: StreamedBody,
  reader: MultipartReader,
  refused = false,
): Promise<void> {
  const maxBytes = limits.maxUploadBytes + formOverheadBytes;
  const maxBodyBytes = refused ? Math.max(maxBytes, announcedBytes) : maxBytes;
  try {
    await readMultipart(message, { maxBodyBytes, maxFieldBytes, maxParts }, reader);
  } catch (error) {
    throw error instanceof AppError && error.kind === 'too_large' ? uploadTooLarge(limits) : error;
  }
}

/** Stops reading a file beyond the upload limit or the owner's quota. */
export async function receiveFile(
  { spool, packages, limits }: UploadBodyDeps,
  announcedBytes: number,
  stream: Readable,
  remainingBytes: number,
): Promise<SpooledFile> {
  const maxBytes = Math.min(limits.maxUploadBytes, remainingBytes);
  packages.prepare();
  try {
    return await spool.receive(stream, {
      maxBytes,
      // The body is slightly longer than the file. Its length is unknown with chunked encoding.
      expectedBytes: Math.min(announcedBytes, maxBytes) || undefined,
    });
  } catch (error) {
    if (error instanceof SpoolLimitExceeded && maxBytes < limits.maxUploadBytes) throw quotaReached();
    throw error;
  }
}
