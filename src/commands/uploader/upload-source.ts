/** A file to upload: opened once, read by position, and checked for changes. */
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { UploadError } from './upload-error.ts';

export interface UploadSource {
  path: string;
  fileName: string;
  sizeBytes: number;
  /** Fills `buffer` from `position`. Reads fewer bytes only at the end of the file. */
  read(buffer: Buffer, position: number): Promise<number>;
  /** Throws `UploadError` if the size or modification time has changed since opening. */
  assertUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/** Throws `UploadError` if the file is missing, unreadable, empty or not a regular file. */
export async function openSource(path: string): Promise<UploadSource> {
  const handle = await open(path, 'r').catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(path, cause);
  });
  try {
    return await describe(path, handle);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function describe(path: string, handle: FileHandle): Promise<UploadSource> {
  const opened = await handle.stat({ bigint: true });
  if (opened.isDirectory()) throw new UploadError(`${path} is a folder, not a file.`);
  if (!opened.isFile()) throw new UploadError(`${path} is not a regular file.`);
  if (opened.size === 0n) throw new UploadError(`${path} is empty.`);
  const changed = () =>
    new UploadError(`${path} was changed while it was being uploaded; nothing was published.`, {
      hint: 'Wait for the build to finish, then upload again.',
    });
  return {
    path,
    fileName: basename(path),
    sizeBytes: Number(opened.size),
    read: async (buffer, position) => (await handle.read(buffer, 0, buffer.length, position)).bytesRead,
    assertUnchanged: async () => {
      const now = await handle.stat({ bigint: true });
      if (now.size !== opened.size || now.mtimeNs !== opened.mtimeNs) throw changed();
    },
    close: () => handle.close(),
  };
}

function unreadable(path: string, cause: NodeJS.ErrnoException): UploadError {
  if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')
    return new UploadError(`File not found: ${path}.`, { cause });
  if (cause.code === 'EISDIR') return new UploadError(`${path} is a folder, not a file.`, { cause });
  if (cause.code === 'EACCES' || cause.code === 'EPERM') {
    return new UploadError(`${path} cannot be read: permission denied.`, { cause });
  }
  return new UploadError(`${path} cannot be read: ${cause.message}`, { cause });
}
