/** Simulates a second node: the same PostgreSQL database (SQLite allows one server) and a separate scratch folder. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { readConfig } from '../../src/config.ts';
import { createService } from '../../src/service.ts';
import { sharedPackageReader } from './shared-package-reader.ts';
import type { TestService } from './test-service.ts';

export async function openSecondNode(
  first: Pick<TestService, 'config' | 'blobs'>,
  settings: Record<string, string>,
  now: () => number,
): Promise<{ port: number; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-second-'));
  const own = readConfig({ SLIPWAY_DATA_DIR: folder, SLIPWAY_PORT: '0', ...settings });
  // All nodes of an installation have the same secret.
  const secret =
    own.secret ??
    first.config.secret ??
    (await readFile(join(first.config.dataFolder, 'secret'), 'utf8')).trim();
  const config = { ...own, secret, database: first.config.database };
  const parts = {
    logger: pino({ level: 'silent' }),
    blobs: first.blobs,
    packages: sharedPackageReader(),
    now,
  };
  const service = await createService(config, parts);
  const { port } = await service.listen();
  return {
    port,
    close: async () => {
      await service.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
