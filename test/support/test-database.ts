/** A fresh database of each kind, so that the same tests run on all of them. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import type { DatabaseConfig } from '../../src/db/database.ts';
import { runsEveryPair } from './runs-every-pair.ts';

/** For tests of queries, transactions, locks and races. */
export const dialects = ['sqlite', 'postgres'] as const;
export type DialectName = (typeof dialects)[number];

/** For tests of layers above the queries, which cannot distinguish the dialects: `npm run test:all` runs them on each. */
export const mainDialects: readonly DialectName[] = runsEveryPair ? dialects : ['sqlite'];

export interface TestDatabase {
  config: DatabaseConfig;
  /** Value of SLIPWAY_DATABASE_URL, for separate processes. */
  url: string;
  remove(): Promise<void>;
}

/** A copy of the run's template, at the current schema; without tables in projects that start no PostgreSQL. */
export async function createTestDatabase(dialect: DialectName): Promise<TestDatabase> {
  const templates = inject('templates');
  if (dialect === 'postgres') return createPostgresDatabase(inject('postgresUrl'), templates?.postgres);
  const database = await createEmptyDatabase('sqlite');
  if (templates && database.config.kind === 'sqlite')
    await copyFile(templates.sqlite, database.config.path, constants.COPYFILE_FICLONE);
  return database;
}

/** Without any tables. */
export async function createEmptyDatabase(dialect: DialectName): Promise<TestDatabase> {
  if (dialect === 'postgres') return createPostgresDatabase(inject('postgresUrl'));
  const folder = await mkdtemp(join(tmpdir(), 'slipway-sqlite-'));
  const path = join(folder, 'test.sqlite');
  return {
    config: { kind: 'sqlite', path },
    url: `sqlite:${path}`,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A separate database on a running server, empty or a copy of the database `template`. */
export async function createPostgresDatabase(server: string, template = 'template1'): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onServer(server, `create database ${name} template ${template}`);
  const url = server.replace(/\/postgres$/, `/${name}`);
  return {
    config: { kind: 'postgres', url, maxConnections: 10 },
    url,
    remove: () => onServer(server, `drop database ${name} with (force)`),
  };
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
