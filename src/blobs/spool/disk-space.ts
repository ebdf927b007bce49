/** Free space of a folder’s file system, minus the space reserved for bodies in progress. */
import { statfs } from 'node:fs/promises';
import { createDurableFolder } from '../../core/durable-folders.ts';
import { SpoolFull } from './spool-errors.ts';

export interface DiskSpace {
  /** Returns how many bytes this process may still write. Creates the folder (mode 0700) if it does not exist. */
  freeBytes(): Promise<number>;
  /** Reserves space for a body. Rejects with SpoolFull if less than the minimum would stay free. */
  promise(bytes: number): Promise<SpacePromise>;
  /** Rejects with SpoolFull if the free, unreserved space is below the minimum. */
  require(): Promise<void>;
}

export interface SpacePromise {
  /** Reports how many bytes of the reservation are written. */
  use(bytes: number): void;
  end(): void;
}

export function createDiskSpace(folder: string, minimumFreeBytes: number): DiskSpace {
  let promisedBytes = 0;
  const freeBytes = async (): Promise<number> => {
    await createDurableFolder(folder);
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  };
  const requireSpare = (spareBytes: number): void => {
    if (spareBytes - promisedBytes < minimumFreeBytes) throw new SpoolFull();
  };
  return {
    freeBytes,
    async require() {
      requireSpare(await freeBytes());
    },
    async promise(bytes) {
      requireSpare((await freeBytes()) - bytes);
      let left = bytes;
      promisedBytes += bytes;
      const use = (used: number) => {
        const taken = Math.min(left, used);
        left -= taken;
        promisedBytes -= taken;
      };
      return { use, end: () => use(left) };
    },
  };
}
