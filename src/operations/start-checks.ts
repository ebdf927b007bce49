/** Checks what the server needs at start. Anything missing fails the start with one line that names the setting. */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Config } from '../config.ts';
import { AppError, reasonOf, unavailable } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import type { Database, ObserveQuery } from '../db/database.ts';
import { openDatabase } from '../db/open-database.ts';
import { type ProcessLock, takeServerLocks } from '../db/process-lock.ts';
import { doctorQueries } from './doctor/doctor-queries.ts';

/** Runs `work`; if it fails, the error names what cannot be used, why, and the setting that configures it. */
export async function needs<T>(subject: string, setting: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // Already complete, for example which migration is unknown.
    if (error instanceof AppError && error.cause === undefined) throw error;
    const words =
      error instanceof AppError ? withCause(error) : `${subject} cannot be used: ${reasonOf(error)}`;
    throw unavailable(`${words.replaceAll(/[\r\n]+/g, ' ')} (${setting})`, error);
  }
}

/** Includes the message of the system or driver: the reader is the operator. */
function withCause({ message, cause }: AppError): string {
  const reason = reasonOf(cause);
  return message.includes(reason) ? message : `${message}: ${reason}`;
}

export const databaseSetting = ({ database, dataFolder }: Config) =>
  database.kind === 'sqlite' && database.path === join(dataFolder, 'slipway.sqlite')
    ? 'SLIPWAY_DATA_DIR'
    : 'SLIPWAY_DATABASE_URL';

const blobSetting = ({ blobs, dataFolder }: Config) =>
  blobs.kind === 'disk' && blobs.folder === join(dataFolder, 'blobs')
    ? 'SLIPWAY_DATA_DIR'
    : 'SLIPWAY_BLOB_URL';

/** Locks the data folder and the database, opens the database, and passes both on. Releases them when `compose` fails. */
export async function openInstallation<T>(
  config: Config,
  { pid, observe }: { pid: number | null; observe: ObserveQuery },
  compose: (opened: { database: Database; locks: ProcessLock }) => Promise<T>,
): Promise<T> {
  await prepareDataFolder(config);
  const locks = await needs('the lock of the database', databaseSetting(config), () =>
    takeServerLocks(config.dataFolder, config.database, pid),
  );
  let database: Database | null = null;
  try {
    database = await needs('the database', databaseSetting(config), () =>
      openDatabase(config.database, observe),
    );
    return await compose({ database, locks });
  } catch (error) {
    await database?.close();
    locks.release();
    throw error;
  }
}

/** Creates the data folder, for this account only, and proves that uploads can be received into it. */
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
export async function proveWriting(config: Config, data: Data, blobs: BlobStore, now: number): Promise<void> {
  await needs('the database', databaseSetting(config), () =>
    data.transaction((inside) => doctorQueries(inside).proveWriting(now)),
  );
  const subject = config.blobs.kind === 'disk' ? `the folder ${config.blobs.folder}` : 'the file store';
  await needs(subject, blobSetting(config), () => blobs.check());
}
