/** Opens the data of an installation for a command, whether or not its server is running. */
import { access, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createIssueKey, type IssueKey } from '../accounts/keys/issue-key.ts';
import { adjustClock, createSharedClock } from '../claims/shared-clock.ts';
import { type Config, readConfig } from '../config.ts';
import { createDurableFolder } from '../core/durable-folders.ts';
import { type AppError, conflict, reasonOf, unavailable } from '../core/errors.ts';
import { type CopiedRows, type CopyRowsOptions, copyRows, tablesInUse } from '../db/copy-rows.ts';
import { createData, type Data } from '../db/data.ts';
import type { Database, DatabaseConfig } from '../db/database.ts';
import { hasSchema, migrate, requireCurrentSchema } from '../db/migrate.ts';
import { openDatabase } from '../db/open-database.ts';
import { openExclusively } from '../db/open-exclusive.ts';
import { createOwnerOperations, type OwnerOperations } from '../owners/create-owners.ts';
import type { CommandIo } from './command-io.ts';
import { defaultSettingsFile, installedEnvironment, recordSettingsFile } from './settings-file.ts';

export interface CommandData {
  config: Config;
  data: Data;
  owners: OwnerOperations;
  issueKey: IssueKey;
  /** The time of the servers, see `claims/shared-clock.ts`. */
  now: () => number;
  /** Names of the migrations that were applied now. */
  migrated: string[];
}

/** Opens the existing installation and migrates it to this program's schema. Rejects with `unavailable` if there is none. */
export async function withData<T>(io: CommandIo, work: (parts: CommandData) => Promise<T>): Promise<T> {
  const config = await readInstalledConfig(io);
  const database = await openDatabase(config.database);
  try {
    return await work(await partsOf(config, database));
  } finally {
    await database.close();
  }
}

/** Like `withData`, but creates a missing installation. */
export async function withNewData<T>(io: CommandIo, work: (parts: CommandData) => Promise<T>): Promise<T> {
  const config = readConfig(io.environment);
  await mkdir(config.dataFolder, { recursive: true, mode: 0o700 });
  await recordSettingsFile(io, config.dataFolder);
  const database = await openDatabase(config.database);
  try {
    return await work(await partsOf(config, database));
  } finally {
    await database.close();
  }
}

async function partsOf(config: Config, database: Database): Promise<CommandData> {
  const migrated = await migrate(database);
  const data = createData(database);
  const clock = createSharedClock(Date.now);
  if (database.dialect === 'postgres') await adjustClock(data, clock);
  const { now } = clock;
  const owners = createOwnerOperations({ data, now });
  return { config, data, now, migrated, owners, issueKey: createIssueKey({ data, now }) };
}

/** Returns the settings of the existing installation. Rejects with `unavailable` if its database does not exist. */
export async function readInstalledConfig(io: CommandIo): Promise<Config> {
  const config = readConfig(await installedEnvironment(io));
  await requireInstallation(io, config);
  return config;
}

/** Opens nothing and creates nothing. */
export async function requireDatabaseFile(io: CommandIo, config: Config): Promise<void> {
  if (config.database.kind !== 'sqlite') return;
  const facts = await stat(config.database.path).catch(() => null);
  if (!facts?.size) throw noInstallation(io, config);
}

/** Creates nothing. If the database does not respond, the command reports that later. */
async function requireInstallation(io: CommandIo, config: Config): Promise<void> {
  await requireDatabaseFile(io, config);
  const database = await openDatabase(config.database);
  const known = await hasSchema(database)
    .catch(() => true)
    .finally(() => database.close());
  if (!known) throw noInstallation(io, config);
}

function noInstallation(io: CommandIo, { database, dataFolder }: Config): AppError {
  const place = database.kind === 'sqlite' ? `at ${database.path}` : 'on the PostgreSQL server';
  const named = ['SLIPWAY_DATA_DIR', 'SLIPWAY_DATABASE_URL'].filter((name) => io.environment[name]?.trim());
  const settings = [io.settingsFile ?? 'no settings file', ...named].join(', ');
  const fallback = io.settingsFile === defaultSettingsFile ? null : defaultSettingsFile;
  const hint = fallback
    ? `Start the server first, or name its settings: SLIPWAY_ENV_FILE=${fallback} slipway …`
    : 'Start the server first.';
  return unavailable(
    `no Slipway database ${place} (data folder: ${dataFolder}; settings: ${settings})\n${hint}`,
  );
}

export { checkSqlite, copySqlite } from '../db/copy-sqlite.ts';
export { acquireProcessLock, findLockHolder, serverLockPath } from '../db/process-lock.ts';

/** Opens the data without creating or migrating anything. Rejects with `unavailable` if there is no database. */
export async function openExistingData(config: Config): Promise<{ data: Data; close(): Promise<void> }> {
  await requireExisting(config.database);
  const database = await openDatabase(config.database);
  return { data: createData(database), close: () => database.close() };
}

/** Data to be moved to another location. */
export interface SourceData {
  data: Data;
  /** Rejects with `conflict` unless the target is empty. After a rejection, the target has no rows. */
  copyTo(target: EmptyData, onRows?: (rows: number) => void): Promise<CopiedRows>;
  close(): Promise<void>;
}

/**
 * Opens existing data that has this program's schema. With `alone`, rejects with `conflict` if another process has it
 * open, and prevents others from opening it until it is closed, if the database supports that.
 */
export async function openSourceData(io: CommandIo, config: Config, alone: boolean): Promise<SourceData> {
  await requireDatabaseFile(io, config);
  const { database, requireExclusive } = alone
    ? await openExclusively(config.database)
    : { database: await openDatabase(config.database), requireExclusive: async () => undefined };
  try {
    if (!(await hasSchema(database))) throw noInstallation(io, config);
    await requireCurrentSchema(database);
    const copyTo = async ({ database: target }: EmptyData, onRows?: CopyRowsOptions['onRows']) =>
      copyRows(database, target, { onRows, beforeCommit: requireExclusive });
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

/** Opens an empty database and migrates it to this program's schema. Rejects with `conflict`, without changes, if it has rows. */
export async function openEmptyData(config: DatabaseConfig): Promise<EmptyData> {
  const database = await openTarget(config);
  try {
    const used = await tablesInUse(database).catch((error) => {
      throw unavailable(`the target database cannot be used: ${reasonOf(error)}`, error);
    });
    if (used.length > 0) {
      throw conflict(`the target database is not empty, it contains ${used.slice(0, 5).join(', ')}`);
    }
    await migrate(database);
    return { database, close: () => database.close() };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function openTarget(config: DatabaseConfig): Promise<Database> {
  if (config.kind === 'sqlite') await createDurableFolder(dirname(config.path));
  return openDatabase(config);
}

async function requireExisting(config: DatabaseConfig): Promise<void> {
  if (config.kind !== 'sqlite') return;
  await access(config.path).catch((error) => {
    throw unavailable(`there is no database at ${config.path}`, error);
  });
}
