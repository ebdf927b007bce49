/** Migrates one database of each kind for the whole run. Tests get copies, which cost less than twenty migrations each. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { createPostgresDatabase } from './test-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of a file, and name of a database on the run's server; projects that start no server have none. */
    templates?: { sqlite: string; postgres: string };
  }
}

/** Needs the server of `start-postgres.ts`, which removes the database with itself. */
export default async function migrateTemplates(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-template-'));
  const sqlite = join(folder, 'template.sqlite');
  const postgres = await createPostgresDatabase(project.getProvidedContext().postgresUrl);
  for (const config of [{ kind: 'sqlite', path: sqlite } as const, postgres.config]) {
    const database = await openDatabase(config);
    await migrate(database, () => 0);
    await database.close();
  }
  project.provide('templates', { sqlite, postgres: new URL(postgres.url).pathname.slice(1) });
  return () => rm(folder, { recursive: true, force: true });
}
