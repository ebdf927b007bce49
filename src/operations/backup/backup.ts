/** A copy of everything that Slipway keeps, made while it runs: the database as of one moment and every blob that it names. */
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
  type BlobTaker,
  createBlobTaker,
  faultsInWords,
  type NamedBlob,
  namedBlobs,
  type TakenBlobs,
} from './named-blobs.ts';

/** A build that was deleted for good between the database's moment and its blob's turn asks for a later moment. */
const mostMoments = 5;
const unfinishedSuffix = '.unfinished';

export interface BackupParts {
  /** Where the backup is to be; must not be there yet. */
  folder: string;
  dataFolder: string;
  blobsFolder: string;
  database: BackupDatabase;
  /** Whether the secret is a file of the data folder, and not a setting. */
  secretInFile: boolean;
  version: string;
  now: () => number;
}

export type BackupDatabase =
  | {
      kind: 'sqlite';
      /** Writes the database of this moment into a fresh file. */
      copyTo(path: string): Promise<void>;
      openCopy(path: string): Promise<OpenedData>;
    }
  | {
      kind: 'postgres';
      /** What pg_dump wrote. */
      dump: string;
      open(): Promise<OpenedData>;
    };

export interface OpenedData {
  data: Data;
  close(): Promise<void>;
}

export interface MadeBackup {
  folder: string;
  manifest: BackupManifest;
  linked: number;
  copied: number;
}

/**
 * The backup is there whole or not at all: it is made under another name beside its place, and takes its name last.
 * Rejects with `conflict` when the place is taken, and with `unavailable` when the database names what is not there.
 */
export async function createBackup(parts: BackupParts): Promise<MadeBackup> {
  const folder = resolve(parts.folder);
  if (await lstat(folder).catch(() => null)) {
    throw conflict(`${folder} is there already: a backup goes into a folder of its own`);
  }
  if (isWithin(folder, parts.blobsFolder) || isWithin(folder, join(parts.dataFolder, 'spool'))) {
    throw invalid(`${folder} lies among what Slipway clears away by itself: choose another place`);
  }
  await createDurableFolder(dirname(folder));
  const draft = join(dirname(folder), `${basename(folder)}.${newIdentifier(parts.now())}${unfinishedSuffix}`);
  await mkdir(draft, { mode: 0o700 });
  try {
    const { manifest, taken } = await fill(parts, draft);
    await rename(draft, folder);
    await syncFolder(dirname(folder));
    return { folder, manifest, linked: taken.linked, copied: taken.copied };
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
  parts: BackupParts,
  draft: string,
): Promise<{ manifest: BackupManifest; taken: TakenBlobs }> {
  const madeAt = new Date(parts.now()).toISOString();
  const blobs = join(draft, backupNames.blobs);
  const taker = createBlobTaker(parts.blobsFolder, blobs);
  await mkdir(blobs, { mode: 0o700 });
  const file = parts.database.kind === 'sqlite' ? 'slipway.sqlite' : 'postgres.dump';
  const path = join(draft, file);
  const taken =
    parts.database.kind === 'sqlite'
      ? await takeMoment(parts.database, path, taker, createDiskBlobStore({ root: blobs }))
      : await takeWithDump(parts.database, path, taker, createDiskBlobStore({ root: parts.blobsFolder }));
  if (parts.secretInFile) {
    const secret = backupNames.secret;
    await copyDurably(join(parts.dataFolder, secret), join(draft, secret));
  }
  await copyPreviousSecret(parts.dataFolder, draft);
  await taker.sync();
  const hashes = join(draft, backupNames.hashes);
  await withOpened(await openTaken(parts.database, path), (data) => writeHashes(hashes, blobs, data));
  const manifest: BackupManifest = {
    format: 1,
    slipway: parts.version,
    made_at: madeAt,
    database: {
      kind: parts.database.kind,
      file,
      size: (await stat(path)).size,
      sha256: await sha256Of(path),
    },
    blobs: { count: taken.count, size: taken.sizeBytes },
    hashes_sha256: await sha256Of(hashes),
    secret: parts.secretInFile ? 'file' : 'setting',
  };
  await writeManifest(draft, manifest);
  await syncFolder(draft);
  return { manifest, taken };
}

const openTaken = (database: BackupDatabase, path: string) =>
  database.kind === 'sqlite' ? database.openCopy(path) : database.open();

/**
 * The database first, then what it names: blobs never change, and those that came later are not named. What went
 * meanwhile is missing, and then a later moment is taken; few blobs are new in that one, so that it is taken quickly.
 */
async function takeMoment(
  database: Extract<BackupDatabase, { kind: 'sqlite' }>,
  path: string,
  taker: BlobTaker,
  draft: BlobStore,
): Promise<TakenBlobs> {
  let moments = 0;
  const taken = await untilWhole(async () => {
    await rm(path, { force: true });
    await database.copyTo(path);
    moments += 1;
    return withOpened(await database.openCopy(path), (data) => taker.take(namedBlobs(data)));
  });
  if (moments > 1) {
    // What an earlier moment named and the last one does not.
    await withOpened(await database.openCopy(path), (data) =>
      sweepBlobs({ store: draft, isNamed: buildQueries(data).namedBlobs, before: Number.POSITIVE_INFINITY }),
    );
  }
  await syncCopy(path);
  return taken;
}

/** The dump is older than this: all that lies there is taken, so that what it names is among it. */
async function takeWithDump(
  database: Extract<BackupDatabase, { kind: 'postgres' }>,
  path: string,
  taker: BlobTaker,
  blobs: BlobStore,
): Promise<TakenBlobs> {
  await copyDurably(database.dump, path);
  const listed = await taker.take(asNamed(blobs));
  const named = await withOpened(await database.open(), (data) =>
    untilWhole(() => taker.take(namedBlobs(data))),
  );
  return {
    ...named,
    linked: listed.linked + named.linked,
    copied: listed.copied + named.copied,
  };
}

async function* asNamed(blobs: BlobStore): AsyncGenerator<NamedBlob> {
  for await (const { key } of blobs.list('')) yield { key, sizeBytes: null, sha256: null };
}

/** Answers the last try, with what all of them linked and copied. */
async function untilWhole(attempt: () => Promise<TakenBlobs>): Promise<TakenBlobs> {
  let [linked, copied] = [0, 0];
  for (let tries = 1; ; tries++) {
    const taken = await attempt();
    linked += taken.linked;
    copied += taken.copied;
    if (taken.faults.length === 0) return { ...taken, linked, copied };
    if (tries === mostMoments) throw missing(taken.faults);
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

function missing(faults: readonly string[]) {
  const what = faultsInWords(faults);
  return unavailable(
    `the database names files that are not as it says; put them back, or delete those builds:${what}`,
  );
}
