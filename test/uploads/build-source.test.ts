/** Builds of trusted publishers: what the ID token said about them, and uploads that say something else. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runUpload } from '../../src/commands/uploader/upload-command.ts';
import { createMemoryMailer } from '../../src/mail/memory-mailer.ts';
import { type BuildSource, sourceLinks, trustedProviders } from '../../src/owners/build-source.ts';
import {
  emptyPublisherValues,
  providerFields,
} from '../../src/projects/trusted-publishing/publisher-form.ts';
import { type BrowserSession, postForm, signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { json, send } from '../support/http-client.ts';
import { bearer, leavesNothing, refusalOf, upload, uploaded } from '../support/interface-client.ts';
import { mailSettings, settleOutbox } from '../support/mail-service.ts';
import { multipart } from '../support/multipart-body.ts';
import { formOf } from '../support/page-forms.ts';
import { startTestService, type TestService, testPassword } from '../support/test-service.ts';
import { issueTrustedKey, sampleSource } from '../support/trusted-key.ts';
import { temporaryFile, testIo } from '../uploader/upload-test-kit.ts';

const packageName = 'com.example.tide';
const file = buildApk({ packageName, label: 'Tide' });

const mailer = createMemoryMailer();
let slipway: TestService;
let mina: BrowserSession;
let ordinaryKey: string;
beforeAll(async () => {
  slipway = await startTestService({ blobs: 'memory', mailer, settings: mailSettings });
  ordinaryKey = await slipway.user('mina');
  mina = await signIn(slipway, 'mina');
});
afterAll(() => slipway.close());

const csrfOf = async () => /name="csrf" value="([^"]+)"/.exec((await mina.get('/')).text)?.[1] ?? '';
const postAs = async (path: string, fields: Record<string, string>) => {
  const proven = { csrf: await csrfOf(), proof: testPassword, ...fields };
  return postForm(slipway, path, proven, { Cookie: mina.cookie });
};

const trusted = (source: Partial<BuildSource> = {}) =>
  issueTrustedKey(slipway, { ownerKind: 'user', ownerName: 'mina' }, source);

async function uploadTrusted(source: Partial<BuildSource> = {}, fields: Record<string, string> = {}) {
  const key = await trusted(source);
  const answer = await uploaded(slipway, { owner: 'mina', key, file, fields });
  const { revision, distribution } = answer;
  const path = `/api/v1/apps/mina/android/${packageName}/builds/${revision}`;
  const build = json<Record<string, unknown>>(
    await send(slipway.port, path, { headers: bearer(ordinaryKey) }),
  );
  const list = `/users/mina/platforms/android/apps/${packageName}`;
  return {
    answer,
    revision,
    build,
    list,
    page: `${list}/binaries/${revision}`,
    url: distribution?.url ?? '',
  };
}

describe('a build of a trusted publisher', () => {
  it('carries what the ID token said, and takes its branch, commit and run from there', async () => {
    const { answer, build } = await uploadTrusted();
    expect(answer).toMatchObject({ source: { ...sampleSource, verified: true } });
    expect(build).toMatchObject({
      branch: 'main',
      commit: sampleSource.commit,
      build_url: sampleSource.run_url,
      source: { ...sampleSource, verified: true },
    });
  });

  it('has no source if it was uploaded with another key', async () => {
    const { revision, ...answer } = await uploaded(slipway, { owner: 'mina', key: ordinaryKey, file });
    expect(answer).not.toHaveProperty('source');
    const path = `/api/v1/apps/mina/android/${packageName}/builds/${revision}`;
    const build = json(await send(slipway.port, path, { headers: bearer(ordinaryKey) }));
    expect(build).toMatchObject({ branch: null, commit: null, build_url: null, source: null });
  });

  it('shows its source on its page, in the list, on the distribution page and in search', async () => {
    const { revision, list, page, url } = await uploadTrusted(
      { repository: 'acme/found' },
      { distribution_name: 'main' },
    );
    const buildPage = (await mina.get(page)).text;
    expect(buildPage).toMatch(/acme\/found.*1a2b3c4<.*run 42.*Verified/s);
    expect(buildPage).toContain(`href="https://github.com/acme/tide/commit/${sampleSource.commit}"`);
    expect(buildPage).toContain(`href="${sampleSource.run_url}"`);
    const sentence = 'Built by acme/found · 1a2b3c4 · run 42, verified';
    expect((await mina.get(list)).text).toContain(sentence);
    expect((await mina.get(`${list}?q=acme%2Ffound`)).text).toContain(`id="build-${revision}"`);
    expect((await mina.get('/search?q=acme%2Ffound')).text).toContain('acme/found');
    const shared = (await send(slipway.port, new URL(url).pathname, { headers: { Accept: 'text/html' } }))
      .text;
    expect(shared).toMatch(/acme\/found.*1a2b3c4<.*run 42.*Verified/s);
    expect(shared).not.toContain('mina');
  });

  it('accepts fields that say the same', async () => {
    const same = { branch: 'refs/heads/main', commit: '1A2B3C4', build_url: `${sampleSource.run_url}/job/7` };
    const { build } = await uploadTrusted({}, { ...same, label: 'PR 7' });
    expect(build).toMatchObject({ branch: 'main', commit: sampleSource.commit, label: 'PR 7' });
  });

  it('accepts a field that the ID token says nothing about', async () => {
    const { build } = await uploadTrusted({ ref: null, commit: null, run_url: null }, { branch: 'mine' });
    expect(build).toMatchObject({ branch: 'mine', commit: null, build_url: null });
  });

  it('accepts a job of the GitLab project that the ID token names', async () => {
    const project = 'https://git.example.com/acme/tide/-';
    const source = { provider: 'gitlab', run_url: `${project}/pipelines/9` } as const;
    const { build } = await uploadTrusted(source, { build_url: `${project}/jobs/77` });
    expect(build.build_url).toBe(source.run_url);
  });

  it('of a tag has no branch', async () => {
    expect((await uploadTrusted({ ref: 'refs/tags/v1.0' }, { branch: 'v1.0' })).build.branch).toBe('v1.0');
    expect((await uploadTrusted({ ref: 'refs/tags/v1.0' })).build.branch).toBeNull();
  });

  it('refuses a branch that has the name of the tag in the ID token', async () => {
    const key = await trusted({ ref: 'refs/tags/main' });
    const options = { owner: 'mina', key, file, fields: { branch: 'refs/heads/main' } };
    expect((await leavesNothing(slipway, () => upload(slipway, options))).status).toBe(400);
  });

  it.each([
    ['branch', 'release', 'ref', 'refs/heads/main'],
    ['branch', 'refs/tags/main', 'ref', 'refs/heads/main'],
    ['build_url', `${sampleSource.run_url}/../../../../../mallory`, 'run_url', sampleSource.run_url],
    ['commit', 'ffffffffffff', 'commit', sampleSource.commit],
    ['commit', '1a2b', 'commit', sampleSource.commit],
    ['build_url', 'https://github.com/acme/tide/actions/runs/421', 'run_url', sampleSource.run_url],
    ['build_url', 'https://evil.example/run/42', 'run_url', sampleSource.run_url],
  ])('refuses %s %s, which contradicts the claim %s', async (name, value, claim, claimed) => {
    const key = await trusted();
    const options = { owner: 'mina', key, file, fields: { [name]: value } };
    const refused = await leavesNothing(slipway, () => upload(slipway, options));
    expect(refusalOf(refused, 400).message).toBe(
      `${name} is “${value}”, but the ID token says that ${claim} is “${claimed}”. Leave ${name} out: it is taken from the token`,
    );
    const asProblem = await upload(slipway, { ...options, path: '/api/v1/owners/mina/builds' });
    expect(asProblem.status).toBe(400);
    expect(json(asProblem)).toMatchObject({ code: 'contradicts_source', errors: [{ pointer: `/${name}` }] });
  });

  it.each([
    ['a form', 1],
    ['parts', 65 * 1024 * 1024],
  ])('is reported by the uploader, which sends %s', async (_, fillerBytes) => {
    const bytes = buildApk({ packageName: 'com.example.reported', fillerBytes });
    const io = testIo({ env: { SLIPWAY_API_KEY: await trusted() } });
    const path = await temporaryFile({ onTestFinished }, 'app.apk', bytes);
    const exitCode = await runUpload([path, '-o', 'mina', '--server', slipway.origin, '--json'], io);
    expect([exitCode, JSON.parse(io.out())]).toMatchObject([0, { source: { run_id: '42', verified: true } }]);
  });

  it('cannot break a page, whatever the ID token said', async () => {
    const hostile = `<img src=x onerror=alert(1)>\u202e${'界'.repeat(200)}`;
    const { list, page, build, url } = await uploadTrusted(
      {
        provider: 'other',
        repository: hostile,
        commit: hostile,
        ref: hostile,
        workflow: hostile,
        run_id: hostile,
        run_url: 'javascript:alert(1)',
        actor: hostile,
      },
      { distribution_name: 'hostile' },
    );
    expect(build).toMatchObject({ branch: null, commit: null, build_url: null });
    for (const path of [list, page, new URL(url).pathname]) {
      const { status, text } = await mina.get(path);
      expect(status).toBe(200);
      expect(text).not.toContain('<img src=x');
      expect(text).not.toContain('href="javascript');
    }
  });
});

describe('links to the run and the commit', () => {
  const links = (source: Partial<BuildSource>) => sourceLinks({ ...sampleSource, ...source });

  it('are made for the providers whose addresses are known', () => {
    const { commit } = sampleSource;
    const ofGitLab = 'https://git.example.com/a/b/tide/-/pipelines/9';
    expect(links({ provider: 'gitlab', run_url: ofGitLab })).toEqual({
      run: ofGitLab,
      commit: `https://git.example.com/a/b/tide/-/commit/${commit}`,
    });
    const ofBitbucket = 'https://bitbucket.org/acme/tide/pipelines/results/9';
    expect(links({ provider: 'bitbucket', run_url: ofBitbucket }).commit).toBe(
      `https://bitbucket.org/acme/tide/commits/${commit}`,
    );
    expect(links({ provider: 'buildkite', run_url: 'https://buildkite.com/acme/tide/builds/9' })).toEqual({
      run: 'https://buildkite.com/acme/tide/builds/9',
      commit: null,
    });
  });

  it.each([
    { run_url: 'http://github.com/acme/tide/actions/runs/42' },
    { run_url: 'javascript:alert(1)' },
    { run_url: 'not an address' },
    { run_url: null },
    { provider: 'other' },
  ] as const)('are not made of $run_url $provider', (source) => {
    expect(links(source)).toEqual({ run: null, commit: null });
  });

  it('have no commit that is not a digest', () => {
    expect(links({ commit: '../../evil' }).commit).toBeNull();
  });
});

describe('an owner or app that requires trusted publishers', () => {
  const change = async (path: string, only: boolean, key = ordinaryKey) =>
    send(slipway.port, `/api/v1${path}`, {
      method: 'PATCH',
      headers: { ...bearer(key), 'Content-Type': 'application/json' },
      body: JSON.stringify({ trusted_publishers_only: only }),
    });
  const inForm = (token: string) => ({ key: null, fields: { token } });
  /** Every way to send a build that is not from a trusted publisher. */
  const ways: [string, () => ReturnType<typeof upload>][] = [
    ['a key', () => upload(slipway, { owner: 'mina', key: ordinaryKey, file })],
    ['a key in the form', () => upload(slipway, { owner: 'mina', file, ...inForm(ordinaryKey) })],
    [
      'the address of a platform',
      () => upload(slipway, { path: '/api/users/mina/platforms/android/apps', key: ordinaryKey, file }),
    ],
    ['/api/v1', () => upload(slipway, { path: '/api/v1/owners/mina/builds', key: ordinaryKey, file })],
    ['parts', async () => lastOf(await inParts(file.length))],
  ];
  const tus = (path: string, method: 'POST' | 'PATCH', headers: Record<string, string>, body?: Buffer) =>
    send(slipway.port, path, {
      method,
      headers: { ...bearer(ordinaryKey), 'Tus-Resumable': '1.0.0', ...headers },
      ...(body ? { body } : {}),
    });
  const inParts = (length: number) =>
    tus('/api/v1/uploads', 'POST', {
      'Upload-Length': String(length),
      'Upload-Metadata': `filename ${btoa('app.apk')},owner ${btoa('mina')}`,
    });
  /** The refusal of the upload, or the answer to its last part. */
  const lastOf = async (begun: Awaited<ReturnType<typeof inParts>>) => {
    if (begun.status !== 201) return begun;
    const headers = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' };
    return tus(String(begun.headers.location), 'PATCH', headers, file);
  };
  /** As the script of the form sends large files. */
  const byBrowserInParts = async (address: string) => {
    const csrf = await csrfOf();
    const about = { filename: 'app.apk', bytes: String(file.length), idempotency_key: csrf.slice(0, 20) };
    const headers = { Cookie: mina.cookie, Accept: 'application/json' };
    const begun = await postForm(slipway, `${address}/resumable`, { csrf, ...about }, headers);
    if (begun.status !== 200) return begun;
    return send(slipway.port, `${address}/resumable/${json<{ id: string }>(begun).id}`, {
      method: 'POST',
      headers: {
        ...headers,
        'Content-Type': 'application/offset+octet-stream',
        'Upload-Offset': '0',
        'Form-Token': csrf,
      },
      body: file,
    });
  };
  const byCommand = async () => {
    const io = testIo({ env: { SLIPWAY_API_KEY: ordinaryKey } });
    const path = await temporaryFile({ onTestFinished }, 'app.apk', file);
    const exitCode = await runUpload([path, '-o', 'mina', '--server', slipway.origin], io);
    return { exitCode, err: io.err() };
  };
  const byBrowser = async (address: string) => {
    const { contentType, body } = multipart([
      { name: 'csrf', value: await csrfOf() },
      { name: 'file', content: file, fileName: 'app.apk' },
    ]);
    const headers = { Cookie: mina.cookie, 'Content-Type': contentType, Accept: 'application/json' };
    return send(slipway.port, address, { method: 'POST', headers, body });
  };
  const appPath = `/users/mina/platforms/android/apps/${packageName}`;
  const places = [
    ['owner', '/owners/mina'],
    ['app', `/apps/mina/android/${packageName}`],
  ] as const;

  it.each(places)('refuses every other upload to the %s, and accepts them again', async (_, path) => {
    expect((await change(path, true)).status).toBe(200);
    for (const [way, send] of ways) {
      const refused = await leavesNothing(slipway, send);
      const code = json<{ code?: string; error_type?: string }>(refused);
      expect([way, refused.status, code.code ?? code.error_type]).toEqual([
        way,
        403,
        'trusted_publishing_only',
      ]);
    }
    for (const address of ['/users/mina/upload', `${appPath}/upload`])
      for (const send of [byBrowser, byBrowserInParts]) {
        const refused = await leavesNothing(slipway, () => send(address));
        expect([address, refused.status, json<{ error_type: string }>(refused).error_type]).toEqual([
          address,
          403,
          'trusted_publishing_only',
        ]);
      }
    const { exitCode, err } = await leavesNothing(slipway, byCommand);
    expect([exitCode, err]).toEqual([
      1,
      expect.stringContaining('builds from trusted publishers only (403)'),
    ]);
    await uploaded(slipway, { owner: 'mina', key: await trusted(), file });
    expect((await change(path, false)).status).toBe(200);
    await uploaded(slipway, { owner: 'mina', key: ordinaryKey, file });
    expect((await byBrowser('/users/mina/upload')).status).toBe(200);
  });

  it('refuses the rest of an upload that was begun before', async () => {
    const begun = await inParts(file.length);
    expect(begun.status).toBe(201);
    await change('/owners/mina', true);
    const refused = await leavesNothing(slipway, () => lastOf(begun));
    expect([refused.status, json<{ code: string }>(refused).code]).toEqual([403, 'trusted_publishing_only']);
    await change('/owners/mina', false);
    expect((await lastOf(begun)).status).toBe(200);
  });

  it('decides before the body of an upload with a key is read', async () => {
    await change('/owners/mina', true);
    const { status } = await send(slipway.port, '/api/users/mina/apps', {
      method: 'POST',
      headers: { ...bearer(ordinaryKey), 'Content-Type': 'multipart/form-data; boundary=none' },
      body: Buffer.from('no form'),
    });
    expect(status).toBe(403);
    await change('/owners/mina', false);
  });

  it('is recorded in the audit log, once per change', async () => {
    const { id = '' } = (await slipway.data.owners.findOwner('mina')) ?? {};
    const read = async () =>
      (await mina.get('/users/mina/audit')).text.match(/Only trusted publishers/g)?.length ?? 0;
    const before = await read();
    for (const only of [true, true, false, false]) await change('/owners/mina', only);
    expect((await read()) - before).toBe(2);
    expect(id).not.toBe('');
  });

  it('is the emergency switch when it ends: everyone who manages the owner gets an email', async () => {
    for (const name of ['nora', 'sven']) await slipway.user(name);
    await slipway.project('guarded', { members: { mina: 'owner', nora: 'owner', sven: 'developer' } });
    await settleOutbox(slipway);
    const before = mailer.sent.length;
    for (const only of [true, false]) expect((await change('/owners/guarded', only)).status).toBe(200);
    await settleOutbox(slipway);
    const mails = mailer.sent.slice(before);
    expect(mails.map(({ subject }) => subject)).toEqual(
      mails.map(() => 'Your Project accepts builds with API keys again'),
    );
    expect(mails.map(({ to }) => to.address).sort()).toEqual(['mina@example.com', 'nora@example.com']);
  });

  it('is changed only by people who manage the owner', async () => {
    const developer = await slipway.user('dev');
    await slipway.project('crew', { members: { mina: 'owner', dev: 'developer' } });
    await uploaded(slipway, { owner: 'crew', key: ordinaryKey, file });
    for (const path of ['/owners/crew', `/apps/crew/android/${packageName}`]) {
      expect((await change(path, true, developer)).status).toBe(404);
      expect((await change(path, true)).status).toBe(200);
      expect((await change(path, false)).status).toBe(200);
    }
  });

  it('does not end for a developer who deletes the app', async () => {
    const developer = await slipway.user('deletes');
    await slipway.project('kept', { members: { mina: 'owner', deletes: 'developer' } });
    await uploaded(slipway, { owner: 'kept', key: ordinaryKey, file });
    const path = `/apps/kept/android/${packageName}`;
    const remove = async () =>
      (await send(slipway.port, `/api/v1${path}`, { method: 'DELETE', headers: bearer(developer) })).status;
    await change(path, true);
    expect(await remove()).toBe(403);
    expect((await upload(slipway, { owner: 'kept', key: developer, file })).status).toBe(403);
    await change(path, false);
    expect(await remove()).toBe(204);
  });

  it('is changed by a form of the settings', async () => {
    const settings = '/users/mina/settings/trusted-publishing';
    const set = (path: string, only: string) => postAs(path, { only });
    expect((await set(`${settings}/require`, 'yes')).status).toBe(303);
    expect((await mina.get(settings)).text).toContain('Accept other uploads again');
    expect((await mina.get(`${appPath}/settings`)).text).toContain(
      'The owner accepts builds from trusted publishers only',
    );
    expect((await set(`${settings}/require`, '')).status).toBe(303);
    expect((await set(`${appPath}/require-trusted`, 'yes')).status).toBe(303);
    expect((await mina.get(`${appPath}/settings`)).text).toContain('Accept other uploads again');
    expect((await set(`${appPath}/require-trusted`, '')).status).toBe(303);
  });
});

describe('the settings of trusted publishers', () => {
  const settings = '/users/mina/settings/trusted-publishing';
  const post = (path: string, fields: Record<string, string>) => postAs(path, fields);
  const known = async () => {
    const { id = '' } = (await slipway.data.owners.findOwner('mina')) ?? {};
    return slipway.data.trustedPublishers.list(id);
  };

  it('fill in the form from the address', async () => {
    const query = '?provider=github&repository=acme%2Ftide&workflow=release.yml&environment=production';
    const { fields } = formOf((await mina.get(`${settings}/new${query}`)).text, 'create');
    expect(fields).toMatchObject({
      provider: 'github',
      repository: 'acme/tide',
      workflow: 'release.yml',
      environment: 'production',
    });
  });

  it.each(trustedProviders)('keep every rule of %s in the form', async (provider) => {
    const values = Object.fromEntries(providerFields[provider].map(({ field }) => [field, 'acme/tide']));
    const given = {
      ...emptyPublisherValues,
      ...values,
      workflow: 'release.yml',
      server: provider === 'other' ? 'https://ci.example.com' : '',
      ...(provider === 'circleci' || provider === 'buildkite' ? { organization: 'acme' } : {}),
      ...(provider === 'bitbucket' ? { workspace: 'acme' } : {}),
      name: provider,
      rules: 'sub = robot\nevent = a | b\nkind = release-*',
    };
    expect((await post(`${settings}/create`, { ...given, provider })).status).toBe(303);
    const made = (await known()).find(({ name }) => name === provider);
    expect(made?.provider).toBe(provider);
    const page = await mina.get(`${settings}/${made?.id}`);
    const shown = formOf(page.text, 'save').fields;
    for (const { field } of providerFields[provider])
      if (field !== 'server') expect([field, shown[field]]).toEqual([field, given[field]]);
    expect(shown.rules?.replaceAll('\r', '')).toBe(given.rules);
    expect((await post(`${settings}/${made?.id}/save`, shown)).status).toBe(303);
    const again = (await known()).find(({ name }) => name === provider);
    expect(again).toEqual(made);
  });

  it.each(['github', 'gitlab'] as const)('accept several branches of %s, but no tag', async (provider) => {
    const place = provider === 'github' ? 'repository' : 'project';
    const given = { [place]: 'acme/wave', provider, name: `${provider} branches`, branch: 'main | release' };
    expect((await post(`${settings}/create`, given)).status).toBe(303);
    const made = (await known()).find((one) => one.name === given.name);
    expect(made?.rules[1]).toEqual({
      claim: provider === 'github' ? 'ref' : 'ref_path',
      one_of: ['refs/heads/main', 'refs/heads/release'],
    });
    const { fields } = formOf((await mina.get(`${settings}/${made?.id}`)).text, 'save');
    expect([fields.branch, fields.rules]).toEqual([given.branch, '']);
    expect((await post(`${settings}/${made?.id}/delete`, {})).status).toBe(303);
  });

  it('show refused fields with what was entered, and the last refusal', async () => {
    const answer = await post(`${settings}/create`, { provider: 'github', name: 'Bad', repository: 'acme*' });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('The prefix of repository must contain the owner');
    expect(formOf(answer.text, 'create').fields.repository).toBe('acme*');
    const [first] = await known();
    const refusal = {
      code: 'claim_differs',
      claim: 'environment',
      wanted: 'production',
      found: null,
    } as const;
    await slipway.data.trustedPublishers.recordRefusal(first?.id ?? '', refusal, Date.now());
    for (const path of [settings, `${settings}/${first?.id}`])
      expect((await mina.get(path)).text).toContain('wants environment “production”; the token has none');
  });

  it('do not name a workflow file of several repositories', async () => {
    const given = { provider: 'github', name: 'Wide', repository: 'acme/*', workflow: 'release.yml' };
    const answer = await post(`${settings}/create`, given);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('A workflow file belongs to one repository');
  });

  it('show who added a publisher of a Project, also after that person has left', async () => {
    await slipway.user('lee');
    await slipway.project('reef', { members: { mina: 'owner', lee: 'owner' } });
    const [project, lee] = await Promise.all(
      ['reef', 'lee'].map((name) => slipway.data.owners.findOwner(name)),
    );
    if (!project || !lee) throw new Error('missing');
    const [publisher] = await known();
    if (!publisher) throw new Error('missing');
    await slipway.data.trustedPublishers.insert(project.id, publisher, lee, Date.now());
    const page = '/organizations/reef/settings/trusted-publishing';
    expect((await mina.get(page)).text).toMatch(/Added .* by <bdi>lee<\/bdi> ·/);
    const removed = await send(slipway.port, '/api/v1/projects/reef/people/lee', {
      method: 'DELETE',
      headers: bearer(ordinaryKey),
    });
    expect(removed.status).toBe(204);
    expect((await mina.get(page)).text).toContain('by <bdi>lee</bdi>, who left the Project');
    expect(await slipway.data.trustedPublishers.list(project.id)).toHaveLength(1);
  });

  it('delete a publisher', async () => {
    const before = await known();
    expect((await post(`${settings}/${before[0]?.id}/delete`, {})).status).toBe(303);
    expect(await known()).toHaveLength(before.length - 1);
  });
});
