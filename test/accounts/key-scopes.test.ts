/** Scopes, restrictions, rotation and expiry of API keys. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIssueKey, type KeyRequest } from '../../src/accounts/keys/issue-key.ts';
import { parseRestriction } from '../../src/accounts/keys/key-restriction.ts';
import { type AccountsService, startAccountsService } from '../support/accounts-service.ts';
import { buildApk } from '../support/build-apk.ts';
import { json, openRaw, rawRequest, send } from '../support/http-client.ts';
import { bearer, get, leavesNothing, refusalOf, resultsOf, upload } from '../support/interface-client.ts';
import { settleOutbox } from '../support/mail-service.ts';
import { multipart } from '../support/multipart-body.ts';

const day = 24 * 60 * 60_000;
const own = '/settings/keys';
const permit = 'application create error: permit';
const apkOf = (packageName: string) => buildApk({ packageName });
const pages = { headers: { Accept: 'text/html' } };

describe('API keys', () => {
  let slipway: AccountsService;
  beforeAll(async () => {
    slipway = await startAccountsService('sqlite', ['olga', 'dev', 'mia', 'boss']);
    const members = { olga: 'owner', dev: 'developer', mia: 'owner' };
    await slipway.project('crew', { members });
    await slipway.project('dock', { members });
    await slipway.project('inner', { workspace: 'acme', members: { olga: 'owner' } });
  });
  afterAll(() => slipway.close());

  const ownerNamed = async (name: string) => {
    const owner = await slipway.data.owners.findOwner(name);
    if (!owner) throw new Error(`there is no ${name}`);
    return owner;
  };
  const issue = async (ownerName: string, options: Partial<KeyRequest> = {}, places: string[] = []) => {
    const owner = await ownerNamed(ownerName);
    const issueKey = createIssueKey({ data: slipway.data, now: () => slipway.clock.now });
    const restriction = await parseRestriction(slipway.data, owner, places);
    const request = { ownerName, ownerKind: owner.kind, name: 'ci', expiresAt: null, restriction } as const;
    return issueKey({ ...request, by: 'command-line', ...options });
  };
  const projectsOf = async (key: string) =>
    json<{ organizations: { name: string }[] }>(
      await get(slipway, '/api/organizations', key),
    ).organizations.map(({ name }) => name);
  const keyIn = (text: string) => /slw_[\w-]{43}/.exec(text)?.[0] ?? '';

  it('are refused with the name of the missing scope, wherever the key is sent', async () => {
    const { key } = await issue('dev', { scopes: ['read'] });
    const message = 'the key does not have the scope upload';
    const file = { name: 'file', content: apkOf('com.example.scope'), fileName: 'app.apk' };
    await leavesNothing(slipway, async () => {
      for (const options of [
        { key },
        { key: null, parts: [{ name: 'token', value: key }, file] },
        { key: null, parts: [file, { name: 'token', value: key }] },
        { key: null, path: `/api/users/crew/apps?token=${key}` },
      ]) {
        const refusal = refusalOf(await upload(slipway, { owner: 'crew', ...options }), 403);
        expect([refusal.message, refusal.because]).toEqual([message, message]);
      }
    });
    expect(await projectsOf(key)).toEqual(['crew', 'dock']);
    const uploads = await issue('dev', { scopes: ['upload'] });
    resultsOf(await upload(slipway, { owner: 'crew', key: uploads.key, file: apkOf('com.example.scope') }));
    expect(await projectsOf(uploads.key)).toEqual(['crew', 'dock']);
    const page = await get(slipway, '/organizations/crew', uploads.key, pages);
    expect([page.status, (await get(slipway, '/organizations/crew', key, pages)).status]).toEqual([403, 200]);
    refusalOf(await upload(slipway, { owner: 'crew', key: `${key}x` }), 401);
  });

  it('work only for the apps they are restricted to, including an app that does not exist yet', async () => {
    const place = 'crew/android/com.example.only';
    const { key } = await issue('dev', { scopes: ['upload', 'read'] }, [place]);
    const only = apkOf('com.example.only');
    for (const [owner, content] of [
      ['crew', apkOf('com.example.other')],
      ['dock', only],
      ['dev', only],
    ] as const) {
      const parts = [
        { name: 'file', content, fileName: 'app.apk' },
        { name: 'token', value: key },
      ];
      for (const options of [
        { key, file: content },
        { key: null, parts },
      ]) {
        const refused = await leavesNothing(slipway, () => upload(slipway, { owner, ...options }));
        expect(refusalOf(refused, 403).message).toBe(permit);
      }
    }
    const made = resultsOf(await upload(slipway, { owner: 'crew', key, file: only }));
    resultsOf(
      await upload(slipway, { owner: 'crew', key: slipway.adminKey, file: apkOf('com.example.other') }),
    );
    expect(await projectsOf(key)).toEqual(['crew']);
    const statusOf = async (path: string) => (await get(slipway, path, key, pages)).status;
    expect(await statusOf(made.path)).toBe(200);
    expect(await statusOf('/users/crew/apps/com.example.other')).toBe(404);
    expect(await statusOf('/organizations/crew')).toBe(404);
    expect(await statusOf('/organizations/crew/devices')).toBe(404);
    const home = (await get(slipway, '/', key, pages)).text;
    expect(home).toContain('com.example.only');
    expect(home).not.toContain('com.example.other');
    const whole = await issue('dev', {}, ['crew']);
    resultsOf(await upload(slipway, { owner: 'crew', key: whole.key, file: apkOf('com.example.third') }));
    expect(refusalOf(await upload(slipway, { owner: 'dock', key: whole.key }), 403).message).toBe(permit);
    expect(await projectsOf(whole.key)).toEqual(['crew']);
    const projects = (await get(slipway, '/projects', whole.key, pages)).text;
    expect([projects.includes('/organizations/crew'), projects.includes('/organizations/dock')]).toEqual([
      true,
      false,
    ]);
    expect((await get(slipway, '/workspaces', whole.key, pages)).status).toBe(404);
  });

  it('can be restricted only to places their owner has access to', async () => {
    for (const [owner, place] of [
      ['dev', 'inner'],
      ['dev', 'nobody'],
      ['crew', 'dock/android/com.example.x'],
      ['dev', 'crew/windows/com.example.x'],
      ['dev', 'crew/android/'],
      ['dev', 'crew/android/a/b'],
    ] as const) {
      await expect(issue(owner, {}, [place]), place).rejects.toThrow(/can’t act for|must be an owner, or/);
    }
  });

  it('have the scope admin only when an administrator requested it', async () => {
    await expect(issue('dev', { scopes: ['admin'] })).rejects.toThrow('only keys of administrators');
    await expect(issue('crew', { scopes: ['admin'] })).rejects.toThrow('only keys of administrators');
    const boss = await ownerNamed('boss');
    await slipway.data.administration.setAdministrator(boss.id, true);
    const workspace = '/enterprises/acme';
    const statusWith = async (key: string) => (await get(slipway, workspace, key, pages)).status;
    const admin = await issue('boss', { scopes: ['admin'] });
    const manage = await issue('boss', { scopes: ['manage'] });
    expect([await statusWith(admin.key), await statusWith(manage.key)]).toEqual([200, 404]);
    await slipway.data.administration.setAdministrator(boss.id, false);
    expect(await statusWith(admin.key)).toBe(404);
  });

  it('lose access immediately when their user does, while a Project keeps its keys', async () => {
    const mia = await slipway.browser('mia');
    const made = await mia.submit('/organizations/crew/keys', 'create', {
      name: 'nightly',
      expires: 'never',
    });
    const ofProject = keyIn(made.text);
    const { key } = await issue('mia');
    const file = apkOf('com.example.left');
    for (const one of [key, ofProject]) resultsOf(await upload(slipway, { owner: 'crew', key: one, file }));
    const change = { projectName: 'crew', team: 'owner', userName: 'mia', by: 'command-line' } as const;
    await slipway.owners.removeFromTeam(change);
    expect(refusalOf(await upload(slipway, { owner: 'crew', key, file }), 403).message).toBe(permit);
    expect(await projectsOf(key)).toEqual(['dock']);
    expect((await get(slipway, '/organizations/crew', key, pages)).status).toBe(404);
    resultsOf(await upload(slipway, { owner: 'crew', key: ofProject, file }));
    const page = (await (await slipway.browser('olga')).get('/organizations/crew/keys')).text;
    expect(page.replace(/<[^>]+>/g, '')).toMatch(/by mia, who left the Project/);
    await slipway.owners.addToTeam(change);
  });

  it('publish nothing if they are revoked, or their user’s membership ends, during the upload', async () => {
    const change = { projectName: 'crew', team: 'developer', userName: 'dev', by: 'command-line' } as const;
    const ends: [Record<string, string>, () => Promise<unknown>, number][] = [];
    const revoked = await issue('dev');
    ends.push([
      bearer(revoked.key),
      () => slipway.data.keys.revokeKey(revoked.record.ownerId, revoked.record.id, slipway.clock.now),
      401,
    ]);
    ends.push([bearer((await issue('dev')).key), () => slipway.owners.removeFromTeam(change), 403]);
    // The same from a browser.
    const { cookie, csrf } = await slipway.browser('mia');
    const fromTeam = { ...change, team: 'owner', userName: 'mia' } as const;
    ends.push([{ Cookie: cookie }, () => slipway.owners.removeFromTeam(fromTeam), 403]);
    const token = await csrf();
    for (const [caller, end, status] of ends) {
      const isBrowser = caller.Cookie !== undefined;
      const path = isBrowser ? '/organizations/crew/upload' : '/api/users/crew/apps';
      const parts = [
        ...(isBrowser ? [{ name: 'csrf', value: token }] : []),
        { name: 'file', content: apkOf('com.example.streamed'), fileName: 'app.apk' },
      ];
      const { contentType, body } = multipart(parts);
      const connection = await openRaw(slipway.port);
      const headers = {
        ...caller,
        'Content-Type': contentType,
        'Content-Length': body.length,
        Expect: '100-continue',
      };
      const answer = await leavesNothing(slipway, async () => {
        await connection.write(rawRequest('POST', path, headers));
        // The key has been checked when the server asks for the body.
        while (!connection.unread().includes('100 Continue')) await new Promise(setImmediate);
        await connection.write(body.subarray(0, 200));
        await end();
        await connection.write(body.subarray(200));
        return connection.answer();
      });
      const { message } = refusalOf(answer, status);
      expect(message).toMatch(
        status === 401
          ? 'you are not authenticated'
          : isBrowser
            ? 'You can no longer upload to crew.'
            : permit,
      );
      connection.destroy();
    }
    await slipway.owners.addToTeam(change);
    await slipway.owners.addToTeam(fromTeam);
    const crew = await ownerNamed('crew');
    expect(await slipway.data.apps.findApp(crew.id, 'android', 'com.example.streamed')).toBeNull();
  });

  it('keep two secrets for a limited time after a rotation, which requires re-authentication and notifies the user', async () => {
    const olga = await slipway.browser('olga');
    const made = await olga.submit(own, 'create', { name: 'turning', expires: '30' });
    const first = keyIn(made.text);
    const created = slipway.clock.now;
    const recordOf = async () => {
      const keys = await slipway.data.keys.listKeys((await ownerNamed('olga')).id);
      const record = keys.find(({ name }) => name === 'turning');
      if (!record) throw new Error('the key is not there');
      return record;
    };
    const { id } = await recordOf();
    slipway.clock.now += 11 * 60_000;
    const asked = await olga.submit(own, `${id}/rotate`, { overlap: '7' });
    expect([asked.status, asked.text.includes('name="proof"')]).toEqual([403, true]);
    const csrf = await olga.csrf();
    const before = slipway.mailer.sent.length;
    const proof = 'correct horse battery';
    const rotated = await olga.post(`${own}/${id}/rotate`, { csrf, overlap: '7', proof });
    expect(rotated.text).toContain('The key has a new secret');
    const second = keyIn(rotated.text);
    await settleOutbox(slipway);
    expect(slipway.mailer.sent.slice(before).map(({ subject }) => subject)).toEqual([
      'An API key of your account was rotated',
    ]);
    expect((await recordOf()).expiresAt).toBe(slipway.clock.now + 30 * day);
    expect(slipway.clock.now).toBeGreaterThan(created);
    const works = async (key: string) => (await get(slipway, '/api/organizations', key)).status;
    expect([second === first, await works(first), await works(second)]).toEqual([false, 200, 200]);
    expect((await olga.get(own)).text).toContain(`${own}/${id}/end-old-secret`);
    const end = async () => olga.post(`${own}/${id}/end-old-secret`, { csrf: await olga.csrf() });
    expect((await end()).headers.location).toBe(`${own}?done=old-ended`);
    expect([await works(first), await works(second)]).toEqual([401, 200]);
    const again = await olga.post(`${own}/${id}/rotate`, { csrf: await olga.csrf(), overlap: '1' });
    const third = keyIn(again.text);
    slipway.clock.now += day - 1;
    expect([await works(second), await works(third)]).toEqual([200, 200]);
    slipway.clock.now += 1;
    expect([await works(second), await works(third)]).toEqual([401, 200]);
    // A job ends the secret, so that the apps that it could see get new ones.
    expect((await recordOf()).previousUntil).toBe(slipway.clock.now);
    await settleOutbox(slipway);
    expect((await recordOf()).previousUntil).toBeNull();
    const later = await slipway.browser('olga');
    const atOnce = await later.post(`${own}/${id}/rotate`, { csrf: await later.csrf(), overlap: '0' });
    expect([await works(third), await works(keyIn(atOnce.text))]).toEqual([401, 200]);
    expect((await recordOf()).lastUsedNetwork).toBe('127.0.0.1');
    const dev = await slipway.browser('dev');
    const stolen = await dev.post(`${own}/${id}/rotate`, { csrf: await dev.csrf(), overlap: '0' });
    expect(stolen.status).toBe(404);
  });

  it('expire after 90 days by default, with one notice a week before', async () => {
    const dev = await slipway.browser('dev');
    const page = (await dev.get(own)).text;
    expect(page).toContain('<option value="90" selected>');
    expect(page).toMatch(/value="upload" checked/);
    const made = await dev.submit(own, 'create', { name: 'fading' });
    const key = keyIn(made.text);
    const subjects = async () => {
      const before = slipway.mailer.sent.length;
      await settleOutbox(slipway);
      return slipway.mailer.sent.slice(before).map(({ subject }) => subject);
    };
    await subjects();
    slipway.clock.now += 83 * day - 1;
    expect(await subjects()).toEqual([]);
    slipway.clock.now += 1;
    const announced = await subjects();
    expect(announced.filter((subject) => subject.includes('expires in a week'))).toEqual([
      'An API key of your account expires in a week',
    ]);
    expect((await get(slipway, '/api/organizations', key)).status).toBe(200);
    slipway.clock.now += 7 * day;
    refusalOf(await get(slipway, '/api/organizations', key), 401);
    expect(await subjects()).toEqual([]);
    const { id } = await ownerNamed('dev');
    const record = (await slipway.data.keys.listKeys(id)).find(({ name }) => name === 'fading');
    expect(record?.revokedAt).toBe(slipway.clock.now);
    const log = (await slipway.data.audit.list(id, 50)).map(({ action }) => action);
    expect(log).toContain('key.expired');
    const text = (await (await slipway.browser('dev')).get(own)).text.replace(/<[^>]+>/g, ' ');
    expect(text).toMatch(/fading\s+Expired/);
  });

  it('are listed after a password reset, and can be revoked together with the trusted publishers', async () => {
    const { key } = await issue('mia');
    const created = await send(slipway.port, '/api/v1/owners/mia/trusted-publishers', {
      method: 'POST',
      headers: { ...bearer((await issue('mia')).key), 'Content-Type': 'application/json' },
      body: JSON.stringify({
        name: 'tide',
        provider: 'github',
        rules: [{ claim: 'repository', equals: 'acme/tide' }],
      }),
    });
    expect(created.status).toBe(201);
    const asked = await slipway.stranger.post('/forgot-password', { login: 'mia' });
    expect(asked.status).toBe(200);
    const link = await slipway.linkInEmail('mia@example.com');
    const fresh = 'seven grey gulls';
    const set = await slipway.stranger.post(link, { password: fresh, again: fresh });
    expect(set.headers.location).toBe(
      `/sign-in?done=password&to=${encodeURIComponent('/settings/keys?review=reset')}`,
    );
    expect((await get(slipway, '/api/organizations', key)).status).toBe(200);
    const mia = await slipway.browser('mia', fresh);
    const review = (await mia.get(`${own}?review=reset`)).text;
    expect(review).toContain('Review your API keys and trusted publishers');
    expect(review).toContain(
      '<a href="/users/mia/settings/trusted-publishing">Review 1 trusted publisher</a>',
    );
    const done = await mia.submit(`${own}?review=reset`, 'revoke-all');
    expect(done.headers.location).toBe(`${own}?done=all-revoked`);
    refusalOf(await get(slipway, '/api/organizations', key), 401);
    const mine = (await ownerNamed('mia')).id;
    expect(await slipway.data.trustedPublishers.list(mine)).toEqual([]);
    expect((await slipway.data.audit.list(mine, 50)).map(({ action }) => action)).toContain(
      'trusted-publisher.deleted',
    );
  });
});
