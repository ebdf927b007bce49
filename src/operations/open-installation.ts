/**
 * Opens the resources of a server: data folder, database, secret and file store. If anything is unusable, the start fails with
 * one line that names the setting.
 */

import { randomBytes } from 'node:crypto';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { BlobStore } from '../blobs/blob-store.ts';
import { openBlobStore } from '../blobs/open-blob-store.ts';
import { createSpool, type Spool } from '../blobs/spool/spool.ts';
import { type TrackedPuts, trackPuts } from '../blobs/sweep-blobs.ts';
import { claimQueries } from '../claims/claim-queries.ts';
import { type Claims, createClaims } from '../claims/claims.ts';
import type { SharedClock } from '../claims/shared-clock.ts';
import type { Config } from '../config.ts';
import { errorTexts } from '../core/error-texts.ts';
import { AppError, CommitUnknown, reasonOf, unavailable, unavailableForNow } from '../core/errors.ts';
import { toFileStoreError } from '../core/file-errors.ts';
import { newIdentifier } from '../core/identifier.ts';
import type { ServerSecret } from '../core/signature.ts';
import { createData, type Data } from '../db/data.ts';
import type { Database, ObserveQuery } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/open-database.ts';
import { acquireServerLocks, type ProcessLock } from '../db/process-lock.ts';
import { createPackageReader, type PackageReader } from '../packages/package-reader.ts';
import { doctorQueries } from './doctor/doctor-queries.ts';
import { readInstallationSecret } from './installation-secret.ts';
import { reencryptStoredSecrets } from './reencrypt-secrets.ts';

/** Runs `work`. If it fails, the error states what cannot be used, why, and which setting configures it. */
async function needs<T>(subject: string, setting: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // The message is already complete, for example for an unknown migration.
    if (error instanceof AppError && error.cause === undefined) throw error;
    const words =
      error instanceof AppError ? withCause(error) : `${subject} cannot be used: ${reasonOf(error)}`;
    throw unavailable(`${words.replaceAll(/[\r\n]+/g, ' ')} (${setting})`, error);
  }
}

/** Adds the message of the system or driver, because operators read it. */
function withCause({ message, cause }: AppError): string {
  const reason = reasonOf(cause);
  return message.includes(reason) ? message : `${message}: ${reason}`;
}

const databaseSetting = ({ database, dataFolder }: Config) =>
  database.kind === 'sqlite' && database.path === join(dataFolder, 'slipway.sqlite')
    ? 'SLIPWAY_DATA_DIR'
    : 'SLIPWAY_DATABASE_URL';

const blobSetting = ({ blobs, dataFolder }: Config) =>
  blobs.kind === 'disk' && blobs.folder === join(dataFolder, 'blobs')
    ? 'SLIPWAY_DATA_DIR'
    : 'SLIPWAY_BLOB_URL';

export interface Installation {
  data: Data;
  claims: Claims;
  secret: ServerSecret;
  blobs: BlobStore;
  /** The keys that this process has put into `blobs`. */
  puts: TrackedPuts;
  /** Whether other processes may put blobs into the same store. */
  sharesBlobs: boolean;
  spool: Spool;
  packages: PackageReader;
  /** Runs work of the start that writes. On a full disk, skips it with a warning, because the server can still show existing data. */
  unlessFull(work: () => Promise<void>): Promise<void>;
  /** Converts an error of the database or file system to one for callers; null for other errors. */
  refusalOf(error: unknown): AppError | null;
  close(): Promise<void>;
}

interface InstallationLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

const fullDiskWarning =
  'no space is left: the server starts read-only. Free some space and restart it; commands cannot open the database before';

interface InstallationDeps {
  /** Replaces the file store in the settings. */
  blobs: BlobStore | undefined;
  /** Replaces the processes that read packages. */
  packages: PackageReader | undefined;
  pid: number | null;
  observe: ObserveQuery;
  clock: SharedClock;
  log: InstallationLog;
}

/**
 * Locks the data folder and the database, migrates the database, and passes everything to `compose`. Releases it all if `compose`
 * fails.
 */
export async function openInstallation<T>(
  config: Config,
  deps: InstallationDeps,
  compose: (installation: Installation) => Promise<T>,
): Promise<T> {
  await prepareDataFolder(config);
  const nodeId = newIdentifier(deps.clock.machineTime());
  const locks = await needs('the lock of the database', databaseSetting(config), () =>
    acquireServerLocks(config.dataFolder, config.database, { pid: deps.pid, nodeId }),
  );
  let database: Database | null = null;
  try {
    database = await needs('the database', databaseSetting(config), () =>
      openDatabase(config.database, 'server', deps.observe),
    );
    return await compose(await openStores(config, deps, { database, locks, nodeId }));
  } catch (error) {
    await database?.close();
    locks.release();
    throw error;
  }
}

async function openStores(
  config: Config,
  { blobs: given, packages: givenPackages, clock, log }: InstallationDeps,
  { database, locks, nodeId }: { database: Database; locks: ProcessLock; nodeId: string },
): Promise<Installation> {
  await needs('the database', databaseSetting(config), () => migrate(database, clock.now));
  const data = createData(database);
  const claims = createClaims({
    data,
    nodeId,
    // The lock of the database file is held.
    alone: database.dialect === 'sqlite',
    host: hostname(),
    clock,
    log,
  });
  await needs('the database', databaseSetting(config), claims.setClock);
  const puts = trackPuts(given ?? (await openBlobStore(config.blobs)));
  const blobs = puts.store;
  const refusalOf = (error: unknown) =>
    error instanceof CommitUnknown
      ? unavailableForNow(errorTexts.commitUnknown, error)
      : (database.refusalOf(error) ?? toFileStoreError(error));
  const unlessFull = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      const cause = error instanceof AppError && error.cause !== undefined ? error.cause : error;
      const { kind } = cause instanceof AppError ? cause : (refusalOf(cause) ?? {});
      if (kind !== 'no_space') throw error;
      log.warn({ err: error }, fullDiskWarning);
    }
  };
  // Checked before the first administrator is created, because that password is shown only once.
  await unlessFull(() => checkWritable(config, data, blobs, clock.now()));
  const secret = await needs('the secret in the data folder', 'SLIPWAY_DATA_DIR, SLIPWAY_SECRET', () =>
    readInstallationSecret(data, config),
  );
  await reencryptStoredSecrets(data, secret, log);
  await unlessFull(() => releaseEarlier(data, database, locks));
  const { dataFolder, limits } = config;
  const spool = createSpool({
    folder: join(dataFolder, 'spool'),
    minimumFreeBytes: limits.minimumFreeBytes,
  });
  const packages =
    givenPackages ??
    createPackageReader({
      folder: join(dataFolder, 'reading'),
      onLost: (err) => log.warn({ err }, 'a process ended while it was reading a package'),
    });
  return {
    data,
    claims,
    secret,
    blobs,
    puts,
    // PostgreSQL may serve other nodes; SQLite serves only this process.
    sharesBlobs: database.dialect === 'postgres' || config.blobs.kind === 's3',
    spool,
    packages,
    refusalOf,
    unlessFull,
    close: async () => {
      await packages.close();
      await spool.close();
      await claims.close();
      await database.close();
      locks.release();
    },
  };
}

/** Releases claims of earlier processes that have certainly ended. */
async function releaseEarlier(
  data: Data,
  { dialect }: Database,
  { predecessors }: ProcessLock,
): Promise<void> {
  if (dialect === 'sqlite') await claimQueries(data).releaseAll();
  else for (const predecessor of predecessors) await claimQueries(data).releaseNode(predecessor);
}

/** Creates the data folder for this account only, and proves that uploads can be received into it. */
async function prepareDataFolder(config: Config): Promise<void> {
  await needs(`the data folder ${config.dataFolder}`, 'SLIPWAY_DATA_DIR', async () => {
    await mkdir(config.dataFolder, { recursive: true, mode: 0o700 });
    await chmod(config.dataFolder, 0o700);
    const spool = join(config.dataFolder, 'spool');
    await mkdir(spool, { recursive: true, mode: 0o700 });
    const path = join(spool, `${randomBytes(16).toString('hex')}.part`);
    await writeFile(path, '', { mode: 0o600, flag: 'wx' });
    await rm(path);
  });
}

/** Rejects unless rows and blobs can be written now. */
async function checkWritable(config: Config, data: Data, blobs: BlobStore, now: number): Promise<void> {
  await needs('the database', databaseSetting(config), () =>
    data.transaction((tx) => doctorQueries(tx).checkWritable(now)),
  );
  const subject = config.blobs.kind === 'disk' ? `the folder ${config.blobs.folder}` : 'the file store';
  await needs(subject, blobSetting(config), () => blobs.check());
}
