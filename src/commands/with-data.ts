/** Commands work on the data of the same settings as the server, while it runs or not. */
import { access, mkdir } from 'node:fs/promises';
import { createIssueKey, type IssueKey } from '../access/issue-key.ts';
import { type Config, readConfig } from '../config.ts';
import { createData, type Data } from '../data.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/open-database.ts';
import { unavailable } from '../errors.ts';
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

/** The data as they lie there: makes nothing and migrates nothing. Rejects with `unavailable` when there is no database. */
export async function openPresentData(config: Config): Promise<{ data: Data; close(): Promise<void> }> {
  const { database: wanted } = config;
  if (wanted.kind === 'sqlite') {
    await access(wanted.path).catch((error) => {
      throw unavailable(`there is no database at ${wanted.path}`, error);
    });
  }
  const database = await openDatabase(wanted);
  return { data: createData(database), close: () => database.close() };
}
