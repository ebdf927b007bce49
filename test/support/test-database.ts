/** A fresh database of each kind, so that the same tests run on all of them. */
import { constants } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseConfig } from '../../src/db/database.ts';
import { createPostgresDatabase } from './create-postgres-database.ts';
import { runsEverything } from './runs-everything.ts';
import { shared } from './shared-servers.ts';

export type DialectName = 'sqlite' | 'postgres';

/** For tests of queries, transactions, locks and races; the layers above cannot tell the dialects apart. */
export const dialects: readonly DialectName[] = runsEverything ? ['sqlite', 'postgres'] : ['sqlite'];

export interface TestDatabase {
  config: DatabaseConfig;
  /** Value of SLIPWAY_DATABASE_URL, for separate processes. */
  url: string;
  remove(): Promise<void>;
}

/** A copy of the run's template, at the current schema. */
export async function createTestDatabase(dialect: DialectName): Promise<TestDatabase> {
  if (dialect === 'postgres')
    return createPostgresDatabase(await shared('postgres'), await shared('postgresTemplate'));
  const database = await createEmptyDatabase('sqlite');
  if (database.config.kind === 'sqlite')
    await copyFile(await shared('sqliteTemplate'), database.config.path, constants.COPYFILE_FICLONE);
  return database;
}

/** Without any tables. */
export async function createEmptyDatabase(dialect: DialectName): Promise<TestDatabase> {
  if (dialect === 'postgres') return createPostgresDatabase(await shared('postgres'));
  const folder = await mkdtemp(join(tmpdir(), 'slipway-sqlite-'));
  const path = join(folder, 'test.sqlite');
  return {
    config: { kind: 'sqlite', path },
    url: `sqlite:${path}`,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
