/** The composed service on a free port, with a fresh database and data folder, and access to its stored data. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import pino, { type Logger } from 'pino';
import { createIssueKey } from '../../src/accounts/keys/issue-key.ts';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import { createMemoryBlobStore } from '../../src/blobs/memory-blob-store.ts';
import { type Config, type Limits, readConfig } from '../../src/config.ts';
import type { OutboundEnvironment } from '../../src/core/outbound/outbound-target.ts';
import type { Mailer } from '../../src/mail/mailer.ts';
import { createOwnerOperations, type OwnerOperations } from '../../src/owners/create-owners.ts';
import { createService, type Service } from '../../src/service.ts';
import { type TestQueries, withEveryQuery } from './every-query.ts';
import { createS3Scratch } from './s3-service.ts';
import { sharedPackageReader } from './shared-package-reader.ts';
import type { BlobsName } from './stores.ts';
import { createTestDatabase, type DialectName } from './test-database.ts';

export interface TestServiceOptions {
  dialect?: DialectName;
  /** Disk by default. */
  blobs?: BlobsName;
  settings?: Record<string, string>;
  limits?: Partial<Limits>;
  now?: () => number;
  /** Silent by default. */
  logger?: Logger;
  /** Replaces the mail server of the settings. */
  mailer?: Mailer;
  /** Whether packages are read by processes of this service, which end with it, not by those that tests share. */
  ownPackageProcesses?: boolean;
  /** Replaces the internet for requests to addresses that people enter. */
  outbound?: Partial<OutboundEnvironment>;
}

export interface TestService {
  origin: string;
  port: number;
  config: Config;
  service: Service;
  data: TestQueries;
  owners: OwnerOperations;
  blobs: BlobStore;
  /** API key of the administrator `admin`. */
  adminKey: string;
  /** Creates a User with the password `correct horse battery` and returns its API key. */
  user(name: string): Promise<string>;
  project(name: string, options?: { workspace?: string; members?: Record<string, string> }): Promise<void>;
  projectKey(name: string): Promise<string>;
  workspace(name: string, ownerName: string, displayName?: string): Promise<unknown>;
  /** Adds a user to a team of a Project at once. */
  join(projectName: string, team: string, userName: string): Promise<unknown>;
  /** Everything that a refused request must not change. */
  leftBehind(): Promise<{ blobs: string[]; spool: string[]; builds: number; apps: number; pages: number }>;
  close(): Promise<void>;
}

export const testAdminKey = 'slw_test-key-of-the-administrator';
export const testPassword = 'correct horse battery';
/** A hash states its cost, so that people of tests sign in without the cost that a password deserves. */
export const hashCheaply = (password: string) =>
  hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 });
export const testPasswordHash = await hashCheaply(testPassword);

export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-test-'));
  const database = await createTestDatabase(options.dialect ?? 'sqlite');
  const s3 = options.blobs?.startsWith('s3') ? await createS3Scratch() : null;
  const config = readConfig({
    SLIPWAY_DATA_DIR: folder,
    SLIPWAY_PORT: '0',
    SLIPWAY_ADMIN_API_KEY: testAdminKey,
    SLIPWAY_ADMIN_PASSWORD: testPassword,
    ...s3?.settings,
    ...(options.blobs === 's3-streamed'
      ? { SLIPWAY_BLOB_URL: `${s3?.settings.SLIPWAY_BLOB_URL}&links=false` }
      : {}),
    ...options.settings,
  });
  config.database = database.config;
  Object.assign(config.limits, options.limits);
  const memory = options.blobs === 'memory' ? createMemoryBlobStore() : null;
  const service = await createService(config, {
    logger: options.logger ?? pino({ level: 'silent' }),
    ...(memory ? { blobs: memory } : {}),
    ...(options.ownPackageProcesses ? {} : { packages: sharedPackageReader() }),
    ...(options.now ? { now: options.now } : {}),
    ...(options.mailer ? { mailer: options.mailer } : {}),
    ...(options.outbound ? { outbound: options.outbound } : {}),
  });
  const { port } = await service.listen();
  const { blobs } = service;
  const data = withEveryQuery(service.data);
  const now = options.now ?? Date.now;
  const owners = createOwnerOperations({ data, now });
  const issueKey = createIssueKey({ data, now });
  const keyOf = async (ownerKind: 'user' | 'project', ownerName: string) => {
    const request = { ownerKind, ownerName, name: 'test', expiresAt: null, by: 'command-line' } as const;
    return (await issueKey({ ...request, notify: false })).key;
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    config,
    service,
    data,
    owners,
    blobs,
    adminKey: testAdminKey,
    user: async (name) => {
      await owners.createUser({
        name,
        email: `${name}@example.com`,
        passwordHash: testPasswordHash,
        administrator: false,
        by: 'command-line',
      });
      return keyOf('user', name);
    },
    project: async (name, { workspace, members = {} } = {}) => {
      const existing = workspace ? await data.owners.findWorkspace(workspace) : null;
      if (workspace && !existing) {
        await owners.createWorkspace({
          name: workspace,
          displayName: null,
          iconUrl: null,
          ownerName: null,
          by: 'command-line',
        });
      }
      await owners.createProject({
        name,
        description: `The Project ${name}`,
        workspaceName: workspace ?? null,
        ownerName: null,
        by: 'command-line',
      });
      for (const [userName, team] of Object.entries(members)) {
        const change = { projectName: name, team, userName, by: 'command-line' } as const;
        await owners.addToTeam({ ...change, notify: false });
      }
    },
    projectKey: (name) => keyOf('project', name),
    workspace: (name, ownerName, displayName) =>
      owners.createWorkspace({
        name,
        ownerName,
        displayName: displayName ?? null,
        iconUrl: null,
        by: 'command-line',
      }),
    join: (projectName, team, userName) =>
      owners.addToTeam({ projectName, team, userName, by: 'command-line' }),
    leftBehind: async () => {
      // Jobs of earlier uploads read packages in the spool.
      await service.outbox.idle();
      const keys: string[] = [];
      for await (const blob of blobs.list('')) keys.push(blob.key);
      for (const key of (await s3?.uploads()) ?? []) keys.push(`begun: ${key}`);
      const wrong = await data.quotas.countWrongTotals();
      if (wrong > 0) throw new Error(`${wrong} totals differ from what is stored`);
      return {
        blobs: keys.sort(),
        spool: [
          ...(await filesIn(join(folder, 'spool'))),
          ...(await filesIn(join(folder, 'blobs', '.incoming'))),
        ],
        ...(await data.builds.countRows()),
      };
    },
    close: async () => {
      await service.close();
      await database.remove();
      await s3?.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return found.flatMap((one) => (one.isFile() ? [one.name] : [])).sort();
}
