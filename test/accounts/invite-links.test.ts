/** Invite links: who joins with them, how many people, and what ends them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxInviteLinkPeople, maxInviteLinks } from '../../src/accounts/invitations/invite-link.ts';
import {
  type AccountsService,
  type Browser,
  browserAfter,
  startAccountsService,
} from '../support/accounts-service.ts';
import { buildApk } from '../support/build-apk.ts';
import { uploaded } from '../support/interface-client.ts';
import { testPassword } from '../support/test-service.ts';

const links = '/organizations/crew/invite-links';
const appPath = '/users/olga/platforms/android/apps/com.example.tides';
const appLinks = `${appPath}/people/invite-links`;
const dayMs = 24 * 60 * 60_000;

describe('invite links', () => {
  let slipway: AccountsService;
  let olga: Browser;
  beforeAll(async () => {
    slipway = await startAccountsService('sqlite', ['tess', 'ines', 'sam', 'uma', 'vera', 'dev', 'admin2']);
    const key = await slipway.user('olga');
    await slipway.project('crew', { members: { olga: 'owner', dev: 'developer' } });
    await uploaded(slipway, { owner: 'olga', key, file: buildApk({ packageName: 'com.example.tides' }) });
    olga = await slipway.browser('olga');
  });
  afterAll(() => slipway.close());

  const create = async (page: string, fields: Record<string, string> = {}) => {
    const made = await olga.submit(page, 'create', { name: 'Launch party', max_people: '3', ...fields });
    expect([made.status, made.text]).toEqual([303, '']);
    return made.headers.location ?? '';
  };
  /** The path of the link that its page shows. */
  const joinPath = async (page: string) =>
    new URL(/https:\/\/[^<"]+\/invitation\/[\w-]+/.exec((await olga.get(page)).text)?.[0] ?? '').pathname;
  const joinAs = async (name: string, path: string) => {
    const browser = await slipway.browser(name);
    return browser.post(`${path}/join`, { csrf: await browser.csrf() });
  };
  const teamsOf = async (name: string) => {
    const user = await slipway.data.owners.findOwner(name);
    const project = await slipway.data.owners.findOwner('crew');
    return slipway.data.owners.teamsOf(project?.id ?? '', user?.id ?? '');
  };
  const audit = async (action: string) => {
    const crew = await slipway.data.owners.findOwner('crew');
    const entries = await slipway.data.audit.page({ ownerId: crew?.id ?? '', action }, { limit: 50 });
    return entries.map(({ subject }) => subject);
  };

  it('admit as many people as they are for, who joined being counted once', async () => {
    const page = await create(links, { max_people: '2' });
    const path = await joinPath(page);
    expect((await slipway.stranger.get(path)).text).toContain('olga invited you to the Project crew.');
    const joined = await joinAs('tess', path);
    expect([joined.status, joined.headers.location]).toEqual([303, '/organizations/crew']);
    expect(await teamsOf('tess')).toEqual(['tester']);
    // Neither a second time, nor a developer, uses the link up or changes teams.
    expect((await joinAs('tess', path)).status).toBe(303);
    expect((await joinAs('dev', path)).status).toBe(303);
    expect(await teamsOf('dev')).toEqual(['developer']);
    expect((await olga.get(page)).text).toContain('1 of 2 joined');
    expect((await joinAs('ines', path)).status).toBe(303);
    expect((await joinAs('sam', path)).status).toBe(404);
    expect(await teamsOf('sam')).toEqual([]);
    const full = await slipway.stranger.get(path);
    expect([full.status, full.text.includes('This invitation no longer works')]).toEqual([404, true]);
    expect((await olga.get(links)).text).toContain('2 of 2 joined');
  });

  it('admit exactly as many of those who join at the same time', async () => {
    const path = await joinPath(await create(links, { max_people: '2', name: 'Rush' }));
    const names = ['sam', 'uma', 'vera'];
    const browsers = await Promise.all(names.map((name) => slipway.browser(name)));
    const tokens = await Promise.all(browsers.map((browser) => browser.csrf()));
    const answers = await Promise.all(
      browsers.map((browser, index) => browser.post(`${path}/join`, { csrf: tokens[index] ?? '' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 303, 404]);
    const joined = await Promise.all(names.map(teamsOf));
    expect(joined.flat()).toEqual(['tester', 'tester']);
  });

  it('let new people create an account, and put them into the group', async () => {
    const group = await olga.submit('/organizations/crew/groups', 'create', { name: 'Harbor' });
    const groupId = /groups\/([0-9a-z]{26})/.exec(group.headers.location ?? '')?.[1] ?? '';
    const path = await joinPath(await create(links, { team: 'developer', group: groupId }));
    expect((await olga.get(links)).text).toMatch(/0 of \d+ joined · Developers · <bdi>Harbor<\/bdi> · until/);
    const fields = { name: 'nina', email: '', password: testPassword, again: testPassword };
    const made = await slipway.stranger.submit(path, 'create-account', fields);
    expect(made.status).toBe(303);
    expect((await browserAfter(slipway, made).get('/organizations/crew')).status).toBe(200);
    expect(await teamsOf('nina')).toEqual(['developer']);
    const people = await slipway.data.groups.listPeople(groupId, 9);
    expect(people.map(({ name }) => name)).toEqual(['nina']);
    // Deleting the group keeps the link.
    await olga.submit(`/organizations/crew/groups/${groupId}`, 'delete');
    expect((await slipway.stranger.get(path)).status).toBe(200);
  });

  it('give access to an app of a person', async () => {
    const path = await joinPath(await create(appLinks));
    expect((await slipway.stranger.get(path)).text).toContain(
      'olga invited you to test com.example.tides (android).',
    );
    const uma = await slipway.browser('uma');
    expect((await uma.get(appPath)).status).toBe(404);
    expect((await joinAs('uma', path)).headers.location).toBe('/');
    expect((await uma.get(appPath)).status).toBe(200);
    // The owner has access anyway.
    expect((await joinAs('olga', path)).status).toBe(303);
    expect((await olga.get(appLinks)).text).toContain('1 of 3 joined · until');
    expect((await olga.get(`${appPath}/people`)).text).toContain(appLinks);
  });

  it('end when they are revoked, when they expire, and when their creator may no longer invite', async () => {
    const revoked = await create(links, { name: 'Old' });
    const path = await joinPath(revoked);
    expect((await olga.submit(links, `${revoked.split('/').at(-1)}/revoke`)).headers.location).toBe(
      `${links}?done=revoked`,
    );
    expect([(await slipway.stranger.get(path)).status, (await olga.get(revoked)).status]).toEqual([404, 404]);

    const short = await joinPath(await create(links, { days: '1' }));
    slipway.clock.now += dayMs - 1;
    expect((await slipway.stranger.get(short)).status).toBe(200);
    slipway.clock.now += 1;
    expect((await slipway.stranger.get(short)).status).toBe(404);
    olga = await slipway.browser('olga');

    const made = await slipway.browser('olga');
    const left = await joinPath(await create(links, { name: 'Mine' }));
    const crew = (await slipway.data.owners.findOwner('crew'))?.id ?? '';
    const id = (await slipway.data.owners.findOwner('olga'))?.id ?? '';
    await slipway.data.owners.removeTeamMember(crew, 'owner', id);
    expect((await slipway.stranger.get(left)).status).toBe(404);
    expect((await made.get(links)).status).toBe(404);
    await slipway.data.owners.addTeamMember(crew, 'owner', id, 1);
    expect((await slipway.stranger.get(left)).status).toBe(200);
  });

  it('are refused with invalid fields, and beyond twenty', async () => {
    await olga.submit('/organizations/crew/groups', 'create', { name: 'QA' });
    const form = { name: 'x', team: 'tester', group: '', days: '7', max_people: '5' };
    const csrf = await olga.csrf();
    for (const [fields, sentence] of [
      [{ name: ' ' }, 'Enter a name.'],
      [{ name: 'x'.repeat(65) }, 'at most 64 characters'],
      [{ name: 'a\nb' }, 'invisible characters'],
      [{ name: 'a\u2066b' }, 'invisible characters'],
      [{ team: 'owner' }, 'Choose a team.'],
      [{ group: 'x' }, 'This group no longer exists.'],
      [{ days: '8' }, 'Choose how long the link works.'],
      [{ max_people: '0' }, `Enter a number from 1 to ${maxInviteLinkPeople}.`],
      [{ max_people: String(maxInviteLinkPeople + 1) }, 'Enter a number from 1'],
      [{ max_people: '1e2' }, 'Enter a number from 1'],
    ] as const) {
      const answer = await olga.post(`${links}/create`, { ...form, ...fields, csrf });
      expect([fields, answer.status]).toEqual([fields, 400]);
      expect(answer.text).toContain(sentence);
    }
    const known = (await olga.get(links)).text.match(/\/revoke"/g)?.length ?? 0;
    for (let count = known; count < maxInviteLinks; count++) await create(links, { name: `n${count}` });
    const refused = await olga.post(`${links}/create`, { ...form, csrf });
    expect([refused.status, refused.text.includes('There are already 20 invite links.')]).toEqual([
      409,
      true,
    ]);
    expect(await audit('invite-link.created')).toContain('Launch party: crew');
    expect(await audit('invite-link.revoked')).toEqual(['Old: crew']);
  });

  it('are for the owner team of a Project and for the owner of an app alone', async () => {
    for (const name of ['tess', 'dev', 'sam'])
      expect([name, (await (await slipway.browser(name)).get(links)).status]).toEqual([name, 404]);
    expect((await (await slipway.browser('uma')).get(appLinks)).status).toBe(404);
    expect((await slipway.stranger.get(links)).status).toBe(303);
    const key = await slipway.projectKey('crew');
    await uploaded(slipway, { owner: 'crew', key, file: buildApk({ packageName: 'com.example.crew' }) });
    const shared = '/users/crew/platforms/android/apps/com.example.crew/people';
    expect((await olga.get(`${shared}/invite-links`)).status).toBe(404);
    expect((await olga.get(shared)).text).toContain(`href="${links}"`);
    expect((await (await slipway.browser('dev')).get(shared)).text).not.toContain(links);
  });
});
