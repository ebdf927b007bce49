/** The single-file program against a real server, by this Node and the system's, with forges of the test. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readRows } from '../../src/commands/pull-request/comment-markdown.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildIpa } from '../support/build-ipa.ts';
import { forgeEnvironment, startFakeForge } from '../support/fake-forge.ts';
import {
  builtUploader,
  createInstallation,
  type Installation,
  type RunningServer,
} from '../support/run-cli.ts';

const key = 'key-of-the-uploader-in-continuous-integration';
let slipway: Installation;
let server: RunningServer;

beforeAll(async () => {
  slipway = await createInstallation('sqlite');
  server = await slipway.serveInProcess({ environment: { SLIPWAY_ADMIN_API_KEY: key } });
  await writeFile(join(slipway.folder, 'app.apk'), buildApk({ packageName: 'com.example.ci' }));
  await writeFile(join(slipway.folder, 'app.ipa'), buildIpa());
}, 60_000);
afterAll(() => slipway.remove());

function run(node: string, argv: string[], env: Record<string, string>) {
  const settings = { PATH: process.env.PATH, SLIPWAY_URL: server.origin, SLIPWAY_API_KEY: key, ...env };
  const child = spawn(node, [builtUploader, ...argv], { env: settings, cwd: slipway.folder });
  const ended = { exitCode: -1 as number | null, out: '', err: '' };
  child.stdout.on('data', (text) => (ended.out += text));
  child.stderr.on('data', (text) => (ended.err += text));
  return new Promise<typeof ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ ...ended, exitCode }));
  });
}

const machineNode = '/usr/bin/node';
describe.each([
  ['this', process.execPath],
  ['the system', machineNode],
])('Node of %s', (_name, node) => {
  test.skipIf(!existsSync(node)).each(['github', 'gitlab'] as const)(
    'two uploads at once share one comment on %s, which closes with the pages of the branch',
    async (kind) => {
      const forge = await startFakeForge(kind);
      onTestFinished(forge.close);
      const env = forgeEnvironment(forge);
      const branch = `feature/${kind}-${_name}`;
      forge.listsAtOnce = 2;
      const upload = (file: string) =>
        run(node, [file, '--owner', 'admin', '--page', branch, '--comment', '--status', '--json'], env);
      const uploads = await Promise.all([upload('app.apk'), upload('app.ipa')]);
      for (const { exitCode, err } of uploads) expect({ exitCode, err }).toMatchObject({ exitCode: 0 });
      const pages = uploads.map(({ out }) => JSON.parse(out).page_url);
      expect(forge.comments).toHaveLength(1);
      const rows = readRows(forge.comments[0]?.body ?? '');
      expect(rows.map(({ platform, page, pageUrl }) => ({ platform, page, pageUrl }))).toEqual([
        { platform: 'Android', page: branch, pageUrl: pages[0] },
        { platform: 'iOS', page: branch, pageUrl: pages[1] },
      ]);
      const statusesOf = (name: string) =>
        forge.statuses
          .filter(({ body }) => String(body.context ?? body.name).startsWith(`slipway/build/${name}/`))
          .map(({ body }) => body.state);
      // Pending only if the checks were not there at once.
      for (const name of ['android', 'ios']) expect(statusesOf(name).at(-1)).toBe('success');
      // A second build of one platform edits its row, and says how much it has grown.
      const again = await upload('app.apk');
      expect(JSON.parse(again.out)).toMatchObject({ size_change: 0 });
      expect(forge.comments).toHaveLength(1);
      expect(readRows(forge.comments[0]?.body ?? '')).toHaveLength(2);
      const other = await run(
        node,
        ['app.apk', '--owner', 'admin', '--page', 'main', '--comment', '--json'],
        env,
      );
      const close = [
        'pull-request',
        'closed',
        '--close-pages',
        '--owner',
        'admin',
        '--page',
        branch,
        '--json',
      ];
      const closed = await run(node, close, env);
      expect(closed).toMatchObject({ exitCode: 0, err: '' });
      expect(JSON.parse(closed.out)).toEqual({ commented: true, closed_pages: pages });
      expect(forge.comments[0]?.body).toContain(
        `This ${kind === 'github' ? 'pull' : 'merge'} request is closed.`,
      );
      expect((forge.comments[0]?.body ?? '').match(/Page closed/g)).toHaveLength(2);
      const states = await Promise.all(
        [...pages, JSON.parse(other.out).page_url].map(async (url: string) => {
          const address = `${server.origin}/api/v1/pages/${url.split('/').at(-1)}`;
          const page = await fetch(address, { headers: { Authorization: `Bearer ${key}` } });
          return ((await page.json()) as { active: boolean }).active;
        }),
      );
      expect(states).toEqual([false, false, true]);
    },
  );
});

test('a job fails until somebody accepts the failed check, with a key that may only upload', async () => {
  const api = async (method: string, path: string, body: object) => {
    const answer = await fetch(`${server.origin}/api/v1/${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.ok).toBe(true);
    return (await answer.json()) as { api_key: string };
  };
  const app = 'apps/admin/android/com.example.checked';
  await writeFile(
    join(slipway.folder, 'checked.apk'),
    buildApk({ packageName: 'com.example.checked', targetSdk: 30 }),
  );
  const forge = await startFakeForge('github');
  onTestFinished(forge.close);
  const created = await api('POST', 'owners/admin/keys', { name: 'CI', scopes: ['upload'] });
  const env = { ...forgeEnvironment(forge), SLIPWAY_API_KEY: created.api_key };
  const argv = ['checked.apk', '--owner', 'admin', '--page', 'checked', '--status', '--comment'];
  const upload = (...more: string[]) =>
    run(process.execPath, [...argv, '--fail-on', 'size,store', ...more], env);
  expect(await upload()).toMatchObject({ exitCode: 0 });
  await api('PATCH', `${app}/check-settings`, { destinations: ['google_play'] });
  const failed = await upload('--idempotency-key', 'commit-1');
  expect(failed.exitCode).toBe(3);
  expect(failed.err).toMatch(
    /\n--fail-on: Target API level \d+ or higher: The build targets API level 30\. .*\n$/,
  );
  expect(forge.statuses.at(-1)?.body.state).toBe('failure');
  await api('POST', `${app}/builds/2/checks/play-target-api-36/accept`, { reason: 'Extension granted' });
  const accepted = await upload('--idempotency-key', 'commit-1');
  expect(accepted.err).toContain('Check: Accepted by admin: Target API level');
  expect(accepted).toMatchObject({ exitCode: 0 });
  expect(forge.statuses.at(-1)?.body).toMatchObject({
    state: 'success',
    description: expect.stringContaining('1 accepted'),
  });
  expect(forge.comments[0]?.body).toContain('Reason: Extension granted');
});
