/**
 * Creates a consistent copy of all data while the server runs: a snapshot of the database and every blob that it
 * references.
 */
import { lstat, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import { createDiskBlobStore } from '../../blobs/disk-blob-store.ts';
import { copyDurably } from '../../blobs/link-or-copy.ts';
import { sweepBlobs } from '../../blobs/sweep-blobs.ts';
import { createDurableFolder, syncFolder } from '../../core/durable-folders.ts';
import { conflict, invalid, unavailable } from '../../core/errors.ts';
import { newIdentifier } from '../../core/identifier.ts';
import type { Data } from '../../db/data.ts';
import { writeHashes } from './backup-hashes.ts';
import {
  type BackupManifest,
  backupNames,
  copyPreviousSecret,
  sha256Of,
  writeManifest,
} from './backup-manifest.ts';
import {
  type BlobCopier,
  type CopiedBlobs,
  createBlobCopier,
  describeDamage,
  type ReferencedBlob,
  referencedBlobs,
} from './referenced-blobs.ts';

/** Retries with a later snapshot if a build was permanently deleted before its blobs were copied. */
const maxSnapshots = 5;
const unfinishedSuffix = '.unfinished';

export interface BackupDeps {
  /** Target folder; must not exist yet. */
  folder: string;
  dataFolder: string;
  blobsFolder: string;
  database: BackupDatabase;
  /** Whether the secret is a file in the data folder, not a setting. */
  secretInFile: boolean;
  version: string;
  now: () => number;
}

export type BackupDatabase =
  | {
      kind: 'sqlite';
      /** Writes a snapshot of the database to a new file. */
      copyTo(path: string): Promise<void>;
      openCopy(path: string): Promise<OpenedData>;
    }
  | {
      kind: 'postgres';
      /** The dump created by pg_dump. */
      dump: string;
      open(): Promise<OpenedData>;
    };

export interface OpenedData {
  data: Data;
  close(): Promise<void>;
}

export interface BackupResult {
  folder: string;
  manifest: BackupManifest;
  linked: number;
  copied: number;
  /** Number of builds with files that a check has found damaged. The backup contains these files as they are. */
  damagedBuilds: number;
}

/**
 * The backup is created under a temporary name and renamed last, so it is either complete or absent. Rejects with `conflict` if
 * the folder exists, and with `unavailable` if the database references missing files.
 */
export async function createBackup(deps: BackupDeps): Promise<BackupResult> {
  const folder = resolve(deps.folder);
  if (await lstat(folder).catch(() => null)) {
    throw conflict(`${folder} already exists: a backup needs a new folder`);
  }
  if (isWithin(folder, deps.blobsFolder) || isWithin(folder, join(deps.dataFolder, 'spool'))) {
    throw invalid(`${folder} is inside a folder that Slipway cleans up: choose another location`);
  }
  await createDurableFolder(dirname(folder));
  const draft = join(dirname(folder), `${basename(folder)}.${newIdentifier(deps.now())}${unfinishedSuffix}`);
  await mkdir(draft, { mode: 0o700 });
  try {
    const { manifest, taken, damagedBuilds } = await fill(deps, draft);
    await rename(draft, folder);
    await syncFolder(dirname(folder));
    return { folder, manifest, linked: taken.linked, copied: taken.copied, damagedBuilds };
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

function isWithin(folder: string, outer: string): boolean {
  const path = relative(outer, folder);
  return path !== '..' && !path.startsWith(`..${sep}`) && resolve(outer, path) === folder;
}

async function fill(
  deps: BackupDeps,
  draft: string,
): Promise<{ manifest: BackupManifest; taken: CopiedBlobs; damagedBuilds: number }> {
  const madeAt = new Date(deps.now()).toISOString();
  const blobs = join(draft, backupNames.blobs);
  const blobCopier = createBlobCopier(deps.blobsFolder, blobs);
  await mkdir(blobs, { mode: 0o700 });
  const file = deps.database.kind === 'sqlite' ? 'slipway.sqlite' : 'postgres.dump';
  const path = join(draft, file);
  const taken =
    deps.database.kind === 'sqlite'
      ? await takeSnapshot(deps.database, path, blobCopier, createDiskBlobStore({ root: blobs }))
      : await backUpWithDump(
          deps.database,
          path,
          blobCopier,
          createDiskBlobStore({ root: deps.blobsFolder }),
        );
  if (deps.secretInFile) {
    const secret = backupNames.secret;
    await copyDurably(join(deps.dataFolder, secret), join(draft, secret));
  }
  await copyPreviousSecret(deps.dataFolder, draft);
  await blobCopier.sync();
  const hashes = join(draft, backupNames.hashes);
  const damagedBuilds = await withOpened(await openSnapshot(deps.database, path), async (data) => {
    await writeHashes(hashes, blobs, data);
    return buildQueries(data).countDamaged();
  });
  const manifest: BackupManifest = {
    format: 1,
    slipway: deps.version,
    made_at: madeAt,
    database: {
      kind: deps.database.kind,
      file,
      size: (await stat(path)).size,
      sha256: await sha256Of(path),
    },
    blobs: { count: taken.count, size: taken.sizeBytes },
    hashes_sha256: await sha256Of(hashes),
    secret: deps.secretInFile ? 'file' : 'setting',
  };
  await writeManifest(draft, manifest);
  await syncFolder(draft);
  return { manifest, taken, damagedBuilds };
}

const openSnapshot = (database: BackupDatabase, path: string) =>
  database.kind === 'sqlite' ? database.openCopy(path) : database.open();

/**
 * Copies the database first and then its blobs, because blobs never change and newer ones are not referenced. If blobs were
 * deleted in the meantime, takes a later snapshot, which has few new blobs and is fast.
 */
async function takeSnapshot(
  database: Extract<BackupDatabase, { kind: 'sqlite' }>,
  path: string,
  blobCopier: BlobCopier,
  draft: BlobStore,
): Promise<CopiedBlobs> {
  let moments = 0;
  const taken = await retryUntilComplete(async () => {
    await rm(path, { force: true });
    await database.copyTo(path);
    moments += 1;
    return withOpened(await database.openCopy(path), (data) => blobCopier.take(referencedBlobs(data)));
  });
  if (moments > 1) {
    // Removes blobs that only an earlier snapshot references.
    await withOpened(await database.openCopy(path), (data) =>
      sweepBlobs({
        store: draft,
        isNamed: buildQueries(data).namedBlobs,
        before: Number.POSITIVE_INFINITY,
      }),
    );
  }
  await syncCopy(path);
  return taken;
}

/** The dump is older than the copy of the blobs, so all stored blobs are copied to include those that it references. */
async function backUpWithDump(
  database: Extract<BackupDatabase, { kind: 'postgres' }>,
  path: string,
  blobCopier: BlobCopier,
  blobs: BlobStore,
): Promise<CopiedBlobs> {
  await copyDurably(database.dump, path);
  const listed = await blobCopier.take(toReferencedBlobs(blobs));
  const named = await withOpened(await database.open(), (data) =>
    retryUntilComplete(() => blobCopier.take(referencedBlobs(data))),
  );
  return { ...named, linked: listed.linked + named.linked, copied: listed.copied + named.copied };
}

async function* toReferencedBlobs(blobs: BlobStore): AsyncGenerator<ReferencedBlob> {
  for await (const { key } of blobs.list('')) yield { key, sizeBytes: null, sha256: null };
}

/** Returns the result of the last attempt, with the linked and copied blobs of all attempts. */
async function retryUntilComplete(attempt: () => Promise<CopiedBlobs>): Promise<CopiedBlobs> {
  let [linked, copied] = [0, 0];
  for (let tries = 1; ; tries++) {
    const taken = await attempt();
    linked += taken.linked;
    copied += taken.copied;
    if (taken.errors.length === 0) return { ...taken, linked, copied };
    if (tries === maxSnapshots) throw missing(taken.errors);
  }
}

async function withOpened<T>(opened: OpenedData, work: (data: Data) => Promise<T>): Promise<T> {
  try {
    return await work(opened.data);
  } finally {
    await opened.close();
  }
}

async function syncCopy(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.chmod(0o600);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function missing(errors: readonly string[]) {
  const what = describeDamage(errors);
  return unavailable(
    `the database references missing or changed files; restore them, or delete those builds:${what}`,
  );
}
