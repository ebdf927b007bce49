/** Duplicates a file that never changes: by hard link if the file system supports it, otherwise by copying. */
import { constants } from 'node:fs';
import { chmod, copyFile, link, open } from 'node:fs/promises';
import { isUnlinkable } from '../core/file-errors.ts';

/**
 * The content is durable on return, but the caller must fsync the folder of the new name. Rejects with ENOENT if the source does
 * not exist and with EEXIST if the target does. A link shares everything with its source, including the mode.
 */
export async function linkOrCopy(source: string, target: string): Promise<'linked' | 'copied'> {
  try {
    await link(source, target);
    return 'linked';
  } catch (error) {
    if (!isUnlinkable(error)) throw error;
  }
  await copyDurably(source, target);
  return 'copied';
}

/** Copies the file with mode 0600 and fsyncs it; the caller must fsync the folder. */
export async function copyDurably(source: string, target: string): Promise<void> {
  await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  await chmod(target, 0o600);
  // On Windows, only writable handles can be flushed.
  const handle = await open(target, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
