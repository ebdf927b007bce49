/** Settings for uploads that send the file before the API key. */
import type { Settings } from '../core/settings.ts';

export interface AnonymousUploadConfig {
  anonymousUploadsPerNetwork: number;
  /** Total for all networks. */
  anonymousUploads: number;
  /** How long an upload waits for a free slot. */
  anonymousUploadWaitSeconds: number;
  /** Total for all networks. */
  anonymousSpoolBytes: number;
}

/** A single active network can use half of it, which is two uploads of the maximum size. */
const maxSizeUploadsInSpool = 4;

export const defaultAnonymousUploads = (maxUploadBytes: number): AnonymousUploadConfig => ({
  anonymousUploadsPerNetwork: 16,
  anonymousUploads: 512,
  anonymousUploadWaitSeconds: 10,
  anonymousSpoolBytes: maxSizeUploadsInSpool * maxUploadBytes,
});

export function readAnonymousUploads(settings: Settings, maxUploadBytes: number): AnonymousUploadConfig {
  const defaults = defaultAnonymousUploads(maxUploadBytes);
  return {
    anonymousUploadsPerNetwork: settings.number('SLIPWAY_ANONYMOUS_UPLOADS_PER_NETWORK', {
      min: 1,
      max: 10_000,
      otherwise: defaults.anonymousUploadsPerNetwork,
    }),
    anonymousUploads: settings.number('SLIPWAY_ANONYMOUS_UPLOADS', {
      min: 2,
      max: 100_000,
      otherwise: defaults.anonymousUploads,
    }),
    anonymousUploadWaitSeconds: settings.number('SLIPWAY_ANONYMOUS_UPLOAD_WAIT_SECONDS', {
      min: 0,
      max: 60,
      otherwise: defaults.anonymousUploadWaitSeconds,
    }),
    anonymousSpoolBytes: settings.bytes('SLIPWAY_ANONYMOUS_SPOOL', defaults.anonymousSpoolBytes),
  };
}
