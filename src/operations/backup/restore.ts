/** Restores a backup into an empty installation. The backup is read and linked, never written. */
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createDiskBlobStore } from '../../blobs/disk-blob-store.ts';
import { copyDurably } from '../../blobs/link-or-copy.ts';
import { createDurableFolder, syncFolder } from '../../core/durable-folders.ts';
import { conflict, invalid, unavailable } from '../../core/errors.ts';
import { errorCode } from '../../core/file-errors.ts';
import type { Data } from '../../db/data.ts';
import type { OpenedData } from './backup.ts';
import {
  type BackupManifest,
  backupNames,
  checkDatabaseFile,
  copyPreviousSecret,
  readManifest,
  sha256Of,
} from './backup-manifest.ts';
import { createBlobCopier, describeDamage, referencedBlobs } from './referenced-blobs.ts';

export interface RestoreDeps {
  /** Folder of the backup. */
  folder: string;
  dataFolder: string;
  blobsFolder: string;
  database: RestoreDatabase;
  /** Whether SLIPWAY_SECRET is set. */
  secretIsSetting: boolean;
  /** Whether to read every package and compare its hash. */
  verify: boolean;
}

export type RestoreDatabase =
  | {
      kind: 'sqlite';
      path: string;
      /** Opens a copy after checking it. */
      openCopy(path: string): Promise<OpenedData>;
    }
  | {
      kind: 'postgres';
      /** Opens the database into which pg_restore has loaded the dump. */
      open(): Promise<OpenedData>;
    };

export interface RestoreResult {
  manifest: BackupManifest;
  linked: number;
  copied: number;
  /** Number of packages with a matching hash. */
  verified: number;
}

/**
 * Rejects with `invalid` or `unavailable` if the backup is damaged, and with `conflict` if the target is not empty; nothing is
 * left behind. The database is put in place last.
 */
export async function restoreBackup(deps: RestoreDeps): Promise<RestoreResult> {
  const manifest = await readManifest(deps.folder);
  if (manifest.database.kind !== deps.database.kind) {
    throw invalid(
      `the backup is of a ${manifest.database.kind} database, but SLIPWAY_DATABASE_URL specifies another kind`,
    );
  }
  if (manifest.secret === 'setting' && !deps.secretIsSetting) {
    throw invalid(
      'the backup does not contain the secret, which was set in SLIPWAY_SECRET: set it to the same value, or to a new one to invalidate old links',
    );
  }
  await refuseUnlessEmpty(deps);
  await checkDatabaseFile(deps.folder, manifest);
  await createDurableFolder(deps.dataFolder);
  try {
    return await bringBack(deps, manifest);
  } catch (error) {
    // Each may be a mount point, which cannot be removed.
    for (const folder of [deps.blobsFolder, deps.dataFolder]) {
      for (const name of await contentsOf(folder)) {
        await rm(join(folder, name), { recursive: true, force: true });
      }
    }
    throw error;
  }
}

async function refuseUnlessEmpty({ dataFolder, blobsFolder, database }: RestoreDeps): Promise<void> {
  for (const folder of [dataFolder, blobsFolder]) {
    if ((await contentsOf(folder)).length > 0) {
      throw conflict(`${folder} is not empty: restore requires an empty folder`);
    }
  }
  if (database.kind === 'sqlite' && (await stat(database.path).catch(() => null))) {
    throw conflict(`${database.path} already exists: restore requires a location without a database`);
  }
}

/** Ignores lost+found, which exists in the root of a new volume. */
async function contentsOf(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => name !== 'lost+found');
}

async function bringBack(deps: RestoreDeps, manifest: BackupManifest): Promise<RestoreResult> {
  const { database, folder } = deps;
  const draft = database.kind === 'sqlite' ? `${database.path}.restoring` : null;
  if (draft) {
    await createDurableFolder(dirname(draft));
    // Only the copy is opened, because SQLite creates files next to it.
    await copyDurably(join(folder, manifest.database.file), draft);
  }
  try {
    const opened = await (database.kind === 'sqlite' ? database.openCopy(draft ?? '') : database.open());
    const taken = await takeBlobs(deps, opened);
    if (manifest.secret === 'file') {
      await copyDurably(join(folder, backupNames.secret), join(deps.dataFolder, backupNames.secret));
    }
    await copyPreviousSecret(folder, deps.dataFolder);
    await syncFolder(deps.dataFolder);
    if (draft && database.kind === 'sqlite') {
      await rename(draft, database.path);
      await syncFolder(dirname(database.path));
    }
    return { manifest, ...taken };
  } finally {
    if (draft) await rm(draft, { force: true });
  }
}

async function takeBlobs(deps: RestoreDeps, { data, close }: OpenedData) {
  const source = join(deps.folder, backupNames.blobs);
  try {
    await createDurableFolder(deps.blobsFolder);
    const blobCopier = createBlobCopier(source, deps.blobsFolder);
    const { linked, copied, errors } = await blobCopier.take(referencedBlobs(data));
    const verified = deps.verify ? await verifyPackages(deps.blobsFolder, data, errors) : 0;
    if (errors.length > 0) {
      throw unavailable(
        `files of the backup are missing or differ from its database:${describeDamage(errors)}`,
      );
    }
    await blobCopier.sync();
    return { linked, copied, verified };
  } finally {
    await close();
  }
}

/** Returns the number of matching packages; adds the others to `errors`. */
async function verifyPackages(blobsFolder: string, data: Data, errors: string[]): Promise<number> {
  const store = createDiskBlobStore({ root: blobsFolder });
  let verified = 0;
  for await (const { key, sha256 } of referencedBlobs(data)) {
    if (sha256 === null) continue;
    const found = await sha256Of(store.localPath(key)).catch(() => null);
    if (found === sha256) verified += 1;
    else if (found !== null) errors.push(`${key} differs from the upload`);
  }
  return verified;
}
