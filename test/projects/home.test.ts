/** The start page: a user's apps across owners, and a search without JavaScript. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedInPeople, signInPeople } from '../support/administration-users.ts';
import { buildApk } from '../support/build-apk.ts';
import { get, uploaded } from '../support/interface-client.ts';
import { withoutFormTokens } from '../support/page-forms.ts';
import { addApp } from '../support/sample-rows.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { readElements } from '../web/elements.ts';

describe('the start page', () => {
  let slipway: TestService;
  let people: SignedInPeople;
  const keys: Record<string, string> = {};
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
    people = await signInPeople(slipway, ['admin', 'newcomer']);
    keys.olga = await slipway.user('olga');
    const { signIn } = await import('../support/browser-session.ts');
    const olga = await signIn(slipway, 'olga');
    asOlga = (address) => olga.get(address);
    await slipway.project('Harbour-crew', { members: { olga: 'developer' } });
    const put = (owner: string, packageName: string, label: string) =>
      uploaded(slipway, { owner, key: keys.olga ?? '', file: buildApk({ packageName, label }) });
    await put('olga', 'com.example.tide', 'Tidewatch');
    await put('Harbour-crew', 'com.example.moor', 'Mooring 100%_off');
    await put('olga', 'com.example.old', 'Old name');
    await put('olga', 'com.example.old', 'ÄRGER über Fähren');
    await uploaded(slipway, {
      file: buildApk({ packageName: 'com.example.hidden', label: 'Tidewatch secret' }),
    });
  });
  afterAll(() => slipway.close());

  let asOlga: (address: string) => ReturnType<SignedInPeople['get']>;
  const found = async (query: string) => {
    const { text } = await asOlga(`/?q=${encodeURIComponent(query)}`);
    return [...text.matchAll(/class="plain strong" href="[^"]*\/apps\/([^"]+)"/g)].map(([, name]) => name);
  };

  it('lists the apps of every owner with platform, version, time and uploader', async () => {
    const { text } = await asOlga('/');
    for (const words of [
      'Tidewatch',
      'Mooring',
      'ÄRGER',
      'Harbour-crew · com.example.moor',
      '<bdi class="cut line-2">olga</bdi>',
      'Android',
    ]) {
      expect(text).toContain(words);
    }
    expect(text).not.toContain('secret');
    expect(text).not.toContain('Old name');
  });

  it.each([
    ['tide', ['com.example.tide']],
    ['TIDE', ['com.example.tide']],
    ['  watch tide ', ['com.example.tide']],
    ['harbour', ['com.example.moor']],
    ['crew moor', ['com.example.moor']],
    ['100%', ['com.example.moor']],
    ['%_', ['com.example.moor']],
    ['%', ['com.example.moor']],
    ['ÄRGER', ['com.example.old']],
    ['Fähren', ['com.example.old']],
    ['old name', []],
    ['com.example', ['com.example.old', 'com.example.moor', 'com.example.tide']],
    ['secret', []],
    ['tide moor', []],
    ["' or 1=1 --", []],
    ['\\', []],
    ['\0', ['com.example.old', 'com.example.moor', 'com.example.tide']],
    ['x'.repeat(5000), []],
  ])('finds the matching apps for %j', async (query, expected) => {
    expect(await found(query)).toEqual(expected);
  });

  it('reports an empty result, keeps the search text, and links back', async () => {
    const { text } = await asOlga('/?q=zzz%22%3E');
    expect(text).toContain('No matching apps');
    const input = readElements(text).find(({ attributes }) => attributes.get('id') === 'q');
    expect(input?.attributes.get('value')).toBe('zzz">');
    expect(text).toContain('<a href="/">Show all</a>');
  });

  it('returns to scripts only the part that changes, and the number of results', async () => {
    const { text, status } = await asOlga('/?q=tide&part=apps');
    expect(status).toBe(200);
    expect(text).toMatch(/^<div data-found="1 app">/);
    expect(text).toContain('com.example.tide');
    expect(text).not.toContain('<html');
    expect(text).not.toContain('csrf');
    expect((await asOlga('/?q=zzz&part=apps')).text).toContain('data-found="No matching apps"');
    expect((await asOlga('/?part=other')).text).toContain('<html');
  });

  it('paginates results', async () => {
    const id = await people.idOf('olga');
    for (let at = 0; at < 60; at++) {
      await addApp(slipway.data, id, { packageName: `com.many.app${at}`, now: at + 1 });
    }
    const first = (await asOlga('/?q=many')).text;
    expect(first.match(/class="plain strong"/g)).toHaveLength(50);
    expect(first).toContain('data-found="50 or more apps"');
    const next = readElements(first).find(({ attributes }) => attributes.get('rel') === 'next');
    const address = next?.attributes.get('href') ?? '';
    expect(address).toMatch(/^\/\?q=many&below=11\.\w{26}$/);
    const second = (await asOlga(address)).text;
    expect(second.match(/class="plain strong"/g)).toHaveLength(10);
    const linkOf = (html: string, rel: string) =>
      readElements(html)
        .find(({ attributes }) => attributes.get('rel') === rel)
        ?.attributes.get('href') ?? '';
    expect(linkOf(second, 'next')).toBe('');
    const back = (await asOlga(linkOf(second, 'prev'))).text;
    expect(withoutFormTokens(back)).toBe(withoutFormTokens(first));
    // Past the end, before the beginning, and invalid values: the first page.
    for (const place of [
      'below=0.x',
      'above=99999999999999.x',
      'below=x',
      'below=1&below=2',
      'above=-1.a',
      'page=2',
    ]) {
      const answer = await asOlga(`/?q=many&${place}`);
      expect([answer.status, answer.text.match(/class="plain strong"/g)?.length]).toEqual([200, 50]);
    }
  });

  it('explains the first upload to new users, with the real address and name', async () => {
    const { text } = await people.get('newcomer', '/');
    expect(text).toContain(`${slipway.origin}/api/users/newcomer/apps`);
    expect(text).not.toContain('id="q"');
    expect(text).toContain('href="/projects/new"');
    expect(text).not.toContain('href="/workspaces/new"');
    expect((await people.get('admin', '/')).text).toContain('href="/workspaces/new"');
    expect((await people.get('newcomer', '/?q=x')).text).toContain('No matching apps');
  });

  it('shows an API key what it can see, without forms', async () => {
    const { text } = await get(slipway, '/?q=tide', keys.olga ?? '');
    expect(text).toContain('com.example.tide');
    expect(text).not.toContain('href="/projects/new"');
  });
});
