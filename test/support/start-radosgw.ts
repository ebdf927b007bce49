/** One real S3 service for the whole test run, if Ceph is installed; it starts while the first tests run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import type { S3Service } from './s3-scratch.ts';
import type { LaunchedServer } from './start-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    s3: S3Service | null;
  }
}

const programs = ['radosgw', 'radosgw-admin', 'ceph-mon', 'ceph-osd', 'ceph', 'monmaptool'];

export default async function startRadosgw(project: TestProject) {
  const launched = await launchRadosgw();
  project.provide('s3', launched?.facts ?? null);
  return launched?.stop;
}

/** Null if Ceph is not installed. */
export async function launchRadosgw(): Promise<LaunchedServer<S3Service> | null> {
  if (!programs.every((program) => existsSync(`/usr/bin/${program}`))) return null;
  const program = fileURLToPath(new URL('./radosgw-server.ts', import.meta.url));
  const server = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(server, 'exit');
  const [line] = await Promise.race([once(createInterface(server.stdout), 'line'), ended]);
  if (typeof line !== 'string') throw new Error('radosgw did not start');
  return {
    facts: JSON.parse(line) as S3Service,
    stop: async () => {
      server.stdin.end();
      const [code] = await ended;
      if (code !== 0) throw new Error(`radosgw ended with ${code}`);
    },
  };
}
