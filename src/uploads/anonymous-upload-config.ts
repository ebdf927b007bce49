import { readByteSize } from '../core/byte-size.ts';
/** Settings for uploads that send the file before their API key. */

export interface AnonymousUploadConfig {
  anonymousUploadsPerNetwork: number;
  /** For all networks together. */
  anonymousUploads: number;
  /** How long an upload waits for a slot. */
  anonymousUploadWaitSeconds: number;
  /** For all networks together. */
  anonymousSpoolBytes: number;
}

export const anonymousUploadSettings = [
  'SLIPWAY_ANONYMOUS_UPLOADS_PER_NETWORK',
  'SLIPWAY_ANONYMOUS_UPLOADS',
  'SLIPWAY_ANONYMOUS_UPLOAD_WAIT_SECONDS',
  'SLIPWAY_ANONYMOUS_SPOOL',
] as const;

type Setting = (typeof anonymousUploadSettings)[number];
type Read = (name: Setting) => string | null;
type AddError = (text: string) => void;

/** A single active network can use half of it: two uploads of the maximum size. */
const maxSizeUploadsInSpool = 4;

export const defaultAnonymousUploads = (maxUploadBytes: number): AnonymousUploadConfig => ({
  anonymousUploadsPerNetwork: 16,
  anonymousUploads: 512,
  anonymousUploadWaitSeconds: 10,
  anonymousSpoolBytes: maxSizeUploadsInSpool * maxUploadBytes,
});

export function readAnonymousUploads(
  read: Read,
  addError: AddError,
  maxUploadBytes: number,
): AnonymousUploadConfig {
  const otherwise = defaultAnonymousUploads(maxUploadBytes);
  const between = (name: Setting, minimum: number, limit: number, fallback: number) => {
    const text = read(name);
    if (text === null) return fallback;
    const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= limit) return value;
    addError(`${name} must be a number from ${minimum} to ${limit}, not ${text}`);
    return fallback;
  };
  const spool = read('SLIPWAY_ANONYMOUS_SPOOL');
  const spoolBytes = spool === null ? otherwise.anonymousSpoolBytes : readByteSize(spool);
  if (spoolBytes === null)
    addError(`SLIPWAY_ANONYMOUS_SPOOL must be a size such as 500MiB or 4GiB, not ${spool}`);
  return {
    anonymousUploadsPerNetwork: between(
      'SLIPWAY_ANONYMOUS_UPLOADS_PER_NETWORK',
      1,
      10_000,
      otherwise.anonymousUploadsPerNetwork,
    ),
    anonymousUploads: between('SLIPWAY_ANONYMOUS_UPLOADS', 2, 100_000, otherwise.anonymousUploads),
    anonymousUploadWaitSeconds: between(
      'SLIPWAY_ANONYMOUS_UPLOAD_WAIT_SECONDS',
      0,
      60,
      otherwise.anonymousUploadWaitSeconds,
    ),
    anonymousSpoolBytes: spoolBytes ?? otherwise.anonymousSpoolBytes,
  };
}
