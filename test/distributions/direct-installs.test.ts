/** Members who open and install a build that no page serves: recorded by name, and counted like on a page. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memberActivityRetentionDays } from '../../src/apps/activity/member-activity.ts';
import { createOwnerDeletion } from '../../src/projects/deletion/owner-deletion.ts';
import { type BrowserSession, signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildIpa, createSigningIdentity } from '../support/build-ipa.ts';
import { send } from '../support/http-client.ts';
import { get, uploaded } from '../support/interface-client.ts';
import { asInstaller, findPage, phones, readManifest } from '../support/page-visits.ts';
import { signApk } from '../support/sign-apk.ts';
import { dialects } from '../support/test-database.ts';
import { createTestKey } from '../support/test-key.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const dayMs = 24 * 60 * 60_000;
const start = Date.UTC(2026, 10, 20, 9);
const galaxy =
  'Mozilla/5.0 (Linux; Android 14; SM-S911B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36';

describe.each(dialects)('a build without a page on %s', (dialect) => {
  let slipway: TestService;
  let clock = start;
  let tess: BrowserSession;
  let key = '';
  beforeAll(async () => {
    slipway = await startTestService({
      dialect,
      blobs: 'memory',
      now: () => clock,
      settings: { SLIPWAY_URL: 'https://apps.example.com', SLIPWAY_SESSION_IDLE_DAYS: '30' },
    });
    key = await slipway.user('dora');
    for (const name of ['tess', 'tom']) await slipway.user(name);
    await slipway.project('harbour', { members: { dora: 'developer', tess: 'tester', tom: 'tester' } });
    tess = await signIn(slipway, 'tess');
  });
  afterAll(() => slipway?.close());

  const testKey = createTestKey('ec');
  const upload = async (packageName: string, fields: Record<string, string> = {}, of?: Buffer) => {
    const apk = () => signApk(buildApk({ packageName, minSdk: 24 }), { v2: [{ key: testKey }] });
    const sent = await uploaded(slipway, { owner: 'harbour', key, file: of ?? apk(), fields });
    await slipway.service.outbox.idle();
    const owner = await slipway.data.owners.findOwner('harbour');
    const app = await slipway.data.apps.findApp(owner?.id ?? '', of ? 'ios' : 'android', packageName);
    const build = app && (await slipway.data.builds.findBuildByRevision(app.id, sent.revision));
    if (!build) throw new Error('no build');
    const appPath = `/users/harbour/platforms/${of ? 'ios' : 'android'}/apps/${packageName}`;
    return { appId: app.id, buildId: build.id, accessKey: sent.distribution?.access_key ?? '', appPath };
  };
  type Uploaded = Awaited<ReturnType<typeof upload>>;
  const open = async ({ appPath }: Uploaded, by = tess, headers: Record<string, string> = {}) => {
    const { status, text } = await by.get(appPath, { headers: { 'User-Agent': galaxy, ...headers } });
    expect(status).toBe(200);
    return /href="([^"]+)" data-install/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  };
  const install = async (link: string) => {
    const answer = await get(slipway, link, null, { headers: { 'User-Agent': galaxy } });
    expect(answer.status).toBe(200);
  };
  const activityOf = async ({ appId }: Uploaded) =>
    (
      await slipway.data.memberActivity.list(
        { appId, buildId: null, pageId: null, since: 0 },
        { limit: 99, before: null },
      )
    ).map(({ userName, revision, system, model, opens, installs, page }) => ({
      ...{ userName, revision, system, model, opens, installs, page: page?.name ?? null },
    }));
  const countsOf = async ({ appId }: Uploaded) =>
    (await slipway.data.pageCounts.countsByDay(appId, '2026-01-01'))
      .map(({ day, kind, system, times, people, members }) =>
        [day, kind, system, times, people, members].join(' '),
      )
      .sort();
  const row = { userName: 'tess', revision: 1, system: 'Android 14', model: 'SM-S911B', page: null };

  it('records who opened and installed it, once for each visit', async () => {
    const app = await upload('com.example.alone');
    const link = await open(app);
    expect(link).toMatch(/^\/builds\/\w+\/file\?key=[^&]+&by=[^&]+$/);
    await expect.poll(() => activityOf(app)).toEqual([{ ...row, opens: 1, installs: 0 }]);
    clock += 1000;
    await install(link);
    // A resumed download.
    await install(link);
    expect(await activityOf(app)).toEqual([{ ...row, opens: 1, installs: 1 }]);
    clock += 1000;
    await install(await open(app));
    await expect.poll(() => activityOf(app)).toEqual([{ ...row, opens: 2, installs: 2 }]);
    expect(await countsOf(app)).toEqual([
      '2026-11-20 install android 2 1 1',
      '2026-11-20 view android 2 1 1',
    ]);
    clock += dayMs;
    await install(await open(app));
    await expect.poll(async () => (await countsOf(app)).length).toBe(4);
    expect(await countsOf(app)).toContain('2026-11-21 install android 1 1 1');
    clock = start;
  });

  it('tells the tester on the start page that it is installed, and what came since', async () => {
    const app = await upload('com.example.home');
    const shown = async () => {
      const { text } = await tess.get('/');
      return /<tr[ >](?:(?!<\/tr>)[\s\S])*com\.example\.home[\s\S]*?<\/tr>/.exec(text)?.[0] ?? '';
    };
    expect(await shown()).toContain('>New<');
    const link = await open(app);
    await expect.poll(shown).not.toContain('>New<');
    expect(await shown()).toContain('>Install<');
    await install(link);
    expect(await shown()).toContain('Installed #1');
    await upload('com.example.home');
    expect(await shown()).toContain('1 new build');
  });

  it('shows it to people who manage the app: activity, exports, the build and the list of builds', async () => {
    const app = await upload('com.example.told');
    await install(await open(app));
    await install(await open(app, await signIn(slipway, 'tom')));
    await expect.poll(async () => (await countsOf(app)).at(-1)).toContain('view android 2 2 2');
    const dora = await signIn(slipway, 'dora');
    const read = async (path: string) => (await dora.get(`${app.appPath}${path}`)).text;
    const activity = await read('/activity');
    expect(activity).toMatch(/tess[\s\S]*SM-S911B[\s\S]*App page/);
    expect(activity).toContain('Android 14');
    expect(await slipway.data.memberActivity.countInstallers(app.appId, 0)).toBe(2);
    expect(await slipway.data.memberActivity.installCountsOf([app.buildId])).toEqual(
      new Map([[app.buildId, { installs: 2, members: 2, guests: 0 }]]),
    );
    expect(await slipway.data.pageCounts.countsByBuild(app.appId, '2026-01-01', 9)).toMatchObject([
      { revision: 1, views: 2, installs: 2 },
    ]);
    expect(await slipway.data.pageCounts.countsBySystem(app.appId, '2026-01-01')).toEqual([
      { system: 'Android 14', installs: 2 },
    ]);
    expect(await slipway.data.pageCounts.countsByPage(app.appId, '2026-01-01', 9)).toEqual([]);
    expect(await slipway.data.appPages.installsOf([app.buildId])).toEqual(new Map([[app.buildId, 2]]));
    const linesOf = async (path: string) =>
      (await read(path))
        .trim()
        .split(/\r?\n/)
        .map((line) => line.replaceAll('"', '').split(','));
    const [names, ...people] = await linesOf('/activity/people.csv');
    const columns = ['person', 'revision', 'page', 'installs', 'opens', 'system'];
    const cells = people.map((line) => columns.map((name) => line[names?.indexOf(name) ?? -1]));
    expect(cells.sort()).toEqual([
      ['tess', '1', '', '1', '1', 'Android 14'],
      ['tom', '1', '', '1', '1', 'Android 14'],
    ]);
    const [, ...days] = await linesOf('/activity.csv');
    expect(days.map(([day, revision, , , ...counts]) => [day, revision, ...counts])).toEqual([
      ['2026-11-20', '1', '', '2', '2', '2', '0'],
    ]);
    expect(await read('/binaries/1')).toMatch(/tess(?:<\/\w+>)+ installed it/);
  });

  it('recognizes the member when the iOS installer, which sends no cookies, follows the link', async () => {
    const identity = createSigningIdentity();
    const profile = { type: 'enterprise', identity } as const;
    const ipa = buildIpa({ bundleIdentifier: 'com.example.phone', identity, profile });
    const app = await upload('com.example.phone', {}, ipa);
    const itms = new URL(await open(app, tess, { 'User-Agent': phones.iphone }));
    await expect.poll(() => activityOf(app)).toMatchObject([{ opens: 1 }]);
    const manifest = new URL(itms.searchParams.get('url') ?? '');
    const answer = await asInstaller(slipway, manifest.pathname + manifest.search);
    const file = new URL(readManifest(answer).package);
    expect((await asInstaller(slipway, file.pathname + file.search)).status).toBe(200);
    const installed = { ...row, system: 'iOS 17', model: 'iPhone 14 Pro', opens: 1, installs: 1 };
    await expect.poll(() => activityOf(app)).toEqual([installed]);
  });

  it('counts as opened only when a tester comes to install', async () => {
    const app = await upload('com.example.opened');
    await open(app, await signIn(slipway, 'dora'));
    await open(app, tess, { 'Sec-Fetch-Dest': 'empty' });
    await tess.get(`${app.appPath}?q=tide`, { headers: { 'User-Agent': galaxy } });
    const headers = { Accept: 'text/html', 'User-Agent': galaxy, Cookie: tess.cookie };
    await send(slipway.port, app.appPath, { method: 'HEAD', headers });
    await open(app, tess, { 'Sec-Fetch-Dest': 'document' });
    await expect.poll(() => activityOf(app)).toEqual([{ ...row, opens: 1, installs: 0 }]);
  });

  it('records the install of people who manage the app, too', async () => {
    const app = await upload('com.example.managed');
    const buildPage = { ...app, appPath: `${app.appPath}/binaries/1` };
    await install(await open(buildPage, await signIn(slipway, 'dora')));
    expect(await activityOf(app)).toEqual([{ ...row, userName: 'dora', opens: 0, installs: 1 }]);
  });

  it('counts on the page if one serves the build, as its link is the one of the page', async () => {
    const app = await upload('com.example.live', { distribution_name: 'beta' });
    await install(await open(app));
    await expect.poll(() => activityOf(app)).toEqual([{ ...row, page: 'beta', opens: 1, installs: 1 }]);
    expect((await findPage(slipway, app.accessKey)).installs).toBe(1);
  });

  it('records nobody for a missing, forged or foreign name, and still installs', async () => {
    const app = await upload('com.example.forged');
    const other = await upload('com.example.foreign');
    const link = await open(app);
    const foreign = /by=[^&]+/.exec(await open(other))?.[0] ?? '';
    expect(foreign).not.toBe('');
    for (const by of ['', 'by=', 'by=x', foreign]) await install(link.replace(/by=[^&]+/, by));
    await expect.poll(() => activityOf(app)).toEqual([{ ...row, opens: 1, installs: 0 }]);
    await install(link);
    expect(await activityOf(app)).toEqual([{ ...row, opens: 1, installs: 1 }]);
  });

  it('forgets the names after their retention, and those of deleted accounts', async () => {
    const app = await upload('com.example.old');
    await slipway.user('gone');
    const userId = (await slipway.data.owners.findOwner('gone'))?.id ?? '';
    const owner = await slipway.data.owners.findOwner('harbour');
    await slipway.data.owners.addTeamMember(owner?.id ?? '', 'tester', userId, clock);
    const link = await open(app, await signIn(slipway, 'gone'));
    await install(await open(app));
    await expect.poll(async () => (await activityOf(app)).length).toBe(2);
    const user = await slipway.data.owners.findOwner('gone');
    if (user?.kind !== 'user') throw new Error('no user');
    const wakeOutbox = () => undefined;
    const { deleteOwner } = createOwnerDeletion({ data: slipway.data, now: () => clock, wakeOutbox });
    expect(await deleteOwner({ kind: 'user', user }, user, 'gone')).toBe('deleted');
    expect(await activityOf(app)).toMatchObject([{ userName: 'tess' }]);
    // The secret of the app was rotated.
    expect((await get(slipway, link)).status).toBe(404);
    expect(await activityOf(app)).toHaveLength(1);
    await slipway.data.memberActivity.deleteBefore(clock + memberActivityRetentionDays * dayMs);
    expect(await activityOf(app)).toEqual([]);
  });
});
