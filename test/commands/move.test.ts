/** `slipway move` as a separate process: moves an installation from SQLite and disk to PostgreSQL and S3, and back. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hashOf, pagesOf, signIn, upload } from '../../faults/client.ts';
import { adminKey, adminPassword } from '../../faults/ground.ts';
import { openLedger } from '../../faults/ledger.ts';
import { parseBlobKey } from '../../src/blobs/blob-key.ts';
import { openBlobStore } from '../../src/blobs/open-blob-store.ts';
import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildIpa } from '../support/build-ipa.ts';
import { readAllRows } from '../support/every-table.ts';
import { type FaultyProxy, startFaultyProxy } from '../support/faulty-proxy.ts';
import { freePort } from '../support/free-port.ts';
import {
  builtProgram,
  createInstallation,
  createInstallationOn,
  type Installation,
  type RunningServer,
} from '../support/run-cli.ts';
import { createS3Scratch, hasS3, type S3Scratch } from '../support/s3-service.ts';
import { peerCertificate, startSmtpPeer } from '../support/smtp-peer.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/test-database.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const builds = 8;
/** All but the first have an icon. */
const blobs = 2 * builds - 1;
const patience = { timeout: 60_000, interval: 20 };
/** Packages with an icon; while paused, the proxy blocks transfers of this size. */
const packageBytes = 100_000;
const holdLarge = { kind: 'hold', afterBytes: packageBytes / 2 } as const;

if (!hasS3) console.warn('slipway: skipped: moving to S3, which needs a real S3 service (radosgw)');

describe.skipIf(!hasS3)('moving an installation', { timeout: 180_000 }, () => {
  let slipway: Installation;
  let database: TestDatabase;
  let s3: S3Scratch;
  let webhooks: WebhookReceiver;
  let proxy: FaultyProxy;
  let before: Seen;
  let smtpPort: number;
  const ledger = openLedger();
  const bytes = buildIpa({ bundleIdentifier: 'com.example.kept', version: '1' });
  let png: Buffer;
  let cookie: string;
  let server: RunningServer;

  /** The answers of the server, whose address does not change. */
  interface Seen {
    projects: unknown;
    page: string;
    file: string;
    settings: number;
  }
  async function see(origin: string): Promise<Seen> {
    const headers = { authorization: `Bearer ${adminKey}` };
    const [build] = ledger.builds.values();
    const page = await fetch(`${origin}/distributions/${build?.page}`, { headers: { accept: 'text/html' } });
    const file = await fetch(`${origin}${build?.file}`);
    expect(file.status).toBe(200);
    return {
      projects: await (await fetch(`${origin}/api/organizations`, { headers })).json(),
      page: `${page.status} ${/<h1[\s\S]*?<\/h1>/.exec(await page.text())?.[0]}`,
      file: hashOf(new Uint8Array(await file.arrayBuffer())),
      settings: (await pagesOf(origin, cookie).open('/settings'))?.status ?? 0,
    };
  }

  const target = () => ['--database-url', database.url, '--blob-url', s3.settings.SLIPWAY_BLOB_URL ?? ''];
  const onDisk = () => rowsAt({ kind: 'sqlite', path: join(slipway.dataFolder, 'slipway.sqlite') });
  const filesOn = (installation: Installation) => blobsAt(readConfig(installation.environment).blobs);

  beforeAll(async () => {
    png = await sharp({ create: { width: 48, height: 48, channels: 3, background: 'teal' } })
      .png()
      .toBuffer();
    slipway = await createInstallation('sqlite');
    database = await createEmptyDatabase('postgres');
    s3 = await createS3Scratch();
    webhooks = await startWebhookReceiver();
    proxy = await startFaultyProxy(new URL(s3.config.endpoint ?? ''));
    // Nothing listens there yet, so the mail is queued.
    smtpPort = await freePort();
    const port = await freePort();
    await writeFile(join(slipway.folder, 'peer.pem'), peerCertificate);
    Object.assign(slipway.environment, {
      // Unchanged, so that addresses in answers do not change either.
      SLIPWAY_PORT: String(port),
      SLIPWAY_URL: `http://127.0.0.1:${port}`,
      SLIPWAY_ADMIN_API_KEY: adminKey,
      SLIPWAY_ADMIN_PASSWORD: adminPassword,
      SLIPWAY_ADMIN_EMAIL: 'admin@example.com',
      SLIPWAY_SMTP_URL: `smtp://localhost:${smtpPort}`,
      SLIPWAY_MAIL_FROM: 'Slipway <builds@example.com>',
      SLIPWAY_HOOK_NETWORKS: '127.0.0.1',
      NODE_EXTRA_CA_CERTS: join(slipway.folder, 'peer.pem'),
      AWS_ACCESS_KEY_ID: s3.settings.AWS_ACCESS_KEY_ID ?? '',
      AWS_SECRET_ACCESS_KEY: s3.settings.AWS_SECRET_ACCESS_KEY ?? '',
    });
  });
  afterAll(async () => {
    await slipway?.remove();
    await webhooks?.close();
    await proxy?.close();
    await s3?.remove();
    await database?.remove();
  });

  it('starts with people, Projects, builds, pages, a webhook, a session and queued mail', async () => {
    server = await slipway.serve();
    const { origin } = server;
    await slipway.runJson(['user', 'add', 'mina', '--email', 'mina@example.com']);
    await slipway.runJson(['project', 'add', 'harbour', '--owner', 'admin']);
    await slipway.runJson(['team', 'add', 'harbour', 'tester', 'mina']);
    cookie = (await signIn(origin, ledger)) ?? '';
    const pages = pagesOf(origin, cookie);
    const csrf = (await pages.csrf()) ?? '';
    const webhook = { name: 'builds', url: webhooks.address, kind: 'json', event: 'build.uploaded' };
    const made = await pages.post('/organizations/harbour/hooks/create', { csrf, ...webhook });
    expect(made?.status).toBeLessThan(400);
    const kept = { owner: 'harbour', packageName: 'com.example.kept', fields: { distribution_name: 'main' } };
    await upload(origin, ledger, { ...kept, bytes });
    for (let number = 1; number < builds; number++) {
      const packageName = `com.example.app${number}`;
      const other = buildApk({
        packageName,
        fillerBytes: packageBytes,
        icons: [{ path: 'res/icon.png', content: png }],
      });
      await upload(origin, ledger, {
        packageName,
        bytes: Buffer.from(other),
        fields: { disable_notify: 'true' },
      });
    }
    expect(ledger.counts.acknowledged).toBe(builds);
    await vi.waitFor(() => expect(webhooks.received).toHaveLength(1), patience);
    await vi.waitFor(async () => {
      const rows = await onDisk();
      expect(rows.mails?.join()).toContain('mina@example.com');
      expect(rows.outbox?.every((row) => /send-(mail|account-email)/.test(row))).toBe(true);
      expect(rows.builds?.filter((row) => row.includes('icons/'))).toHaveLength(builds - 1);
    }, patience);
    before = await see(origin);
    expect(before).toMatchObject({ file: hashOf(bytes), settings: 200 });
  });

  it('is refused while the server runs, but the files can be copied ahead', async () => {
    const refused = await slipway.run(['move', ...target()]);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('slipway.sqlite is in use: stop the server first');
    expect(await s3.objects()).toEqual([]);
    const told = await slipway.run(['move', ...target(), '--ahead']);
    expect(told).toMatchObject({ code: 0, stderr: '' });
    expect(told.stdout).toContain(`${blobs} copied, 0 already present`);
    expect(await s3.objects()).toHaveLength(blobs);
    await server.stop();
    for (const key of await s3.objects()) await (await openBlobStore(s3.config)).remove(parseBlobKey(key));
  });

  it('explains what prevents the move and leaves nothing behind', async () => {
    const refusal = async (args: string[], environment: Record<string, string> = {}, status = 1) => {
      const { code, stdout, stderr } = await slipway.run(['move', ...args], { environment });
      expect({ code, stdout, lines: stderr.trim().split('\n').length }).toEqual({
        code: status,
        stdout: '',
        lines: 1,
      });
      return stderr;
    };
    expect(await refusal([], {}, 2)).toContain('nothing to move: set another location with --database-url');
    const nobody = `postgres://slipway@127.0.0.1:${await freePort()}/slipway`;
    expect(await refusal(['--database-url', nobody])).toMatch(
      /the target database cannot be used: .*ECONNREFUSED/,
    );
    const none = s3.settings.SLIPWAY_BLOB_URL?.replace('s3://', 's3://no-such-');
    expect(await refusal(['--blob-url', none ?? ''])).toContain(
      'the target: the bucket of the file store does not exist',
    );
    const wrongKey = { AWS_SECRET_ACCESS_KEY: 'w'.repeat(40) };
    expect(await refusal(target(), wrongKey)).toContain(
      'the target: the file store rejected the credentials',
    );
    const settings = join(slipway.folder, 'other.env');
    expect(await refusal(['--settings', settings])).toContain('cannot be read');
    await writeFile(settings, `SLIPWAY_SECRET=${'x'.repeat(40)}\nSLIPWAY_DATABASE_URL=${database.url}\n`);
    expect(await refusal(['--settings', settings])).toContain('is not the secret of this installation');
    await writeFile(settings, 'SLIPWAY_BLOB_URL=s3:///\nSLIPWAY_DATABASE_URL=mysql://x\n');
    const errors = (await slipway.run(['move', '--settings', settings])).stderr;
    expect(errors).toMatch(/SLIPWAY_DATABASE_URL must be sqlite:[\s\S]*SLIPWAY_BLOB_URL: must name a bucket/);
    expect(await s3.objects()).toEqual([]);
  });

  it('resumes after it is killed', async () => {
    const stuck = s3.settings.SLIPWAY_BLOB_URL?.replace(s3.config.endpoint ?? '', proxy.endpoint) ?? '';
    proxy.set(holdLarge);
    const child = startMove(slipway, ['--database-url', database.url, '--blob-url', stuck]);
    const ended = once(child, 'exit');
    await vi.waitFor(async () => expect((await s3.objects()).length).toBeGreaterThan(1), patience);
    child.kill('SIGKILL');
    expect((await ended)[1]).toBe('SIGKILL');
    proxy.set({ kind: 'none' });
    const there = (await s3.objects()).length;
    expect(there).toBeLessThan(blobs);
    expect(Object.values(await rowsAt(database.config)).flat()).toEqual([]);

    const [moved] = await slipway.runJson(['move', ...target(), '--verify']);
    expect(moved).toMatchObject({ files: { count: blobs, verified: builds }, secret: 'file' });
    // Data in transit may have arrived after the process died.
    const files = moved?.files as { copied: number; present: number };
    expect(files.present).toBeGreaterThanOrEqual(there);
    expect(files.copied).toBe(blobs - files.present);
    const rows = await onDisk();
    expect(await rowsAt(database.config)).toEqual(rows);
    expect(moved?.database).toMatchObject({ rows: Object.values(rows).flat().length });
    expect(await blobsAt(s3.config)).toEqual(await filesOn(slipway));
  });

  it('is refused when the target is not empty', async () => {
    const again = await slipway.run(['move', ...target()]);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toMatch(/the target database is not empty, it contains \w+/);
  });

  it('leaves a server that answers from the new location as before', async () => {
    const secret = (await readFile(join(slipway.dataFolder, 'secret'), 'utf8')).trim();
    const { SLIPWAY_DATA_DIR: _old, ...settings } = slipway.environment;
    const grown = await createInstallationOn(database, {
      ...settings,
      ...s3.settings,
      SLIPWAY_SECRET: secret,
    });
    const client = await openDatabase(database.config);
    // The next delivery attempt would be minutes later.
    await client.queries.updateTable('outbox').set({ run_at: 0, leased_until: null }).execute();
    await client.close();
    const peer = await startSmtpPeer({ port: smtpPort });
    const there = await grown.serve();
    expect(await see(there.origin)).toEqual(before);
    for (const { file } of ledger.builds.values()) {
      expect((await fetch(`${there.origin}${file}`)).status).toBe(200);
    }
    // Mina also receives the notice that she was added to the Project.
    const reached = () => [...new Set(peer.received.flatMap(({ to }) => to))].sort();
    await vi.waitFor(() => expect(reached()).toEqual(['admin@example.com', 'mina@example.com']), patience);
    const next = await upload(there.origin, ledger, {
      owner: 'harbour',
      packageName: 'com.example.kept',
      bytes: buildIpa({ bundleIdentifier: 'com.example.kept', version: '2' }),
      fields: { distribution_name: 'main', disable_notify: 'true' },
    });
    expect(next?.revision).toBe(2);
    expect(ledger.wrongAnswers).toEqual([]);
    await vi.waitFor(() => expect(webhooks.received).toHaveLength(2), patience);
    await peer.close();

    const running = await grown.run([
      'move',
      '--database-url',
      `sqlite:${join(grown.folder, 'back.sqlite')}`,
    ]);
    expect(running).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the database is in use, from'),
    });
    await there.stop();

    // Moves back with a settings file.
    const folder = join(grown.folder, 'back');
    const file = join(grown.folder, 'back.env');
    const back = {
      SLIPWAY_DATA_DIR: folder,
      SLIPWAY_DATABASE_URL: `sqlite:${join(folder, 'slipway.sqlite')}`,
      SLIPWAY_BLOB_URL: `file:${join(folder, 'blobs')}`,
    };
    await writeFile(
      file,
      Object.entries(back)
        .map(([name, value]) => `${name}="${value}"\n`)
        .join(''),
    );
    const words = await grown.run(['move', '--settings', file]);
    expect(words).toMatchObject({ code: 0, stderr: '' });
    expect(words.stdout).toContain(`Start the server with the settings of ${file}`);
    expect(words.stdout).not.toContain(secret);
    expect(await rowsAt({ kind: 'sqlite', path: join(folder, 'slipway.sqlite') })).toEqual(
      await rowsAt(database.config),
    );
    expect(await blobsAt({ kind: 'disk', folder: join(folder, 'blobs') })).toEqual(await blobsAt(s3.config));
    expect(existsSync(join(grown.dataFolder, 'secret'))).toBe(false);
    await grown.remove();
  });
});

function startMove(slipway: Installation, args: string[]): ChildProcess {
  return spawn(process.execPath, [builtProgram, 'move', ...args], {
    cwd: slipway.folder,
    env: slipway.environment,
    stdio: 'ignore',
  });
}

async function rowsAt(config: TestDatabase['config']): Promise<Record<string, string[]>> {
  const database = await openDatabase(config);
  try {
    return await readAllRows(database);
  } finally {
    await database.close();
  }
}

/** SHA-256 by key. */
async function blobsAt(config: Parameters<typeof openBlobStore>[0]): Promise<Record<string, string>> {
  const store = await openBlobStore(config);
  const all: Record<string, string> = {};
  for await (const { key } of store.list('')) {
    const opened = await store.open(key);
    all[key] = hashOf(Buffer.concat((await opened?.stream.toArray()) ?? []));
  }
  return all;
}
