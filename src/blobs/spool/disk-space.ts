/** How much a folder's file system still takes, with what is promised to bodies that are on their way. */
import { statfs } from 'node:fs/promises';
import { createDurableFolder } from '../../core/durable-folders.ts';
import { SpoolFull } from './spool-errors.ts';

export interface DiskSpace {
  /** Bytes that this process may still write. Makes the folder (mode 0700) when it is not there. */
  freeBytes(): Promise<number>;
  /** Promises so many bytes to a body. Rejects with SpoolFull when less than the minimum would stay free. */
  promise(bytes: number): Promise<SpacePromise>;
  /** Rejects with SpoolFull when what is free and not promised is less than the minimum. */
  require(): Promise<void>;
}

export interface SpacePromise {
  /** So many bytes of it are on the disk now. */
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
