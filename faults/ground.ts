/** The environment of a scenario: an empty installation with one pair of database and blob store. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createServer, type ViteDevServer } from 'vite';
import { type Config, readConfig } from '../src/config.ts';
import { createPostgresDatabase } from '../test/support/create-postgres-database.ts';
import { createInstallationOn, type Installation } from '../test/support/run-cli.ts';
import { createS3ScratchOn, type S3Scratch, type S3Service } from '../test/support/s3-scratch.ts';

export const storesNames = ['sqlite+disk', 'postgres+disk', 'postgres+s3'] as const;
export type StoresName = (typeof storesNames)[number];

/** The database and S3 servers; null: not available on this machine. */
export interface Servers {
  postgresUrl: string | null;
  s3: S3Service | null;
}

export interface Ground extends Installation {
  stores: StoresName;
  /** Settings for every process of the installation. */
  config(): Config;
  s3: S3Scratch | null;
  /** Whether times that are stored can go back. */
  clockJumps?: boolean;
}

export const adminKey = 'key-of-the-administrator-under-faults';
export const adminPassword = 'a password for the faults';

/** Whether the servers that these stores need are available. */
export function hasStores(servers: Servers, stores: StoresName): boolean {
  const needsPostgres = stores !== 'sqlite+disk';
  return (
    (!needsPostgres || servers.postgresUrl !== null) && (stores !== 'postgres+s3' || servers.s3 !== null)
  );
}

export async function createGround(
  servers: Servers,
  stores: StoresName,
  settings: Record<string, string> = {},
): Promise<Ground> {
  const s3 = stores === 'postgres+s3' && servers.s3 ? await createS3ScratchOn(servers.s3) : null;
  const database =
    stores !== 'sqlite+disk' && servers.postgresUrl
      ? await createPostgresDatabase(servers.postgresUrl)
      : null;
  const installation = await createInstallationOn(
    database ?? { config: { kind: 'sqlite', path: '' }, url: '' },
    {
      SLIPWAY_ADMIN_API_KEY: adminKey,
      SLIPWAY_ADMIN_PASSWORD: adminPassword,
      // Hundreds of kills upload more within an hour than a team does.
      SLIPWAY_UPLOADS_PER_HOUR_BY_KEY: '1000000000',
      SLIPWAY_UPLOADS_PER_HOUR_BY_OWNER: '1000000000',
      ...s3?.settings,
      ...settings,
    },
    database?.remove,
  );
  installation.environment.SLIPWAY_AUDIT_STREAM ??= auditStreamIn(installation.folder);
  return {
    ...installation,
    stores,
    s3,
    config: () => readConfig(installation.environment),
    remove: async () => {
      await installation.remove();
      await s3?.remove();
    },
  };
}

/** The setting that streams the audit log to a file in the folder, where all nodes write. */
export const auditStreamIn = (folder: string) => pathToFileURL(join(folder, 'audit.jsonl')).href;

/** The composed service, for scenarios that replace a part such as the clock. */
export async function loadService(): Promise<typeof import('../src/service.ts')> {
  // Node itself cannot load the pages. The loader stays open, because the service imports some modules when it needs them.
  if (process.env.VITEST) return import('../src/service.ts');
  loader ??= createServer({
    configFile: false,
    appType: 'custom',
    server: { middlewareMode: true, hmr: false, watch: null },
    optimizeDeps: { noDiscovery: true },
  });
  return (await (await loader).ssrLoadModule('/src/service.ts')) as typeof import('../src/service.ts');
}

let loader: Promise<ViteDevServer> | null = null;
