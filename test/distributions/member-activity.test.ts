/** Which visits are recorded by name, for whom, and when the names are deleted. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memberActivityRetentionDays } from '../../src/apps/activity/member-activity.ts';
import { defineQueries } from '../../src/db/data.ts';
import { createOwnerDeletion } from '../../src/projects/deletion/owner-deletion.ts';
import { type BrowserSession, signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildIpa, createSigningIdentity } from '../support/build-ipa.ts';
import { bearer, get, uploaded } from '../support/interface-client.ts';
import {
  asInstaller,
  findPage,
  linksOf,
  type PageLinks,
  phones,
  readManifest,
  setRules,
} from '../support/page-visits.ts';
import { signApk } from '../support/sign-apk.ts';
import { dialects } from '../support/test-database.ts';
import { createTestKey } from '../support/test-key.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const dayMs = 24 * 60 * 60_000;
const start = Date.UTC(2026, 10, 20, 9);
const galaxy =
  'Mozilla/5.0 (Linux; Android 14; SM-S911B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36';
const database = defineQueries((db, { dialect }) => ({ db, dialect }));

describe.each(dialects)('activity of members on %s', (dialect) => {
  let slipway: TestService;
  let clock = start;
  let tess: BrowserSession;
  let key = '';
  beforeAll(async () => {
    slipway = await startTestService({
      dialect,
      blobs: 'memory',
      now: () => clock,
      settings: {
        SLIPWAY_URL: 'https://apps.example.com',
        SLIPWAY_TRUST_PROXY: '127.0.0.1',
        SLIPWAY_SESSION_IDLE_DAYS: '30',
      },
    });
    key = await slipway.user('dora');
    for (const name of ['tess', 'tom', 'sam']) await slipway.user(name);
    await slipway.project('harbour', { members: { dora: 'developer', tess: 'tester', tom: 'tester' } });
    tess = await signIn(slipway, 'tess');
  });
  afterAll(() => slipway.close());

  const testKey = createTestKey();
  const identity = createSigningIdentity();
  const ipa = buildIpa({
    bundleIdentifier: 'com.example.phone',
    identity,
    profile: { type: 'enterprise', identity },
  });
  const publish = async (packageName: string, file?: Buffer) => {
    const apk = signApk(buildApk({ packageName, minSdk: 24 }), { v2: [{ key: testKey }] });
    const fields = { distribution_name: 'main' };
    const { distribution } = await uploaded(slipway, { owner: 'harbour', key, file: file ?? apk, fields });
    const page = await findPage(slipway, distribution?.access_key ?? '');
    return { ...page, address: `/distributions/${page.accessKey}` };
  };
  type Page = Awaited<ReturnType<typeof publish>>;
  const open = async (session: BrowserSession, page: Page, headers: Record<string, string> = {}) => {
    const { status, text } = await session.get(page.address, {
      headers: { 'User-Agent': galaxy, ...headers },
    });
    expect(status).toBe(200);
    return linksOf(text);
  };
  const install = async ({ file }: PageLinks, headers: Record<string, string> = {}) => {
    const answer = await get(slipway, file ?? '', null, { headers: { 'User-Agent': galaxy, ...headers } });
    expect(answer.status).toBe(200);
  };
  const activityOf = async (page: Page) =>
    (
      await slipway.data.memberActivity.list(
        { appId: page.appId, buildId: null, pageId: page.id, since: 0 },
        { limit: 99 },
      )
    ).map(({ userName, revision, system, model, opens, installs }) => ({
      ...{ userName, revision, system, model, opens, installs },
    }));
  const systemsOf = async (page: Page) => {
    const { db } = database(slipway.data);
    const rows = await db
      .selectFrom('install_systems')
      .select(['system', 'installs'])
      .where('page_id', '=', page.id)
      .orderBy('system')
      .execute();
    return rows.map(({ system, installs }) => `${system} ${installs}`);
  };
  const countsOf = async (page: Page) => {
    const { db } = database(slipway.data);
    const rows = await db
      .selectFrom('page_counts')
      .select(['kind', 'times', 'people', 'members'])
      .where('page_id', '=', page.id)
      .orderBy('kind')
      .execute();
    return rows.map(({ kind, times, people, members }) => `${kind} ${times} ${people} ${members}`);
  };
  /** Every row of every table. */
  const everything = async () => {
    const { db } = database(slipway.data);
    const tables = await db.introspection.getTables();
    const rows = tables.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(db));
    return JSON.stringify((await Promise.all(rows)).map(({ rows: found }) => found));
  };

  it('tells testers on the start page what is new, what they have, and where to install it', async () => {
    const rowOf = (html: string) =>
      /<tr[ >](?:(?!<\/tr>)[\s\S])*com\.example\.fresh[\s\S]*?<\/tr>/.exec(html)?.[0] ?? '';
    const shown = async (session: BrowserSession) => rowOf((await session.get('/')).text);
    const page = await publish('com.example.fresh');
    const path = '/users/harbour/platforms/android/apps/com.example.fresh';
    const fresh = await shown(tess);
    expect(fresh).toContain('>New<');
    expect(fresh).toMatch(new RegExp(`<a class="button button-primary" href="${path}"[^>]*>Install</a>`));
    await install(await open(tess, page));
    await expect.poll(() => shown(tess)).toContain('Installed #1');
    expect(await shown(tess)).not.toContain('button-primary');
    await publish('com.example.fresh');
    await publish('com.example.fresh');
    const later = await shown(tess);
    expect(later).toContain('Installed #1');
    expect(later).toContain('2 new builds');
    expect(later).toContain('>Update<');
    // People who can upload see where the app is live.
    const dora = await signIn(slipway, 'dora');
    expect(await shown(dora)).toContain(page.address);
    expect(await shown(dora)).not.toContain('>New<');
  });

  it('records a member’s visits and installs in one row for each build and page', async () => {
    const page = await publish('com.example.named');
    const links = await open(tess, page);
    await expect.poll(() => activityOf(page)).toMatchObject([{ opens: 1, installs: 0 }]);
    await install(links);
    await install(links);
    clock += dayMs;
    await install(await open(tess, page));
    const row = { userName: 'tess', revision: 1, system: 'Android 14', model: 'SM-S911B' };
    await expect.poll(() => activityOf(page)).toEqual([{ ...row, opens: 2, installs: 2 }]);
    const [found] = await slipway.data.memberActivity.list(
      { appId: page.appId, buildId: page.buildId, pageId: null, since: 0 },
      { limit: 9 },
    );
    expect(found).toMatchObject({ openedAt: clock, installedAt: clock, lastAt: clock });
    expect(await slipway.data.memberActivity.installsByMembers(page.appId)).toMatchObject([
      { revision: 1, at: clock - dayMs },
      { revision: 1, at: clock },
    ]);
    expect(await countsOf(page)).toEqual(['install 1 1 1', 'install 1 1 1', 'view 1 1 1', 'view 1 1 1']);
    expect(await systemsOf(page)).toEqual(['Android 14 1', 'Android 14 1']);
  });

  it('recognizes the member when the iOS installer, which sends no cookies, follows the link', async () => {
    const page = await publish('com.example.phone', ipa);
    await setRules(slipway, page.accessKey, { access: 'members' });
    const { manifest } = await open(tess, page, { 'User-Agent': phones.iphone });
    await expect.poll(() => activityOf(page)).toMatchObject([{ opens: 1 }]);
    const answer = await asInstaller(slipway, manifest ?? '');
    expect((await asInstaller(slipway, readManifest(answer).package)).status).toBe(200);
    const row = { userName: 'tess', revision: 1, system: 'iOS 17', model: 'iPhone 14 Pro' };
    await expect.poll(() => activityOf(page)).toEqual([{ ...row, opens: 1, installs: 1 }]);
    expect(await systemsOf(page)).toEqual(['iOS 17 1']);
  });

  it('asks only members’ browsers for the model of the phone', async () => {
    const page = await publish('com.example.hints');
    const asked = async (cookie: string | null) =>
      (
        await get(slipway, page.address, null, {
          headers: { Accept: 'text/html', ...(cookie ? { Cookie: cookie } : {}) },
        })
      ).headers['accept-ch'];
    expect(await asked(tess.cookie)).toBe('Sec-CH-UA-Platform-Version, Sec-CH-UA-Model');
    expect(await asked(null)).toBe('Sec-CH-UA-Platform-Version');
    const hints = { 'Sec-CH-UA-Platform-Version': '"16.0.0"', 'Sec-CH-UA-Model': '"Pixel 9"' };
    await install(await open(tess, page), { ...hints, 'User-Agent': phones.android });
    await expect.poll(() => activityOf(page)).toMatchObject([{ system: 'Android 16', model: 'Pixel 9' }]);
  });

  it('counts guests and stores nothing about them', async () => {
    const page = await publish('com.example.guests');
    const from = '198.51.100.77';
    const headers = { Accept: 'text/html', 'User-Agent': galaxy, 'X-Forwarded-For': from };
    const { text } = await get(slipway, page.address, null, { headers });
    expect(linksOf(text).file).not.toContain('by=');
    await install(linksOf(text), { 'X-Forwarded-For': from });
    await expect.poll(() => countsOf(page)).toEqual(['install 1 1 0', 'view 1 1 0']);
    expect(await systemsOf(page)).toEqual(['Android 14 1']);
    expect(await activityOf(page)).toEqual([]);
    const stored = await everything();
    expect(stored).toContain('com.example.guests');
    expect(stored).not.toContain(from);
  });

  it('counts people without access to the app, and API keys, as guests', async () => {
    const page = await publish('com.example.strangers');
    await install(await open(await signIn(slipway, 'sam'), page));
    await get(slipway, page.address, null, {
      headers: { Accept: 'text/html', 'User-Agent': galaxy, ...bearer(key) },
    });
    await expect.poll(async () => (await countsOf(page)).at(-1)).toBe('view 2 1 0');
    expect(await activityOf(page)).toEqual([]);
  });

  it('ignores a forged or foreign name in an install link', async () => {
    const page = await publish('com.example.forged');
    const [mine, other] = [await open(tess, page), await open(tess, page)];
    const token = /by=[^&]+/.exec(other.file ?? '')?.[0] ?? '';
    expect(token).not.toBe('');
    await install({ ...mine, file: (mine.file ?? '').replace(/by=[^&]+/, token) });
    await install({ ...other, file: (other.file ?? '').replace(/by=.{4}/, 'by=0000') });
    await expect.poll(() => activityOf(page)).toMatchObject([{ opens: 2, installs: 0 }]);
    expect((await countsOf(page))[0]).toMatch(/^install 2 \d 0$/);
  });

  it('counts people by build, and those of a page who have access', async () => {
    const page = await publish('com.example.summed');
    const tom = await signIn(slipway, 'tom');
    for (const session of [tess, tom]) await install(await open(session, page));
    await install(linksOf((await get(slipway, page.address, null)).text));
    const counts = await slipway.data.memberActivity.installCountsOf([page.buildId, 'none']);
    expect(counts).toEqual(new Map([[page.buildId, { installs: 3, members: 2, guests: 1 }]]));
    const later = { day: '2027-01-01', at: Date.UTC(2027, 0, 1) };
    expect(await slipway.data.memberActivity.installCountsOf([page.buildId], later)).toEqual(
      new Map([[page.buildId, { installs: 0, members: 0, guests: 0 }]]),
    );
    const owner = await slipway.data.owners.findOwner('harbour');
    const app = await slipway.data.apps.findApp(owner?.id ?? '', 'android', 'com.example.summed');
    if (!app) throw new Error('no app');
    const installersOf = async (access: string) =>
      (await slipway.data.memberActivity.installersOf(app, [{ id: page.id, access }])).get(page.id);
    expect(await installersOf('unlisted')).toEqual({ installed: 2, allowed: null });
    // The administrator who created the Project is an owner of it.
    expect(await installersOf('members')).toEqual({ installed: 2, allowed: 4 });
    const userId = (await slipway.data.owners.findOwner('tom'))?.id ?? '';
    await slipway.data.owners.removeTeamMember(owner?.id ?? '', 'tester', userId);
    expect(await installersOf('members')).toEqual({ installed: 1, allowed: 3 });
    const groupId = await slipway.data.groups.insertGroup({ ownerId: app.owner.id, name: 'QA', now: 1 });
    for (const name of ['tess', 'tom', 'dora']) {
      const member = await slipway.data.owners.findOwner(name);
      await slipway.data.groups.addPerson(groupId, member?.id ?? '', 1);
    }
    const { db } = database(slipway.data);
    await db.insertInto('page_groups').values({ page_id: page.id, group_id: groupId }).execute();
    // Tom is in the group, but lost access.
    expect(await installersOf('groups')).toEqual({ installed: 1, allowed: 2 });
    await slipway.data.owners.addTeamMember(owner?.id ?? '', 'tester', userId, clock);
  });

  it('deletes the names with the account, and keeps the counts', async () => {
    await slipway.user('gone');
    const userId = (await slipway.data.owners.findOwner('gone'))?.id ?? '';
    const owner = await slipway.data.owners.findOwner('harbour');
    await slipway.data.owners.addTeamMember(owner?.id ?? '', 'tester', userId, clock);
    const page = await publish('com.example.leaver');
    const links = await open(await signIn(slipway, 'gone'), page);
    await install(links);
    await expect.poll(() => activityOf(page)).toMatchObject([{ userName: 'gone', opens: 1, installs: 1 }]);
    const late = await open(await signIn(slipway, 'gone'), page);
    await expect.poll(() => activityOf(page)).toMatchObject([{ opens: 2 }]);
    const user = await slipway.data.owners.findOwner('gone');
    if (user?.kind !== 'user') throw new Error('no user');
    const { deleteOwner } = createOwnerDeletion({
      data: slipway.data,
      now: () => clock,
      wakeOutbox: () => undefined,
    });
    expect(await deleteOwner({ kind: 'user', user }, user, 'gone')).toBe('deleted');
    expect(await activityOf(page)).toEqual([]);
    const { db } = database(slipway.data);
    const rows = await db.selectFrom('member_activity').select('id').where('user_id', '=', userId).execute();
    expect(rows).toEqual([]);
    // A link from before the deletion still installs, without recording a name.
    await install(late);
    expect(await activityOf(page)).toEqual([]);
    expect((await countsOf(page)).map((line) => line.split(' ', 2).join(' '))).toEqual([
      'install 2',
      'view 2',
    ]);
  });

  it('deletes the names after their retention', async () => {
    const page = await publish('com.example.old');
    await install(await open(tess, page));
    await expect.poll(() => activityOf(page)).toMatchObject([{ opens: 1, installs: 1 }]);
    const recorded = clock;
    clock = recorded + memberActivityRetentionDays * dayMs;
    await get(slipway, page.address, null, { headers: { Accept: 'text/html', 'User-Agent': galaxy } });
    await expect.poll(async () => (await countsOf(page)).length).toBe(3);
    expect(await activityOf(page)).toHaveLength(1);
    clock += dayMs;
    await get(slipway, page.address, null, { headers: { Accept: 'text/html', 'User-Agent': galaxy } });
    await expect.poll(() => activityOf(page)).toEqual([]);
    clock = start + dayMs;
  });
});
