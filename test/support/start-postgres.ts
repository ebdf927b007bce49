/** One real PostgreSQL for the whole test run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

export interface LaunchedServer<Facts> {
  facts: Facts;
  stop(): Promise<void>;
}

export default async function startPostgres(project: TestProject) {
  const { facts, stop } = await launchPostgres();
  project.provide('postgresUrl', facts);
  return stop;
}

/** Returns its address. */
export async function launchPostgres(): Promise<LaunchedServer<string>> {
  const program = fileURLToPath(new URL('./postgres-server.ts', import.meta.url));
  const server = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(server, 'exit');
  const lines = createInterface(server.stdout);
  const [url] = await Promise.race([once(lines, 'line'), ended]);
  if (typeof url !== 'string') throw new Error('PostgreSQL did not start');
  return {
    facts: url,
    stop: async () => {
      server.stdin.end();
      await ended;
    },
  };
}
