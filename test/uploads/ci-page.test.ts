/** The page with snippets for CI systems: every one of them uploads a build to a real server. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CiSystem, ciSnippet, ciSystems, keyVariable } from '../../src/uploads/ci/ci-snippets.ts';
import { signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { formBody } from '../support/form-body.ts';
import { send } from '../support/http-client.ts';
import { uploaded } from '../support/interface-client.ts';
import { formOf } from '../support/page-forms.ts';
import { startTestService, type TestService, testPassword } from '../support/test-service.ts';

const run = promisify(execFile);

describe('uploading from CI', () => {
  let slipway: TestService;
  let folder: string;
  let key: string;
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
    await slipway.user('dora');
    await slipway.user('tess');
    await slipway.project('tides', { members: { dora: 'developer', tess: 'tester' } });
    key = await slipway.user('ci');
    folder = await mkdtemp(join(tmpdir(), 'slipway-ci-'));
    await writeFile(join(folder, 'app.apk'), buildApk({ packageName: 'com.example.ci' }));
  });
  afterAll(async () => {
    await slipway?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const address = () => `${slipway.origin}/api/users/ci/apps`;
  const variables = {
    BITRISE_GIT_MESSAGE: '@first <b>',
    BITRISE_GIT_BRANCH: 'main',
    CI_COMMIT_TITLE: '@first <b>',
    CI_COMMIT_REF_NAME: 'main',
    GITHUB_REF_NAME: 'main',
    GITHUB_SERVER_URL: 'https://ci.example.com',
    BRANCH_NAME: 'main',
  };

  /** The `curl` command of a snippet for a shell. */
  function shellOf(snippet: string): string {
    const lines = snippet.split('\n');
    const first = lines.findIndex((line) => line.trim().startsWith('curl '));
    const last = lines.findIndex((line, index) => index >= first && !line.endsWith('\\'));
    return lines.slice(first, last + 1).join('\n');
  }

  /** The arguments of a snippet in Ruby or Kotlin, with its variables replaced. */
  function argumentsOf(snippet: string): string[] {
    const filled = snippet
      .replace(/[#$]\{(?:ENV|System\.getenv)[[(]"[A-Z_]+"[\])]\}/, key)
      .replace(/#\{lane_context[^}]*\}|\$\{layout[^}]*\}/, 'app.apk')
      .replace(/#\{last_git_commit\[:message\]\}/, '@first <b>')
      .replace(/#\{last_git_commit\[:commit_hash\]\}/, 'c0ffee');
    const from = filled.indexOf('"curl"');
    return [...filled.slice(from).matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text ?? '').slice(1);
  }

  it.each(ciSystems)('works with the snippet for %s', async (system: CiSystem) => {
    const snippet = ciSnippet(system, address(), 'Beta');
    const options = { cwd: folder, env: { ...process.env, ...variables, [keyVariable]: key } };
    const isShell = system !== 'fastlane' && system !== 'gradle';
    const command = shellOf(snippet)
      .replace(/@(?:app\/[\w/.-]+|app-release\.apk|\$BITRISE_APK_PATH)/, '@app.apk')
      .replaceAll('$(git log -1 --pretty=%s)', '@first <b>');
    const { stdout } = isShell
      ? await run('sh', ['-ec', command], options)
      : await run('curl', argumentsOf(snippet), options);
    expect(JSON.parse(stdout)).toMatchObject({ error: false, results: { package_name: 'com.example.ci' } });
  });

  it('gives text with @ and < as it is, because it is sent with --form-string', async () => {
    const app = (await slipway.data.apps.findAppsByPackageName(await ownerId('ci'), 'com.example.ci'))[0];
    const builds = await slipway.data.builds.listBuilds(app?.id ?? '', { limit: 20 });
    expect(builds).toHaveLength(ciSystems.length);
    expect(new Set(builds.map(({ message }) => message))).toEqual(
      new Set(['First build', '@first <b>', 'Uploaded by Gradle']),
    );
    expect(builds.filter(({ branch }) => branch === 'main')).toHaveLength(4);
    expect(builds.map(({ buildUrl }) => buildUrl)).toContain('https://ci.example.com//actions/runs/');
  });

  const ownerId = async (name: string) => (await slipway.data.owners.findOwner(name))?.id ?? '';

  it('fills in the address of this server and the owner, for people who can upload there', async () => {
    const dev = await signIn(slipway, 'dora');
    for (const system of ciSystems) {
      const page = await dev.get(`/users/tides/ci?system=${system}`);
      expect(page.status).toBe(200);
      expect(page.text).toContain(`${slipway.origin}/api/users/tides/apps`);
    }
    const snippet = (await dev.get('/users/tides/ci')).text;
    expect(snippet).toMatch(
      /data-copy="Copy" data-copied="Copied"><div[^>]*><pre><code>curl [^<]*distribution_name=Beta/,
    );
    expect((await dev.get('/users/tides/ci?system=unknown')).text).toContain('curl --fail-with-body');
    for (const name of ['tess', 'ci']) {
      expect((await (await signIn(slipway, name)).get('/users/tides/ci')).status, name).toBe(404);
    }
  });

  it('creates a key that can upload to this owner only, and shows it once', async () => {
    const dev = await signIn(slipway, 'dora');
    const page = await dev.get('/users/tides/ci?system=github');
    const form = formOf(page.text, 'create-key');
    const answer = await send(slipway.port, form.action, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        Accept: 'text/html',
        Cookie: dev.cookie,
      },
      body: formBody({ ...form.fields, proof: testPassword }).toString(),
    });
    expect(answer.status).toBe(200);
    const [, made = ''] = /data-copy-link="([^"]+)"/.exec(answer.text) ?? [];
    expect(made).not.toBe('');
    const upload = (owner: string) =>
      run('curl', [
        '-s',
        `${slipway.origin}/api/users/${owner}/apps`,
        '-H',
        `Authorization: Bearer ${made}`,
        '-F',
        `file=@${join(folder, 'app.apk')}`,
      ]);
    expect(JSON.parse((await upload('tides')).stdout)).toMatchObject({ error: false });
    expect(JSON.parse((await upload('dora')).stdout)).toMatchObject({ error: true });
    expect((await dev.get('/users/tides/ci?system=github')).text).not.toContain(made);
    const keys = await slipway.data.keys.listKeys(await ownerId('dora'));
    expect(keys.map(({ name, scopes }) => [name, scopes])).toContainEqual(['CI of tides', ['upload']]);
  });

  it('names the newest page whose name needs no quoting, and restricts a key to the app it was opened for', async () => {
    await slipway.project('reefs', { members: { dora: 'developer' } });
    const file = await readFile(join(folder, 'app.apk'));
    for (const distribution_name of ['Nightly 潮', '"; rm -rf $HOME #'])
      await uploaded(slipway, {
        owner: 'reefs',
        key: slipway.adminKey,
        file,
        fields: { distribution_name },
      });
    const dev = await signIn(slipway, 'dora');
    const path = '/users/reefs/ci?app=android%2Fcom.example.ci';
    const page = await dev.get(path);
    expect(page.text).toContain('distribution_name=Nightly 潮&quot;');
    expect(page.text).not.toContain('rm -rf');
    expect((await dev.get('/users/reefs/platforms/android/apps/com.example.ci')).text).toContain(path);
    const form = formOf(page.text, 'create-key');
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      Accept: 'text/html',
      Cookie: dev.cookie,
    };
    const body = formBody({ ...form.fields, proof: testPassword }).toString();
    expect((await send(slipway.port, form.action, { method: 'POST', headers, body })).status).toBe(200);
    const keys = await slipway.data.keys.listKeys(await ownerId('dora'));
    expect(keys.find(({ name }) => name === 'CI of com.example.ci')?.restriction).toEqual({
      owners: [],
      apps: [{ ownerId: await ownerId('reefs'), platform: 'android', packageName: 'com.example.ci' }],
    });
  });
});
