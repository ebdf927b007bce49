/** A file on disk while it is being uploaded: opened once, read by position, and held to what it was when opened. */
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { UploadFault } from './upload-fault.ts';

export interface UploadSource {
  path: string;
  fileName: string;
  sizeBytes: number;
  /** Fills `buffer` from `position`; fewer bytes than asked for only at the end of the file. */
  read(buffer: Buffer, position: number): Promise<number>;
  /** Throws `UploadFault` when size or time of change differ from those at opening. */
  assertUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/** Throws `UploadFault` when the file is missing, unreadable, empty, or no regular file. */
export async function openSource(path: string): Promise<UploadSource> {
  const handle = await open(path, 'r').catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(path, cause);
  });
  try {
    return await describe(path, handle);
  } catch (fault) {
    await handle.close();
    throw fault;
  }
}

async function describe(path: string, handle: FileHandle): Promise<UploadSource> {
  const opened = await handle.stat({ bigint: true });
  if (opened.isDirectory()) throw new UploadFault(`${path} is a folder, not a file.`);
  if (!opened.isFile()) throw new UploadFault(`${path} is not a regular file.`);
  if (opened.size === 0n) throw new UploadFault(`${path} is empty.`);
  const changed = () =>
    new UploadFault(`${path} was changed while it was being uploaded; nothing was published.`, {
      hint: 'Upload it once the build that writes it has finished.',
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

function unreadable(path: string, cause: NodeJS.ErrnoException): UploadFault {
  if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')
    return new UploadFault(`There is no file ${path}.`, { cause });
  if (cause.code === 'EISDIR') return new UploadFault(`${path} is a folder, not a file.`, { cause });
  if (cause.code === 'EACCES' || cause.code === 'EPERM') {
    return new UploadFault(`${path} may not be read by this user.`, { cause });
  }
  return new UploadFault(`${path} cannot be read: ${cause.message}`, { cause });
}
