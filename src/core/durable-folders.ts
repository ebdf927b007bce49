/** Folders that are still there after a power cut: a new name is durable only once its folder has been fsynced. */
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from './file-errors.ts';

export interface DurableFolders {
  /**
   * Makes `folder`, which is `root` or directly in it, with everything above it, and `subfolders` in it, all with mode
   * 0700; durable on return.
   */
  ensure(folder: string, subfolders?: readonly string[]): Promise<void>;
}

/** Remembers which folders are durable, so that each is looked at once in the life of the process. */
export function createDurableFolders(root: string): DurableFolders {
  const known = new Map<string, Promise<void>>();

  async function make(folder: string, subfolders: readonly string[]): Promise<void> {
    if (folder === root) {
      await createDurableFolder(root);
    } else {
      await ensure(root);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Also when it was there already: the process that made it may have died before this.
      await syncFolder(root);
    }
    if (subfolders.length === 0) return;
    for (const name of subfolders) await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
    await syncFolder(folder);
  }

  function ensure(folder: string, subfolders: readonly string[] = []): Promise<void> {
    const earlier = known.get(folder);
    if (earlier !== undefined) return earlier;
    const made = make(folder, subfolders).catch((error: unknown) => {
      known.delete(folder);
      throw error;
    });
    known.set(folder, made);
    return made;
  }

  return { ensure };
}

/** Makes `folder` and everything above it, with mode 0700, and fsyncs every folder in which it made one. */
export async function createDurableFolder(folder: string): Promise<void> {
  const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (firstMade === undefined) return;
  let current = folder;
  do {
    current = dirname(current);
    await syncFolder(current);
  } while (current.length >= firstMade.length);
}

/** What says that a platform cannot fsync a folder at all (Windows, some network file systems). */
const foldersNeedNoSync = new Set(['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP', 'EOPNOTSUPP']);

export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!foldersNeedNoSync.has(errorCode(error) ?? '')) throw error;
  }
}
