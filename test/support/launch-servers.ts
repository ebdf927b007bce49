/** Starts real servers for tests, in processes that end with the one that started them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { S3Service } from './s3-scratch.ts';

export interface LaunchedServer<Facts> {
  facts: Facts;
  stop(): Promise<void>;
}

const s3Programs = ['radosgw', 'radosgw-admin', 'ceph-mon', 'ceph-osd', 'ceph', 'monmaptool'];

/** Whether this machine can run the tests that need S3; `npm test` reports what is missing. */
export const hasS3 = s3Programs.every((program) => existsSync(`/usr/bin/${program}`));

/** Its address. */
export function launchPostgres(): Promise<LaunchedServer<string>> {
  return launch('./postgres-server.ts', 'PostgreSQL', (line) => line);
}

/** Ready for requests a few seconds later. Null if Ceph is not installed. */
export async function launchRadosgw(): Promise<LaunchedServer<S3Service> | null> {
  if (!hasS3) return null;
  return launch('./radosgw-server.ts', 'radosgw', (line) => JSON.parse(line));
}

async function launch<Facts>(
  program: string,
  name: string,
  read: (line: string) => Facts,
): Promise<LaunchedServer<Facts>> {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const server = spawn(process.execPath, [path], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(server, 'exit');
  const [line] = await Promise.race([once(createInterface(server.stdout), 'line'), ended]);
  if (typeof line !== 'string') throw new Error(`${name} did not start`);
  return {
    facts: read(line),
    stop: async () => {
      server.stdin.end();
      const [code] = await ended;
      if (code !== 0) throw new Error(`${name} ended with ${code}`);
    },
  };
}
