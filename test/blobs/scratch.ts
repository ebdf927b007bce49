/** Temporary folders for tests, and small or separate file systems where the machine permits them. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Scratch {
  folder: string;
  remove(): void;
}

export function makeScratch(parent: string = tmpdir()): Scratch {
  const folder = mkdtempSync(join(parent, 'slipway-blobs-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A tmpfs of that size; null if this user cannot mount one. */
export function mountSmallDisk(sizeBytes: number): Scratch | null {
  const scratch = makeScratch();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'tmpfs', scratch.folder], {
      stdio: 'ignore',
    });
  } catch {
    scratch.remove();
    return null;
  }
  return {
    folder: scratch.folder,
    remove() {
      execFileSync('umount', [scratch.folder]);
      scratch.remove();
    },
  };
}

export function canMount(): boolean {
  const disk = mountSmallDisk(1024 * 1024);
  disk?.remove();
  return disk !== null;
}

/** A folder on another file system than the temporary folder, or null. */
export function foreignFolder(): string | null {
  const isForeign = (folder: string) => {
    const facts = statSync(folder, { throwIfNoEntry: false });
    return facts !== undefined && facts.dev !== statSync(tmpdir()).dev;
  };
  return ['/dev/shm', '/var/tmp'].find(isForeign) ?? null;
}
