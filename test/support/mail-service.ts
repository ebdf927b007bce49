/** The composed service with mail: several users, builds for both platforms, and a clock that tests advance. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { readConfig } from '../../src/config.ts';
import type { MailState } from '../../src/mail/mail.ts';
import type { Mailer } from '../../src/mail/mailer.ts';
import { createOwnerOperations } from '../../src/owners/create-owners.ts';
import type { User } from '../../src/owners/owner.ts';
import { createService } from '../../src/service.ts';
import { buildApk } from './build-apk.ts';
import { buildIpa } from './build-ipa.ts';
import { withEveryQuery } from './every-query.ts';
import { sharedPackageReader } from './shared-package-reader.ts';
import { createTestDatabase, type DialectName } from './test-database.ts';
import { type TestService, testAdminKey, testPassword } from './test-service.ts';

export const mailSettings = {
  SLIPWAY_URL: 'https://apps.example.com',
  SLIPWAY_SMTP_URL: 'smtp://mail.example.com',
  SLIPWAY_MAIL_FROM: 'Slipway <builds@apps.example.com>',
};

export const ipa = buildIpa({
  bundleIdentifier: 'com.example.tidewatch',
  name: 'Tidewatch',
  shortVersion: '2.4.1',
  version: '400',
});
export const apk = buildApk({
  packageName: 'com.example.tidewatch',
  label: 'Tidewatch',
  versionName: '2.4.1',
  versionCode: 400,
});

/** Adds a user without a password, because hashing takes time. */
export async function addPerson(
  slipway: Pick<TestService, 'data'>,
  name: string,
  email: string | null = `${name}@example.com`,
): Promise<User> {
  const owners = createOwnerOperations({ data: slipway.data, now: () => 1 });
  return owners.createUser({ name, email, passwordHash: null, administrator: false, by: 'command-line' });
}

/** Runs all due jobs until each is done or postponed. */
export async function settleOutbox(slipway: Pick<TestService, 'service'>): Promise<void> {
  slipway.service.outbox.wake();
  await slipway.service.outbox.idle();
}

/** Delivery states sorted by address. */
export async function mailStatesOf(
  slipway: Pick<TestService, 'data'>,
): Promise<Record<string, { state: MailState; attempts: number; lastError: string | null }>> {
  const lines = await slipway.data.mails.listMails({ state: null, limit: 1000 });
  lines.sort((one, other) => (one.mail.address < other.mail.address ? -1 : 1));
  return Object.fromEntries(
    lines.map(({ mail: { address, state, attempts, lastError } }) => [
      address,
      { state, attempts, lastError },
    ]),
  );
}

/** An installation whose server tests can stop and restart; the database, the folder and the clock persist. */
export interface Installation {
  clock: { now: number };
  start(options?: { mailer?: Mailer; settings?: Record<string, string> }): Promise<RunningService>;
  remove(): Promise<void>;
}

export interface RunningService extends Pick<TestService, 'port' | 'data' | 'service' | 'adminKey'> {
  stop(): Promise<void>;
}

export async function createInstallation(dialect: DialectName): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-mail-'));
  const database = await createTestDatabase(dialect);
  const clock = { now: Date.UTC(2026, 10, 21, 9, 40) };
  return {
    clock,
    start: async ({ mailer, settings = mailSettings } = {}) => {
      const config = readConfig({
        SLIPWAY_DATA_DIR: folder,
        SLIPWAY_PORT: '0',
        SLIPWAY_ADMIN_API_KEY: testAdminKey,
        SLIPWAY_ADMIN_PASSWORD: testPassword,
        SLIPWAY_ADMIN_EMAIL: 'admin@example.com',
        ...settings,
      });
      const service = await createService(
        { ...config, database: database.config },
        {
          logger: pino({ level: 'silent' }),
          packages: sharedPackageReader(),
          now: () => clock.now,
          ...(mailer ? { mailer } : {}),
        },
      );
      const { port } = await service.listen();
      return {
        port,
        data: withEveryQuery(service.data),
        service,
        adminKey: testAdminKey,
        stop: () => service.close(),
      };
    },
    remove: async () => {
      await database.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
