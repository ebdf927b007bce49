/** A second place for a file that will never change: by hard link where the file system allows it, else as a copy. */
import { constants } from 'node:fs';
import { chmod, copyFile, link, open } from 'node:fs/promises';
import { isUnlinkable } from '../core/file-errors.ts';

/**
 * Durable on return but for the name, whose folder the caller fsyncs. Rejects with ENOENT when there is no such file and
 * with EEXIST when the place is taken. A link shares everything with its source, the mode too.
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

/** A copy of its own with mode 0600, fsynced; the name's folder is the caller's. */
export async function copyDurably(source: string, target: string): Promise<void> {
  await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  await chmod(target, 0o600);
  // Windows flushes only handles that may write.
  const handle = await open(target, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
