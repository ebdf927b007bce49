/** Requests of DeployGate clients beyond uploads, exactly as they send them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loginsOf, outcomeOf } from '../../src/deploygate/deploygate-access-http.ts';
import { maxLooseFormBytes } from '../../src/http/loose-form.ts';
import { buildApk } from '../support/build-apk.ts';
import { send } from '../support/http-client.ts';
import { bearer, refusalOf, uploaded } from '../support/interface-client.ts';
import { multipart } from '../support/multipart-body.ts';
import { dialects } from '../support/test-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const app = '/api/users/olga/platforms/android/apps/com.example.tide';
const crewApp = '/api/users/crew/platforms/android/apps/com.example.tide';
const form = 'application/x-www-form-urlencoded';

interface Sent {
  key?: string | null;
  query?: string;
  type?: string;
  body?: string | Buffer;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever was answered
type Value = any;

describe.each(dialects)('clients of DeployGate on %s', (dialect) => {
  let slipway: TestService;
  let olga: string;
  beforeAll(async () => {
    slipway = await startTestService({ dialect, blobs: 'memory' });
    olga = await slipway.user('olga');
    for (const name of ['dev', 'tess', 'tom', 'stranger']) await slipway.user(name);
    await slipway.project('crew', { members: { olga: 'owner', dev: 'developer' } });
    const file = (versionCode: number) => buildApk({ packageName: 'com.example.tide', versionCode });
    for (const owner of ['olga', 'crew'])
      for (const versionCode of [1, 2, 3])
        await uploaded(slipway, {
          owner,
          key: olga,
          file: file(versionCode),
          fields: { message: `Version ${versionCode}` },
        });
  });
  afterAll(() => slipway.close());

  const call = (
    method: string,
    path: string,
    { key = olga, query = '', type = form, body = '' }: Sent = {},
  ) =>
    send(slipway.port, path + query, {
      method,
      headers: {
        ...(key === null ? {} : bearer(key)),
        ...(method === 'GET'
          ? {}
          : { 'Content-Type': type, 'Content-Length': String(Buffer.byteLength(body)) }),
      },
      ...(method === 'GET' ? {} : { body }),
    });
  const ok = async (method: string, path: string, sent: Sent = {}, status = 200): Promise<Value> => {
    const answer = await call(method, path, sent);
    expect([answer.status, answer.text]).toEqual([status, answer.text]);
    const value = JSON.parse(answer.text);
    expect(value.error).toBe(false);
    return value;
  };
  const refused = async (status: number, method: string, path: string, sent: Sent = {}) =>
    refusalOf(await call(method, path, sent), status).message;
  const parts = (fields: Record<string, string>) =>
    multipart(Object.entries(fields).map(([name, value]) => ({ name, value })));

  describe('a body', () => {
    const protect = `${app}/binaries/1/protect`;
    const message = async () => (await ok('GET', `${app}/binaries/1`)).results.message;

    it('may be urlencoded, multipart, JSON or in the query, with every method', async () => {
      const path = `${app}/binaries/1`;
      const { contentType, body } = parts({ message: 'multipart' });
      const ways: Record<string, Sent> = {
        urlencoded: { body: 'message=urlencoded' },
        multipart: { type: contentType, body },
        json: { type: 'application/json; charset=utf-8', body: '{"message":"json","other":null}' },
        query: { query: '?message=query' },
      };
      for (const [way, sent] of Object.entries(ways)) {
        await ok('PATCH', path, sent);
        expect(await message()).toBe(way);
      }
      for (const method of ['POST', 'DELETE']) {
        await ok(method, protect, { type: 'multipart/form-data; boundary=b', body: '--b--\r\n' });
        await ok(method, protect, { type: 'multipart/form-data; boundary=b' });
        await ok(method, protect, { type: 'application/json' });
        await ok(method, protect, { type: 'text/plain' });
      }
    });

    it('may contain the key, also as the last field of a DELETE', async () => {
      await ok('POST', `${app}/members`, { body: 'users=tom' });
      const ofForm = { key: null, body: `users=tom&token=${olga}` };
      expect(await ok('DELETE', `${app}/members`, ofForm)).toMatchObject({
        results: { invite: 'member remove success' },
      });
      await ok('DELETE', protect, { key: null, query: `?token=${olga}` });
      const { contentType, body } = parts({ token: olga });
      await ok('DELETE', protect, { key: null, type: contentType, body });
      await refused(401, 'DELETE', protect, { key: null, body: 'token=slw_wrong' });
      await refused(401, 'DELETE', protect, { key: null });
      // The header counts alone.
      await refused(401, 'DELETE', protect, { key: 'slw_wrong', body: `token=${olga}` });
    });

    it('repeats a field with the same value only', async () => {
      await ok('PATCH', `${app}/binaries/1`, { query: '?message=same', body: 'message=same&message=same' });
      expect(await message()).toBe('same');
      await refused(400, 'PATCH', `${app}/binaries/1`, { body: 'message=one&message=two' });
      await refused(400, 'PATCH', `${app}/binaries/1`, { query: '?message=one', body: 'message=two' });
      expect(await message()).toBe('same');
    });

    it.each([
      [400, 'application/json', '{"message":'],
      [400, 'application/json', '[]'],
      [400, 'application/json', '{"message":{"a":1}}'],
      [400, 'application/json', '{"message":"\\u0000"}'],
      [400, form, 'other=1'],
      [400, 'multipart/form-data; boundary=b', 'no multipart'],
      [413, form, `message=${'x'.repeat(maxLooseFormBytes)}`],
      [413, 'application/json', JSON.stringify({ message: 'x'.repeat(maxLooseFormBytes) })],
      [415, 'text/plain', 'message=plain'],
    ])('is refused with %i: %s %.20s', async (status, type, body) => {
      await refused(status, 'PATCH', `${app}/binaries/1`, { type, body });
      expect(await message()).toBe('same');
    });
  });

  it('get the secret that opens the page of an app, with the key that uploaded it', async () => {
    const { secret } = await uploaded(slipway, {
      owner: 'olga',
      key: olga,
      file: buildApk({ packageName: 'com.example.first' }),
    });
    for (const path of ['apps', 'platforms/android/apps'])
      expect(await ok('POST', `/api/users/olga/${path}/com.example.first/share`)).toEqual({
        error: false,
        results: { secret },
      });
    const page = `/users/olga/apps/com.example.first?key=${secret}`;
    expect((await send(slipway.port, page, { headers: { Accept: 'text/html' } })).status).toBe(200);
    await refused(404, 'POST', '/api/users/olga/apps/com.example.other/share');
    await refused(404, 'POST', '/api/users/olga/platforms/ios/apps/com.example.first/share');
    await refused(401, 'POST', '/api/users/olga/apps/com.example.first/share', { key: null });
  });

  it('find the start page at the address of their dashboard', async () => {
    const { status, headers } = await send(slipway.port, '/dashboard');
    expect([status, headers.location]).toEqual([303, '/']);
  });

  it('read apps and builds, with integers where they decode integers', async () => {
    const { results } = await ok('GET', app);
    expect(results).toMatchObject({
      package_name: 'com.example.tide',
      os_name: 'Android',
      revision: 3,
      sdk_version: expect.any(Number),
      file_size: expect.any(Number),
      user: { id: expect.any(Number), name: 'olga' },
    });
    expect((await ok('GET', `${app}?revision=2`)).results.revision).toBe(2);
    // Android is the platform that they may omit.
    expect((await ok('GET', '/api/users/olga/apps/com.example.tide')).results).toEqual(results);
    const { binaries } = (await ok('GET', `${app}/binaries?page=1`)).results;
    expect(binaries.map(({ revision }: Value) => revision)).toEqual([3, 2, 1]);
    expect((await ok('GET', `${app}/binaries?page=2`)).results.binaries).toEqual([]);
    const found = await ok('GET', `${app}/binaries/search?q=version+2&paging%5Bper_page%5D=1`);
    expect(found.results.binaries.map(({ revision }: Value) => revision)).toEqual([2]);
    const { applications } = await ok('GET', '/api/organizations/crew/apps');
    expect(applications).toMatchObject([
      {
        package_name: 'com.example.tide',
        current_revision: 3,
        owner: { type: 'Organization', name: 'crew' },
      },
    ]);
    expect((await ok('GET', crewApp.replace('users', 'organizations'))).application).toEqual(applications[0]);
    const file = await call('GET', `${app}/binaries/3/download/binary.apk`);
    expect([file.status, file.headers.location]).toEqual([
      302,
      expect.stringMatching(/^\/builds\/.*\/file\?key=/),
    ]);
    expect((await send(slipway.port, file.headers.location ?? '')).status).toBe(200);
    expect(await refused(404, 'GET', `${app}/binaries/9`)).toBe('unknown binary');
    expect(await refused(404, 'GET', '/api/users/olga/platforms/ios/apps/none')).toBe(
      'no application is found',
    );
  });

  it('delete builds, but not the newest, a protected one, or one on a page', async () => {
    const build = (revision: number) => `${app}/binaries/${revision}`;
    await ok('POST', `${app}/distributions`, { body: 'title=nightly&revision=1' });
    expect(await refused(400, 'DELETE', build(3))).toBe('Cannot delete latest revision');
    expect(await refused(400, 'DELETE', build(1))).toBe('Cannot delete protected revision');
    await ok('POST', `${build(2)}/protect`);
    expect(await refused(400, 'DELETE', build(2))).toBe('Cannot delete protected revision');
    await ok('DELETE', `${build(2)}/protect`);
    await ok('DELETE', build(2));
    expect(await refused(404, 'DELETE', build(2))).toBe('unknown binary');
  });

  it('create, change, publish to and delete distribution pages', async () => {
    const { results } = await ok('POST', `${app}/distributions`, {
      body: 'title=beta&release_note=Hello&active=0',
    });
    expect(results).toMatchObject({
      active: false,
      title: 'beta',
      release_note: 'Hello',
      release_scope: 'unlisted',
      application: { revision: 3, path: '/users/olga/platforms/android/apps/com.example.tide' },
    });
    const path = `/api/distributions/${results.access_key}`;
    expect((await ok('GET', path)).results).toEqual(results);
    const changed = await ok('PUT', path, {
      body: 'active=true&release_scope=passcode&passcode=4321&title=gamma&ip_restriction=10.0.0.0/8,192.0.2.1',
    });
    expect(changed.results).toMatchObject({ active: true, release_scope: 'passcode', title: 'gamma' });
    const stored = await slipway.data.distributions.findPageWithApp(results.access_key);
    expect(stored?.page.networks).toEqual(['10.0.0.0/8', '192.0.2.1']);
    await ok('PUT', path, { body: 'active=true&release_scope=authorized_only&ip_restriction_enable=false' });
    expect(
      (await ok('POST', `${path}/packages`, { body: 'revision=1&release_note=Back' })).results,
    ).toMatchObject({
      release_note: 'Back',
      release_scope: 'authorized_only',
      application: { revision: 1 },
    });
    expect(await refused(400, 'PUT', path, { body: 'active=maybe&release_scope=unlisted' })).toMatch(
      /^active:/,
    );
    expect(await refused(400, 'PUT', path, { body: 'active=true&release_scope=everyone' })).toMatch(
      /^release_scope:/,
    );
    expect(await refused(400, 'POST', `${app}/distributions`, { body: 'title=gamma' })).toMatch(/^title:/);
    const { distributions } = (await ok('GET', `${app}/distributions`)).results;
    expect(distributions.map(({ title }: Value) => title)).toEqual(['gamma', 'nightly']);
    const gone = await ok('DELETE', `${app}/distributions`, { query: '?distribution_name=gamma' });
    expect(gone.results).toEqual({ message: 'deleted successfully' });
    expect(await refused(404, 'GET', path)).toBe('not found');
  });

  it('give and take access to the app of a user, with lists in brackets', async () => {
    const added = await ok('POST', `${app}/members`, { query: '?users=[tess,%20tom]', body: 'role=2' });
    expect(added.results).toEqual({
      invite: 'member invite success',
      added: [],
      invited: [{ email: 'tess' }, { email: 'tom' }],
    });
    expect(await refused(400, 'POST', `${app}/members`, { body: 'users=nobody&role=2' })).toMatch(/nobody/);
    await refused(400, 'POST', `${app}/members`, { body: 'users=tess&role=9' });
    await refused(403, 'POST', `${crewApp}/members`, { body: 'users=tess&role=2' });
    expect((await ok('GET', `${crewApp}/members`)).results).toMatchObject({
      users: [
        { name: 'admin', role: 1 },
        { name: 'dev', role: 1 },
        { name: 'olga', role: 1 },
      ],
      teams: [
        { name: 'owner', role: 1 },
        { name: 'developer', role: 1 },
        { name: 'tester', role: 2 },
      ],
    });
  });

  it('create, staff and delete a Project', async () => {
    const name = 'fleet';
    const path = `/api/organizations/${name}`;
    expect(
      await ok('POST', '/api/organizations', { body: `name=${name}&description=Ships` }, 201),
    ).toMatchObject({
      organization: { type: 'Organization', name, description: 'Ships' },
    });
    expect(
      (await ok('PATCH', path, { body: 'description=Boats&display_name=Fleet' })).organization,
    ).toMatchObject({
      description: 'Boats',
    });
    const team = `${path}/teams/${encodeURIComponent('開発者')}/users`;
    await slipway.join(name, 'tester', 'tess');
    await ok('POST', team, { body: 'user=tess' }, 201);
    expect((await ok('GET', team)).users).toMatchObject([{ type: 'User', name: 'tess' }]);
    await ok('DELETE', `${team}/tess`);
    expect((await ok('GET', `${path}/teams/tester/users`)).users).toMatchObject([{ name: 'tess' }]);
    expect(await ok('POST', `${path}/members`, { body: 'username=tom' })).toMatchObject({
      message: 'tom was invited to fleet',
    });
    expect((await ok('GET', `${path}/members`)).members).toMatchObject([
      { name: 'olga' },
      { name: 'tess' },
      { name: 'tom', inviting: true },
    ]);
    expect(await refused(404, 'GET', `${path}/teams/designers/users`)).toMatch(/owner, developer and tester/);
    expect(await refused(409, 'DELETE', `${path}/members/olga`)).toMatch(/owner/);
    await ok('DELETE', path);
    expect(await refused(404, 'GET', path)).toBe('invalid organization name');
  });

  it('say why a person was refused', () => {
    const message = 'The limit of 100 open invitations is reached.';
    expect(() => outcomeOf({ text: 'tom', outcome: 'refused', message }, 'tom')).toThrow(message);
  });

  it('manage the people of a Workspace', async () => {
    await slipway.workspace('harbor', 'olga');
    const path = '/api/enterprises/harbor';
    expect((await ok('POST', `${path}/organizations`, { body: 'name=dock' }, 201)).results.name).toBe('dock');
    // As a client adds a tester: to the Workspace, to the Project, to the team.
    await ok('POST', `${path}/users`, { body: 'user=tess' }, 201);
    await ok('POST', `${path}/organizations/dock/users`, { body: 'user=tess' }, 201);
    await slipway.join('dock', 'tester', 'tess');
    const again = refusalOf(await call('POST', `${path}/users`, { body: 'user=tess' }), 400);
    expect(again.error_type).toBe('already_joined_member');
    expect((await ok('GET', `${path}/users`)).users).toMatchObject([
      { name: 'olga', role: 'Admin' },
      { name: 'tess', role: 'General' },
    ]);
    expect((await ok('GET', `${path}/users/tess`)).results).toMatchObject({ name: 'tess' });
    expect((await ok('GET', `${path}/organizations`)).organizations).toMatchObject([
      { name: 'dock', enterprise: { name: 'harbor' } },
    ]);
    await refused(403, 'DELETE', `${path}/users/olga`);
    expect(await ok('DELETE', `${path}/users/tom`)).toMatchObject({ message: 'tom is not in harbor' });
    expect(await ok('DELETE', `${path}/users/nobody`)).toMatchObject({ message: 'nobody is not in harbor' });
    expect(await ok('DELETE', `${path}/users/tess`)).toMatchObject({
      message: 'tess was removed from harbor',
    });
    expect((await ok('GET', `${path}/organizations/dock/users`)).users).toMatchObject([{ name: 'olga' }]);
    expect(await refused(400, 'POST', `${path}/shared_teams`, { body: 'name=x' })).toMatch(/no shared teams/);
  });

  it('see only themselves and the people of their Projects', async () => {
    expect((await ok('GET', '/api/users/olga')).results).toMatchObject({ name: 'olga' });
    expect((await ok('GET', '/api/users/dev')).results).toMatchObject({ name: 'dev' });
    expect(await refused(404, 'GET', '/api/users/stranger')).toBe('no user is found');
    expect(
      await refused(403, 'POST', '/api/sessions', { key: null, body: 'email=a@b.c&password=x' }),
    ).toMatch(/create an API key at http.*\/settings\/keys$/);
  });
});

it.each([
  ['a,b@c.d', ['a', 'b@c.d']],
  ['[a]', ['a']],
  ['[ a , b ]', ['a', 'b']],
  [' , ', []],
])('reads the people %j', (users, logins) => {
  expect(loginsOf(users)).toEqual(logins);
});
