/** Commands on a server: signing in, and the work of a developer in a terminal. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { fetchedSessionCookie, fetchSignIn } from '../support/fetch-sign-in.ts';
import { createInstallation, type Installation, type RunningServer } from '../support/run-cli.ts';

const adminKey = 'key-for-the-remote-commands';
const password = 'seven grey gulls';
const packageName = 'com.example.tide';

describe('commands on a server', { timeout: 60_000 }, () => {
  let slipway: Installation;
  let server: RunningServer;
  beforeAll(async () => {
    slipway = await createInstallation('sqlite');
    server = await slipway.serveInProcess({
      environment: {
        SLIPWAY_ADMIN_API_KEY: adminKey,
        SLIPWAY_ADMIN_PASSWORD: password,
        SLIPWAY_HOOK_NETWORKS: '127.0.0.0/8',
      },
    });
    for (const versionCode of [1, 2, 3]) {
      const body = new FormData();
      body.append('file', new Blob([new Uint8Array(buildApk({ packageName, versionCode }))]), 'app.apk');
      body.append('message', `Version ${versionCode}`);
      const answer = await fetch(`${server.origin}/api/users/admin/apps`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${adminKey}` },
        body,
      });
      expect(answer.status).toBe(200);
    }
  });
  afterAll(() => slipway.remove());

  const app = ['admin', packageName];
  const byKey = () => ({ SLIPWAY_API_KEY: adminKey, SLIPWAY_URL: server.origin });
  const run = async (args: string[], environment: Record<string, string> = byKey()) => {
    const result = await slipway.run([...args, '--server', server.origin], { environment });
    expect([args, result.code, result.stderr]).toEqual([args, 0, '']);
    return result.stdout;
  };
  const rows = async (...args: string[]) =>
    (await run(args))
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('\t'));
  const objects = async (...args: string[]) =>
    (await run([...args, '--json']))
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));

  it('sign in with a code, list the key, and sign out', async () => {
    const file = join(slipway.folder, '.config', 'slipway', 'credentials.json');
    const cookie = fetchedSessionCookie(await fetchSignIn(server.origin, 'admin', password)) ?? '';
    // Approves the code that the command prints, as a person does in a browser.
    const approve = async (code: string) => {
      const page = await fetch(`${server.origin}/device?code=${code}`, { headers: { cookie } });
      const csrf = /name="csrf" value="([^"]*)"/.exec(await page.text())?.[1] ?? '';
      const answer = await fetch(`${server.origin}/device/approve`, {
        method: 'POST',
        headers: { cookie, 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'text/html' },
        body: new URLSearchParams({ csrf, code, days: '7' }),
        redirect: 'manual',
      });
      expect(answer.status).toBe(303);
    };
    const signedIn = await slipway.run(['login', '--server', server.origin], {
      onError: (text) => {
        const [code] = /[A-Z]{4}-[A-Z]{4}/.exec(text) ?? [];
        if (code) void approve(code);
      },
    });
    expect([signedIn.code, signedIn.stdout]).toEqual([0, `Signed in to ${server.origin} as admin.\n`]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(file, '..'))).mode & 0o777).toBe(0o700);
    const stored = JSON.parse(await readFile(file, 'utf8'));
    expect(stored).toMatchObject({ current: server.origin, servers: { [server.origin]: { user: 'admin' } } });
    // Without --server: the one that they signed in to.
    const who = await slipway.run(['whoami']);
    expect(who.stdout).toBe(`admin at ${server.origin}, with upload, read, manage\n`);
    const [key] = await slipway.runJson(['key', 'list']);
    expect(key).toMatchObject({ client: expect.stringMatching(/^slipway on /), state: 'usable' });
    const local = await slipway.run(['key', 'list', '--user', 'admin', '--local', '--json']);
    expect(local.stdout).toContain(String(key?.id));
    expect((await slipway.run(['logout'])).stdout).toBe(`Signed out of ${server.origin}.\n`);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ current: null, servers: {} });
    const gone = await fetch(`${server.origin}/api/v1/me`, {
      headers: { Authorization: `Bearer ${stored.servers[server.origin].token}` },
    });
    expect(gone.status).toBe(401);
    expect(await slipway.run(['whoami'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/slipway login/),
    });
  });

  it('show apps and builds as columns or JSON, and change builds', async () => {
    expect(await rows('app', 'list', 'admin')).toEqual([
      [
        packageName,
        'android',
        expect.any(String),
        '#3',
        expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d$/),
      ],
    ]);
    expect((await objects('app', 'show', ...app))[0]).toMatchObject({ package_name: packageName });
    expect(
      (await rows('build', 'list', ...app)).map(([build, , , , , , , message]) => [build, message]),
    ).toEqual([
      ['#3', 'Version 3'],
      ['#2', 'Version 2'],
      ['#1', 'Version 1'],
    ]);
    expect(await objects('build', 'list', ...app, '--limit', '1')).toMatchObject([{ revision: 3 }]);
    expect((await objects('build', 'show', ...app, '#2'))[0]).toMatchObject({ revision: 2 });
    expect(await run(['build', 'delete', ...app, '1'])).toMatch(/^Deleted #1 of/);
    expect(await run(['build', 'restore', ...app, '1'])).toMatch(/^Restored #1 of/);
    await run(['build', 'protect', ...app, '1', '2']);
    const kept = await slipway.run(['build', 'delete', ...app, '2', '--server', server.origin], {
      environment: byKey(),
    });
    expect(kept).toMatchObject({ code: 1, stderr: expect.stringMatching(/Build 2 is protected/) });
  });

  it('publish to pages, roll back, change and delete them', async () => {
    expect(await run(['publish', ...app, '2', '--page', 'beta', '--note', 'First'])).toMatch(
      /^Published #2 to beta: http.*\/distributions\/[0-9a-f]{40}\n$/,
    );
    await run(['publish', ...app, '3', '--page', 'beta']);
    expect(await run(['rollback', ...app, '2', '--page', 'beta'])).toMatch(/^beta serves #2 again/);
    expect((await objects('page', 'show', ...app, 'beta'))[0]).toMatchObject({
      revision: 2,
      release_note: 'First',
    });
    await run(['page', 'change', ...app, 'beta', '--close', '--access', 'members', '--rename', 'nightly']);
    expect(await rows('page', 'list', ...app)).toEqual([
      ['nightly', '#2', 'closed', '0', expect.any(String), expect.any(String)],
    ]);
    const rules = [
      '--open',
      '--access',
      'passcode',
      '--passcode',
      'low tide',
      '--network',
      '10.0.0.0/8',
      '--note',
      'New',
    ];
    const limits = [
      '--expires',
      '2099-01-31T18:00:00Z',
      '--max-installs',
      '5',
      '--mandatory-from',
      '2',
      '--feedback',
      'on',
    ];
    await run(['page', 'change', ...app, 'nightly', ...rules, ...limits]);
    expect((await objects('page', 'show', ...app, 'nightly'))[0]).toMatchObject({
      active: true,
      access: 'passcode',
      has_passcode: true,
      networks: ['10.0.0.0/8'],
      release_note: 'New',
      expires_at: '2099-01-31T18:00:00.000Z',
      max_installs: 5,
      mandatory_from: 2,
      feedback: true,
    });
    const unlimited = [
      '--expires',
      'never',
      '--max-installs',
      'none',
      '--mandatory-from',
      'none',
      '--network',
      'all',
    ];
    await run(['page', 'change', ...app, 'nightly', ...unlimited, '--feedback', 'off']);
    expect((await objects('page', 'show', ...app, 'nightly'))[0]).toMatchObject({
      access: 'passcode',
      networks: [],
      expires_at: null,
      max_installs: null,
      mandatory_from: null,
      feedback: false,
    });
    const wrong = ['page', 'change', ...app, 'nightly', '--network', 'office', '--server', server.origin];
    expect(await slipway.run(wrong, { environment: byKey() })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('“office” is not a network or an IP address.'),
    });
    await run(['page', 'delete', ...app, 'nightly']);
    expect(await rows('page', 'list', ...app)).toEqual([]);
  });

  it('manage testers, devices, keys and webhooks', async () => {
    await slipway.runJson(['user', 'add', 'tess', '--email', 'tess@example.com', '--json']);
    expect(await rows('tester', 'add', ...app, 'tess', 'nobody')).toEqual([
      ['tess', 'added', ''],
      ['nobody', 'unknown', ''],
    ]);
    expect((await rows('tester', 'list', ...app))[0]?.slice(0, 2)).toEqual(['tess', 'shared']);
    await run(['tester', 'remove', ...app, 'TESS@example.com']);
    expect(await rows('tester', 'list', ...app)).toEqual([]);
    expect(await rows('device', 'list', 'admin')).toEqual([]);
    const made = await run(['key', 'add', '--name', 'CI', '--expires', '7d', '--scope', 'upload']);
    expect(made).toMatch(/^slw_[\w-]{43}\n$/);
    const ci = (await objects('key', 'list')).find(({ name }) => name === 'CI');
    expect(await run(['key', 'rotate', ci.id])).toMatch(/^slw_/);
    await run(['key', 'revoke', ci.id]);
    const added = (
      await objects('webhook', 'add', 'admin', 'http://127.0.0.1:9999/hook', '--name', 'chat')
    )[0];
    expect(added).toMatchObject({ secret: expect.any(String), webhook: { name: 'chat' } });
    expect((await rows('webhook', 'list', 'admin'))[0]?.slice(0, 2)).toEqual([added.webhook.id, 'chat']);
    await run(['webhook', 'test', 'admin', added.webhook.id]);
    await run(['webhook', 'remove', 'admin', added.webhook.id]);
    expect(await rows('webhook', 'list', 'admin')).toEqual([]);
  });

  it.each([
    [['app', 'show', 'admin', 'com.none'], 1, /admin has no app com.none/],
    [['page', 'show', ...app, 'none'], 1, /has no page none/],
    [['publish', ...app, 'x', '--page', 'beta'], 2, /Use a number/],
    [['publish', ...app, '99', '--page', 'beta'], 1, /no such build/i],
    [['key', 'add', '--name', '', '--scope', 'read'], 1, /name/],
  ])('%j exits with %i', async (args, code, message) => {
    const result = await slipway.run([...args, '--server', server.origin], { environment: byKey() });
    expect([result.code, result.stdout]).toEqual([code, '']);
    expect(result.stderr).toMatch(message);
  });

  it('delete an app, if that is confirmed', async () => {
    const body = new FormData();
    body.append('file', new Blob([new Uint8Array(buildApk({ packageName: 'com.example.gone' }))]), 'app.apk');
    const headers = { Authorization: `Bearer ${adminKey}` };
    await fetch(`${server.origin}/api/users/admin/apps`, { method: 'POST', headers, body });
    const gone = ['app', 'delete', 'admin', 'com.example.gone'];
    const refused = await slipway.run([...gone, '--server', server.origin], { environment: byKey() });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(await run([...gone, '--yes'])).toBe(
      'Deleted com.example.gone with its builds, pages and files.\n',
    );
    expect((await rows('app', 'list', 'admin')).map(([name]) => name)).toEqual([packageName]);
  });

  it('say what is wrong with the server, the key and the stored file', async () => {
    const at = (address: string, environment: Record<string, string> = byKey()) =>
      slipway.run(['whoami', '--server', address], { environment });
    expect((await at('ftp://x')).stderr).toMatch(/is not the address of a server/);
    const nowhere = 'http://127.0.0.1:1';
    expect((await at(nowhere, { ...byKey(), SLIPWAY_URL: nowhere })).stderr).toMatch(/cannot be reached/);
    expect((await at(server.origin, { ...byKey(), SLIPWAY_API_KEY: 'slw_wrong' })).stderr).toMatch(
      /slipway login/,
    );
    expect((await at(server.origin, {})).stderr).toMatch(/you are not signed in to/);
    const file = join(slipway.folder, '.config', 'slipway', 'credentials.json');
    await writeFile(file, '{');
    expect((await at(server.origin, {})).stderr).toMatch(/is damaged/);
    await writeFile(file, '{}');
  });
});
