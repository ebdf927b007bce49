/** Commands work on the data of the same settings as the server, while it runs or not. */
import { access, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createIssueKey, type IssueKey } from '../access/issue-key.ts';
import { makeDurableFolder } from '../blobs/durable-folders.ts';
import { type Config, readConfig } from '../config.ts';
import { createData, type Data } from '../data.ts';
import { type CopiedRows, type CopyRowsOptions, copyRows, tablesInUse } from '../db/copy-rows.ts';
import type { Database, DatabaseConfig } from '../db/database.ts';
import { migrate, requireCurrentSchema } from '../db/migrate.ts';
import { openAlone } from '../db/open-alone.ts';
import { openDatabase } from '../db/open-database.ts';
import { conflict, reasonOf, unavailable } from '../errors.ts';
import { createOwnerMaker, type OwnerMaker } from '../owners/make-owners.ts';
import type { CommandIo } from './command-io.ts';

export interface CommandData {
  config: Config;
  data: Data;
  owners: OwnerMaker;
  issueKey: IssueKey;
  /** Names of the migrations that were applied now. */
  migrated: string[];
}

export async function withData<T>(io: CommandIo, work: (parts: CommandData) => Promise<T>): Promise<T> {
  const config = readConfig(io.environment);
  await mkdir(config.dataFolder, { recursive: true, mode: 0o700 });
  const database = await openDatabase(config.database);
  try {
    const migrated = await migrate(database);
    const data = createData(database);
    const now = Date.now;
    return await work({
      config,
      data,
      migrated,
      owners: createOwnerMaker({ data, now }),
      issueKey: createIssueKey({ data, now }),
    });
  } finally {
    await database.close();
  }
}

/** A copy of the embedded database, as of one moment, while the server runs; and the check of one that is there. */
export { checkSqlite, copySqlite } from '../db/copy-sqlite.ts';
export { findLockHolder, serverLockPath, takeProcessLock } from '../db/process-lock.ts';

/** The data as they lie there: makes nothing and migrates nothing. Rejects with `unavailable` when there is no database. */
export async function openPresentData(config: Config): Promise<{ data: Data; close(): Promise<void> }> {
  await requirePresent(config.database);
  const database = await openDatabase(config.database);
  return { data: createData(database), close: () => database.close() };
}

/** What is to be left for another place. */
export interface LeftData {
  data: Data;
  /** Rejects with `conflict` unless the target holds nothing; when it rejects, the target holds no row. */
  copyTo(target: EmptyData, onRows?: (rows: number) => void): Promise<CopiedRows>;
  close(): Promise<void>;
}

/**
 * The data as they lie there, at this program's schema. With `alone` nobody else may have them open, else it rejects
 * with `conflict`; and nobody gets them open before they are closed, where the database can hold to that.
 */
export async function openLeftData(config: Config, alone: boolean): Promise<LeftData> {
  await requirePresent(config.database);
  const { database, requireAlone } = alone
    ? await openAlone(config.database)
    : { database: await openDatabase(config.database), requireAlone: async () => undefined };
  try {
    await requireCurrentSchema(database);
    const copyTo = async ({ database: target }: EmptyData, onRows?: CopyRowsOptions['onRows']) =>
      copyRows(database, target, { onRows, beforeCommit: requireAlone });
    return { data: createData(database), copyTo, close: () => database.close() };
  } catch (error) {
    await database.close();
    throw error;
  }
}

export interface EmptyData {
  database: Database;
  close(): Promise<void>;
}

/** A database without a row, brought to this program's schema. Rejects with `conflict` when there is one, and then changes nothing. */
export async function openEmptyData(config: DatabaseConfig): Promise<EmptyData> {
  const database = await openTarget(config);
  try {
    const used = await tablesInUse(database).catch((error) => {
      throw unavailable(`the target database cannot be used: ${reasonOf(error)}`, error);
    });
    if (used.length > 0) {
      throw conflict(`the target database is not empty, it holds ${used.slice(0, 5).join(', ')}`);
    }
    await migrate(database);
    return { database, close: () => database.close() };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function openTarget(config: DatabaseConfig): Promise<Database> {
  if (config.kind === 'sqlite') await makeDurableFolder(dirname(config.path));
  return openDatabase(config);
}

async function requirePresent(config: DatabaseConfig): Promise<void> {
  if (config.kind !== 'sqlite') return;
  await access(config.path).catch((error) => {
    throw unavailable(`there is no database at ${config.path}`, error);
  });
}
