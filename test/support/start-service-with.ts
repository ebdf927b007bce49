/** The composed service on a database that the test provides. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { type Config, readConfig } from '../../src/config.ts';
import type { DatabaseConfig } from '../../src/db/database.ts';
import { createService, type Parts, type Service } from '../../src/service.ts';
import { sharedPackageReader } from './shared-package-reader.ts';

export interface ServiceOnDatabase {
  origin: string;
  adminKey: string;
  config: Config;
  service: Service;
  close(): Promise<void>;
}

export async function startServiceOn(
  database: DatabaseConfig,
  parts: Partial<Parts> = {},
): Promise<ServiceOnDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-service-on-'));
  const adminKey = 'key-of-the-administrator';
  const settings = {
    SLIPWAY_DATA_DIR: folder,
    SLIPWAY_PORT: '0',
    SLIPWAY_ADMIN_API_KEY: adminKey,
    // Several services share a database.
    SLIPWAY_SECRET: 'the secret of every service of a test',
  };
  const config = { ...readConfig(settings), database };
  const service = await createService(config, {
    logger: pino({ level: 'silent' }),
    packages: sharedPackageReader(),
    ...parts,
  });
  const { port } = await service.listen();
  return {
    origin: `http://127.0.0.1:${port}`,
    adminKey,
    config,
    service,
    close: async () => {
      await service.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
