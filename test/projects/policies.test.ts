/** Every policy of a Workspace, tried by people and keys through the web, the API, uploads, DeployGate's API and the command line. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accountQueries } from '../../src/accounts/profile/account-queries.ts';
import {
  noPolicies as noPolicyValues,
  type PolicyName,
  policyNames,
  readPolicies,
} from '../../src/owners/policies/policies.ts';
import { policyFields } from '../../src/projects/policies/policy-json.ts';
import { reviewPolicies } from '../../src/projects/policies/policy-review.ts';
import { renderPolicyReview } from '../../src/projects/policies/policy-review-page.tsx';
import { type BrowserSession, postForm, signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { openEventStream } from '../support/event-stream.ts';
import { type Answer as HttpAnswer, json, type RequestOptions, send } from '../support/http-client.ts';
import { bearer, get, upload, uploaded } from '../support/interface-client.ts';
import { multipart } from '../support/multipart-body.ts';
import { formOf } from '../support/page-forms.ts';
import { readAddresses } from '../support/read-addresses.ts';
import { runInProcess } from '../support/run-cli.ts';
import { beginTerminal, pollTerminal } from '../support/terminal-sign-in.ts';
import { dialects } from '../support/test-database.ts';
import { startTestService, type TestService, testPassword } from '../support/test-service.ts';
import { makeFrame, plainText } from '../web/hostile.ts';

const hourMs = 60 * 60_000;
const packageName = 'com.example.tide';
const app = `/users/Harbor/platforms/android/apps/${packageName}`;
const appApi = `/api/v1/apps/Harbor/android/${packageName}`;
const policiesPath = '/api/v1/workspaces/quay/policies';
const noPolicies = {
  second_factor: false,
  session_hours: null,
  key_days: null,
  networks: [],
  email_domains: [],
  page_access: 'unlisted',
  retention_days: null,
  trusted_publishers_only: false,
};

describe.each(dialects)('policies of a Workspace on %s', (dialect) => {
  let slipway: TestService;
  let offsetMs = 0;
  let dora: { key: string; browser: BrowserSession };
  let page: string;
  let secret: string;

  beforeAll(async () => {
    slipway = await startTestService({
      dialect,
      now: () => Date.now() + offsetMs,
      settings: { SLIPWAY_TRUST_PROXY: '127.0.0.1/32' },
    });
    await slipway.user('wanda');
    await slipway.workspace('quay', 'wanda');
    const key = await slipway.user('dora');
    await slipway.project('Harbor', { workspace: 'quay', members: { wanda: 'owner', dora: 'developer' } });
    dora = { key, browser: await signIn(slipway, 'dora') };
    const first = await uploaded(slipway, {
      owner: 'Harbor',
      key,
      file: buildApk({ packageName }),
      fields: { distribution_name: 'Beta' },
    });
    page = first.distribution?.access_key ?? '';
    secret =
      (await slipway.data.apps.findApp((await owner('Harbor')).id, 'android', packageName))?.secret ?? '';
    await uploaded(slipway, { owner: 'Harbor', key, file: buildApk({ packageName, versionCode: 2 }) });
  });
  afterAll(() => slipway?.close());
  beforeEach(async () => {
    offsetMs = 0;
    await setPolicies(noPolicies);
    dora.browser = await signIn(slipway, 'dora');
  });

  const owner = async (name: string) => {
    const found = await slipway.data.owners.findOwner(name);
    if (!found) throw new Error(`there is no ${name}`);
    return found;
  };
  const byKey = (method: string, path: string, key: string, body?: object, headers = {}) =>
    send(slipway.port, path, {
      method,
      headers: { ...bearer(key), ...(body ? { 'Content-Type': 'application/json' } : {}), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  /** As the administrator, whom no policy keeps from correcting the policies. */
  const setPolicies = async (body: object) => {
    const answer = await byKey('PATCH', policiesPath, slipway.adminKey, body);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return json(answer);
  };
  const cli = async (...args: string[]) => {
    const { code, stdout, stderr } = await runInProcess([...args, '--server', slipway.origin], {
      SLIPWAY_API_KEY: dora.key,
      SLIPWAY_URL: slipway.origin,
    });
    return { status: code === 0 ? 200 : 403, text: stdout + stderr };
  };
  const submit = (path: string, fields: Record<string, string>) =>
    dora.browser.get(app).then(({ text }) => {
      const csrf = /name="csrf" value="([^"]*)"/.exec(text)?.[1] ?? '';
      return postForm(slipway, path, { csrf, ...fields }, { Cookie: dora.browser.cookie });
    });

  type Answer = { status: number; text: string };
  /** How dora uses the Workspace. `headers`: only for requests that can have a chosen address. */
  const ways: Record<string, { by: 'session' | 'key'; use: (options: RequestOptions) => Promise<Answer> }> = {
    'a page of the Project': {
      by: 'session',
      use: (options) => dora.browser.get('/organizations/Harbor', options),
    },
    'the page of the Workspace': {
      by: 'session',
      use: (options) => dora.browser.get('/enterprises/quay', options),
    },
    'an app page': { by: 'session', use: (options) => dora.browser.get(app, options) },
    'settings of a page': {
      by: 'session',
      use: (options) => dora.browser.get(`/distributions/${page}/settings`, options),
    },
    'an upload in the browser': {
      by: 'session',
      use: (options) => dora.browser.get('/users/Harbor/upload', options),
    },
    'the API of an app': {
      by: 'key',
      use: ({ headers }) => byKey('GET', appApi, dora.key, undefined, headers),
    },
    'the API of the Workspace': {
      by: 'key',
      use: ({ headers }) => byKey('GET', '/api/v1/workspaces/quay', dora.key, undefined, headers),
    },
    'an upload by key': {
      by: 'key',
      use: ({ headers = {} }) =>
        upload(slipway, {
          owner: 'Harbor',
          key: dora.key,
          file: buildApk({ packageName, versionCode: 3 }),
          headers: headers as Record<string, string>,
        }),
    },
    'a resumable upload': {
      by: 'key',
      use: ({ headers = {} }) =>
        send(slipway.port, '/api/v1/uploads', {
          method: 'POST',
          headers: {
            ...bearer(dora.key),
            'Tus-Resumable': '1.0.0',
            'Upload-Length': '10',
            'Upload-Metadata': `filename YXBwLmFwaw==,owner ${Buffer.from('Harbor').toString('base64')}`,
            ...headers,
          },
        }),
    },
    "DeployGate's API": {
      by: 'key',
      use: ({ headers }) => byKey('GET', '/api/organizations/Harbor', dora.key, undefined, headers),
    },
    'the app page by key': {
      by: 'key',
      use: ({ headers }) => get(slipway, app, dora.key, { headers: headers as Record<string, string> }),
    },
    'the command line': { by: 'key', use: () => cli('app', 'list', 'Harbor') },
  };
  const succeeded = ({ status }: Answer) => status < 400;

  /** What each policy refuses. A policy without a row fails the test below. */
  const rows: Record<PolicyName, (() => Promise<void>) | 'see below'> = {
    secondFactor: () => refusesCallers('second_factor', true, ['session', 'key']),
    sessionHours: () => refusesCallers('session_hours', 1, ['session'], () => (offsetMs = 2 * hourMs)),
    keyDays: () => refusesCallers('key_days', 1, ['key'], () => (offsetMs = 25 * hourMs)),
    networks: () => refusesCallers('networks', ['10.0.0.0/8', '2001:db8::/32'], ['session', 'key']),
    emailDomains: () => refusesCallers('email_domains', ['example.org'], ['session', 'key']),
    pageAccess: 'see below',
    retentionDays: 'see below',
    trustedPublishersOnly: 'see below',
  };

  async function refusesCallers(
    name: string,
    value: unknown,
    refused: readonly ('session' | 'key')[],
    pass: () => unknown = () => {},
  ) {
    const before = Object.fromEntries(
      await Promise.all(
        Object.entries(ways).map(async ([way, { use }]) => [way, succeeded(await use({}))] as const),
      ),
    );
    expect(before).toEqual(Object.fromEntries(Object.keys(ways).map((way) => [way, true])));
    await setPolicies({ [name]: value });
    pass();
    for (const [way, { by, use }] of Object.entries(ways)) {
      const answer = await use({});
      const isRefused = refused.includes(by);
      expect([way, succeeded(answer)]).toEqual([way, !isRefused]);
      if (!isRefused) continue;
      expect([way, answer.status]).toEqual([way, 403]);
      expect([way, answer.text]).toEqual([way, expect.stringMatching(/this (Workspace|API key)/i)]);
      if (way.startsWith('the API'))
        expect(JSON.parse(answer.text)).toMatchObject({ code: 'workspace_policy', policy: name });
    }
    // People without access learn nothing.
    expect((await get(slipway, '/api/v1/workspaces/quay', await stranger())).status).toBe(404);
  }
  let strangers = 0;
  const stranger = () => slipway.user(`stranger${++strangers}`);

  it('has a row for each policy', () => expect(Object.keys(rows)).toEqual(policyNames));

  it.each(Object.entries(rows).filter(([, row]) => row !== 'see below'))(
    'refuses with %s in every way',
    async (_name, row) => {
      if (row !== 'see below') await row();
    },
    60_000,
  );

  it('admits allowed networks, also to distribution pages and signed links', async () => {
    const inside = { headers: { 'X-Forwarded-For': '10.1.2.3' } };
    const visit = (options: RequestOptions) => send(slipway.port, `/distributions/${page}`, options);
    await setPolicies({ networks: ['10.0.0.0/8'] });
    expect((await dora.browser.get(app, inside)).status).toBe(200);
    expect((await byKey('GET', appApi, dora.key, undefined, inside.headers)).status).toBe(200);
    expect((await visit(inside)).status).toBe(200);
    expect((await visit({})).status).toBe(403);
    expect((await send(slipway.port, `${app}?key=${secret}`, inside)).status).toBe(200);
    expect((await send(slipway.port, `${app}?key=${secret}`)).status).toBe(403);
  });

  describe('a terminal that a refused session approves', () => {
    const approve = (code: string) => submit('/device/approve', { code, days: '30', proof: testPassword });
    const signInTerminal = async () => {
      const { device_code, user_code } = await beginTerminal(slipway.port);
      expect((await approve(user_code)).status).toBe(303);
      return (await pollTerminal(slipway.port, device_code)).access_token ?? '';
    };
    const command = async (key: string) => {
      const environment = { SLIPWAY_API_KEY: key, SLIPWAY_URL: slipway.origin };
      const args = ['app', 'list', 'Harbor', '--server', slipway.origin];
      return runInProcess(args, environment);
    };

    it('gets no key from a session that is too old, and neither do other programs', async () => {
      await setPolicies({ session_hours: 1 });
      offsetMs = 2 * hourMs;
      const { device_code, user_code } = await beginTerminal(slipway.port);
      const refused = await approve(user_code);
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('action="/sign-out"')]);
      expect(await pollTerminal(slipway.port, device_code)).toEqual(
        expect.objectContaining({ error: 'authorization_pending' }),
      );
      const fields = { name: 'own', expires: '30', proof: testPassword, scope: 'read' };
      expect((await submit('/settings/keys/create', fields)).status).toBe(403);
      dora.browser = await signIn(slipway, 'dora');
      const key = await signInTerminal();
      expect((await command(key)).code).toBe(0);
      offsetMs = 4 * hourMs;
      expect((await command(key)).code).toBe(0);
    });

    it.each([
      ['a second factor', { second_factor: true }, {}],
      ['another network', { networks: ['10.0.0.0/8'] }, { 'X-Forwarded-For': '10.1.2.3' }],
    ])('is refused like the session without %s', async (_name, policy, met) => {
      await setPolicies(policy);
      expect((await dora.browser.get(app)).status).toBe(403);
      const key = await signInTerminal();
      expect((await command(key)).code).not.toBe(0);
      expect((await byKey('GET', appApi, key)).status).toBe(403);
      const isMet = Object.keys(met).length > 0;
      expect((await byKey('GET', appApi, key, undefined, met)).status).toBe(isMet ? 200 : 403);
    });
  });

  it('says on a page what to do', async () => {
    await setPolicies({ second_factor: true });
    const { text } = await dora.browser.get(app);
    expect(text).toContain('href="/settings/security"');
    await setPolicies({ second_factor: false, session_hours: 1 });
    offsetMs = 2 * hourMs;
    expect((await dora.browser.get(app)).text).toContain('action="/sign-out"');
  });

  it('leaves out apps and Projects of a Workspace that refuses the caller in lists and searches, and says why', async () => {
    const names = async () => [
      ...(await Promise.all(
        ['/', '/projects', '/search?q=Harbor'].map(async (path) => {
          const { text } = await dora.browser.get(path);
          return text.includes('/organizations/Harbor"');
        }),
      )),
      ...(await Promise.all(
        ['/api/v1/projects', '/api/organizations', '/api/v1/search?q=Harbor'].map(async (path) =>
          (await get(slipway, path, dora.key)).text.includes('"name":"Harbor"'),
        ),
      )),
    ];
    const listed = async () => [
      (await dora.browser.get('/')).text.includes(packageName),
      (await dora.browser.get(`/search?q=${packageName}`)).text.includes(`/apps/${packageName}`),
      json<{ apps: object[] }>(await get(slipway, '/api/v1/search?q=tide', dora.key)).apps.length > 0,
    ];
    expect(await listed()).toEqual([true, true, true]);
    expect(await names()).toEqual(Array(6).fill(true));
    await setPolicies({ second_factor: true });
    expect(await listed()).toEqual([false, false, false]);
    expect(await names()).toEqual(Array(6).fill(false));
    const home = (await dora.browser.get('/')).text;
    expect(home).toContain('You have no access to these Workspaces now');
    expect(home).toContain('href="/enterprises/quay"');
    expect((await dora.browser.get('/enterprises/quay')).text).toContain('href="/settings/security"');
  });

  it('shows nothing of its apps at any address, by session or key', async () => {
    const addresses = readAddresses(slipway, {
      owner: 'Harbor',
      workspace: 'quay',
      package: packageName,
      platform: 'android',
      revision: '1',
      accessKey: page,
      name: 'Beta',
    });
    // Their personal data belongs to them, the page is unlisted, and the documentation has an example of that name.
    const isOpen = (address: string) =>
      /^\/settings\/data\.json$|^\/api\/v1\/me\/data$|\/distributions\/|\/pages\/[^/]+\/update$|^\/docs$|openapi/.test(
        address,
      );
    const shown = async () => {
      const found: string[] = [];
      for (const address of addresses.filter((one) => !isOpen(one)))
        for (const [by, answer] of [
          ['session', await dora.browser.get(address)],
          ['key', await get(slipway, address, dora.key)],
        ] as const)
          if (answer.status < 400 && /com\.example\.tide|Harbor\/android/.test(answer.text))
            found.push(`${by} ${address}`);
      return found;
    };
    expect((await shown()).length).toBeGreaterThan(60);
    await setPolicies({ second_factor: true });
    expect(await shown()).toEqual([]);
  }, 60_000);

  it('refuses managers of groups who are in no team, and shows them to nobody else', async () => {
    const key = await slipway.user('gail');
    const group = await slipway.data.groups.insertGroup({
      ownerId: (await owner('Harbor')).id,
      name: 'Night shift',
      now: 1,
    });
    const api = `/api/v1/owners/Harbor/groups/${group}`;
    const managers = async (login: string) =>
      (await byKey('POST', `${api}/managers`, await keyOf('wanda'), { login })).status;
    expect(await managers('gail')).toBe(204);
    const gail = await signIn(slipway, 'gail');
    const uses = async () => [
      (await byKey('GET', `${api}/people`, key)).status,
      (await byKey('POST', `${api}/people`, key, { logins: ['dora'] })).status,
      (await gail.get(`/organizations/Harbor/groups/${group}`)).status,
      (await gail.get('/projects')).text.includes('Night shift'),
      (await byKey('GET', `${api}/people`, await stranger())).status,
    ];
    expect(await uses()).toEqual([200, 200, 200, true, 404]);
    await setPolicies({ second_factor: true });
    expect(await uses()).toEqual([403, 403, 403, false, 404]);
    await setPolicies({ ...noPolicies, email_domains: ['example.com'] });
    await slipway.user('gale');
    const gale = (await owner('gale')).id;
    await accountQueries(slipway.data).setEmail(gale, 'gale@example.org', 'gale@example.com', true);
    expect(await managers('gale')).toBe(403);
  });

  it('refuses an owner of the Workspace who reaches it from outside', async () => {
    const key = await keyOf('wanda');
    await slipway.user('walt');
    await slipway.data.workspaces.addPerson(
      (await slipway.data.owners.findWorkspace('quay'))?.id ?? '',
      (await owner('walt')).id,
      'owner',
    );
    await slipway.project('Island', { members: { wanda: 'owner', walt: 'tester' } });
    await setPolicies({ second_factor: true });
    const made = await byKey('POST', '/api/v1/projects', key, { name: 'Jetty', workspace: 'quay' });
    expect([made.status, await slipway.data.owners.findOwner('Jetty')]).toEqual([403, null]);
    const wanda = await signIn(slipway, 'wanda');
    const removal = `/organizations/Island/people/${(await owner('walt')).id}`;
    const form = formOf((await wanda.get(`${removal}/removal`)).text, 'remove-everywhere');
    const removed = await postForm(
      slipway,
      form.action,
      { ...form.fields, proof: testPassword },
      { Cookie: wanda.cookie },
    );
    expect([removed.status, removed.text]).toEqual([403, expect.stringContaining('second factor')]);
    expect(await slipway.data.owners.teamsOf((await owner('Island')).id, (await owner('walt')).id)).toEqual([
      'tester',
    ]);
  });

  it('ends open streams', async () => {
    const stream = await openEventStream(slipway.origin, `${app}/live`, { Cookie: dora.browser.cookie });
    expect(stream.status).toBe(200);
    await setPolicies({ email_domains: ['example.org'] });
    await stream.ended;
  });

  it('refuses what began before: parts of an upload, a shared file link, an open invitation', async () => {
    const began = await ways['a resumable upload']?.use({});
    const location = new URL(String((began as HttpAnswer).headers.location), slipway.origin).pathname;
    const first = await uploaded(slipway, {
      owner: 'Harbor',
      key: dora.key,
      file: buildApk({ packageName, versionCode: 5 }),
    });
    const file = new URL(first.file).pathname + new URL(first.file).search;
    expect((await send(slipway.port, file)).status).toBe(200);
    await slipway.user('ivy');
    const invite = { logins: ['ivy'], team: 'tester' };
    const wandasKey = await keyOf('wanda');
    expect((await byKey('POST', '/api/v1/projects/Harbor/people', wandasKey, invite)).text).toContain(
      'invited',
    );
    const ivy = await signIn(slipway, 'ivy');
    await setPolicies({ email_domains: ['example.org'], page_access: 'passcode' });
    const part = await send(slipway.port, location, {
      method: 'PATCH',
      headers: {
        ...bearer(dora.key),
        'Tus-Resumable': '1.0.0',
        'Upload-Offset': '0',
        'Content-Type': 'application/offset+octet-stream',
      },
      body: Buffer.alloc(10),
    });
    expect([part.status, part.text]).toEqual([403, expect.stringContaining('example.org')]);
    expect((await send(slipway.port, file)).status).toBe(404);
    const invited = await ivy.get('/settings/invitations');
    const form = formOf(invited.text, 'accept');
    expect((await postForm(slipway, form.action, form.fields, { Cookie: ivy.cookie })).status).toBe(403);
    expect(
      (await slipway.data.owners.teamsOf((await owner('Harbor')).id, (await owner('ivy')).id)).length,
    ).toBe(0);
    await setPolicies(noPolicies);
    await byKey('PATCH', `/api/v1/pages/${page}`, dora.key, { access: 'unlisted' });
  });

  it('admits an old key again when it is rotated', async () => {
    await setPolicies({ key_days: 1 });
    const key = await keyOf('dora');
    offsetMs = 25 * hourMs;
    expect((await get(slipway, appApi, key)).status).toBe(403);
    const mine = json<{ data: { id: string; name: string }[] }>(
      await get(slipway, '/api/v1/owners/dora/keys', key),
    );
    const id = mine.data.find(({ name }) => name === 'key 0')?.id ?? '';
    const rotated = json<{ api_key: string }>(
      await byKey('POST', `/api/v1/owners/dora/keys/${id}/rotate`, key, {}),
    );
    expect((await get(slipway, appApi, rotated.api_key)).status).toBe(200);
  });

  it('refuses members and invitations outside the email domains', async () => {
    await slipway.user('uma');
    await setPolicies({ email_domains: ['example.org'] });
    const add = (login: string) =>
      byKey('POST', '/api/v1/projects/Harbor/people', slipway.adminKey, { logins: [login], team: 'tester' });
    for (const login of ['uma', 'new@example.net']) expect((await add(login)).text).toContain('example.org');
    await expect(slipway.join('Harbor', 'tester', 'uma')).rejects.toThrow(/example\.org/);
    await setPolicies({ email_domains: ['EXAMPLE.com'] });
    await slipway.join('Harbor', 'tester', 'uma');
  });

  it('restricts distribution pages at once, and refuses to open them again in every way', async () => {
    expect((await send(slipway.port, `/distributions/${page}`)).status).toBe(200);
    await setPolicies({ page_access: 'passcode' });
    expect(
      (await send(slipway.port, `/distributions/${page}`, { headers: { Accept: 'text/html' } })).status,
    ).toBe(303);
    expect(
      (await send(slipway.port, `${app}?key=${secret}`, { headers: { Accept: 'text/html' } })).status,
    ).toBe(303);
    const patched = await byKey('PATCH', `/api/v1/pages/${page}`, dora.key, { access: 'unlisted' });
    expect(json(patched)).toMatchObject({ code: 'workspace_policy', policy: 'page_access' });
    const settings = await dora.browser.get(`/distributions/${page}/settings/access`);
    const choice = (kind: string) =>
      settings.text.match(/<input[^>]*>/g)?.find((input) => input.includes(`id="access-${kind}"`));
    expect(['unlisted', 'passcode'].map((kind) => choice(kind)?.includes('disabled'))).toEqual([true, false]);
    expect(settings.text).toContain('A policy of the Workspace does not allow this.');
    const form = formOf(settings.text, 'save');
    const saved = await postForm(
      slipway,
      form.action,
      { ...form.fields, access: 'unlisted' },
      { Cookie: dora.browser.cookie },
    );
    expect([saved.status, saved.text]).toEqual([403, expect.stringContaining('does not allow this access')]);
    expect(
      (await byKey('PATCH', `/api/v1/pages/${page}`, dora.key, { access: 'passcode', passcode: '4711' }))
        .status,
    ).toBe(200);
    const made = await uploaded(slipway, {
      owner: 'Harbor',
      key: dora.key,
      file: buildApk({ packageName, versionCode: 4 }),
      fields: { distribution_name: 'Nightly' },
    });
    const created = await get(slipway, `/api/v1/pages/${made.distribution?.access_key}`, dora.key);
    expect(json(created)).toMatchObject({ access: 'members' });
    await setPolicies({ page_access: 'unlisted' });
    expect((await byKey('PATCH', `/api/v1/pages/${page}`, dora.key, { access: 'unlisted' })).status).toBe(
      200,
    );
  });

  it('keeps builds for the minimum, by hand and by rule, in every way', async () => {
    await setPolicies({ retention_days: 30 });
    const remove = (path: string, body?: object) => byKey(body ? 'POST' : 'DELETE', path, dora.key, body);
    const refused = await remove(`${appApi}/builds/2`);
    expect([refused.status, json(refused)]).toMatchObject([
      403,
      { code: 'workspace_policy', policy: 'retention_days', detail: expect.stringContaining('30 days') },
    ]);
    expect((await remove(`${appApi}/builds/delete`, { revisions: [2] })).status).toBe(403);
    expect((await remove(`/api${app}/binaries/2`)).status).toBe(403);
    expect((await submit(`${app}/binaries/2/delete`, {})).status).toBe(403);
    expect(await cli('build', 'delete', 'Harbor', packageName, '2')).toMatchObject({
      status: 403,
      text: expect.stringContaining('30 days'),
    });
    const wanda = await signIn(slipway, 'wanda');
    for (const [path, confirmation] of [
      [`${app}/delete`, packageName],
      ['/organizations/Harbor/delete', 'Harbor'],
    ] as const) {
      const csrf = /name="csrf" value="([^"]*)"/.exec((await wanda.get(path)).text)?.[1] ?? '';
      const fields = { csrf, confirmation, proof: testPassword };
      expect((await postForm(slipway, path, fields, { Cookie: wanda.cookie })).status).toBe(403);
    }
    const rule = { newest: 1, days: null };
    const ruled = await byKey('PUT', `${appApi}/retention`, dora.key, rule);
    expect(json(ruled)).toMatchObject({ rule, effective: { newest: 1, days: 30 } });
    await slipway.service.outbox.idle();
    expect((await get(slipway, `${appApi}/builds/1`, dora.key)).status).toBe(200);
    await byKey('DELETE', `${appApi}/retention`, dora.key);
    offsetMs = 31 * 24 * hourMs;
    expect((await remove(`${appApi}/builds/2`)).status).toBe(204);
  });

  it('accepts builds from trusted publishers only, in every way', async () => {
    await setPolicies({ trusted_publishers_only: true });
    const file = buildApk({ packageName, versionCode: 9 });
    const refused = await upload(slipway, { owner: 'Harbor', key: dora.key, file });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('trusted publishers only')]);
    const resumed = await ways['a resumable upload']?.use({});
    expect(resumed?.status).toBe(403);
    const csrf = /name="csrf" value="([^"]*)"/.exec(
      (await dora.browser.get('/users/Harbor/upload')).text,
    )?.[1];
    const { contentType, body } = multipart([
      { name: 'csrf', value: csrf ?? '' },
      { name: 'file', content: file, fileName: 'app.apk' },
    ]);
    const headers = { Cookie: dora.browser.cookie, 'Content-Type': contentType, Accept: 'text/html' };
    const sent = await send(slipway.port, '/users/Harbor/upload', { method: 'POST', headers, body });
    expect([sent.status, sent.text]).toEqual([403, expect.stringContaining('trusted publishers only')]);
    const folder = await mkdtemp(join(tmpdir(), 'slipway-policies-'));
    await writeFile(join(folder, 'app.apk'), file);
    const uploader = await cli('upload', join(folder, 'app.apk'), '--owner', 'Harbor');
    await rm(folder, { recursive: true });
    expect(uploader).toMatchObject({ status: 403, text: expect.stringContaining('trusted publishers only') });
    const wanda = await signIn(slipway, 'wanda');
    for (const path of ['/organizations/Harbor/settings/trusted-publishing', `${app}/settings`]) {
      const { text } = await wanda.get(path);
      expect([path, text]).toEqual([
        path,
        expect.stringContaining('A policy of the Workspace requires trusted publishers.'),
      ]);
      expect(text).not.toContain('require-trusted"');
    }
    const shown = await get(slipway, '/api/v1/owners/Harbor', slipway.adminKey);
    expect(json(shown)).toMatchObject({ trusted_publishers_only: true });
  });

  it('limits the lifetime of new keys of its Projects', async () => {
    await setPolicies({ key_days: 30 });
    await expect(slipway.projectKey('Harbor')).rejects.toThrow(/30 days/);
  });

  describe('changes', () => {
    it('are refused if they would lock out the owner who makes them, but not an administrator', async () => {
      const wandasKey = await keyOf('wanda');
      const change = (body: object) => byKey('PATCH', policiesPath, wandasKey, body);
      for (const body of [
        { networks: ['10.0.0.0/8'] },
        { second_factor: true },
        { email_domains: ['example.org'] },
      ]) {
        const answer = await change(body);
        expect([answer.status, json(answer)]).toMatchObject([
          403,
          {
            code: 'workspace_policy',
            policy: Object.keys(body)[0],
            detail: expect.stringContaining('lock you out'),
          },
        ]);
      }
      expect((await change({ networks: ['127.0.0.0/8'], session_hours: 12 })).status).toBe(200);
      await setPolicies({ networks: ['10.0.0.0/8'] });
      expect((await change({ networks: [] })).status).toBe(403);
      expect((await get(slipway, policiesPath, slipway.adminKey)).status).toBe(200);
      expect((await get(slipway, '/api/v1/workspaces/quay', slipway.adminKey)).status).toBe(403);
    });

    it('check their values, and name the field', async () => {
      for (const [body, field] of [
        [{ networks: ['10.0.0.0/64'] }, 'networks'],
        [{ email_domains: ['not a domain'] }, 'email_domains'],
        [{ networks: Array.from({ length: 33 }, (_, at) => `10.0.0.${at}`) }, 'networks'],
      ] as const) {
        const answer = await byKey('PATCH', policiesPath, slipway.adminKey, body);
        expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(field)]);
      }
      for (const body of [{ session_hours: 0 }, { key_days: 1.5 }, { page_access: 'groups' }, { other: 1 }])
        expect((await byKey('PATCH', policiesPath, slipway.adminKey, body)).status).toBe(400);
      expect(json(await get(slipway, policiesPath, slipway.adminKey))).toEqual(noPolicies);
    });

    it('are saved after a review on a page, and recorded', async () => {
      const wanda = await signIn(slipway, 'wanda');
      const path = '/enterprises/quay/policies';
      const fields = { page_access: 'passcode', retention_days: '7', networks: '127.0.0.1\n' };
      const review = await wanda.get(`${path}/review?${new URLSearchParams(fields)}`);
      expect([review.status, review.text]).toEqual([200, expect.stringContaining('Beta')]);
      expect(json(await get(slipway, policiesPath, slipway.adminKey))).toEqual(noPolicies);
      const form = formOf(review.text, 'save');
      expect((await postForm(slipway, form.action, form.fields, { Cookie: wanda.cookie })).status).toBe(303);
      const saved = { ...noPolicies, page_access: 'passcode', retention_days: 7, networks: ['127.0.0.1'] };
      expect(json(await get(slipway, policiesPath, slipway.adminKey))).toEqual(saved);
      const [entry] = await slipway.data.audit.page(
        { ownerId: null, action: 'workspace.policies-changed', actorName: 'wanda' },
        { limit: 1 },
      );
      expect(entry).toMatchObject({
        subject: 'quay',
        details: { changes: { retention_days: [null, 7], page_access: ['unlisted', 'passcode'] } },
      });
      const wrong = await wanda.get(`${path}/review?page_access=unlisted&networks=nowhere`);
      expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('nowhere')]);
      expect((await dora.browser.get(path)).status).toBe(404);
    });
  });

  it('lists what violates proposed policies, in pages, and changes nothing', async () => {
    const all = {
      second_factor: true,
      session_hours: 1,
      key_days: 1,
      networks: ['10.0.0.0/8'],
      email_domains: ['example.org'],
      page_access: 'members',
      retention_days: 30,
      trusted_publishers_only: true,
    };
    await byKey('PATCH', `/api/v1/pages/${page}`, dora.key, { access: 'unlisted' });
    await byKey('PUT', `${appApi}/retention`, dora.key, { newest: 1, days: null });
    offsetMs = 25 * hourMs;
    const proposed = Object.entries(all).map(([name, value]) => [name, String(value)] as const);
    const listed: Record<string, unknown>[] = [];
    for (let cursor = ''; ; ) {
      const query = new URLSearchParams({
        ...Object.fromEntries(proposed),
        limit: '4',
        ...(cursor && { cursor }),
      });
      const answer = await get(slipway, `${policiesPath}/violations?${query}`, slipway.adminKey);
      expect([answer.status, answer.text]).toEqual([200, answer.text]);
      const { data, next_cursor } = json<{ data: Record<string, unknown>[]; next_cursor: string | null }>(
        answer,
      );
      listed.push(...data);
      if (next_cursor === null) break;
      cursor = next_cursor;
    }
    const tide = { kind: 'app', name: packageName, place: 'Harbor (android)' };
    const expected = [
      { policy: 'second_factor', kind: 'person', name: 'dora', place: null },
      { policy: 'session_hours', kind: 'person', name: 'dora', place: null },
      { policy: 'key_days', kind: 'key', name: 'test', place: 'dora' },
      { policy: 'networks', kind: 'person', name: 'dora', place: '127.0.0.1' },
      { policy: 'email_domains', kind: 'person', name: 'wanda', place: 'wanda@example.com' },
      { policy: 'page_access', kind: 'page', name: 'Beta', place: `Harbor/android/${packageName}` },
      { policy: 'retention_days', ...tide },
      { policy: 'trusted_publishers_only', ...tide },
    ];
    for (const violation of expected) expect(listed).toContainEqual(violation);
    const workspace = await slipway.data.owners.findWorkspace('quay');
    if (!workspace) throw new Error('there is no Workspace');
    const now = Date.now() + offsetMs;
    const values = readPolicies(all, noPolicyValues);
    const { counts, violations } = await reviewPolicies(slipway.data, workspace, values, now, 1);
    expect(violations.map(({ policy }) => policy)).toEqual(policyNames);
    for (const { count, more } of counts) expect(more).toBe(count - 1);
    const more = counts.find(({ policy }) => policy === 'emailDomains')?.more ?? 0;
    expect(more).toBeGreaterThan(0);
    const shown = renderPolicyReview({
      frame: makeFrame(plainText, false),
      workspace,
      submitted: policyFields(values),
      review: { counts, violations },
      page: 1,
    });
    expect(shown).toContain(`The first 1 are listed, and ${more} more exist.`);
    expect([...new Set(listed.map(({ policy }) => policy))]).toEqual(Object.keys(all));
    expect(json(await get(slipway, policiesPath, slipway.adminKey))).toEqual(noPolicies);
    await byKey('DELETE', `${appApi}/retention`, dora.key);
  });

  const keyOf = async (name: string) => {
    const { createIssueKey } = await import('../../src/accounts/keys/issue-key.ts');
    const issue = createIssueKey({ data: slipway.data, now: () => Date.now() + offsetMs });
    const request = { ownerKind: 'user', ownerName: name, name: `key ${offsetMs}`, expiresAt: null } as const;
    return (await issue({ ...request, by: 'command-line', notify: false })).key;
  };
});
