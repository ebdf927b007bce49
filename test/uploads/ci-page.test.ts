/** The page with snippets for CI systems: all have the same two lines, which upload a build to a real server. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseDocument, visit } from 'yaml';
import {
  type CiSystem,
  ciSnippet,
  ciSystems,
  keyVariable,
  trustedSystems,
} from '../../src/uploads/ci/ci-snippets.ts';
import { readRepository, trustFields, trustInput } from '../../src/uploads/ci/ci-trust.ts';
import { signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { openEventStream } from '../support/event-stream.ts';
import { formBody } from '../support/form-body.ts';
import { send } from '../support/http-client.ts';
import { uploaded } from '../support/interface-client.ts';
import { formOf } from '../support/page-forms.ts';
import { startTestService, type TestService, testPassword } from '../support/test-service.ts';
import { readElements } from '../web/elements.ts';

const execute = promisify(execFile);
const noTrustValues = { organization: '', workspace: '', repository: '', project: '' };

describe('uploading from CI', () => {
  let slipway: TestService;
  let folder: string;
  let key: string;
  let now = Date.now();
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory', now: () => now });
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

  const place = () => ({
    origin: slipway.origin,
    owner: 'ci',
    page: 'Nightly 潮',
    platform: 'android' as const,
  });

  /** The commands of a snippet, in the order in which the system runs them. */
  function commandsOf(system: CiSystem, keyless = false): string[] {
    const snippet = ciSnippet(system, place(), keyless);
    if (system === 'fastlane')
      return [...snippet.matchAll(/sh\((.*)\)/g)].map(([, list = '']) =>
        list
          .replace(/lane_context\[[^\]]*\]/, '"app.apk"')
          .split(', ')
          .map((text) => (/[^\w"./:-]/.test(text) ? text : text.slice(1, -1)))
          .join(' '),
      );
    if (system === 'gradle' || system === 'jenkins')
      return (/("""|''')\n([\s\S]*)\1/.exec(snippet)?.[2] ?? '').trim().split('\n');
    if (system === 'xcode') return snippet.split('\n').slice(4);
    const texts: string[] = [];
    visit(parseDocument(snippet, { strict: true }), {
      Scalar: (name, { value }) => {
        if (name !== 'key' && /^(curl|node) /.test(String(value))) texts.push(String(value));
      },
    });
    expect(parseDocument(snippet).errors).toEqual([]);
    return texts.flatMap((text) => text.trim().split('\n'));
  }

  it.each(ciSystems.filter((system) => system !== 'curl'))(
    'has the two lines of the uploader in the snippet for %s',
    (system) => {
      const commands = commandsOf(system).map((line) =>
        line.trim().replace(/upload (?:[\w/.-]+|"\$.*?\)"|"\$[A-Z_]+") /, 'upload app.apk '),
      );
      expect(commands).toEqual([
        `curl -fsSO ${slipway.origin}/cli/slipway.mjs`,
        `node slipway.mjs upload app.apk --server ${slipway.origin} --owner ci --page "Nightly 潮"`,
      ]);
    },
  );

  it('has the same two lines where the ID token of the job replaces the key', () => {
    for (const system of trustedSystems) {
      expect(commandsOf(system, true)).toEqual(commandsOf(system));
      expect(ciSnippet(system, place(), true)).not.toContain(keyVariable);
    }
    expect(parse(ciSnippet('github', place(), true)).permissions).toEqual({
      contents: 'read',
      'id-token': 'write',
    });
    expect(parse(ciSnippet('gitlab', place(), true)).upload.id_tokens).toEqual({
      SLIPWAY_ID_TOKEN: { aud: slipway.origin },
    });
    expect(parse(ciSnippet('bitbucket', place(), true))[0].step.oidc).toEqual({
      audiences: [slipway.origin],
    });
  });

  const usual = (path = 'acme/tide') => ({ path, server: '' });
  const own = (path = 'acme/tide') => ({ path, server: 'https://git.example.com' });
  it.each([
    ['github', 'acme/tide', usual()],
    ['github', ' https://github.com/acme/tide.git ', usual()],
    ['github', 'https://www.github.com/acme/tide/actions?query=x', usual()],
    ['github', 'git@github.com:acme/tide.git', usual()],
    ['github', 'https://git.example.com/acme/tide/', own()],
    ['gitlab', 'https://gitlab.com/acme/mobile/tide', usual('acme/mobile/tide')],
    ['gitlab', 'https://git.example.com/acme/tide/-/pipelines', own()],
    ['gitlab', 'git@git.example.com:acme/mobile/tide.git', own('acme/mobile/tide')],
    ['buildkite', 'https://buildkite.com/acme/tide/builds/7', usual()],
  ] as const)('reads the repository for %s from %s', (system, text, expected) => {
    expect(readRepository(system, text)).toEqual(expected);
  });

  it.each(['', 'acme', 'https://git.example.com/tide', 'acme/*', 'acme/a | acme/b', 'javascript:alert(1)'])(
    'reads no repository from %j',
    (text) => {
      for (const system of ['github', 'gitlab', 'buildkite'] as const)
        expect(() => readRepository(system, text)).toThrow(/Enter the whole path/);
    },
  );

  it('trusts each system by the claims that say for certain who builds', () => {
    const uuid = '3f1c6c1e-2f1d-4a55-9d3e-0a4b5c6d7e8f';
    const [path, id] = ['acme/tide', '7c2b6d4e-1111-4222-8333-444455556666'];
    const values = {
      github: { repository: 'https://git.example.com/acme/tide' },
      gitlab: { repository: path },
      circleci: { organization: id, project: uuid },
      bitbucket: { workspace: 'acme', repository: uuid },
      buildkite: { repository: path },
    };
    const inputs = trustedSystems.map((system) => {
      expect(Object.keys(values[system])).toEqual(trustFields[system]);
      return trustInput(system, { ...noTrustValues, ...values[system] }, null);
    });
    expect(inputs.map(({ issuer, rules, allowsSelfHosted }) => [issuer, rules, allowsSelfHosted])).toEqual([
      // Every runner of a server of one's own is self-hosted.
      ['https://git.example.com/_services/token', [{ claim: 'repository', equals: path }], true],
      [null, [{ claim: 'project_path', equals: path }], false],
      [
        `https://oidc.circleci.com/org/${id}`,
        [{ claim: 'oidc.circleci.com/project-id', equals: uuid }],
        false,
      ],
      [
        'https://api.bitbucket.org/2.0/workspaces/acme/pipelines-config/identity/oidc',
        [{ claim: 'repositoryUuid', equals: `{${uuid}}` }],
        false,
      ],
      [
        null,
        [
          { claim: 'organization_slug', equals: 'acme' },
          { claim: 'pipeline_slug', equals: 'tide' },
        ],
        false,
      ],
    ]);
    const names = inputs.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const app = { platform: 'ios', packageName: 'x'.repeat(200) } as const;
    const long = trustInput('gitlab', { ...noTrustValues, repository: path }, app);
    expect([long.app, long.name.length]).toEqual([app, 100]);
  });

  it('uploads with the two lines of a snippet, and with curl', async () => {
    const run = (script: string) => {
      const env = { ...process.env, [keyVariable]: key, GITHUB_ACTIONS: 'true', GITHUB_HEAD_REF: 'main' };
      return execute('sh', ['-ec', script.replaceAll('node ', `'${process.execPath}' `)], {
        cwd: folder,
        env,
      });
    };
    const [, line = ''] = commandsOf('github');
    // The file that a server offers is tested with the program that it is made from.
    const uploader = fileURLToPath(new URL('../../src/commands/uploader/uploader-main.ts', import.meta.url));
    await run(
      line
        .replace(
          'node slipway.mjs',
          `'${process.execPath}' --import 'data:text/javascript,globalThis.slipwayVersion=0' '${uploader}'`,
        )
        .replace(/app\/[\w/.-]+/, 'app.apk'),
    );
    const raw = ciSnippet('curl', place()).replace(/@app\/[\w/.-]+/, '@app.apk');
    expect(JSON.parse((await run(raw)).stdout)).toMatchObject({
      results: { package_name: 'com.example.ci' },
    });
    const app = (await slipway.data.apps.findAppsByPackageName(await ownerId('ci'), 'com.example.ci'))[0];
    const builds = await slipway.data.builds.listBuilds(app?.id ?? '', { limit: 20 });
    expect(builds.map(({ branch, message }) => [branch, message])).toEqual([
      [null, 'First build'],
      ['main', ''],
    ]);
  });

  it('turns green with the first upload, which its event stream announces', async () => {
    await slipway.project('shoals', { members: { dora: 'developer', tess: 'tester' } });
    const dev = await signIn(slipway, 'dora');
    const [page, live] = ['/users/shoals/ci', '/users/shoals/ci/live'];
    const step = async () => {
      const elements = readElements((await dev.get(page)).text);
      return elements.find(({ attributes }) => attributes.get('id') === 'ci-upload');
    };
    const first = await step();
    expect(first?.text).toContain('Waiting for the first upload');
    expect([first?.attributes.has('data-live-part'), first?.attributes.has('data-live-pending')]).toEqual([
      true,
      true,
    ]);
    const stream = await openEventStream(slipway.origin, live, { Cookie: dev.cookie });
    const states = (count: number) =>
      expect.poll(() => stream.events(), { timeout: 20_000 }).toHaveLength(count);
    await states(1);
    expect(stream.events()[0]).toEqual({ event: 'change', data: { revision: null, digest: '' } });
    const file = await readFile(join(folder, 'app.apk'));
    await uploaded(slipway, { owner: 'shoals', key: slipway.adminKey, file, fields: {} });
    await states(2);
    expect(stream.events()[1]).toMatchObject({ event: 'change', data: { revision: 1 } });
    const green = await step();
    expect(green?.text).toMatch(/^It works.*#1 was uploaded/);
    expect(green?.attributes.has('data-live-pending')).toBe(false);
    expect((await dev.get(page)).text).toContain(
      '/users/shoals/platforms/android/apps/com.example.ci/binaries/1',
    );
    now += 15 * 60_000;
    expect((await step())?.text).toMatch(/^Waiting for the next upload.*The last upload was .*#1/);
    stream.destroy();
    expect((await (await signIn(slipway, 'tess')).get(live)).status).toBe(404);
  });

  const ownerId = async (name: string) => (await slipway.data.owners.findOwner(name))?.id ?? '';

  it('fills in the address of this server and the owner, for people who can upload there', async () => {
    const dev = await signIn(slipway, 'dora');
    for (const system of ciSystems) {
      const page = await dev.get(`/users/tides/ci?system=${system}`);
      expect(page.status).toBe(200);
      const { text } = readElements(page.text).find(({ tag }) => tag === 'code') ?? {};
      const expected = { ...place(), owner: 'tides', page: 'Beta' };
      expect(text).toBe(ciSnippet(system, expected));
    }
    const snippet = (await dev.get('/users/tides/ci')).text;
    expect(snippet).toMatch(
      /data-copy="Copy" data-copied="Copied"><div[^>]*><pre><code>- name: [^<]*--page Beta</,
    );
    expect((await dev.get('/users/tides/ci?system=unknown')).text).toContain('secrets.SLIPWAY_API_KEY');
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
      execute('curl', [
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
    expect(page.text).toContain('--page &quot;Nightly 潮&quot;');
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

describe('uploading from CI without a stored key', () => {
  const origin = 'https://apps.example.com';
  let slipway: TestService;
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory', settings: { SLIPWAY_URL: origin } });
    for (const name of ['olga', 'dora']) await slipway.user(name);
    await slipway.project('tides', { members: { olga: 'owner', dora: 'developer' } });
  });
  afterAll(() => slipway.close());

  const path = '/users/tides/ci?system=gitlab';
  const trust = async (repository: string) => {
    const olga = await signIn(slipway, 'olga');
    const { action, fields } = formOf((await olga.get(path)).text, 'trust-repository');
    return send(slipway.port, action, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        Accept: 'text/html',
        Cookie: olga.cookie,
      },
      body: formBody({ ...fields, repository, proof: testPassword }).toString(),
    });
  };

  it('trusts a repository by its address, and then shows it with the snippet', async () => {
    const answer = await trust('https://git.example.com/acme/tide');
    expect([answer.status, answer.headers.location]).toEqual([303, path]);
    const ownerId = (await slipway.data.owners.findOwner('tides'))?.id ?? '';
    expect(await slipway.data.trustedPublishers.list(ownerId)).toMatchObject([
      {
        name: 'acme/tide (GitLab, git.example.com)',
        app: null,
        provider: 'gitlab',
        issuer: 'https://git.example.com',
        rules: [{ claim: 'project_path', equals: 'acme/tide' }],
      },
    ]);
    const page = (await (await signIn(slipway, 'olga')).get(path)).text;
    expect(page).toContain('<li><bdi>acme/tide (GitLab, git.example.com)</bdi></li>');
    expect(page).toContain(`aud: ${origin}`);
    expect((await (await signIn(slipway, 'olga')).get(`${path}&key=stored`)).text).not.toContain('aud: ');
    const developer = (await (await signIn(slipway, 'dora')).get(path)).text;
    expect(developer).toContain('acme/tide');
    expect(developer).not.toContain('trust-repository');
    const own = (await (await signIn(slipway, 'dora')).get('/users/dora/ci?system=gitlab')).text;
    expect(formOf(own, 'trust-repository').action).toContain('/users/dora/ci/trust-repository');
    expect(own).toContain('href="/users/dora/settings/trusted-publishing"');
  });

  it.each([
    ['', 400],
    ['acme', 400],
    ['acme/tide', 409],
  ])('shows %j again, with the reason', async (repository, status) => {
    if (status === 409) await trust('acme/tide');
    const answer = await trust(repository);
    const field = readElements(answer.text).find(({ attributes }) => attributes.get('id') === 'repository');
    expect([answer.status, field?.attributes.get('aria-invalid')]).toEqual([status, 'true']);
    expect(field?.attributes.get('value')).toBe(repository);
  });

  it('says why a system needs a stored key, and offers none of its own', async () => {
    const olga = await signIn(slipway, 'olga');
    for (const system of ciSystems) {
      const { text } = await olga.get(`/users/tides/ci?system=${system}`);
      const isTrusted = trustedSystems.some((one) => one === system);
      expect([system, text.includes('trust-repository'), text.includes('create-key')]).toEqual([
        system,
        isTrusted,
        !isTrusted,
      ]);
      if (!isTrusted) expect(text).toMatch(/ID tokens?|the uploader uses/);
    }
  });

  it('shows why a token was refused instead of waiting for a build, until one arrives', async () => {
    const ownerId = (await slipway.data.owners.findOwner('tides'))?.id ?? '';
    const [publisher] = await slipway.data.trustedPublishers.list(ownerId);
    const refusal = {
      code: 'claim_differs',
      claim: 'environment',
      wanted: 'production',
      found: null,
    } as const;
    await slipway.data.trustedPublishers.recordRefusal(publisher?.id ?? '', refusal, Date.now());
    const dora = await signIn(slipway, 'dora');
    expect((await dora.get(path)).text).toContain('wants environment “production”; the token has none');
    expect((await dora.get('/users/tides/ci?system=github')).text).not.toContain('production');
    const file = buildApk({ packageName: 'com.example.refused' });
    await uploaded(slipway, { owner: 'tides', key: slipway.adminKey, file, fields: {} });
    expect((await dora.get(path)).text).toContain('It works');
  });
});
