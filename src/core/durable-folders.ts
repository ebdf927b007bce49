/** Creates folders that survive a power loss: a new name is durable only once its parent folder has been fsynced. */
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from './file-errors.ts';

export interface DurableFolders {
  /**
   * Creates `folder`, which is `root` or directly in it, with its parents and with `subfolders` in it, all with mode 0700.
   * Durable on return.
   */
  ensure(folder: string, subfolders?: readonly string[]): Promise<void>;
}

/** Remembers which folders are durable, so that a process checks each only once. */
export function createDurableFolders(root: string): DurableFolders {
  const known = new Map<string, Promise<void>>();

  async function make(folder: string, subfolders: readonly string[]): Promise<void> {
    if (folder === root) {
      await createDurableFolder(root);
    } else {
      await ensure(root);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Also for an existing folder, because the process that created it may have died before syncing it.
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

/** Creates `folder` and its missing parents with mode 0700, and fsyncs every folder in which it created one. */
export async function createDurableFolder(folder: string): Promise<void> {
  const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (firstMade === undefined) return;
  let current = folder;
  do {
    current = dirname(current);
    await syncFolder(current);
  } while (current.length >= firstMade.length);
}

/** Codes of platforms that cannot fsync folders (Windows, some network file systems). */
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
