/** No response reveals a page for chosen groups: every GET route and operation, called by people outside the groups. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groupQueries } from '../../src/owners/group-queries.ts';
import { ownerPath } from '../support/declared-routes.ts';
import { type Caller, type RouteCallers, startCallers } from '../support/route-callers.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const name = 'lighthouse-page';
const note = 'Note of the lighthouse';

describe('a page for chosen groups', { timeout: 120_000 }, () => {
  let slipway: TestService;
  let kit: RouteCallers;
  let page: { id: string; key: string; appSecret: string };
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
    kit = await startCallers(slipway);
    const { data } = slipway;
    const found = await data.distributions.findPageWithApp(kit.names.page ?? '');
    if (!found) throw new Error('there is no page');
    const { id, accessKey } = found.page;
    page = { id, key: accessKey, appSecret: found.app.secret };
    await data.pageSettings.saveRules(id, { ...found.page, name, access: 'groups', recount: false });
    await data.pageSettings.saveNote(found.page, note);
    await groupQueries(data).setGroupsOfPage(id, [kit.names.group ?? '']);
  });
  afterAll(() => slipway.close());

  /** The answers to the caller that contain the name, note, key or ID of the page. An answer may repeat what was asked. */
  const answersThatTell = async (ask: (address: string) => ReturnType<RouteCallers['call']>, query = '') => {
    const telling: string[] = [];
    for (const route of slipway.service.declared) {
      if (route.method !== 'GET' || route.eventStream) continue;
      const path = ownerPath(route, kit);
      // `q` searches, and `page` filters builds. Handlers receive declared parameters only.
      const own = Object.entries({ q: name, page: page.id }).filter(([field]) => route.query?.[field]);
      const addresses = ['', ...own.map((pair) => pair.join('='))].map((text) => {
        const fields = [text, query].filter(Boolean).join('&');
        return fields === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${fields}`;
      });
      for (const address of addresses) {
        const { status, text, headers } = await ask(address);
        expect([address, status]).not.toEqual([address, 429]);
        const secrets = [name, note, page.key].filter((word) => !address.includes(word));
        const told = secrets.filter((word) => `${text} ${headers.location}`.includes(word));
        if (told.length > 0) telling.push(`${status} ${address}: ${told.join()}`);
      }
    }
    return telling;
  };

  it.each(['tester', 'stranger', 'elsewhere', 'harbour', 'administrator', 'otherProjectKey'] as const)(
    'is in no answer to the caller outside its groups: %s',
    async (caller: Caller) => {
      const told = await answersThatTell((address) => kit.call(caller, address, null));
      // Administrators review who can open which page; reviews name pages, but not their addresses.
      const isReview = (answer: string) => caller === 'administrator' && answer.includes('/access.jsonl');
      expect(told.filter((answer) => !isReview(answer) || answer.includes(page.key))).toEqual([]);
    },
  );

  it('is in no answer to the API key of a tester outside its groups', async () => {
    const key = await slipway.user('tom');
    await slipway.join('crew', 'tester', 'tom');
    expect(await answersThatTell((address) => kit.callWithKey(key, address, null))).toEqual([]);
  });

  it('is in no answer to those who have the secret of the app', async () => {
    const ask = (address: string) => kit.call('nobody', address, null);
    expect(await answersThatTell(ask, `key=${page.appSecret}`)).toEqual([]);
  });

  it('answers callers outside its groups like a page that does not exist', async () => {
    const found = await slipway.data.distributions.findPageWithApp(kit.names.iosPage ?? '');
    if (!found) throw new Error('there is no page');
    const { id, accessKey } = found.page;
    await slipway.data.pageSettings.saveRules(id, { ...found.page, access: 'groups', recount: false });
    await groupQueries(slipway.data).setGroupsOfPage(id, [kit.names.group ?? '']);
    const different: string[] = [];
    for (const route of slipway.service.declared) {
      // Tells an app that has the link whether there is an update.
      if (!route.path.includes(':accessKey') || route.operationId === 'checkForUpdate') continue;
      if (route.method !== 'GET') continue;
      const path = ownerPath(route, kit).replace(kit.names.page ?? '', accessKey);
      for (const caller of ['tester', 'stranger', 'otherProjectKey'] as const) {
        const [seen, unknown] = [
          await kit.call(caller, path, null),
          await kit.call(caller, path.replace(accessKey, '0'.repeat(40)), null),
        ];
        if (seen.status !== unknown.status) different.push(`${caller} ${path}: ${seen.status}`);
      }
    }
    expect(different).toEqual([]);
  });

  it('is in the lists of people in its groups', async () => {
    await groupQueries(slipway.data).addPerson(kit.names.group ?? '', kit.names.member ?? '', Date.now());
    const telling = await answersThatTell((address) => kit.call('tester', address, null));
    const app = `/users/crew/platforms/android/apps/${kit.names.app}`;
    for (const list of [
      '/organizations/crew',
      app,
      `${app}/binaries/1`,
      `/search?q=${name}`,
      `${app}?page=${page.id}`,
    ])
      expect(
        telling.some((line) => line.startsWith(`200 ${list}:`)),
        list,
      ).toBe(true);
  });
});
