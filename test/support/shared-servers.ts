/**
 * Services that all tests of a run share: a PostgreSQL, an S3 service, and a migrated database of each kind to copy. Each starts when a test
 * first asks for it, so that a run of one file starts only what it uses. Global setup of vitest listens; test processes ask.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import type { DatabaseConfig } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { createPostgresDatabase } from './create-postgres-database.ts';
import { type LaunchedServer, launchPostgres, launchRadosgw } from './launch-servers.ts';
import type { S3Service } from './s3-scratch.ts';

declare module 'vitest' {
  interface ProvidedContext {
    sharedServers: string;
  }
}

interface Shared {
  /** Address of the server. */
  postgres: string;
  /** Name of a database at the current schema, on that server. */
  postgresTemplate: string;
  /** Path of a database file at the current schema. */
  sqliteTemplate: string;
  s3: S3Service;
}

export async function shared<Name extends keyof Shared>(name: Name): Promise<Shared[Name]> {
  const answer = await fetch(`${inject('sharedServers')}/${name}`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return JSON.parse(text);
}

export default async function shareServers(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-shared-'));
  const stops: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const launched = async <Facts>(launching: Promise<LaunchedServer<Facts> | null>) => {
    const server = await launching;
    if (!server) throw new Error('a program that the tests need is missing');
    stops.push(server.stop);
    return server.facts;
  };
  const starts: { [Name in keyof Shared]: () => Promise<Shared[Name]> } = {
    postgres: () => launched(launchPostgres()),
    s3: () => launched(launchRadosgw()),
    postgresTemplate: async () => {
      const { config, url } = await createPostgresDatabase(await once('postgres'));
      await migrateFully(config);
      return new URL(url).pathname.slice(1);
    },
    sqliteTemplate: async () => {
      const path = join(folder, 'template.sqlite');
      await migrateFully({ kind: 'sqlite', path });
      return path;
    },
  };
  const started = new Map<keyof Shared, Promise<unknown>>();
  const once = <Name extends keyof Shared>(name: Name): Promise<Shared[Name]> => {
    const start = started.get(name) ?? starts[name]();
    started.set(name, start);
    return start as Promise<Shared[Name]>;
  };
  const broker = createServer(async ({ url = '/' }, response) => {
    // A worker that ran a program for longer than a connection is kept would ask on a closed one.
    response.setHeader('connection', 'close');
    try {
      response.end(JSON.stringify(await once(url.slice(1) as keyof Shared)));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await new Promise<void>((resolve) => broker.listen(0, '127.0.0.1', resolve));
  project.provide('sharedServers', `http://127.0.0.1:${(broker.address() as AddressInfo).port}`);
  return async () => {
    broker.close();
    broker.closeAllConnections();
    await Promise.allSettled(started.values());
    for (const stop of stops.reverse()) await stop();
  };
}

async function migrateFully(config: DatabaseConfig): Promise<void> {
  const database = await openDatabase(config);
  await migrate(database, () => 0);
  await database.close();
}
