/** Rules for every operation of the API: problems, unknown input, ETags, idempotency, rate limits. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIssueKey } from '../../src/accounts/keys/issue-key.ts';
import { buildApk } from '../support/build-apk.ts';
import { send } from '../support/http-client.ts';
import { get, uploaded } from '../support/interface-client.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { type ApiClient, type ApiRequest, createApiClient } from './api-client.ts';

describe('the conventions of the API', () => {
  const clock = { offsetMs: 0 };
  let slipway: TestService;
  let api: ApiClient;
  let params: { owner: string; platform: string; package: string };
  beforeAll(async () => {
    slipway = await startTestService({
      blobs: 'memory',
      settings: { SLIPWAY_HOOK_NETWORKS: '127.0.0.0/8' },
      now: () => Date.now() + clock.offsetMs,
    });
    api = await createApiClient(slipway);
    for (const versionCode of [1, 2, 3, 4, 5]) {
      const { package_name } = await uploaded(slipway, { file: buildApk({ versionCode }) });
      params = { owner: 'admin', platform: 'android', package: package_name };
    }
  });
  afterAll(() => slipway.close());

  it('answers errors as problem details', async () => {
    const missing = await api.call('getApp', 404, { params: { ...params, package: 'com.example.none' } });
    expect(missing.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(missing.value).toEqual({
      type: '/docs#resource_not_found',
      title: expect.any(String),
      status: 404,
      detail: expect.stringMatching(/\.$/),
      code: 'resource_not_found',
      request_id: missing.headers['x-request-id'],
    });
    const anonymous = await api.call('getApp', 401, { params, key: null });
    expect(anonymous.value.code).toBe('unauthorized');
    expect(anonymous.headers['www-authenticate']).toBe('Bearer');
  });

  it('names the missing scope', async () => {
    const issueKey = createIssueKey({ data: slipway.data, now: Date.now });
    const owner = { ownerName: 'admin', ownerKind: 'user', expiresAt: null, by: 'command-line' } as const;
    const { key } = await issueKey({ ...owner, name: 'reads', scopes: ['read'] });
    const refused = await api.call('rotateAppSecret', 403, { params, key, body: {} });
    expect(refused.value).toMatchObject({ code: 'insufficient_scope', required_scopes: ['manage'] });
  });

  it('accepts no key in the query', async () => {
    const answer = await get(slipway, `/api/v1/owners/admin/apps?token=${slipway.adminKey}`, null);
    expect(answer.status).toBe(401);
  });

  it('refuses unknown fields and parameters by name', async () => {
    const build = { ...params, revision: 1 };
    const body = await api.call('updateBuild', 400, { params: build, body: { mesage: 'x', label: 1 } });
    expect(body.value.errors).toEqual(
      expect.arrayContaining([
        { pointer: '/mesage', detail: 'unknown field' },
        { pointer: '/label', detail: 'must be a string, not 1' },
      ]),
    );
    const query = await api.call('listBuilds', 400, { params, query: { limt: '3' } });
    expect(query.value.errors).toEqual([{ parameter: 'limt', detail: 'unknown parameter' }]);
    expect(query.value.detail).toBe('limt: unknown parameter.');
  });

  it.each([
    ['not JSON', '{', 400],
    ['an array', '[]', 400],
    ['NUL', '{"message":"a\\u0000b"}', 400],
    ['half of a surrogate pair', '{"message":"\\ud800"}', 400],
    ['too large', JSON.stringify({ message: 'x'.repeat(70_000) }), 413],
    ['nested deeply', `{"message":${'['.repeat(30_000)}${']'.repeat(30_000)}}`, 400],
    ['nested deeply in an unknown field', `{"x":${'{"x":'.repeat(10_000)}1${'}'.repeat(10_000)}}`, 400],
  ])('refuses a body that is %s', async (_, text, status) => {
    const request = {
      params: { ...params, revision: 1 },
      body: Buffer.from(text),
      headers: { 'Content-Type': 'application/json' },
    };
    await api.call('updateBuild', status, request);
  });

  it('says in words what each field must be', async () => {
    const body = { name: '', scopes: { read: true }, expires_in_days: 1.5, app: ['x'] };
    const refused = await api.call('createKey', 400, { params: { owner: 'admin' }, body });
    expect(refused.value.errors).toEqual([
      { pointer: '/name', detail: 'Enter a name.' },
      { pointer: '/scopes', detail: 'must be a list, not an object' },
      { pointer: '/expires_in_days', detail: 'must be a whole number, not 1.5' },
      { pointer: '/app', detail: 'unknown field' },
    ]);
  });

  it('quotes only the start of a long value or name', async () => {
    const long = 'y'.repeat(50_000);
    const lengthOf = async (body: object) => {
      const { value } = await api.call('createKey', 400, { params: { owner: 'admin' }, body });
      return JSON.stringify(value).length;
    };
    const key = { name: 'x', scopes: ['read'], expires_in_days: 1 };
    expect(await lengthOf({ ...key, scopes: [long] })).toBeLessThan(1_000);
    expect(await lengthOf({ ...key, [long]: 1 })).toBeLessThan(4_000);
  });

  it('refuses a number beyond every integer', async () => {
    const body = { name: 'far', revision: 1e308 };
    const refused = await api.call('createPage', 400, { params, body });
    expect(refused.value.detail).toBe('The request contains a number that is too large.');
  });

  it.each([
    ['listBuilds', [1e308]],
    ['listBuilds', [1.5]],
    ['listPages', ['\0']],
    ['listTesters', ['\ud800']],
  ])('refuses a cursor of %s that the database cannot compare', async (operation, position) => {
    const cursor = Buffer.from(JSON.stringify(position)).toString('base64url');
    const refused = await api.call(operation, 400, { params, query: { cursor } });
    expect(refused.value.errors).toEqual([{ parameter: 'cursor', detail: 'is not a cursor of this list' }]);
  });

  it('refuses characters that cannot be seen in every name, and removes surrounding blanks', async () => {
    const user = { owner: 'admin' };
    const key = { scopes: ['read'], expires_in_days: 1 };
    const names: [operation: string, params: object, field: string, more: object, good: number][] = [
      ['createPage', params, 'name', { revision: 1 }, 201],
      ['createGroup', user, 'name', {}, 201],
      ['createKey', user, 'name', key, 201],
      ['createWorkspace', {}, 'display_name', { name: 'names' }, 201],
      ['updateBuild', { ...params, revision: 1 }, 'label', {}, 200],
      ['labelBuilds', params, 'label', { revisions: [1] }, 200],
    ];
    for (const [operation, owner, field, more, good] of names) {
      const call = (status: number, name: string) =>
        api.call(operation, status, { params: { ...owner }, body: { ...more, [field]: name } });
      for (const character of ['\u200b', '\u202e', '\u2068', '\u00ad', '\ufffd', '\u0007'])
        await call(400, `a${character}b`);
      await call(good, ' ab \n');
    }
    const hidden = { params: { ...params, name: 'a\u202eb' }, body: { revision: 1 } };
    await api.call('publishByName', 400, hidden);
  });

  it('refuses a body of another media type', async () => {
    const refused = await api.call('updateBuild', 415, {
      params: { ...params, revision: 1 },
      body: Buffer.from('message=x'),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
    expect(refused.value.code).toBe('unsupported_media_type');
  });

  it('pages through a list by cursor, also while builds are uploaded', async () => {
    const seen: number[] = [];
    let query: Record<string, string> = { limit: '2' };
    for (;;) {
      const page = await api.call('listBuilds', 200, { params, query });
      seen.push(...page.value.data.map(({ revision }: { revision: number }) => revision));
      const cursor: string | null = page.value.next_cursor;
      const [, link] = /^<([^>]+)>; rel="next"$/.exec(page.headers.link as string) ?? [];
      expect(link).toBe(
        cursor === null
          ? undefined
          : `/api/v1/apps/admin/android/${params.package}/builds?limit=2&cursor=${cursor}`,
      );
      if (cursor === null) break;
      query = { limit: '2', cursor };
      await uploaded(slipway, { file: buildApk({ versionCode: 6 }) });
    }
    expect(seen).toEqual([5, 4, 3, 2, 1]);
  });

  it.each(['x', Buffer.from('["a"]').toString('base64url'), 'y'.repeat(2049)])(
    'refuses the cursor %s',
    async (cursor) => {
      const refused = await api.call('listBuilds', 400, { params, query: { cursor } });
      expect(refused.value.errors[0].parameter).toBe('cursor');
    },
  );

  it.each(['0', '201', 'x', '-1', '1.5'])('refuses the limit %s', async (limit) => {
    await api.call('listBuilds', 400, { params, query: { limit } });
  });

  it('answers 304 to a known ETag, and refuses a change of another one', async () => {
    const build = { ...params, revision: 2 };
    const { etag = '' } = (await api.call('getBuild', 200, { params: build })).headers;
    await api.call('getBuild', 304, { params: build, headers: { 'If-None-Match': `"x", W/${etag}` } });
    const change = { params: build, body: { message: 'one' } };
    const changed = await api.call('updateBuild', 200, { ...change, headers: { 'If-Match': etag } });
    expect(changed.headers.etag).not.toBe(etag);
    const late = { params: build, body: { message: 'two' }, headers: { 'If-Match': etag } };
    expect((await api.call('updateBuild', 412, late)).value.code).toBe('precondition_failed');
    const current = await api.call('getBuild', 200, { params: build });
    expect([current.value.message, current.headers.etag]).toEqual(['one', changed.headers.etag]);
    await api.call('updateBuild', 200, { ...change, headers: { 'If-Match': '*' } });
  });

  it('makes one of several changes of the same ETag', async () => {
    const build = { ...params, revision: 2 };
    const { etag = '' } = (await api.call('getBuild', 200, { params: build })).headers;
    const messages = Array.from({ length: 10 }, (_, index) => `change ${index}`);
    const path = `/api/v1/apps/${params.owner}/${params.platform}/${params.package}/builds/2`;
    const statuses = await Promise.all(
      messages.map(async (message) => {
        const headers = {
          Authorization: `Bearer ${slipway.adminKey}`,
          'Content-Type': 'application/json',
          'If-Match': etag,
        };
        return (
          await send(slipway.port, path, { method: 'PATCH', headers, body: JSON.stringify({ message }) })
        ).status;
      }),
    );
    expect(statuses.sort()).toEqual([200, ...Array(9).fill(412)]);
    const changed = await api.call('getBuild', 200, { params: build });
    expect(messages).toContain(changed.value.message);
    await api.call('updateBuild', 200, {
      params: build,
      body: { message: 'last' },
      headers: { 'If-Match': changed.headers.etag ?? '' },
    });
  });

  it('makes all changes of a request or none, and parallel ones without an ETag', async () => {
    const build = { params: { ...params, revision: 3 } };
    await api.call('updateBuild', 400, { ...build, body: { message: 'half', label: ' ', protected: true } });
    const kept = (await api.call('getBuild', 200, build)).value;
    expect(kept).toMatchObject({ message: '', label: null, protected: false });
    const messages = ['one', 'two', 'three', 'four'];
    await Promise.all(
      messages.map((message) => api.call('updateBuild', 200, { ...build, body: { message } })),
    );
    const changed = (await api.call('getBuild', 200, build)).value;
    expect(messages).toContain(changed.message);
  });

  it('keeps what parallel changes do not name', async () => {
    const fields = { distribution_name: 'beta' };
    const { distribution } = await uploaded(slipway, { file: buildApk({ versionCode: 6 }), fields });
    const page = { params: { accessKey: distribution?.access_key ?? '' } };
    const pageChanges = [
      { feedback: true },
      { max_installs: 5 },
      { networks: ['10.0.0.0/8'] },
      { mandatory_from: 2 },
    ];
    await Promise.all(pageChanges.map((body) => api.call('updatePage', 200, { ...page, body })));
    expect((await api.call('getPage', 200, page)).value).toMatchObject(Object.assign({}, ...pageChanges));

    const body = { url: 'http://127.0.0.1:8099/hook', name: 'first' };
    const made = await api.call('createWebhook', 201, { params: { owner: 'admin' }, body });
    const webhook = { params: { owner: 'admin', webhook: made.value.webhook.id } };
    const webhookChanges = [{ name: 'second' }, { kind: 'slack' }, { events: ['*'] }, { state: 'off' }];
    await Promise.all(webhookChanges.map((body) => api.call('updateWebhook', 200, { ...webhook, body })));
    expect((await api.call('getWebhook', 200, webhook)).value).toMatchObject(
      Object.assign({}, ...webhookChanges),
    );
  });

  it('runs a POST once per Idempotency-Key', async () => {
    const request = { params, body: {}, headers: { 'Idempotency-Key': 'once' } };
    const first = await api.call('rotateAppSecret', 200, request);
    const again = await api.call('rotateAppSecret', 200, request);
    expect(again.value).toEqual(first.value);
    expect([first.headers['idempotency-replayed'], again.headers['idempotency-replayed']]).toEqual([
      undefined,
      'true',
    ]);
    const other = await api.call('rotateAppSecret', 200, { params, body: {} });
    expect(other.value.secret).not.toBe(first.value.secret);
    const { package_name } = await uploaded(slipway, {
      file: buildApk({ packageName: 'com.example.other' }),
    });
    const reused = { ...request, params: { ...params, package: package_name } };
    expect((await api.call('rotateAppSecret', 409, reused)).value.code).toBe('idempotency_conflict');
    for (const key of ['', 'a b', 'x'.repeat(256), 'é'])
      await api.call('rotateAppSecret', 400, { ...request, headers: { 'Idempotency-Key': key } });
    clock.offsetMs = 25 * 60 * 60_000;
    const later = await api.call('rotateAppSecret', 200, request);
    expect(later.headers['idempotency-replayed']).toBeUndefined();
  });

  it('runs two requests with one Idempotency-Key at once only once', async () => {
    const request = { params, body: {}, headers: { 'Idempotency-Key': 'both' } };
    const both = await Promise.allSettled([
      api.call('rotateAppSecret', 200, request),
      api.call('rotateAppSecret', 200, request),
    ]);
    const secrets = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value.value.secret] : []));
    expect(new Set(secrets).size).toBe(1);
    expect((await api.call('rotateAppSecret', 200, request)).value.secret).toBe(secrets[0]);
  });

  it('keeps nothing of a refused POST', async () => {
    const missing = { ...params, package: 'com.example.late' };
    const request = { params: missing, body: {}, headers: { 'Idempotency-Key': 'late' } };
    await api.call('rotateAppSecret', 404, request);
    await uploaded(slipway, { file: buildApk({ packageName: missing.package }) });
    await api.call('rotateAppSecret', 200, request);
  });

  describe('with the Idempotency-Key of another key of the same owner', () => {
    const make = (ownerKind: 'user' | 'project', name: string, limits: object) =>
      createIssueKey({ data: slipway.data, now: () => Date.now() + clock.offsetMs })({
        ownerName: ownerKind === 'user' ? 'admin' : 'apart',
        ownerKind,
        name,
        expiresAt: null,
        by: 'command-line',
        ...limits,
      });
    const weak = () => ({ expiresAt: Date.now() + clock.offsetMs + 86_400_000, scopes: ['manage'] as const });

    beforeAll(async () => {
      await slipway.project('apart', { members: { admin: 'owner' } });
    });

    it.each<[string, number, () => Promise<ApiRequest>]>([
      ['createInvitation', 201, async () => ({ params: { owner: 'apart' }, body: { team: 'tester' } })],
      ['createProjectInviteLink', 201, async () => ({ params: { owner: 'apart' }, body: { name: 'all' } })],
      ['rotateAppSecret', 200, async () => ({ params, body: {} })],
      [
        'createWebhook',
        201,
        async () => ({ params: { owner: 'admin' }, body: { url: 'http://127.0.0.1:8099/hook' } }),
      ],
      [
        'rotateWebhookSecret',
        200,
        async () => {
          const body = { url: 'http://127.0.0.1:8099/hook' };
          const made = await api.call('createWebhook', 201, { params: { owner: 'admin' }, body });
          return { params: { owner: 'admin', webhook: made.value.webhook.id }, body: {} };
        },
      ],
    ])('runs %s again', async (operation, status, prepare) => {
      const { key } = await make('user', 'second', weak());
      const request = {
        ...(await prepare()),
        headers: { 'Idempotency-Key': `two ${operation}`.replace(' ', '-') },
      };
      const first = await api.call(operation, status, request);
      const second = await api.call(operation, status, { ...request, key });
      expect(second.headers['idempotency-replayed']).toBeUndefined();
      expect(second.value).not.toEqual(first.value);
      for (const [sender, answer] of [
        [undefined, first],
        [key, second],
      ] as const) {
        const again = await api.call(operation, status, { ...request, ...(sender ? { key: sender } : {}) });
        expect([again.headers['idempotency-replayed'], again.value]).toEqual(['true', answer.value]);
      }
    });

    it('keeps the keys of a Project apart', async () => {
      const keys = await Promise.all(['one', 'two'].map((name) => make('project', name, {})));
      const { package_name } = await uploaded(slipway, { file: buildApk({}), owner: 'apart' });
      const secrets = [];
      for (const { key } of keys) {
        const request = { params: { ...params, owner: 'apart', package: package_name }, body: {}, key };
        const headers = { 'Idempotency-Key': 'nightly' };
        secrets.push((await api.call('rotateAppSecret', 200, { ...request, headers })).value.secret);
      }
      expect(new Set(secrets).size).toBe(2);
    });

    it('gives no key that permits more, and none that ends later', async () => {
      const owner = { params: { owner: 'admin' } };
      const ofCrew = { owners: [(await slipway.data.owners.findOwner('admin'))?.id ?? ''], apps: [] };
      const senders = [
        ['fewer scopes', { scopes: ['manage'] as const }],
        ['less reach', { scopes: ['admin'] as const, restriction: ofCrew }],
        ['less time', { expiresAt: Date.now() + clock.offsetMs + 86_400_000 }],
      ] as const;
      const strong = await make('user', 'strong', {
        expiresAt: Date.now() + clock.offsetMs + 300 * 86_400_000,
      });
      const requests = [
        ['createKey', 201, { ...owner, body: { name: 'bot', scopes: ['admin'], expires_in_days: null } }],
        ['rotateKey', 200, { params: { ...owner.params, key: strong.record.id }, body: {} }],
      ] as const;
      for (const [operation, status, request] of requests) {
        const headers = { 'Idempotency-Key': `make-automation-${operation}` };
        await api.call(operation, status, { ...request, headers });
        for (const [name, limits] of senders) {
          const { key } = await make('user', name, limits);
          const refused = await api.call(operation, 403, { ...request, headers, key });
          expect([name, refused.text.includes('slw_')]).toEqual([name, false]);
        }
      }
    });

    it('rotates no key beyond the end of the key that asks, itself included', async () => {
      const endsAt = Date.now() + clock.offsetMs + 10 * 86_400_000;
      const shown = new Date(endsAt).toISOString();
      const mine = await make('user', 'mine', { expiresAt: endsAt });
      const other = await make('user', 'other', { expiresAt: endsAt - 86_400_000 });
      clock.offsetMs += 3 * 86_400_000;
      const rotate = (id: string, key: string, status = 200) =>
        api.call('rotateKey', status, {
          params: { owner: 'admin', key: id },
          body: { overlap_days: 1 },
          key,
          headers: { 'Idempotency-Key': `end-${id}` },
        });
      expect((await rotate(other.record.id, mine.key)).value.key.expires_at).toBe(shown);
      const turned = await rotate(mine.record.id, mine.key);
      expect(turned.value.key.expires_at).toBe(shown);
      // The secret that was replaced ends in a day, so it gets neither the answer nor another rotation.
      await rotate(mine.record.id, mine.key, 403);
      const body = { name: 'late', scopes: ['read'], expires_in_days: 2 };
      await api.call('createKey', 403, { params: { owner: 'admin' }, body, key: mine.key });
      await api.call('createKey', 201, {
        params: { owner: 'admin' },
        body: { ...body, expires_in_days: 1 },
        key: turned.value.api_key,
      });
      expect((await api.call('getMe', 200, { key: turned.value.api_key })).value.key.expires_at).toBe(shown);
    });
  });

  it('tells how many requests are left', async () => {
    const one = await api.call('getApp', 200, { params });
    const other = await api.call('getApp', 200, { params });
    expect(one.headers['ratelimit-policy']).toBe('"requests";q=2400;w=120');
    const left = (header: unknown) => Number(/^"requests";r=(\d+);t=\d+$/.exec(String(header))?.[1]);
    expect(left(one.headers.ratelimit)).toBeLessThan(2400);
    expect(left(other.headers.ratelimit)).toBeLessThanOrEqual(left(one.headers.ratelimit));
    // The requests of a caller without a valid key count for their network.
    const refused = await api.call('getApp', 401, { params, key: 'slw_unknown' });
    expect(left(refused.headers.ratelimit)).toBeLessThan(2400);
  });
});
