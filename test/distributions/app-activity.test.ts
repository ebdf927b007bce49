/** The activity page of an app: its numbers, names, exports and permissions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserSession, postForm, signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { send } from '../support/http-client.ts';
import { bearer, get, uploaded } from '../support/interface-client.ts';
import { formOf } from '../support/page-forms.ts';
import { linksOf, setRules } from '../support/page-visits.ts';
import { signApk } from '../support/sign-apk.ts';
import { dialects } from '../support/test-database.ts';
import { createTestKey } from '../support/test-key.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const dayMs = 24 * 60 * 60_000;
const packageName = 'com.example.tides';
const address = `/users/harbour/platforms/android/apps/${packageName}/activity`;
const pixel =
  'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36';

describe.each(dialects)('app activity on %s', (dialect) => {
  let slipway: TestService;
  let key: string;
  let dora: BrowserSession;
  let tess: BrowserSession;
  let clock = Date.UTC(2026, 10, 1, 9);
  let accessKey = '';
  beforeAll(async () => {
    slipway = await startTestService({
      dialect,
      blobs: 'memory',
      now: () => clock,
      settings: { SLIPWAY_SESSION_IDLE_DAYS: '30' },
    });
    key = await slipway.user('dora');
    for (const name of ['tess', 'tom', 'sam']) await slipway.user(name);
    await slipway.project('harbour', { members: { dora: 'developer', tess: 'tester', tom: 'tester' } });
    [dora, tess] = [await signIn(slipway, 'dora'), await signIn(slipway, 'tess')];
    await publish(1);
  });
  afterAll(() => slipway.close());

  const testKey = createTestKey();
  const publish = async (versionCode: number, fields = { distribution_name: 'main' }) => {
    const apk = buildApk({ packageName, minSdk: 24, versionCode, versionName: `=1.${versionCode}` });
    const file = signApk(apk, { v2: [{ key: testKey }] });
    const { distribution } = await uploaded(slipway, { owner: 'harbour', key, file, fields });
    accessKey = distribution?.access_key ?? '';
  };
  const visit = async (session?: BrowserSession) => {
    const headers = { Accept: 'text/html', 'User-Agent': pixel };
    const path = `/distributions/${accessKey}`;
    return linksOf(
      (await (session ? session.get(path, { headers }) : get(slipway, path, null, { headers }))).text,
    );
  };
  const install = async (session?: BrowserSession) => {
    const { file } = await visit(session);
    const answer = await get(slipway, file ?? '', null, { headers: { 'User-Agent': pixel } });
    expect(answer.status).toBe(200);
  };
  const open = async (query = '') => (await dora.get(`${address}${query}`)).text;
  const textOf = (html: string) =>
    html
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .replaceAll(' ,', ',')
      .trim();
  const tableOf = (html: string, start: string) => {
    const [, table = ''] = html.split(start);
    return [...(table.split('</table>')[0] ?? '').matchAll(/<tr[^>]*><th scope="row"[^>]*>(.*?)<\/tr>/g)].map(
      ([, row = '']) =>
        row
          .split(/<\/t[hd]>/)
          .slice(0, -1)
          .map(textOf),
    );
  };
  const buildsOf = (html: string) => tableOf(html, 'id="by-build"');
  const peopleOf = (html: string) => tableOf(html, 'id="people"');
  const daysOf = (html: string) => tableOf(html, 'Numbers by day');
  const statsOf = (html: string) =>
    [...html.matchAll(/<div class="stat">(.*?)<\/div>/g)].map(([, stat = '']) => textOf(stat));
  const settled = (count: number) =>
    expect
      .poll(async () => {
        const owner = await slipway.data.owners.findOwner('harbour');
        const app = await slipway.data.apps.findApp(owner?.id ?? '', 'android', packageName);
        const counts = await slipway.data.pageCounts.countsByDay(app?.id ?? '', '2026-01-01');
        return counts.filter(({ kind }) => kind === 'view').reduce((sum, { times }) => sum + times, 0);
      })
      .toBe(count);

  it('explains the numbers while there are none', async () => {
    const html = await open();
    expect(html).toContain('No activity in this period');
    expect(html).toContain('?days=90');
    expect(html).not.toContain('<table');
    expect(html).not.toContain('.csv');
  });

  it('shows people, installs, opens and adoption of the live build', async () => {
    await install(tess);
    await install(await signIn(slipway, 'tom'));
    await install();
    clock += 20 * dayMs;
    await publish(2);
    await install(tess);
    await visit(tess);
    await visit(dora);
    await settled(6);
    const html = await open();
    expect(statsOf(html)).toEqual([
      'People who installed 3 2 signed in, 1 guest',
      'Installs 4 None in the previous 30 days',
      'Opened 6 None in the previous 30 days',
      'On #2 50% 1 of 2 people signed in',
    ]);
    expect(buildsOf(html)).toEqual([
      ['#2 =1.2 (2)', '1', '1', '3'],
      ['#1 =1.1 (1)', '3', '3', '3'],
    ]);
    expect(textOf(html)).toContain('System versions 4 installs Android 16 4');
    expect(textOf(html)).toContain('main 3 people 4 installs, opened 6 times');
    expect(html).toContain(
      'aria-label="Signed-in people by installed version, 23 Oct 2026 to 21 Nov 2026. 1 of 2 people have =1.2 (2), the newest version."',
    );
    expect(statsOf(await open('?days=7'))).toEqual([
      'People who installed 1 1 signed in, 0 guests',
      'Installs 1 None in the previous 7 days',
      'Opened 3 None in the previous 7 days',
      'On #2 50% 1 of 2 people signed in',
    ]);
  });

  it('shows the plot’s numbers as a table, and in the names of its days', async () => {
    const html = await open();
    expect(daysOf(html)).toHaveLength(30);
    expect(daysOf(html)[0]).toEqual(['21 Nov 2026 (so far)', '1', '1', '1', '3']);
    expect(daysOf(html)[1]).toEqual(['20 Nov 2026', '0', '2', '0', '0']);
    expect(daysOf(html).at(-1)).toEqual(['23 Oct 2026', '0', '0', '0', '0']);
    expect(html).toContain('href="#2026-11-21" aria-label="21 Nov 2026: =1.2 (2) 1, =1.1 (1) 1"');
    expect(html).toContain('href="#2026-10-23" aria-label="23 Oct 2026: None"');
    const installs = await open('?plot=installs');
    expect(daysOf(installs)[20]).toEqual(['1 Nov 2026', '0', '3', '3', '3']);
    expect(installs).toContain(
      'aria-label="Installs by version, 23 Oct 2026 to 21 Nov 2026: 4 in total, at most 3 on 1 Nov 2026."',
    );
  });

  it('names the people who opened and installed, and filters them by build and page', async () => {
    const html = await open();
    const [now, earlier] = ['now', '2 weeks ago'];
    const phone = 'Pixel 9 · Android 16';
    const row = (name: string, build: string, opened: string, installed: string) => [
      ...[`${name.slice(0, 2).toUpperCase()} ${name}`, build, phone, 'main', opened, installed],
    ];
    const rows = peopleOf(html).sort();
    expect(rows).toEqual([
      row('dora', '#2 =1.2 (2)', now, 'Not installed'),
      row('tess', '#1 =1.1 (1)', earlier, earlier),
      row('tess', '#2 =1.2 (2)', `${now} (2 times)`, now),
      row('tom', '#1 =1.1 (1)', earlier, earlier),
    ]);
    expect(
      peopleOf(await open('?build=1'))
        .map(([name]) => name)
        .sort(),
    ).toEqual(['TE tess', 'TO tom']);
    expect(peopleOf(await open(`?page=${accessKey}`))).toHaveLength(4);
    const main = accessKey;
    await publish(3, { distribution_name: 'other' });
    await install(tess);
    await settled(7);
    expect(peopleOf(await open(`?page=${accessKey}`)).map(([name, build]) => [name, build])).toEqual([
      ['TE tess', '#3 =1.3 (3)'],
    ]);
    const none = await open(`?build=3&page=${main}`);
    expect(peopleOf(none)).toEqual([]);
    expect(none).toContain('No signed-in person matches the filter');
    expect(none).toContain(`href="${address}#people"`);
    expect(peopleOf(await open('?days=7'))).toHaveLength(3);
  });

  it('accepts only its own periods, filters and positions', async () => {
    for (const query of ['', '?days=30', '?days=31', '?days=-1', '?days=7&days=90', '?build=x', '?page=x'])
      expect(daysOf(await open(query)), query).toHaveLength(30);
    for (const query of ['?before=x', '?build=99', `?page=${'0'.repeat(40)}`, '?plot=x'])
      expect(peopleOf(await open(query)), query).toHaveLength(5);
    expect(daysOf(await open('?days=7'))).toHaveLength(7);
    expect(daysOf(await open('?days=90'))).toHaveLength(90);
  });

  it('continues the list of people without gaps or duplicates', async () => {
    const owner = await slipway.data.owners.findOwner('harbour');
    const app = await slipway.data.apps.findApp(owner?.id ?? '', 'android', packageName);
    const page = await slipway.data.distributions.findPage(accessKey);
    for (let number = 0; number < 30; number++) {
      const name = `person-${number}`;
      await slipway.user(name);
      await slipway.data.memberActivity.record({
        id: `${'0'.repeat(24)}${String(number).padStart(2, '0')}`,
        ...{ appId: app?.id ?? '', buildId: page?.buildId ?? '', pageId: page?.id ?? '' },
        userId: (await slipway.data.owners.findOwner(name))?.id ?? '',
        ...{ kind: 'view', system: 'iOS 26', model: null, at: clock - dayMs },
      });
    }
    const first = await open('?build=3');
    const older = /href="([^"]*before=[^"]*)#people"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const second = (await dora.get(older)).text;
    const names = [...peopleOf(first), ...peopleOf(second)].map(([name]) => name);
    expect([peopleOf(first).length, names.length, new Set(names).size]).toEqual([25, 31, 31]);
    expect(second).not.toContain('before=');
    expect(second).toContain('rel="prev"');
    for (let number = 0; number < 30; number++) {
      const user = await slipway.data.owners.findOwner(`person-${number}`);
      await slipway.data.owners.removeTeamMember(owner?.id ?? '', 'tester', user?.id ?? '');
    }
  });

  it('exports daily numbers and people, with formulas as text', async () => {
    const counts = await dora.get(`${address}.csv?days=30`);
    expect(counts.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    expect(counts.headers['content-disposition']).toBe('attachment; filename="activity.csv"');
    expect(counts.headers['cache-control']).toBe('private, no-store');
    expect(counts.text.trim().split('\r\n')).toEqual([
      '"day","revision","version_name","version_code","page","opened","installs","people_signed_in","guests"',
      `"2026-11-01","1","'=1.1","1","main","3","3","2","1"`,
      `"2026-11-21","3","'=1.3","3","other","1","1","1","0"`,
      `"2026-11-21","2","'=1.2","2","main","3","1","1","0"`,
    ]);
    const people = await dora.get(`${address}/people.csv?build=1`);
    const [head, ...rows] = people.text.trim().split('\r\n');
    expect(head).toBe(
      '"person","revision","version_name","version_code","page","installed_at","installs","opened_at","opens","system","model"',
    );
    const time = '2026-11-01T09:00:00.000Z';
    expect(rows.sort()).toEqual(
      ['tess', 'tom'].map(
        (name) => `"${name}","1","'=1.1","1","main","${time}","1","${time}","1","Android 16","Pixel 9"`,
      ),
    );
    expect((await dora.get(`${address}/people.csv`)).text.trim().split('\r\n')).toHaveLength(1 + 5 + 30);
  });

  it('compares installs by people who have access on a members-only page', async () => {
    await setRules(slipway, accessKey, { access: 'members' });
    // Tess, Tom, Dora, and the administrator, who owns the Project.
    expect(textOf(await open())).toContain('other 1 of 4 people 1 install, opened 1 time');
    const settings = textOf((await dora.get(`/distributions/${accessKey}/settings`)).text);
    expect(settings).toContain('1 of 4 people installed a build from this page');
  });

  it('shows the latest people on the build page, for those who manage the app', async () => {
    const path = address.replace('/activity', '/binaries/2');
    const html = (await dora.get(path)).text;
    expect(textOf(html)).toContain('tess installed it on Pixel 9, Android 16');
    expect(textOf(html)).toContain('dora opened it on Pixel 9, Android 16');
    expect(html).toContain(`href="${address}?build=2#people"`);
    const shown = (await tess.get(path)).text;
    expect(shown).toContain('=1.2');
    expect(shown).not.toContain('installed it');
    expect(shown).not.toContain('/activity');
  });

  it('omits deleted builds', async () => {
    const path = address.replace('/activity', '/binaries/1');
    const { fields } = formOf((await dora.get(path)).text, 'delete');
    const deleted = await postForm(slipway, `${path}/delete`, fields, { Cookie: dora.cookie });
    expect(deleted.status).toBe(303);
    const html = await open();
    expect(buildsOf(html).map(([build]) => build)).toEqual(['#3 =1.3 (3)', '#2 =1.2 (2)']);
    expect(daysOf(html)[20]?.slice(1)).toEqual(['0', '0', '0']);
    expect(peopleOf(html).map(([, build]) => build)).not.toContain('#1 =1.1 (1)');
    expect((await dora.get(`${address}/people.csv`)).text).not.toContain('tom');
  });

  it('is linked only for people who can upload, and has no names for API keys', async () => {
    const page = { Accept: 'text/html' };
    const byKey = (at: string) => send(slipway.port, at, { headers: { ...page, ...bearer(key) } });
    const report = await byKey(address);
    expect(report.status).toBe(200);
    expect(report.text).toContain('id="by-build"');
    expect(report.text).not.toContain('tess');
    expect((await byKey(`${address}.csv`)).status).toBe(200);
    expect((await byKey(`${address}/people.csv`)).text).not.toContain('tess');
    for (const other of [address.replace('android', 'ios'), address.replace('tides', 'none')])
      expect((await dora.get(other)).status).toBe(404);
    expect((await dora.get(`/users/harbour/apps/${packageName}`)).text).toContain(`href="${address}"`);
    expect((await tess.get(`/users/harbour/apps/${packageName}`)).text).not.toContain('/activity');
  });
});
