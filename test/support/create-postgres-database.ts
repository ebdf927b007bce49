/** Databases on a running PostgreSQL server. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { TestDatabase } from './test-database.ts';

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
