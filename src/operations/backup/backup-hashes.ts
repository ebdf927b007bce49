/** The hashes of the stored files in a backup, one per line in the format of sha256sum, and their verification. */
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { createDiskBlobStore } from '../../blobs/disk-blob-store.ts';
import { invalid, unavailable } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import {
  type BackupManifest,
  backupNames,
  checkDatabaseFile,
  readManifest,
  sha256Of,
} from './backup-manifest.ts';
import { describeDamage, referencedBlobs } from './referenced-blobs.ts';

/** Uses the hashes from the uploads of packages, so that files that were already damaged are detected. */
export async function writeHashes(path: string, blobsFolder: string, data: Data): Promise<void> {
  const store = createDiskBlobStore({ root: blobsFolder });
  const list = await open(path, 'wx', 0o600);
  try {
    for await (const { key, sha256 } of referencedBlobs(data)) {
      const place = store.localPath(key);
      await list.write(`${sha256 ?? (await sha256Of(place))}  ${relative(dirname(path), place)}\n`);
    }
    await list.sync();
  } finally {
    await list.close();
  }
}

export interface VerifiedBackup {
  manifest: BackupManifest;
  files: number;
}

/** Reads the whole backup. Rejects with `invalid` if it cannot be verified, and with `unavailable` and a list if files differ. */
export async function verifyBackup(folder: string): Promise<VerifiedBackup> {
  const manifest = await readManifest(folder);
  await checkDatabaseFile(folder, manifest);
  const list = join(folder, backupNames.hashes);
  if ((await sha256Of(list).catch(() => null)) !== manifest.hashes_sha256) {
    throw invalid(`${list} has changed since it was written: the backup is damaged`);
  }
  const errors: string[] = [];
  if (manifest.secret === 'file' && !(await stat(join(folder, backupNames.secret)).catch(() => null))) {
    errors.push(`${backupNames.secret} is missing`);
  }
  let files = 0;
  for await (const line of createInterface({ input: createReadStream(list) })) {
    const [hash, name = ''] = line.split('  ');
    const found = await sha256Of(join(folder, name)).catch(() => null);
    files += 1;
    if (found !== hash)
      errors.push(`${name} ${found === null ? 'cannot be read' : 'has changed since it was written'}`);
  }
  if (errors.length > 0) throw unavailable(`the backup is damaged:${describeDamage(errors)}`);
  return { manifest, files };
}
