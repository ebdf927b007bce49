/** The visitor counts of a page, and the minimal data stored for them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { get, uploaded } from '../support/interface-client.ts';
import { asInstaller, findPage, linksOf, phones, setRules } from '../support/page-visits.ts';
import { signApk } from '../support/sign-apk.ts';
import { crossedStores } from '../support/stores.ts';
import { createTestKey } from '../support/test-key.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const morning = Date.UTC(2026, 10, 20, 9);

describe.each(crossedStores)('activity on $dialect', (options) => {
  let slipway: TestService;
  let clock = morning;
  beforeAll(async () => {
    slipway = await startTestService({
      ...options,
      settings: { SLIPWAY_TRUST_PROXY: '127.0.0.1' },
      now: () => clock,
    });
  });
  afterAll(() => slipway.close());

  const publish = async (packageName: string) => {
    const file = signApk(buildApk({ packageName, minSdk: 24 }), { v2: [{ key: createTestKey() }] });
    const { distribution } = await uploaded(slipway, { file, fields: { distribution_name: 'main' } });
    const page = await findPage(slipway, distribution?.access_key ?? '');
    return { ...page, address: `/distributions/${page.accessKey}` };
  };
  const visit = (address: string, from: string, userAgent: string = phones.android, method = 'GET') =>
    get(slipway, address, null, {
      method,
      headers: { Accept: 'text/html', 'User-Agent': userAgent, 'X-Forwarded-For': from },
    });
  const countsOf = async (appId: string) =>
    (await slipway.data.pageCounts.countsByDay(appId, '2026-11-01')).map(
      ({ day, system, kind, times, people }) => `${day} ${system} ${kind} ${times} by ${people}`,
    );

  it('counts views by day and system, and each person once a day', async () => {
    clock = morning;
    const { appId, address } = await publish('com.example.views');
    await visit(address, '192.0.2.1');
    await visit(address, '192.0.2.1');
    await visit(address, '192.0.2.2');
    await visit(address, '192.0.2.1', phones.iphone);
    await visit(address, '192.0.2.1', 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0');
    await visit(address, '192.0.2.9', 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)');
    await visit(address, '192.0.2.9', phones.android, 'HEAD');
    const today = [
      '2026-11-20 android view 3 by 2',
      '2026-11-20 desktop view 1 by 1',
      '2026-11-20 ios view 1 by 1',
    ];
    await expect.poll(async () => (await countsOf(appId)).sort()).toEqual(today);
    clock += 24 * 60 * 60_000;
    await visit(address, '192.0.2.1');
    await expect
      .poll(async () => (await countsOf(appId)).sort())
      .toEqual([...today, '2026-11-21 android view 1 by 1']);
  });

  it('counts each of many views that arrive together', async () => {
    clock = morning;
    const { appId, address } = await publish('com.example.crowd');
    const visits = Array.from({ length: 60 }, (_, at) => ({
      from: `192.0.2.${at % 20}`,
      phone: at % 3 === 0 ? phones.iphone : phones.android,
    }));
    await Promise.all(visits.map(({ from, phone }) => visit(address, from, phone)));
    await expect
      .poll(async () => (await countsOf(appId)).sort())
      .toEqual(['2026-11-20 android view 40 by 20', '2026-11-20 ios view 20 by 20']);
  });

  it('counts one install per visit when the download starts, for any number of requests', async () => {
    clock = morning;
    const page = await publish('com.example.installs');
    const { file } = linksOf((await visit(page.address, '192.0.2.1')).text);
    for (const range of ['bytes=0-99', 'bytes=100-', '']) {
      await get(slipway, file ?? '', null, { headers: range ? { Range: range } : {} });
    }
    await get(slipway, file ?? '', null, { method: 'HEAD' });
    await expect
      .poll(() => countsOf(page.appId))
      .toEqual(expect.arrayContaining(['2026-11-20 android install 1 by 1']));
    const again = linksOf((await visit(page.address, '192.0.2.1')).text);
    await asInstaller(slipway, again.file ?? '');
    expect((await findPage(slipway, page.accessKey)).installs).toBe(2);
    await setRules(slipway, page.accessKey, { maxInstalls: 2 });
    const refused = linksOf((await visit(page.address, '192.0.2.1')).text);
    expect(refused.file).toBeNull();
  });

  it('does not count rejected requests', async () => {
    clock = morning;
    const page = await publish('com.example.refused');
    await setRules(slipway, page.accessKey, { active: false });
    await visit(page.address, '192.0.2.1');
    await asInstaller(slipway, `${page.address}/1/file?ticket=x`);
    const { appId, address } = await publish('com.example.after');
    await visit(address, '192.0.2.1');
    await expect.poll(() => countsOf(appId)).toHaveLength(1);
    expect(await countsOf(page.appId)).toEqual([]);
  });
});
