import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { fetchSignIn } from '../support/fetch-sign-in.ts';
import { multipart } from '../support/multipart-body.ts';
import { createInstallation, type Installation } from '../support/run-cli.ts';
import { dialects } from '../support/test-database.ts';
import { list, permissions, secretsIn, shell, slowKey, startSlowUpload, untilRefused } from './serve-kit.ts';

describe('serve', () => {
  let slipway: Installation;
  beforeEach(async () => {
    slipway = await createInstallation('sqlite');
  });
  afterEach(() => slipway.remove());

  const firstStart = () => join(slipway.dataFolder, 'first-start.txt');
  const firstSecrets = async () => secretsIn(await readFile(firstStart(), 'utf8'));

  it('refuses a second server on the same data folder or database, and names the first', async () => {
    await slipway.serveInProcess();
    const elsewhere = join(slipway.folder, 'elsewhere');
    const database = `sqlite:${join(slipway.dataFolder, 'slipway.sqlite')}`;
    const byDatabase = { SLIPWAY_DATA_DIR: elsewhere, SLIPWAY_DATABASE_URL: database };
    const byFolder = { SLIPWAY_DATABASE_URL: `sqlite:${join(slipway.folder, 'other.sqlite')}` };
    for (const environment of [{}, byDatabase, byFolder]) {
      const second = await slipway.run(['serve'], { environment });
      expect(second).toMatchObject({ code: 1, stdout: '' });
      expect(second.stderr).toMatch(
        new RegExp(`^slipway: another server uses \\S+lock: process ${process.pid} on \\S+, since \\S+Z\\n$`),
      );
    }
    expect((await slipway.run(['sweep'])).code).toBe(0);
  });

  it('keeps a body that a running server is receiving, despite a second server or a sweep, whatever its date', async () => {
    const first = await slipway.serveInProcess();
    const { key } = await firstSecrets();
    const { contentType, body } = multipart([
      { name: 'file', content: buildApk({ fillerBytes: 3_000_000 }), fileName: 'app.apk' },
    ]);
    const upload = httpRequest(`${first.origin}/api/users/admin/apps`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': contentType,
        'content-length': body.length,
      },
    });
    const answered = once(upload, 'response');
    upload.write(body.subarray(0, 2_000_000));
    const spool = join(slipway.dataFolder, 'spool');
    const received = async () => {
      const names = await readdir(spool).catch(() => []);
      const sizes = await Promise.all(names.map(async (name) => (await stat(join(spool, name))).size));
      return sizes.some((size) => size > 0) ? names : [];
    };
    const names = await vi.waitUntil(async () => {
      const found = await received();
      return found.length > 0 && found;
    });
    for (const name of names) await utimes(join(spool, name), 1000, 1000);
    expect((await slipway.run(['serve'])).code).toBe(1);
    expect((await slipway.run(['sweep'])).code).toBe(0);
    expect(await received()).toEqual(names);
    upload.end(body.subarray(2_000_000));
    const [response] = await answered;
    expect(response.statusCode).toBe(200);
    response.resume();
    await first.stop();
  });

  it('writes first-start secrets to a file that only its owner can read and logs only the path, without a terminal', async () => {
    const server = await slipway.serveInProcess();
    const text = await readFile(firstStart(), 'utf8');
    const { password, key, command } = secretsIn(text);
    expect(await permissions(firstStart())).toBe(0o600);
    expect(await permissions(slipway.dataFolder)).toBe(0o700);
    expect(await permissions(join(slipway.dataFolder, 'secret'))).toBe(0o600);
    expect(server.output()).toContain(firstStart());
    expect(server.output()).not.toContain(password);
    expect(server.output()).not.toContain(key);
    expect(text).toContain(`Address   ${server.origin}`);
    expect((await list(server.origin, key)).status).toBe(200);
    await writeFile(join(slipway.folder, 'app.apk'), buildApk({ packageName: 'com.example.pasted' }));
    expect(await shell(command, slipway.folder)).toMatchObject({
      results: { package_name: 'com.example.pasted', revision: 1 },
    });
    expect((await fetchSignIn(server.origin, 'admin', 'not the password')).status).toBe(401);
    expect(existsSync(firstStart())).toBe(true);
    expect((await fetchSignIn(server.origin, 'admin', password)).status).toBe(303);
    expect(existsSync(firstStart())).toBe(false);
    expect((await server.stop()).code).toBe(0);

    const second = await slipway.serveInProcess();
    expect(second.output()).not.toMatch(/first start|slw_/);
    expect(existsSync(firstStart())).toBe(false);
    expect((await list(second.origin, key)).status).toBe(200);
  });

  it('replaces a file from an earlier installation with one that only its owner can read', async () => {
    await mkdir(slipway.dataFolder);
    await writeFile(firstStart(), 'old');
    await chmod(firstStart(), 0o644);
    await slipway.serveInProcess();
    expect(await permissions(firstStart())).toBe(0o600);
    expect((await firstSecrets()).key).toMatch(/^slw_/);
  });

  it('shows address, name, password, key and a working command on the first start on a terminal; with --lan, an address that others on the network can open, and its QR code', async () => {
    const server = await slipway.serveInProcess({ lan: true, terminal: true });
    const shown = server.output();
    const { password, key, command } = secretsIn(shown);
    expect(shown).toContain(`Address   ${server.origin}\n    Name      admin\n`);
    expect(shown).toContain(`Slipway is ready on ${server.origin}\n`);
    expect(shown).toMatch(/[▀▄█]{7}/u);
    expect(command).toContain(`${server.origin}/api/users/admin/apps`);
    expect((await list(server.origin, key)).status).toBe(200);
    const { port } = new URL(server.origin);
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    expect((await fetchSignIn(server.origin, 'admin', password)).status).toBe(303);
    expect(existsSync(firstStart())).toBe(false);
  });

  it('creates the administrator from the settings, warns about an unknown one and writes none of the secrets', async () => {
    const environment = {
      SLIPWAY_ADMIN_NAME: 'chief',
      SLIPWAY_ADMIN_EMAIL: 'chief@example.com',
      SLIPWAY_ADMIN_PASSWORD: 'chosen by the operator',
      SLIPWAY_ADMIN_API_KEY: 'chosen-by-the-operator-too',
      SLIPWAY_PROT: '1',
    };
    const server = await slipway.serveInProcess({ environment });
    expect(server.output()).toContain('SLIPWAY_PROT is not a setting of this version of Slipway.');
    expect((await list(server.origin, environment.SLIPWAY_ADMIN_API_KEY)).status).toBe(200);
    expect(
      (await fetchSignIn(server.origin, 'chief@example.com', environment.SLIPWAY_ADMIN_PASSWORD)).status,
    ).toBe(303);
    const { stdout } = await server.stop();
    expect(stdout).not.toMatch(/chosen/);
    // They apply only while there is no user.
    const later = { SLIPWAY_ADMIN_NAME: 'other', SLIPWAY_ADMIN_API_KEY: 'another-key-of-the-operator' };
    const second = await slipway.serveInProcess({ environment: later });
    expect((await list(second.origin, later.SLIPWAY_ADMIN_API_KEY)).status).toBe(401);
  });

  it('refuses to start with an invalid administrator key instead of creating an administrator without one', async () => {
    const refused = await slipway.run(['serve'], { environment: { SLIPWAY_ADMIN_API_KEY: 'short' } });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/SLIPWAY_ADMIN_API_KEY: a key must have 20 to 512 characters/);
    expect(existsSync(slipway.dataFolder)).toBe(false);
  });

  it('reports that the port is in use, and keeps the first secrets for the next start', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const refused = await slipway.run(['serve'], { environment: { SLIPWAY_PORT: String(port) } });
    other.close();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toBe(
      `slipway: the address 127.0.0.1:${port} is already in use: choose another with SLIPWAY_PORT\n`,
    );
    const { key } = await firstSecrets();
    const server = await slipway.serveInProcess();
    expect((await list(server.origin, key)).status).toBe(200);
  });

  it('finishes a running upload at SIGINT and sends its response first', async () => {
    const server = await slipway.serveInProcess({ environment: { SLIPWAY_ADMIN_API_KEY: slowKey } });
    const slow = await startSlowUpload(server.origin);
    const stopped = server.stop('SIGINT');
    await untilRefused(server.origin);
    const answer = await slow.finish();
    expect(answer).toMatchObject({
      status: 200,
      body: { results: { package_name: 'com.example.slow', revision: 1 } },
    });
    await stopped;
    expect(server.output()).toContain('stopping on SIGINT');
  });

  it('reports not ready and keeps serving for SLIPWAY_DRAIN_SECONDS, then finishes running requests', async () => {
    const server = await slipway.serveInProcess({
      environment: { SLIPWAY_ADMIN_API_KEY: slowKey, SLIPWAY_DRAIN_SECONDS: '1' },
    });
    expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
    const slow = await startSlowUpload(server.origin);
    const stopped = server.stop();
    const drained = await fetch(`${server.origin}/readyz`);
    expect([drained.status, await drained.text()]).toEqual([
      503,
      expect.stringContaining('this node is shutting down'),
    ]);
    await untilRefused(server.origin);
    expect((await slow.finish()).status).toBe(200);
    await stopped;
  });
});

describe.each(dialects)('serve on %s', (dialect) => {
  let slipway: Installation;
  beforeEach(async () => {
    slipway = await createInstallation(dialect);
  });
  afterEach(() => slipway.remove());

  it.runIf(dialect === 'postgres')(
    'creates one schema and one administrator when two servers start concurrently',
    async () => {
      const folders = ['one', 'other'].map((name) => join(slipway.folder, name));
      const servers = await Promise.all(
        folders.map((folder) =>
          slipway.serveInProcess({
            environment: {
              SLIPWAY_DATA_DIR: folder,
              SLIPWAY_SECRET: 'the same on every node, as it must be',
            },
          }),
        ),
      );
      expect(servers.filter((server) => /first start/.test(server.output()))).toHaveLength(1);
      const secrets = folders.map((folder) => join(folder, 'first-start.txt')).filter(existsSync);
      expect(secrets).toHaveLength(1);
      const key = /API key {3}(slw_\S+)/.exec(await readFile(secrets[0] ?? '', 'utf8'))?.[1];
      for (const { origin } of servers) expect((await list(origin, key ?? '')).status).toBe(200);
    },
  );

  it('lets one of two processes migrate an empty database', async () => {
    const ends = await Promise.all([1, 2, 3].map(() => slipway.runJson(['migrate'])));
    const applied = ends.flat().flatMap((line) => line.applied);
    expect(applied).toContain('0001-baseline');
    expect(new Set(applied).size).toBe(applied.length);
  });
});
