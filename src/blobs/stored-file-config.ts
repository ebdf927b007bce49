/** Settings for checking and sending stored files. */

import type { Settings } from '../core/settings.ts';
import type { BlobConfig } from './blob-config.ts';

/** A response header that makes a proxy send the file. */
export type SendfileHeader = 'x-accel-redirect' | 'x-sendfile';

export interface StoredFileConfig {
  /** Whether the server verifies all stored files once a week. */
  checkedWeekly: boolean;
  /** Average read rate of a check. */
  checkBytesPerSecond: number;
  /** Null if Slipway sends the bytes. */
  sendfile: SendfileHeader | null;
}

const defaultCheckRate = 32 * 1024 * 1024;
const minCheckRate = 1024;

export function readStoredFileConfig(settings: Settings, blobs: BlobConfig): StoredFileConfig {
  const sendfile = settings.choice('SLIPWAY_SENDFILE', ['x-accel-redirect', 'x-sendfile', 'off'], 'off');
  if (sendfile !== 'off' && blobs.kind === 's3') {
    settings.addError('SLIPWAY_SENDFILE requires files on disk, but SLIPWAY_BLOB_URL names an S3 service');
  }
  if (sendfile !== 'off' && settings.text('SLIPWAY_TRUST_PROXY') === null) {
    settings.addError(
      'SLIPWAY_SENDFILE requires SLIPWAY_TRUST_PROXY: the address of the proxy that sends the files',
    );
  }
  const checkBytesPerSecond = settings.bytes('SLIPWAY_FILE_CHECK_RATE', defaultCheckRate);
  if (checkBytesPerSecond < minCheckRate)
    settings.addError('SLIPWAY_FILE_CHECK_RATE must be at least 1KiB: a slower check would never end');
  return {
    checkedWeekly: settings.choice('SLIPWAY_FILE_CHECK', ['weekly', 'off'], 'off') === 'weekly',
    checkBytesPerSecond,
    sendfile: sendfile === 'off' ? null : sendfile,
  };
}
