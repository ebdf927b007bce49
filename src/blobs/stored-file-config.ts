/** Settings for checking and sending stored files. */

import { readByteSize } from '../core/byte-size.ts';
import type { BlobConfig } from './blob-config.ts';

/** A response header that makes a proxy send the file. */
export type SendfileHeader = 'x-accel-redirect' | 'x-sendfile';

export interface StoredFileConfig {
  /** Whether the server verifies all stored files once a week. */
  checkedWeekly: boolean;
  /** Average read rate of a check. */
  checkBytesPerSecond: number;
  /** Null: Slipway sends the bytes. */
  sendfile: SendfileHeader | null;
}

export const storedFileSettings = [
  'SLIPWAY_FILE_CHECK',
  'SLIPWAY_FILE_CHECK_RATE',
  'SLIPWAY_SENDFILE',
] as const;

type Read = (name: (typeof storedFileSettings)[number] | 'SLIPWAY_TRUST_PROXY') => string | null;

const defaultCheckRate = 32 * 1024 * 1024;
const sendfileHeaders: readonly string[] = ['x-accel-redirect', 'x-sendfile'] satisfies SendfileHeader[];

export function readStoredFileConfig(
  read: Read,
  addError: (text: string) => void,
  blobs: BlobConfig,
): StoredFileConfig {
  const check = read('SLIPWAY_FILE_CHECK')?.toLowerCase() ?? 'off';
  if (check !== 'off' && check !== 'weekly')
    addError(`SLIPWAY_FILE_CHECK must be weekly or off, not ${check}`);
  const rate = read('SLIPWAY_FILE_CHECK_RATE');
  const checkBytesPerSecond = rate === null ? defaultCheckRate : readByteSize(rate);
  if (checkBytesPerSecond === null)
    addError(`SLIPWAY_FILE_CHECK_RATE must be a size such as 32MiB, not ${rate}`);
  const header = read('SLIPWAY_SENDFILE')?.toLowerCase() ?? 'off';
  const known = sendfileHeaders.includes(header);
  if (!known && header !== 'off')
    addError(`SLIPWAY_SENDFILE must be x-accel-redirect, x-sendfile or off, not ${header}`);
  if (known && blobs.kind === 's3') {
    addError('SLIPWAY_SENDFILE requires files on disk, but SLIPWAY_BLOB_URL names an S3 service');
  }
  if (known && read('SLIPWAY_TRUST_PROXY') === null) {
    addError('SLIPWAY_SENDFILE requires SLIPWAY_TRUST_PROXY: the address of the proxy that sends the files');
  }
  return {
    checkedWeekly: check === 'weekly',
    checkBytesPerSecond: checkBytesPerSecond ?? defaultCheckRate,
    sendfile: known ? (header as SendfileHeader) : null,
  };
}
