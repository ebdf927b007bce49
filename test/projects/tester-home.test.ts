/** The start page of people who install apps and develop none. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildIpa } from '../support/build-ipa.ts';
import { uploaded } from '../support/interface-client.ts';
import { phones } from '../support/page-visits.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { readElements } from '../web/elements.ts';

const computer =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

describe('the start page of a tester', () => {
  let slipway: TestService;
  let key = '';
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
    key = await slipway.user('dora');
    for (const name of ['tess', 'nora', 'sue', 'ann']) await slipway.user(name);
    await slipway.project('harbour', { members: { dora: 'developer', tess: 'tester' } });
    await slipway.project('quiet', { members: { nora: 'tester' } });
    const put = (file: Buffer) => uploaded(slipway, { owner: 'harbour', key, file });
    await put(buildApk({ packageName: 'com.example.oldest' }));
    await put(buildIpa({ bundleIdentifier: 'com.example.middle' }));
    await put(buildApk({ packageName: 'com.example.newest' }));
  });
  afterAll(() => slipway?.close());

  const idOf = async (name: string) => (await slipway.data.owners.findOwner(name))?.id ?? '';
  const home = async (name: string, userAgent = computer, path = '/') =>
    (await (await signIn(slipway, name)).get(path, { headers: { 'User-Agent': userAgent } })).text;
  const buttonsIn = (html: string) =>
    readElements(html)
      .filter(({ attributes }) => attributes.get('class')?.split(' ').includes('button'))
      .map(({ attributes, text }) => ({
        words: text.trim(),
        isPrimary: attributes.get('class')?.includes('button-primary') ?? false,
      }));
  const appsIn = (html: string) =>
    [...html.matchAll(/class="plain strong" href="[^"]*\/apps\/com\.example\.(\w+)"/g)].map(
      ([, name]) => name,
    );
  const limit = async (name: string, limits: { maxBuilds?: number; maxProjects?: number }) =>
    slipway.data.quotas.set(await idOf(name), {
      ...{ maxStorageBytes: null, maxBuilds: null, maxProjects: null },
      ...limits,
    });

  it('lists the apps of the phone first, with the others after them in the same order', async () => {
    expect(appsIn(await home('tess'))).toEqual(['newest', 'middle', 'oldest']);
    expect(appsIn(await home('tess', phones.android))).toEqual(['newest', 'oldest', 'middle']);
    expect(appsIn(await home('tess', phones.iphone))).toEqual(['middle', 'newest', 'oldest']);
    expect(appsIn(await home('tess', phones.iphone, '/?q=example&part=apps'))).toEqual([
      'middle',
      'newest',
      'oldest',
    ]);
    const installs = buttonsIn(await home('tess', phones.iphone)).filter(({ words }) => words === 'Install');
    expect(installs.map(({ isPrimary }) => isPrimary)).toEqual([true, false, false]);
  });

  it('keeps the order for people who upload', async () => {
    expect(appsIn(await home('dora', phones.iphone))).toEqual(['newest', 'middle', 'oldest']);
  });

  it('leads with what to install: uploading and creating Projects is offered beside it', async () => {
    const html = await home('tess');
    const names = buttonsIn(html).map(({ words }) => words);
    expect(names).toContain('Upload build');
    expect(names).toContain('New Project');
    expect(html.indexOf('href="/projects/new"')).toBeGreaterThan(html.indexOf('com.example.oldest'));
    expect(buttonsIn(html).filter(({ isPrimary }) => isPrimary)).toHaveLength(3);
    const ofDeveloper = await home('dora');
    expect(ofDeveloper.indexOf('href="/projects/new"')).toBeLessThan(
      ofDeveloper.indexOf('com.example.newest'),
    );
  });

  it('offers only what the limits of the account permit', async () => {
    const offers = async () => {
      // The navigation is the same on every page.
      const [html = ''] = /<main[\s\S]*<\/main>/.exec(await home('tess')) ?? [];
      return [html.includes('href="/upload"'), html.includes('href="/projects/new"')];
    };
    await limit('tess', { maxBuilds: 0 });
    expect(await offers()).toEqual([false, true]);
    await limit('tess', { maxProjects: 0 });
    expect(await offers()).toEqual([true, false]);
    await limit('tess', { maxBuilds: 0, maxProjects: 0 });
    expect(await offers()).toEqual([false, false]);
    await expect(
      uploaded(slipway, { owner: 'tess', file: buildApk(), key: await keyOf('tess') }),
    ).rejects.toThrow();
    await limit('tess', {});
  });
  const keyOf = async (name: string) => {
    const { createIssueKey } = await import('../../src/accounts/keys/issue-key.ts');
    const issue = createIssueKey({ data: slipway.data, now: Date.now });
    const request = { ownerKind: 'user', ownerName: name, name: 'ci', expiresAt: null } as const;
    return (await issue({ ...request, by: 'command-line', notify: false })).key;
  };

  it('says without apps what will appear and how, and nothing about uploads', async () => {
    for (const name of ['nora', 'sue']) {
      // Sue is in no Project, and has an account for testing only.
      if (name === 'sue') await limit('sue', { maxBuilds: 0, maxProjects: 0 });
      const html = await home(name);
      expect(html).toContain('Nothing to install yet');
      expect(html).toContain('href="/settings/invitations"');
      expect(html).not.toContain('curl ');
      expect(html).not.toContain('create a Project');
      expect(html).not.toContain('First');
    }
    expect(await home('ann')).toContain('curl ');
  });

  it('is also that of people with whom someone shared an app, until they develop one', async () => {
    await uploaded(slipway, { owner: 'dora', key, file: buildApk({ packageName: 'com.example.shared' }) });
    const app = await slipway.data.apps.findApp(await idOf('dora'), 'android', 'com.example.shared');
    await slipway.data.appTesters.add({ appId: app?.id ?? '', userId: await idOf('ann'), limit: 9, now: 1 });
    const develops = 'Do you develop an app?';
    expect(await home('ann')).toContain(develops);
    await uploaded(slipway, {
      owner: 'ann',
      key: await keyOf('ann'),
      file: buildApk({ packageName: 'com.example.own' }),
    });
    expect(await home('ann')).not.toContain(develops);
  });
});
