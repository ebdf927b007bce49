/** How API keys are sent, which are valid, and who may upload where. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIssueKey } from '../../src/accounts/keys/issue-key.ts';
import { signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { json, openRaw, rawRequest } from '../support/http-client.ts';
import {
  get,
  leavesNothing,
  refusalOf,
  resultsOf,
  type UploadOptions,
  upload,
} from '../support/interface-client.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const apk = buildApk({ packageName: 'com.example.keys' });
const file = { name: 'file', content: apk, fileName: 'app.apk' };

describe('API keys', () => {
  let slipway: TestService;
  let key: string;
  let now = Date.UTC(2026, 10, 21);
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory', now: () => now });
    key = await slipway.user('mina');
  });
  afterAll(() => slipway.close());

  it.each([
    ['Bearer', (k: string) => `Bearer ${k}`],
    ['bearer', (k: string) => `bearer ${k}`],
    ['BEARER with spaces', (k: string) => `BEARER   ${k}`],
    ['token', (k: string) => `token ${k}`],
    ['Token', (k: string) => `Token ${k}`],
    ['no scheme', (k: string) => k],
  ])('are accepted in a header with %s, for the list and for uploads', async (_name, header) => {
    const headers = { Authorization: header(key) };
    expect((await get(slipway, '/api/organizations', null, { headers })).status).toBe(200);
    resultsOf(await upload(slipway, { owner: 'mina', key: null, file: apk, headers }));
  });

  it('are accepted in the query parameter token under /api', async () => {
    expect((await get(slipway, `/api/organizations?token=${key}`)).status).toBe(200);
    resultsOf(await upload(slipway, { key: null, file: apk, path: `/api/users/mina/apps?token=${key}` }));
    const page = await get(slipway, `/users/mina?token=${key}`);
    expect(page.status).toBe(401);
  });

  it('are accepted as a repeated identical token; an empty one counts as absent', async () => {
    for (const query of [`token=${key}&token=${key}`, `token=&token=${key}`, `token=${key}&token=`]) {
      expect((await get(slipway, `/api/organizations?${query}`)).status, query).toBe(200);
    }
    const token = (value: string) => ({ name: 'token', value });
    for (const parts of [
      [token(key), file, token(key)],
      [file, token(key), token(key)],
      [token(''), file, token(key)],
      [token(key), token(''), file],
    ]) {
      resultsOf(await upload(slipway, { owner: 'mina', key: null, parts }));
    }
    await leavesNothing(slipway, async () => {
      const parts = [token(key), file, token('slw_other')];
      const refusal = refusalOf(await upload(slipway, { owner: 'mina', key: null, parts }), 400);
      expect(refusal.message).toBe('token is given twice with different values');
    });
  });

  it('are accepted in the query together with a field token', async () => {
    for (const field of [key, '', 'slw_wrong-but-nobody-asks-for-it']) {
      const parts = [file, { name: 'token', value: field }];
      resultsOf(await upload(slipway, { key: null, parts, path: `/api/users/mina/apps?token=${key}` }));
    }
  });

  it.each<[string, UploadOptions['parts']]>([
    ['before the file', [{ name: 'token', value: 'KEY' }, file]],
    ['after the file', [file, { name: 'token', value: 'KEY' }]],
    ['between', [{ name: 'message', value: 'a' }, { name: 'token', value: 'KEY' }, file]],
    ['as a part with a content type', [file, { name: 'token', value: 'KEY', contentType: 'text/plain' }]],
  ])('are accepted as the form field token %s', async (_name, parts = []) => {
    const filled = parts.map((part) =>
      'value' in part && part.value === 'KEY' ? { ...part, value: key } : part,
    );
    resultsOf(await upload(slipway, { owner: 'mina', key: null, parts: filled }));
  });

  it('take precedence in the header over the field token', async () => {
    const parts = [{ name: 'token', value: 'slw_wrong-key-but-nobody-asks-for-it' }, file];
    resultsOf(await upload(slipway, { owner: 'mina', key, parts }));
  });

  it('count as absent in an empty header or token', async () => {
    const options = { owner: 'mina', key: null, parts: [file, { name: 'token', value: '' }] };
    await leavesNothing(slipway, async () => {
      refusalOf(await upload(slipway, options), 401);
      refusalOf(await get(slipway, '/api/organizations?token='), 401);
    });
    const withEmptyHeader = { headers: { Authorization: '' } };
    expect((await get(slipway, `/api/organizations?token=${key}`, null, withEmptyHeader)).status).toBe(200);
  });

  const wrongHeaders: [string, Record<string, string>][] = [
    ['no header', {}],
    ['an unknown key', { Authorization: `Bearer slw_${'a'.repeat(43)}` }],
    ['a scheme alone', { Authorization: 'Bearer' }],
    ['a scheme that is none', { Authorization: 'Basic YWRtaW46YWRtaW4=' }],
    ['three words', { Authorization: 'Bearer one two' }],
    ['a key that is too long', { Authorization: `Bearer ${'k'.repeat(513)}` }],
    ['a key in quotes', { Authorization: 'Bearer "quoted"' }],
  ];
  it.each(wrongHeaders)('are refused with 401 as %s, before any 404', async (_name, headers) => {
    await leavesNothing(slipway, async () => {
      refusalOf(await get(slipway, '/api/organizations', null, { headers }), 401);
      refusalOf(await get(slipway, '/api/sessions/user', null, { headers }), 401);
      refusalOf(await get(slipway, '/api/no/such/address', null, { headers }), 401);
      for (const owner of ['mina', 'nobody-of-that-name']) {
        refusalOf(await upload(slipway, { owner, key: null, headers }), 401);
        const path = `/api/users/${owner}/platforms/windows/apps`;
        refusalOf(await upload(slipway, { path, key: null, headers }), 401);
      }
    });
  });

  it('are refused with 401 if invalid in a form field or the query', async () => {
    await leavesNothing(slipway, async () => {
      for (const owner of ['mina', 'nobody-of-that-name']) {
        const wrong = { name: 'token', value: 'slw_not-a-key-of-anybody' };
        refusalOf(await upload(slipway, { owner, key: null, parts: [file, wrong] }), 401);
        refusalOf(await upload(slipway, { owner, key: null, parts: [wrong, file] }), 401);
      }
      refusalOf(await get(slipway, '/api/organizations?token=slw_wrong'), 401);
      refusalOf(await get(slipway, `/api/organizations?token=${key}&token=slw_wrong`), 401);
      refusalOf(await get(slipway, `/api/organizations?token=slw_wrong&token=${key}`), 401);
    });
  });

  it('are refused if invalid in the header, even with a valid one in the query or form', async () => {
    const headers = { Authorization: 'Bearer slw_wrong' };
    refusalOf(await get(slipway, `/api/organizations?token=${key}`, null, { headers }), 401);
    const parts = [{ name: 'token', value: key }, file];
    refusalOf(await upload(slipway, { owner: 'mina', key: null, headers, parts }), 401);
  });

  it('are refused once expired or revoked', async () => {
    const issueKey = createIssueKey({ data: slipway.data, now: () => now });
    const wanted = { ownerKind: 'user', ownerName: 'mina', name: 'short', by: 'command-line' } as const;
    const expiring = await issueKey({ ...wanted, expiresAt: now + 1000 });
    const revoked = await issueKey({ ...wanted, expiresAt: null });
    for (const { key: good } of [expiring, revoked]) {
      expect((await get(slipway, '/api/organizations', good)).status).toBe(200);
    }
    now += 1000;
    refusalOf(await get(slipway, '/api/organizations', expiring.key), 401);
    await slipway.data.keys.revokeKey(revoked.record.ownerId, revoked.record.id, now);
    refusalOf(await get(slipway, '/api/organizations', revoked.key), 401);
    refusalOf(await upload(slipway, { owner: 'mina', key: revoked.key }), 401);
  });
});

describe('API keys with SLIPWAY_LEGACY_KEYS=off', () => {
  let slipway: TestService;
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory', settings: { SLIPWAY_LEGACY_KEYS: 'off' } });
  });
  afterAll(() => slipway.close());

  it('are accepted only as Bearer', async () => {
    const { adminKey } = slipway;
    for (const scheme of ['Bearer', 'bearer']) {
      const headers = { Authorization: `${scheme} ${adminKey}` };
      expect((await get(slipway, '/api/organizations', null, { headers })).status).toBe(200);
    }
    for (const header of [`token ${adminKey}`, `Token ${adminKey}`, adminKey]) {
      refusalOf(await get(slipway, '/api/organizations', null, { headers: { Authorization: header } }), 401);
    }
    refusalOf(await get(slipway, `/api/organizations?token=${adminKey}`), 401);
    await leavesNothing(slipway, async () => {
      for (const parts of [
        [{ name: 'token', value: adminKey }, file],
        [file, { name: 'token', value: adminKey }],
      ]) {
        refusalOf(await upload(slipway, { key: null, parts }), 401);
      }
    });
    resultsOf(await upload(slipway));
  });
});

describe('upload permissions', () => {
  let slipway: TestService;
  const keys: Record<string, string> = {};
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
    for (const name of ['olga', 'dev', 'tess', 'stranger', 'boss', 'former'])
      keys[name] = await slipway.user(name);
    await slipway.workspace('acme', 'boss', 'Acme');
    const members = { olga: 'owner', dev: 'developer', tess: 'tester', former: 'developer' };
    await slipway.project('plain', { members });
    await slipway.project('inside', { workspace: 'acme', members });
    for (const projectName of ['plain', 'inside']) {
      const change = { projectName, team: 'developer', userName: 'former', by: 'command-line' } as const;
      await slipway.owners.removeFromTeam(change);
    }
    await slipway.project('other');
    for (const name of ['plain', 'inside', 'other']) keys[`key of ${name}`] = await slipway.projectKey(name);
  });
  afterAll(() => slipway.close());

  const permit = 'application create error: permit';
  const cases: [string, string, 200 | 403][] = [
    ['olga', 'olga', 200],
    ['olga', 'plain', 200],
    ['dev', 'plain', 200],
    ['tess', 'plain', 403],
    ['stranger', 'plain', 403],
    ['former', 'plain', 403],
    ['olga', 'inside', 200],
    ['dev', 'inside', 200],
    ['tess', 'inside', 403],
    ['stranger', 'inside', 403],
    ['boss', 'inside', 403],
    ['olga', 'other', 403],
    ['olga', 'dev', 403],
    ['stranger', 'olga', 403],
    ['key of plain', 'plain', 200],
    ['key of inside', 'inside', 403],
    ['key of plain', 'other', 403],
    ['key of plain', 'inside', 403],
    ['key of plain', 'olga', 403],
    ['key of other', 'plain', 403],
  ];
  it.each(cases)('let %s upload for %s with status %i', async (who, owner, status) => {
    const key = keys[who] ?? '';
    const behind = { key: null, parts: [file, { name: 'token', value: key }] };
    const before = { key: null, parts: [{ name: 'token', value: key }, file] };
    for (const forms of runsEverything ? [{ key }, behind, before] : [{ key }, before]) {
      const work = () => upload(slipway, { owner, file: apk, ...forms });
      if (status === 200) expect(resultsOf(await work()).user).toEqual({ name: owner });
      else expect(refusalOf(await leavesNothing(slipway, work), 403).message).toBe(permit);
    }
  });

  it('return 404 for an unknown owner, and for a Workspace', async () => {
    await leavesNothing(slipway, async () => {
      for (const owner of [
        'nobody',
        'acme',
        '-',
        '%2e%2e',
        'a%20b',
        '%F0%9F%98%80',
        'a'.repeat(65),
        '%00',
        'a%00',
      ]) {
        refusalOf(await upload(slipway, { owner, key: keys.olga }), 404);
        if (owner.includes('%00')) continue;
        const parts = [file, { name: 'token', value: keys.olga ?? '' }];
        refusalOf(await upload(slipway, { owner, key: null, parts }), 404);
      }
    });
  });

  it("ignore the case of an owner's name, and return its original case", async () => {
    const result = resultsOf(await upload(slipway, { owner: 'PLAIN', key: keys.dev, file: apk }));
    expect(result.user).toEqual({ name: 'plain' });
    expect(result.path).toBe('/users/plain/apps/com.example.keys');
  });

  it('report the owner of a key to existing tools, and refuse a Project', async () => {
    const answer = await get(slipway, '/api/sessions/user', keys.tess);
    expect(answer.status).toBe(200);
    expect(json(answer)).toEqual({ error: false, results: { name: 'tess' } });
    const refusal = refusalOf(await get(slipway, '/api/sessions/user', keys['key of plain']), 400);
    expect(refusal.message).toBe('requester must be a user');
  });

  it('are checked again for each request of a connection', async () => {
    const connection = await openRaw(slipway.port);
    const authorized = { Authorization: `Bearer ${keys.tess}` };
    await connection.write(rawRequest('GET', '/api/organizations', authorized));
    expect((await connection.answer()).status).toBe(200);
    await connection.write(rawRequest('GET', '/api/organizations', {}));
    refusalOf(await connection.answer(), 401);
    connection.destroy();
  });

  it('never accept a session instead of a key under /api', async () => {
    const { cookie } = await signIn(slipway, 'olga');
    refusalOf(await get(slipway, '/api/organizations', null, { headers: { Cookie: cookie } }), 401);
    refusalOf(await upload(slipway, { owner: 'olga', key: null, headers: { Cookie: cookie } }), 401);
  });
});
