/** A fresh database of each kind, so that the same tests run on all of them. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import type { DatabaseConfig } from '../../src/db/database.ts';

export const dialects = ['sqlite', 'postgres'] as const;
export type DialectName = (typeof dialects)[number];

export interface TestDatabase {
  config: DatabaseConfig;
  /** Value of SLIPWAY_DATABASE_URL, for separate processes. */
  url: string;
  remove(): Promise<void>;
}

export async function createTestDatabase(dialect: DialectName): Promise<TestDatabase> {
  if (dialect === 'sqlite') {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-sqlite-'));
    const path = join(folder, 'test.sqlite');
    return {
      config: { kind: 'sqlite', path },
      url: `sqlite:${path}`,
      remove: () => rm(folder, { recursive: true, force: true }),
    };
  }
  return createPostgresDatabase(inject('postgresUrl'));
}

/** Creates a separate database on a running server. */
export async function createPostgresDatabase(server: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onServer(server, `create database ${name}`);
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
