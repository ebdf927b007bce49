/** The activity page of an app: its numbers and permissions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserSession, signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { send } from '../support/http-client.ts';
import { bearer, get, uploaded } from '../support/interface-client.ts';
import { asInstaller, linksOf, phones } from '../support/page-visits.ts';
import { signApk } from '../support/sign-apk.ts';
import { dialects } from '../support/test-database.ts';
import { createTestKey } from '../support/test-key.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const dayMs = 24 * 60 * 60_000;
const packageName = 'com.example.tides';
const address = `/users/harbour/platforms/android/apps/${packageName}/activity`;

describe.each(dialects)('app activity on %s', (dialect) => {
  let slipway: TestService;
  let key: string;
  let dora: BrowserSession;
  let clock = Date.UTC(2026, 10, 1, 9);
  let pageAddress = '';
  beforeAll(async () => {
    slipway = await startTestService({
      dialect,
      blobs: 'memory',
      now: () => clock,
      settings: { SLIPWAY_SESSION_IDLE_DAYS: '30' },
    });
    key = await slipway.user('dora');
    for (const name of ['tess', 'sam']) await slipway.user(name);
    await slipway.project('harbour', { members: { dora: 'developer', tess: 'tester' } });
    dora = await signIn(slipway, 'dora');
    await publish();
  });
  afterAll(() => slipway.close());

  const testKey = createTestKey();
  const publish = async () => {
    const file = signApk(buildApk({ packageName, minSdk: 24 }), { v2: [{ key: testKey }] });
    const fields = { distribution_name: 'main' };
    const { distribution } = await uploaded(slipway, { owner: 'harbour', key, file, fields });
    pageAddress = `/distributions/${distribution?.access_key}`;
  };
  const visit = () =>
    get(slipway, pageAddress, null, { headers: { Accept: 'text/html', 'User-Agent': phones.android } });
  const install = async () => asInstaller(slipway, linksOf((await visit()).text).file ?? '');
  const open = async (query = '') => (await dora.get(`${address}${query}`)).text;
  const rowsOf = (html: string) =>
    [...html.matchAll(/<tr><th scope="row">(.*?)<\/th>(.*?)<\/tr>/g)].map(([, head = '', cells = '']) =>
      [head, ...cells.split('</td>').filter(Boolean)].map((cell) => cell.replace(/<[^>]*>/g, '').trim()),
    );
  const rowOf = (html: string, start: string) => rowsOf(html).find(([head]) => head?.startsWith(start));

  it('explains the numbers while there are none', async () => {
    const html = await open();
    expect(html).toContain('No activity in this period');
    expect(html).toContain('?days=90');
    expect(html).not.toContain('<table');
  });

  it('counts by day and by build, including today so far', async () => {
    await visit();
    await visit();
    clock += 20 * dayMs;
    await publish();
    await install();
    await expect
      .poll(async () => rowOf(await open(), '#2'), { timeout: 20_000 })
      .toEqual(['#2 1.0 (1)', '1', '1']);
    const html = await open();
    expect(rowOf(html, '#1')).toEqual(['#1 1.0 (1)', '2', '0']);
    expect(rowOf(html, '21 Nov 2026')).toEqual(['21 Nov 2026 (so far)', '1', '1']);
    expect(rowOf(html, '1 Nov 2026')).toEqual(['1 Nov 2026', '2', '0']);
    expect(rowOf(html, '2 Nov 2026')).toEqual(['2 Nov 2026', '0', '0']);
    expect(html).toContain('<title>21 Nov 2026 (so far): 1</title>');
    expect(html).toContain('<title>1 Nov 2026: 2</title>');
    expect(html).toContain(
      'Views per day from 23 Oct 2026 to 21 Nov 2026: 3 in total, with a peak of 2 on 1 Nov 2026.',
    );
    expect(html).toContain('Today, 15 hours left');
  });

  it('shows the requested period', async () => {
    const fortnight = await open('?days=14');
    expect(rowOf(fortnight, '#1')).toBeUndefined();
    expect(rowOf(fortnight, '1 Nov 2026')).toBeUndefined();
    expect(rowsOf(fortnight)).toHaveLength(14 + 1);
    expect(rowsOf(await open('?days=90'))).toHaveLength(90 + 2);
    for (const query of ['', '?days=30', '?days=31', '?days=-1', '?days=14&days=90', '?days=1e9']) {
      expect(rowsOf(await open(query)), query).toHaveLength(30 + 2);
    }
    expect(fortnight).toMatch(/href="[^"]*\?days=14" aria-current="page"/);
  });

  it('omits deleted builds', async () => {
    const owner = await slipway.data.owners.findOwner('harbour');
    const app = await slipway.data.apps.findApp(owner?.id ?? '', 'android', packageName);
    const [second, first] = await slipway.data.builds.listBuilds(app?.id ?? '', { limit: 2 });
    expect([second?.revision, first?.revision]).toEqual([2, 1]);
    const path = address.replace('/activity', '/binaries/1/delete');
    const csrf = /name="csrf" value="([^"]+)"/.exec((await dora.get('/')).text)?.[1] ?? '';
    const answer = await send(slipway.port, path, {
      method: 'POST',
      headers: {
        Cookie: dora.cookie,
        Accept: 'text/html',
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ csrf }).toString(),
    });
    expect(answer.status).toBe(303);
    const html = await open();
    expect(rowOf(html, '#1')).toBeUndefined();
    expect(rowOf(html, '1 Nov 2026')?.slice(1)).toEqual(['0', '0']);
  });

  it('is available and linked only for people who can upload', async () => {
    const page = { Accept: 'text/html' };
    const status = async (name: string, at = address) => (await (await signIn(slipway, name)).get(at)).status;
    expect(await Promise.all(['dora', 'tess', 'sam'].map((name) => status(name)))).toEqual([200, 404, 404]);
    expect((await send(slipway.port, address, { headers: { ...page, ...bearer(key) } })).status).toBe(200);
    const signedOut = await send(slipway.port, address, { headers: page });
    expect([signedOut.status, signedOut.headers.location]).toEqual([
      303,
      `/sign-in?to=${encodeURIComponent(address)}`,
    ]);
    for (const other of [address.replace('android', 'ios'), address.replace('tides', 'none')])
      expect(await status('dora', other)).toBe(404);
    expect((await dora.get(`/users/harbour/apps/${packageName}`)).text).toContain(`href="${address}"`);
    const tester = await signIn(slipway, 'tess');
    expect((await tester.get(`/users/harbour/apps/${packageName}`)).text).not.toContain('/activity');
  });
});
