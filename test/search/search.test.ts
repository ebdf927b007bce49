/** The search over real HTTP: what it finds, and that it never shows what the person may not see. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { initialPageSettings } from '../../src/distributions/distribution-page.ts';
import { hashSubject } from '../../src/limits/attempts.ts';
import { maxQueryLength, maxResults, searchLimit } from '../../src/search/search-query.ts';
import { type SignedInPeople, signInPeople } from '../support/administration-users.ts';
import { addApp, sampleBuild, sampleInfo } from '../support/sample-rows.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { readElements } from '../web/elements.ts';

describe('the search', () => {
  let slipway: TestService;
  let people: SignedInPeople;
  let secondBuild = '';

  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
    people = await signInPeople(slipway, ['admin', 'olga', 'dev', 'tess', 'guest', 'stranger']);
    await slipway.project('Harbour', { members: { olga: 'owner', dev: 'developer', tess: 'tester' } });
    await slipway.project('Elsewhere', { members: { stranger: 'owner' } });
    const { data } = slipway;
    const idOf = async (name: string) => (await data.owners.findOwner(name))?.id ?? '';
    await data.owners.removeTeamMember(await idOf('Harbour'), 'owner', await idOf('admin'));
    await data.owners.removeTeamMember(await idOf('Elsewhere'), 'owner', await idOf('admin'));
    const add = async (
      owner: string,
      packageName: string,
      name: string,
      builds: Record<string, string>[],
    ) => {
      const ownerId = await idOf(owner);
      const added = [];
      let appId = '';
      for (const { versionName = '1.0', versionCode, ...rest } of builds) {
        const app = { ownerId, platform: 'android', packageName, secret: '', now: Date.now() } as const;
        const taken = await data.apps.takeNextRevision(app);
        appId = taken.id;
        const info = sampleInfo({
          packageName,
          name,
          versionName,
          versionCode: versionCode ?? String(taken.lastRevision + 900),
        });
        const build = sampleBuild(appId, taken.lastRevision, { info, message: '', ...rest });
        await data.builds.insertBuild(build);
        added.push(build);
      }
      return { appId, builds: added };
    };
    const tide = await add('Harbour', 'com.example.tide', 'Tideline', [
      { versionName: '3.8.0', versionCode: '17', message: 'Fix the clock', branch: 'release/anchor' },
      { versionName: '4.0.0', versionCode: '381', label: 'candidate', commit: 'c0ffee38aa' },
      { versionName: '4.1.0', versionCode: '500', message: 'Nearest station first', commit: 'abc38def' },
    ]);
    secondBuild = tide.builds[1]?.id ?? '';
    const page = (appId: string, name: string, accessKey: string, buildId: string) =>
      data.distributions.putPageByName({ appId, name, accessKey, buildId, releaseNote: '', now: 1 });
    await page(tide.appId, 'Beta testers', 'a'.repeat(40), secondBuild);
    const closed = await page(tide.appId, 'Beta closed', 'b'.repeat(40), secondBuild);
    const rules = { ...initialPageSettings, name: 'Beta closed', active: false };
    await data.pageSettings.saveRules(closed.id, { ...rules, passcodeHash: null, recount: false });
    const secret = await add('Elsewhere', 'com.example.secret', 'Secret tide', [
      { versionName: '3.8.1', message: 'Hidden clock', branch: 'hidden' },
    ]);
    await page(secret.appId, 'Beta hidden', 'c'.repeat(40), secret.builds[0]?.id ?? '');
    const shared = await add('stranger', 'com.example.shared', 'Shared tide', [{ message: 'Shared clock' }]);
    await data.appTesters.add({ appId: shared.appId, userId: await idOf('guest'), limit: 10, now: 1 });
  });
  afterAll(() => slipway.close());

  const page = async (who: string, query: string) =>
    (await people.get(who, `/search?q=${encodeURIComponent(query)}`)).text;
  /** Addresses of the results. */
  const found = async (who: string, query: string) => {
    const { text } = await people.get(who, `/search?part=results&q=${encodeURIComponent(query)}`);
    return readElements(text)
      .filter(({ attributes }) => attributes.get('role') === 'option')
      .map(({ attributes }) => attributes.get('href') ?? '');
  };
  const tideline = '/users/Harbour/platforms/android/apps/com.example.tide';
  const revisions = async (who: string, query: string) =>
    (await found(who, query)).flatMap((address) => {
      const [, revision] = /com\.example\.tide\/binaries\/(\d+)$/.exec(address) ?? [];
      return revision === undefined ? [] : [Number(revision)];
    });

  it.each([
    ['the name of the app', 'tide', [3, 2, 1]],
    ['a version name', '3.8.0', [1]],
    ['digits that begin a version or a version code', 'tide 38', [2, 1]],
    ['a version code', '381', [2]],
    ['a revision', '#3', [3]],
    ['a revision without #, which comes first, or a version that begins so', 'tideline 3', [3, 2, 1]],
    ['a branch', 'anchor', [1]],
    ['a label', 'CANDIDATE', [2]],
    ['the beginning of a commit', 'c0ffee', [2]],
    ['words of a message in any order', 'station NEAREST', [3]],
    ['an app and a word', 'tide clock', [1]],
    ['a wildcard as text', '%', []],
    ['words of different builds', 'clock candidate', []],
  ])('finds builds by %s', async (_, query, expected) => {
    expect(await revisions('dev', query)).toEqual(expected);
  });

  it('counts what matches, shows the rest on demand, and says when there is more than it counts', async () => {
    const { data } = slipway;
    const ownerId = (await data.owners.findOwner('dev'))?.id ?? '';
    for (let at = 0; at < maxResults + 3; at++) {
      const app = {
        ownerId,
        platform: 'android',
        packageName: `com.example.many${at}`,
        secret: '',
        now: at,
      } as const;
      const { id, lastRevision } = await data.apps.takeNextRevision(app);
      const info = sampleInfo({ packageName: app.packageName, name: `Lanternfish ${at}` });
      await data.builds.insertBuild(sampleBuild(id, lastRevision, { info, message: '' }));
    }
    const some = await page('dev', 'lanternfish');
    expect(some).toContain(`${2 * (maxResults + 3) + 1} results`);
    expect(some).toContain(`href="/search?q=lanternfish&amp;show=builds"`);
    expect(some).toContain(`Show all ${maxResults + 3}`);
    const itemsOf = (html: string) => html.match(/<a class="option plain"/g)?.length;
    expect(itemsOf(some)).toBe(2 * maxResults + 1);
    const all = (await people.get('dev', '/search?q=lanternfish&show=builds')).text;
    expect([itemsOf(all), all.includes('show=')]).toEqual([maxResults + 3, false]);
    expect((await people.get('dev', '/search?q=lanternfish&show=nothing')).text).toContain('show=builds');
    const options = await found('dev', 'lanternfish');
    expect(options).toContain('/search?q=lanternfish&show=builds');
  });

  it('puts the build with the revision of the query first', async () => {
    expect((await revisions('dev', 'tide #1'))[0]).toBe(1);
  });

  it('finds apps, open pages, members and Projects, in groups', async () => {
    expect(await found('tess', 'tideline')).toContain(tideline);
    expect(await found('tess', 'beta')).toEqual([`/distributions/${'a'.repeat(40)}`]);
    expect(await found('tess', 'dev')).toEqual(['/organizations/Harbour']);
    expect(await found('tess', 'harbour')).toContain('/organizations/Harbour');
    const text = await page('tess', 'tideline');
    for (const heading of ['Apps', 'Builds', 'Pages']) expect(text).toMatch(new RegExp(`>${heading}</h2>`));
  });

  it('shows closed pages only to people who manage them', async () => {
    expect(await found('dev', 'beta')).toContain(`/distributions/${'b'.repeat(40)}`);
    expect(await found('tess', 'closed')).toEqual([]);
  });

  it('finds an app that is shared with a tester, and nothing else of its owner', async () => {
    expect(await found('guest', 'clock')).toEqual([
      '/users/stranger/platforms/android/apps/com.example.shared/binaries/1',
    ]);
    expect(await found('guest', 'elsewhere')).toEqual([]);
    expect(await found('guest', 'stranger')).toEqual([
      '/users/stranger/platforms/android/apps/com.example.shared',
      '/users/stranger/platforms/android/apps/com.example.shared/binaries/1',
    ]);
  });

  it('answers a search for something hidden exactly like one for nothing', async () => {
    for (const who of ['dev', 'guest', 'admin']) {
      const answers = await Promise.all(
        ['secret', 'hidden', 'nowhere'].map(async (word) =>
          (await people.get(who, `/search?part=results&q=${word}`)).text.replaceAll(word, ''),
        ),
      );
      expect(answers).toEqual([answers[2], answers[2], answers[2]]);
      expect(answers[0]).toContain('No results for');
    }
  });

  it('finds everyone for administrators, by email too, and only members of shared Projects for others', async () => {
    expect(await found('admin', 'stranger')).toEqual(['/administration/people/stranger']);
    expect(await found('dev', 'stranger')).toEqual([]);
    expect(await found('dev', 'olga@')).toEqual([]);
  });

  it('offers administration pages to administrators only', async () => {
    expect(await found('admin', 'audit log')).toEqual(['/administration/audit']);
    expect(await found('dev', 'audit log')).toEqual([]);
    expect(await found('dev', 'api keys')).toEqual(['/settings/keys']);
  });

  it('offers an upload only for apps to which the person may upload', async () => {
    expect(await found('dev', 'tideline')).toContain(`${tideline}/upload`);
    expect(await found('tess', 'tideline')).not.toContain(`${tideline}/upload`);
  });

  it('does not find deleted builds', async () => {
    expect(await revisions('dev', 'candidate')).toEqual([2]);
    await slipway.data.buildDeletion.hideBuilds([secondBuild], 'dev', 1);
    expect(await revisions('dev', 'candidate')).toEqual([]);
    await slipway.data.buildDeletion.showBuilds([secondBuild]);
  });

  it('does not find deleted apps', async () => {
    const { data } = slipway;
    const owner = await data.owners.findOwner('Harbour');
    const { appId } = await addApp(data, owner?.id ?? '', { packageName: 'com.example.gone' });
    expect(await found('dev', 'com.example.gone')).not.toEqual([]);
    await data.appDeletion.hideApp(appId, 1);
    expect(await found('dev', 'com.example.gone')).toEqual([]);
  });

  it('lists recent apps without a query', async () => {
    expect((await found('dev', ''))[0]).toBe(tideline);
    expect(await page('dev', ' ')).toContain('Recent apps');
  });

  it('escapes the query, and cuts it at its maximum length', async () => {
    const text = await page('dev', '"><script>alert(1)</script>');
    expect(text).not.toContain('<script>alert');
    const input = readElements(await page('dev', 'x'.repeat(5000))).find(
      ({ attributes }) => attributes.get('id') === 'q',
    );
    expect(input?.attributes.get('value')).toBe('x'.repeat(maxQueryLength));
    expect((await people.get('dev', '/search?q=%00')).status).toBe(200);
  });

  it('limits the results of each group', async () => {
    const id = await people.idOf('olga');
    for (let at = 0; at <= maxResults; at++) {
      await addApp(slipway.data, id, { packageName: `com.many.app${at}` });
    }
    const apps = (await found('olga', 'com.many')).filter((address) => /app\d$/.test(address));
    expect(apps).toHaveLength(maxResults);
  });

  it('limits searches per person', async () => {
    const ask = async (who: string) => people.get(who, '/search?part=results&q=x');
    expect((await ask('stranger')).status).toBe(200);
    const subject = hashSubject(['search', await people.idOf('stranger')]);
    for (let at = 1; at < searchLimit.limit; at++) {
      await slipway.data.attempts.countAttempts([subject], Date.now(), searchLimit.windowMs);
    }
    const refused = await ask('stranger');
    expect(refused.status).toBe(429);
    expect(refused.text).toContain('Too many searches');
    expect((await ask('dev')).status).toBe(200);
  });

  it('asks anyone without a session to sign in', async () => {
    const answer = await fetch(`${slipway.origin}/search?q=tide`, {
      redirect: 'manual',
      headers: { Accept: 'text/html' },
    });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toMatch(/^\/sign-in/);
  });
});
