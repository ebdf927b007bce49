/** The API key pages of a user and of a Project. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashApiKey } from '../../src/accounts/keys/api-key.ts';
import { maxKeysOfOwner } from '../../src/accounts/keys/issue-key.ts';
import { keyLifetime, maxKeyLifetimeDays } from '../../src/accounts/keys/key-request.ts';
import { readBrowserWords } from '../../src/accounts/sessions/user-agent-label.ts';
import { type AccountsService, type Browser, startAccountsService } from '../support/accounts-service.ts';
import { postForm } from '../support/browser-session.ts';
import { countEarlierAttempts } from '../support/earlier-attempts.ts';
import { get, upload } from '../support/interface-client.ts';

const day = 24 * 60 * 60_000;
const own = '/settings/keys';
const ofProject = '/organizations/crew/keys';

describe('API keys', () => {
  let slipway: AccountsService;
  const people: Record<string, Browser> = {};
  beforeAll(async () => {
    slipway = await startAccountsService('sqlite', ['olga', 'dev', 'tess', 'stranger']);
    await slipway.project('crew', { members: { olga: 'owner', dev: 'developer', tess: 'tester' } });
    await slipway.project('inner', { workspace: 'acme', members: { olga: 'owner' } });
    for (const name of ['olga', 'dev', 'tess', 'stranger']) people[name] = await slipway.browser(name);
  });
  afterAll(() => slipway.close());

  const as = (name: string) => {
    const browser = people[name];
    if (!browser) throw new Error(`${name} is not signed in`);
    return browser;
  };
  const make = (page: string, fields: Record<string, string>, name = 'olga') =>
    as(name).submit(page, 'create', fields);
  const keyIn = (text: string) => /slw_[\w-]{43}/.exec(text)?.[0] ?? '';
  const keysOf = async (name: string) => {
    const owner = await slipway.data.owners.findOwner(name);
    return slipway.data.keys.listKeys(owner?.id ?? '');
  };

  it('are shown once, work immediately, and stop working when they are revoked', async () => {
    const made = await make(own, { name: 'CI <nightly>', expires: '30' });
    expect(made.status).toBe(200);
    const key = keyIn(made.text);
    expect(made.text).toContain(`export SLIPWAY_API_KEY=${key}`);
    expect(made.text).toContain('https://apps.example.com/api/users/olga/apps');
    expect(made.text).toContain('CI &lt;nightly');
    const [record] = (await keysOf('olga')).filter(({ name }) => name === 'CI <nightly>');
    expect(record).toMatchObject({ hint: key.slice(0, 8), expiresAt: slipway.clock.now + 30 * day });
    expect((await get(slipway, '/api/organizations', key)).status).toBe(200);
    const page = (await as('olga').get(own)).text;
    expect(page).not.toContain(key);
    expect(page).toContain(`${key.slice(0, 8)}…`);
    const revokePath = `${own}/${record?.id}/revoke`;
    expect((await as('olga').post(revokePath, { csrf: 'x' })).status).toBe(403);
    expect((await as('dev').post(revokePath, { csrf: await as('dev').csrf() })).status).toBe(404);
    expect((await get(slipway, '/api/organizations', key)).status).toBe(200);
    const revoked = await as('olga').post(revokePath, { csrf: await as('olga').csrf() });
    expect(revoked.headers.location).toBe(`${own}?done=revoked`);
    expect((await get(slipway, '/api/organizations', key)).status).toBe(401);
    expect((await as('olga').get(own)).text).toContain('Revoked');
    const owner = await slipway.data.owners.findOwner('olga');
    const log = (await slipway.data.audit.list(owner?.id ?? '', 9)).map(({ action, actorName }) => [
      action,
      actorName,
    ]);
    expect(log).toEqual(
      expect.arrayContaining([
        ['key.issued', 'olga'],
        ['key.revoked', 'olga'],
      ]),
    );
    expect(JSON.stringify(await slipway.data.audit.list(owner?.id ?? '', 50))).not.toContain(key);
  });

  it('are restricted to apps and Projects chosen from a list, which shows nothing of others', async () => {
    await upload(slipway, { owner: 'crew' });
    await slipway.project('foreign', { members: { stranger: 'owner' } });
    const page = (await as('olga').get(own)).text;
    const places = [...page.matchAll(/name="place" value="([^"]*)"/g)].map(([, place]) => place);
    expect(places).toEqual(expect.arrayContaining(['olga', 'crew', 'inner']));
    expect(places).not.toContain('foreign');
    const app = places.find((place) => place?.startsWith('crew/android/')) ?? '';
    const ofOneProject = (await as('olga').get(ofProject)).text;
    expect([...ofOneProject.matchAll(/name="place" value="([^"]*)"/g)].map(([, place]) => place)).toEqual([
      'crew',
      app,
    ]);
    expect((await make(own, { name: 'one app', place: app, restrict: '' })).status).toBe(200);
    const [key] = (await keysOf('olga')).filter(({ name }) => name === 'one app');
    const [platform, packageName] = app.split('/').slice(1);
    expect(key?.restriction?.apps).toMatchObject([{ platform, packageName }]);
    const wrong = await make(own, { name: 'two', place: app, restrict: 'not a thing' });
    expect(wrong.text).toContain('can’t act for “not a thing”');
    expect(wrong.text).toMatch(new RegExp(`value="${app}"[^>]*checked`));
  });

  it('can be created by the owner team of a Project, and upload to it', async () => {
    const made = await make(ofProject, { name: 'crew CI', expires: 'never' });
    const key = keyIn(made.text);
    expect(await slipway.data.keys.findKey(hashApiKey(key), 1)).toMatchObject({
      actor: { kind: 'project', project: { name: 'crew' } },
      expiresAt: null,
    });
    expect((await upload(slipway, { owner: 'crew', key })).status).toBe(200);
    expect((await as('olga').get('/organizations/CREW/keys')).text).toContain('crew CI');
    const [record] = await keysOf('crew');
    for (const name of ['dev', 'tess', 'stranger']) {
      expect((await as(name).get(ofProject)).status, name).toBe(404);
      const csrf = await as(name).csrf();
      for (const action of ['create', `${record?.id}/revoke`]) {
        const answer = await as(name).post(`${ofProject}/${action}`, {
          csrf,
          name: 'mine',
          expires: 'never',
        });
        expect(answer.status, name).toBe(404);
      }
    }
    expect((await get(slipway, ofProject, key, { headers: { Accept: 'text/html' } })).status).toBe(404);
    expect(await keysOf('crew')).toHaveLength(1);
    for (const path of ['/organizations/olga/keys', '/organizations/nobody/keys']) {
      expect((await as('olga').get(path)).status, path).toBe(404);
    }
    expect((await as('olga').get('/organizations/inner/keys')).text).toContain(
      'requires the key of a person',
    );
  });

  it.each<[string, Record<string, string>, string]>([
    ['no name', { name: ' ', expires: 'never' }, 'Enter a name'],
    ['a name of 256', { name: 'n'.repeat(256), expires: 'never' }, 'at most 255'],
    ['another lifetime', { name: 'x', expires: '31' }, 'Choose when the key expires'],
    ['no day', { name: 'x', expires: 'date', until: '' }, 'Choose a date'],
    ['yesterday', { name: 'x', expires: 'date', until: '2026-11-20' }, 'Choose a date'],
  ])('are not created with %s', async (_name, fields, sentence) => {
    const before = (await keysOf('olga')).length;
    const answer = await make(own, fields);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(sentence);
    expect(keyIn(answer.text)).toBe('');
    expect(await keysOf('olga')).toHaveLength(before);
  });

  it('are limited to a hundred active ones, even for concurrent requests', async () => {
    const owner = await slipway.data.owners.findOwner('tess');
    const missing = maxKeysOfOwner - (await keysOf('tess')).length - 1;
    for (let at = 0; at < missing; at++) {
      await slipway.data.keys.insertKey({
        ownerId: owner?.id ?? '',
        name: `k${at}`,
        keyHash: `tess ${at}`,
        hint: 'slw_',
        createdAt: slipway.clock.now,
        expiresAt: null,
      });
    }
    const csrf = await as('tess').csrf();
    const fields = { csrf, name: 'one more', expires: '90', scope: 'upload' };
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => as('tess').post(`${own}/create`, fields)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.text).toContain(
      'The limit of 100 active keys is reached',
    );
    expect(await keysOf('tess')).toHaveLength(maxKeysOfOwner);
  });

  it('are limited to thirty new ones per hour and person', async () => {
    const csrf = await as('stranger').csrf();
    const { id = '' } = (await slipway.data.owners.findOwner('stranger')) ?? {};
    await countEarlierAttempts(slipway, slipway.clock.now, ['new key', id], 28);
    for (const [at, status] of [200, 200, 429].entries()) {
      const fields = { csrf, name: `k${at}`, expires: '90', scope: 'upload' };
      expect((await as('stranger').post(`${own}/create`, fields)).status).toBe(status);
    }
  });

  it('redirect from the path of a form to the page, signed in or not', async () => {
    const program = await postForm(slipway, `${own}/create`, {}, { Accept: 'application/json' });
    expect([program.status, program.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    const asBrowser = await postForm(slipway, `${own}/create`, {}, { Accept: 'text/html' });
    expect(asBrowser.headers.location).toBe(`/sign-in?to=${encodeURIComponent(own)}`);
    expect((await as('olga').get(`${own}/create`)).headers.location).toBe(own);
    expect((await as('olga').get('/organizations/crew/keys/create')).headers.location).toBe(ofProject);
  });
});

describe('the lifetime of a key', () => {
  const now = Date.UTC(2026, 10, 21, 9, 40);
  const until = (text: string) => keyLifetime({ expires: 'date', until: text }, now);
  it('ends with the chosen day in UTC', () => {
    expect(until('2026-11-21')).toEqual({ expiresAt: Date.UTC(2026, 10, 22) });
    const last = new Date(now + (maxKeyLifetimeDays - 1) * day).toISOString().slice(0, 10);
    expect(until(last)).not.toHaveProperty('errors');
  });
  it.each(['2026-02-30', '2026-11-20', '9999-12-31', '21.11.2026', 'x', '2026-13-01'])(
    'refuses %s',
    (text) => {
      expect(until(text)).toHaveProperty('errors.until');
    },
  );
});

describe('browser labels', () => {
  const chrome =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';
  it.each<[string, string | null, string | null]>([
    [chrome, 'Chrome', 'Windows'],
    [`${chrome} Edg/131.0.0.0`, 'Edge', 'Windows'],
    [`${chrome} OPR/116.0.0.0`, 'Opera', 'Windows'],
    [
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36',
      'Samsung Internet',
      'Android',
    ],
    [
      'Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/131.0 Mobile/15E148 Safari/604.1',
      'Chrome',
      'iPad',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
      'Safari',
      'macOS',
    ],
    [
      'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
      'Chrome',
      'ChromeOS',
    ],
    ['curl/8.5.0', 'curl', null],
    ['', null, null],
    ['x'.repeat(512), null, null],
  ])('describe %s', (userAgent, browser, system) => {
    expect(readBrowserWords(userAgent)).toEqual({ browser, system });
  });
});
