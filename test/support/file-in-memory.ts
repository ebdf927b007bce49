import { UnreadablePackage } from '../../src/packages/package-info.ts';
import type { RandomAccessFile } from '../../src/packages/zip/zip-archive.ts';

/** A file in memory that counts what is read. */
export function fileInMemory(bytes: Buffer): RandomAccessFile & { reads: number; bytesRead: number } {
  return {
    sizeBytes: bytes.length,
    reads: 0,
    bytesRead: 0,
    async read(position, length) {
      if (position < 0 || length < 0 || position + length > bytes.length) {
        throw new UnreadablePackage('the file is cut off');
      }
      this.reads++;
      this.bytesRead += length;
      return bytes.subarray(position, position + length);
    },
  };
}
