import { open } from 'node:fs/promises';
import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import type { RandomAccessFile } from './zip-archive.ts';

/** How much a small read fetches, so that a local header and its data, or adjacent entries, take one system call. */
const readAheadBytes = 64 * 1024;

export interface OpenFile extends RandomAccessFile {
  /** Frees the descriptor. Reads after it reject. */
  close(): Promise<void>;
}

/**
 * Opens a file for reading at any position. Reads are positional, so they can be concurrent.
 * @throws the system's error if the file cannot be opened; reads past its end reject with UnreadablePackage
 */
export async function openRandomAccessFile(path: string): Promise<OpenFile> {
  const handle = await open(path, 'r');
  const sizeBytes = await handle.stat().then(
    (status) => status.size,
    async (cause) => {
      await handle.close();
      throw cause;
    },
  );
  let ahead: { position: number; bytes: Buffer } = { position: 0, bytes: Buffer.alloc(0) };

  async function readExactly(position: number, length: number, into?: Buffer): Promise<Buffer> {
    const bytes = into?.subarray(0, length) ?? Buffer.allocUnsafeSlow(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
      if (bytesRead === 0) throw new UnreadablePackage(say('file-truncated'));
      filled += bytesRead;
    }
    return bytes;
  }

  return {
    sizeBytes,
    async read(position, length, into) {
      if (!isInside(position, length, sizeBytes)) throw new UnreadablePackage(say('file-truncated'));
      const start = position - ahead.position;
      if (start >= 0 && start + length <= ahead.bytes.length)
        return ahead.bytes.subarray(start, start + length);
      if (length >= readAheadBytes) return readExactly(position, length, into);
      const bytes = await readExactly(position, Math.min(readAheadBytes, sizeBytes - position));
      ahead = { position, bytes };
      return bytes.subarray(0, length);
    },
    close: () => handle.close(),
  };
}

function isInside(position: number, length: number, sizeBytes: number): boolean {
  return (
    Number.isSafeInteger(position) &&
    Number.isSafeInteger(length) &&
    position >= 0 &&
    length >= 0 &&
    position + length <= sizeBytes
  );
}
