/** The page of store rules as a contract: who sees which apps, and what administrators may enter, in forms and in the API. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineQueries } from '../../../src/db/data.ts';
import type { Queries } from '../../../src/db/database.ts';
import { type ApiClient, createApiClient } from '../../api/api-client.ts';
import { type BrowserSession, postForm, signIn } from '../../support/browser-session.ts';
import { buildApk } from '../../support/build-apk.ts';
import { send } from '../../support/http-client.ts';
import { uploaded } from '../../support/interface-client.ts';
import { settleOutbox } from '../../support/mail-service.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

const rows = defineQueries((db: Queries) => db);
const page = '/store-rules';
const valid = { kind: 'target_api', threshold: '98', from: '2028-08-31', source: 'https://example.com/98' };

describe('the page of store rules', { timeout: 60_000 }, () => {
  let slipway: TestService;
  let api: ApiClient;
  let admin: BrowserSession;
  const keys = new Map<string, string>();
  beforeAll(async () => {
    slipway = await startTestService({ now: () => Date.parse('2026-11-28T12:00Z') });
    api = await createApiClient(slipway);
    for (const name of ['olga', 'tess', 'nemo']) keys.set(name, await slipway.user(name));
    await slipway.project('crew', { members: { olga: 'owner', tess: 'tester' } });
    for (const owner of ['crew', 'nemo']) {
      const packageName = `com.example.${owner}`;
      const key = keys.get(owner) ?? slipway.adminKey;
      const file = buildApk({ packageName, label: `The app of ${owner}` });
      await uploaded(slipway, { owner, key, file });
      await settleOutbox(slipway);
      const params = { owner, platform: 'android', package: packageName };
      await api.call('updateCheckSettings', 200, { key, params, body: { destinations: ['google_play'] } });
    }
    admin = await signIn(slipway, 'admin');
  });
  afterAll(() => slipway?.close());

  /** Follows the form of the page. */
  const post = async (action: string, fields: Record<string, string>, by = admin) => {
    const csrf = /name="csrf" value="([^"]*)"/.exec((await by.get(page)).text)?.[1] ?? '';
    return postForm(slipway, `${page}/${action}`, { csrf, ...fields }, { Cookie: by.cookie });
  };
  const listed = async () => (await api.call('listStoreRules', 200)).value.data;
  const find = async (id: string) => listed().then((all) => all.find((one: { id: string }) => one.id === id));

  it('asks visitors to sign in', async () => {
    const { status, headers } = await send(slipway.port, page, { headers: { Accept: 'text/html' } });
    expect([status, headers.location]).toEqual([303, '/sign-in?to=%2Fstore-rules']);
    expect((await postForm(slipway, `${page}/add`, valid)).status).toBeGreaterThanOrEqual(303);
  });

  it.each([
    ['olga', ['crew']],
    ['tess', ['crew']],
    ['nemo', ['nemo']],
    ['admin', ['crew', 'nemo']],
  ])('shows %s the apps of %s', async (name, owners) => {
    const { text } = await (await signIn(slipway, name)).get(page);
    const seen = ['crew', 'nemo'].filter((owner) => text.includes(`The app of ${owner}`));
    expect(seen).toEqual(owners);
    expect(text.includes(`${page}/add`)).toBe(name === 'admin');
    const key = keys.get(name);
    const { data } = (await api.call('listStoreRules', 200, key ? { key } : {})).value;
    const rule = data.find((one: { id: string }) => one.id === 'play-target-api-36');
    expect(rule.apps.map(({ owner }: { owner: string }) => owner)).toEqual(owners);
  });

  it('says which apps have no destination, and links own ones to the choice', async () => {
    const nemo = await signIn(slipway, 'nemo');
    expect((await nemo.get(page)).text).not.toContain('no destination');
    const key = keys.get('nemo') ?? '';
    const packageName = 'com.example.nowhere';
    await uploaded(slipway, { owner: 'nemo', key, file: buildApk({ packageName }) });
    const settings = `/users/nemo/platforms/android/apps/${packageName}/settings/checks`;
    for (const change of [{}, { destinations: ['private'] as const }, { destinations: [] }]) {
      const params = { owner: 'nemo', platform: 'android', package: packageName };
      if (change.destinations) await api.call('updateCheckSettings', 200, { key, params, body: change });
      const { text } = await nemo.get(page);
      const isCounted = change.destinations?.length !== 1;
      expect(text.includes('1 app has no destination')).toBe(isCounted);
      expect(text.includes(`href="${settings}"`)).toBe(isCounted);
    }
    expect((await admin.get(page)).text).toContain('1 app has no destination');
    expect((await (await signIn(slipway, 'olga')).get(page)).text).not.toContain('no destination');
  });

  it('lets only administrators change rules', async () => {
    const nemo = await signIn(slipway, 'nemo');
    const before = await listed();
    for (const [action, fields] of [
      ['add', valid],
      ['play-page-size/save', { from: '', muted: 'on' }],
      ['play-page-size/delete', {}],
    ] as const)
      expect((await post(action, fields, nemo)).status).toBeGreaterThanOrEqual(400);
    const key = keys.get('nemo') ?? '';
    await api.call('createStoreRule', 403, { key, body: { ...valid, threshold: 98 } });
    await api.call('updateStoreRule', 403, {
      key,
      params: { rule: 'play-page-size' },
      body: { muted: true },
    });
    await api.call('deleteStoreRule', 403, { key, params: { rule: 'play-page-size' } });
    expect(await listed()).toEqual(before);
  });

  it.each([
    ['from', '2028-02-30', 'Enter a day as YYYY-MM-DD.'],
    ['from', 'tomorrow', 'Enter a day as YYYY-MM-DD.'],
    ['from', '', 'Enter a day as YYYY-MM-DD.'],
    ['from', '12028-08-31', 'Enter a day as YYYY-MM-DD.'],
    ['from', '1028-08-31', 'Enter a day as YYYY-MM-DD.'],
    ['source', 'javascript:alert(1)', 'Enter an address that begins with https://.'],
    ['source', 'http://example.com/', 'Enter an address that begins with https://.'],
    ['source', 'https://', 'Enter an address that begins with https://.'],
    ['source', 'https://admin:secret@example.com/', 'Enter an address that begins with https://.'],
    ['source', 'https://example.com/ onclick=alert(1)', 'Enter an address that begins with https://.'],
    ['threshold', '0', 'Enter a whole number from 1 to 1000.'],
    ['threshold', '-1', 'Enter a whole number from 1 to 1000.'],
    ['threshold', '36.5', 'Enter a whole number from 1 to 1000.'],
    ['threshold', '1001', 'Enter a whole number from 1 to 1000.'],
    ['threshold', '36', 'There is a rule that requires this already. Change its date instead.'],
  ])('refuses a rule with %s = %j, in the form and in the API', async (field, value, message) => {
    const fields = { ...valid, [field]: value };
    const { status, text } = await post('add', fields);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).toContain(message);
    if (value !== '') expect(text).toContain(`value="${value}"`);
    const body = { ...fields, threshold: Number(fields.threshold) };
    await api.call('createStoreRule', value === '36' ? 409 : 400, { body });
  });

  it('refuses kinds that need more than a number, and sources that are too long', async () => {
    for (const fields of [
      { ...valid, kind: 'page_size' },
      { ...valid, source: `https://example.com/${'x'.repeat(500)}` },
    ]) {
      expect((await post('add', fields)).status).toBe(400);
      await api.call('createStoreRule', 400, { body: { ...fields, threshold: 98 } });
    }
  });

  it('keeps the entered text in the page as text', async () => {
    const { text } = await post('add', { ...valid, source: '"><script>alert(1)</script>' });
    expect(text).not.toContain('<script>alert(1)');
  });

  it('adds, dates, mutes and deletes a rule, and records that', async () => {
    expect((await post('add', valid)).status).toBe(303);
    const { id } = (await listed()).find(({ added }: { added: boolean }) => added);
    expect(await find(id)).toMatchObject({ from: '2028-08-31', upcoming: true, muted: false });
    expect((await post('add', valid)).text).toContain('There is a rule that requires this already.');
    for (const from of ['', '2028-13-01', '2028-8-31']) {
      const { status, text } = await post(`${id}/save`, { from });
      expect(status).toBe(400);
      expect(text).toContain('Enter a day as YYYY-MM-DD.');
    }
    expect((await post(`${id}/save`, { from: '2028-09-01', muted: 'on' })).status).toBe(303);
    expect(await find(id)).toMatchObject({ from: '2028-09-01', muted: true, apps: [] });
    expect((await post(`${id}/delete`, {})).status).toBe(303);
    expect(await find(id)).toBeUndefined();
    const { data } = (await api.call('listFullAuditLog', 200)).value;
    const actions: string[] = data.map(({ action }: { action: string }) => action);
    // All at the same time.
    expect(actions.filter((action) => action.startsWith('store-rule.')).sort()).toEqual([
      'store-rule.added',
      'store-rule.changed',
      'store-rule.deleted',
    ]);
  });

  it('moves and restores the day of a built-in rule, which cannot be deleted', async () => {
    const params = { rule: 'app-store-sdk-27' };
    const moved = (await api.call('updateStoreRule', 200, { params, body: { from: '2027-04-28' } })).value;
    expect(moved).toMatchObject({ from: '2027-04-28', month_only: false });
    const muted = (await api.call('updateStoreRule', 200, { params, body: { muted: true } })).value;
    expect(muted).toMatchObject({ from: '2027-04-28', muted: true });
    const body = { from: null, muted: false };
    const restored = (await api.call('updateStoreRule', 200, { params, body })).value;
    expect(restored).toMatchObject({ from: '2027-04-01', month_only: true, muted: false });
    expect((await post('app-store-sdk-27/delete', {})).status).toBe(404);
    await api.call('deleteStoreRule', 404, { params });
  });

  it('refuses a day after the end of a rule that another one replaces', async () => {
    const params = { rule: 'play-target-api-35' };
    const { text } = await api.call('updateStoreRule', 400, { params, body: { from: '2027-01-01' } });
    expect(text).toContain('This rule ends on 30 Aug 2026');
  });

  it.each(['x'.repeat(81), 'none', '../mail', '%00', 'ADDED-1'])('has no rule %j', async (id) => {
    const segment = encodeURIComponent(id);
    expect([400, 404]).toContain((await post(`${segment}/save`, { from: '2028-01-01' })).status);
    expect([400, 404]).toContain((await post(`${segment}/delete`, {})).status);
  });

  it('judges developer verification by whether the key is marked as registered', async () => {
    const params = { owner: 'crew', platform: 'android', package: 'com.example.crew' };
    await api.call('updateCheckSettings', 200, { params, body: { destinations: ['private'] } });
    const apps = async () => (await find('android-developer-verification')).apps;
    expect(await apps()).toEqual([]);
    const build = await rows(slipway.data)
      .updateTable('builds')
      .set({ apk_state: 'ready', signer: 'ab'.repeat(32) })
      .where('info', 'like', '%com.example.crew%')
      .returning('app_id')
      .executeTakeFirstOrThrow();
    expect(await apps()).toEqual([
      { owner: 'crew', platform: 'android', package_name: 'com.example.crew', revision: 1, state: 'warned' },
    ]);
    await slipway.data.keyRegistrations.register(build.app_id, { sha256: 'ab'.repeat(32), registeredAt: 1 });
    expect(await apps()).toEqual([]);
    const { checks } = (await api.call('getBuildChecks', 200, { params: { ...params, revision: 1 } })).value;
    expect(checks).toContainEqual(
      expect.objectContaining({ id: 'android-developer-verification', state: 'passed' }),
    );
  });
});
