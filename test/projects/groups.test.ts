/** Groups of people, and distribution pages that admit only some of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIssueKey } from '../../src/accounts/keys/issue-key.ts';
import { maxGroupsOfOwner, maxPeopleOfGroup } from '../../src/owners/group.ts';
import { type SignedInPeople, signInPeople } from '../support/administration-users.ts';
import { buildApk } from '../support/build-apk.ts';
import { get, type UploadResult, uploaded } from '../support/interface-client.ts';
import { formOf, postedForms } from '../support/page-forms.ts';
import { addUser } from '../support/sample-rows.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

describe('groups', () => {
  let slipway: TestService;
  let people: SignedInPeople;
  let now = Date.UTC(2026, 10, 23);
  const clock = () => {
    now += 1;
    return now;
  };
  const uploads: Record<string, UploadResult> = {};
  const keys: Record<string, string> = {};
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory', now: clock });
    people = await signInPeople(slipway, ['admin', 'olga', 'dev', 'tess', 'ines', 'sam']);
    await slipway.project('crew', {
      members: { olga: 'owner', dev: 'developer', tess: 'tester', ines: 'tester' },
    });
    const issueKey = createIssueKey({ data: slipway.data, now: clock });
    for (const owner of ['crew', 'olga']) {
      keys[owner] =
        owner === 'crew'
          ? await slipway.projectKey('crew')
          : (
              await issueKey({
                ownerKind: 'user',
                ownerName: 'olga',
                name: 'test',
                expiresAt: null,
                by: 'command-line',
                notify: false,
              })
            ).key;
      uploads[owner] = await uploaded(slipway, {
        owner,
        key: keys[owner],
        file: buildApk({ packageName: `com.${owner}` }),
        fields: { distribution_name: 'main' },
      });
    }
    const app = await slipway.data.apps.findApp(await people.idOf('olga'), 'android', 'com.olga');
    for (const name of ['tess', 'ines']) {
      const userId = await people.idOf(name);
      await slipway.data.transaction((tx) =>
        tx.appTesters.add({ appId: app?.id ?? '', userId, limit: 9, now }),
      );
    }
  });
  afterAll(() => slipway.close());

  const homes = { crew: '/organizations/crew/groups', olga: '/users/olga/groups' } as const;
  const create = async (home: string, name: string) => {
    const made = await people.post('olga', `${home}/create`, { name });
    expect(made.status).toBe(303);
    return (made.headers.location ?? '').replace(/\?.*/, '');
  };
  const pageOf = (owner: string) => `/distributions/${uploads[owner]?.distribution?.access_key}`;
  const restrict = async (owner: string, by: string, groups: readonly string[]) => {
    const { action, fields } = formOf(
      (await people.get(by, `${pageOf(owner)}/settings/access`)).text,
      'save',
    );
    const { groups: _, ...rest } = fields;
    const body = new URLSearchParams({ ...rest, access: 'groups' });
    for (const group of groups) body.append('groups', group);
    return people.postAsIs(by, action, body.toString());
  };
  const idOf = (group: string) => group.slice(group.lastIndexOf('/') + 1);
  const statuses = async (owner: string) =>
    Object.fromEntries(
      await Promise.all(
        ['olga', 'dev', 'tess', 'ines', 'sam'].map(async (name) => [
          name,
          (await people.get(name, pageOf(owner))).status,
        ]),
      ),
    ) as Record<string, number>;

  it.each(['crew', 'olga'] as const)(
    'limit a page of %s to their people and those who manage the app',
    async (owner) => {
      const group = await create(homes[owner], 'QA');
      expect((await people.get('olga', group)).text).toContain('Nobody is in this group yet.');
      const added = await people.post('olga', `${group}/add`, { login: ' TESS@example.com ' });
      expect(added.headers.location).toBe(`${group}?done=added`);
      expect((await people.post('olga', `${group}/add`, { login: 'tess' })).headers.location).toBe(
        `${group}?done=already`,
      );
      const before = await statuses(owner);
      expect([before.tess, before.ines]).toEqual([200, 200]);
      expect((await restrict(owner, 'olga', [idOf(group)])).status).toBe(303);
      const dev = owner === 'crew' ? 200 : 404;
      expect(await statuses(owner)).toEqual({ olga: 200, dev, tess: 200, ines: 404, sam: 404 });
      const anonymous = await get(slipway, pageOf(owner), null, { headers: { Accept: 'text/html' } });
      expect(anonymous.headers.location).toContain('/sign-in');
      const settings = (await people.get('olga', `${pageOf(owner)}/settings/access`)).text;
      expect(formOf(settings, 'save').fields).toMatchObject({ access: 'groups', groups: idOf(group) });
      expect((await people.get('olga', group)).text).toContain(`${pageOf(owner)}/settings`);
      // The app itself stays visible to everyone with access.
      const app = `/users/${owner}/platforms/android/apps/com.${owner}`;
      expect((await people.get('ines', app)).status).toBe(200);
      const removal = postedForms((await people.get('olga', group)).text).find(({ action }) =>
        action.endsWith('/remove'),
      );
      expect((await people.postAsIs('olga', removal?.action ?? '', removal?.fields ?? {})).status).toBe(303);
      expect((await statuses(owner)).tess).toBe(404);
      await people.post('olga', `${group}/add`, { login: 'tess' });
      expect((await people.post('olga', `${group}/delete`, {})).headers.location).toBe(
        `${homes[owner]}?done=deleted`,
      );
      expect(await statuses(owner)).toEqual({ olga: 200, dev, tess: 404, ines: 404, sam: 404 });
    },
  );

  it('lose people who lose access, but not those who change teams', async () => {
    const inProject = await create(homes.crew, 'Leaving');
    const ofUser = await create(homes.olga, 'Leaving');
    for (const group of [inProject, ofUser]) await people.post('olga', `${group}/add`, { login: 'ines' });
    const ines = await people.idOf('ines');
    const has = async (group: string) => (await people.get('olga', group)).text.includes('Remove ines');
    const change = (team: string) =>
      people.post('olga', `/organizations/crew/people/${ines}/save`, {
        team,
        proof: 'correct horse battery',
      });
    expect((await change('developer')).status).toBe(303);
    expect(await has(inProject)).toBe(true);
    expect((await change('tester')).status).toBe(303);
    expect([await has(inProject), await has(ofUser)]).toEqual([true, true]);
    await people.post('olga', `/organizations/crew/people/${ines}/remove`, {});
    expect([await has(inProject), await has(ofUser)]).toEqual([false, true]);
    await people.post('olga', '/users/olga/platforms/android/apps/com.olga/people/remove', { user: ines });
    expect(await has(ofUser)).toBe(false);
  });

  it('admit only people with access, with one answer for everyone else', async () => {
    const group = await create(homes.crew, 'Closed');
    for (const login of ['sam', 'nobody', 'sam@example.com', 'crew', '']) {
      const refused = await people.post('olga', `${group}/add`, { login });
      expect([login, refused.status]).toEqual([login, 400]);
      expect(refused.text).toContain('Nobody with access has this name or email.');
    }
    const list = await people.post('olga', `${group}/add`, { login: 'tess, sam\ndev' });
    expect(list.text).toContain('2 of 3 added or invited.');
    expect((await people.get('olga', group)).text).toContain('2 people');
  });

  it('have unique names with limits, and can be renamed', async () => {
    const group = await create(homes.crew, 'Names');
    for (const [name, sentence, status] of [
      ['names', 'Another group has this name.', 409],
      [' ', 'Enter a name.', 400],
      ['a'.repeat(65), 'A name can have at most 64 characters.', 400],
      ['a\u0007b', 'A name cannot contain control or invisible characters.', 400],
      ['a\u200bb', 'A name cannot contain control or invisible characters.', 400],
    ] as const) {
      const refused = await people.post('olga', `${homes.crew}/create`, { name });
      expect([name, refused.status, refused.text.includes(sentence)]).toEqual([name, status, true]);
    }
    await create(homes.crew, 'a'.repeat(64));
    const taken = await people.post('olga', `${group}/rename`, { name: 'a'.repeat(64) });
    expect([taken.status, taken.text.includes('Another group has this name.')]).toEqual([409, true]);
    expect((await people.post('olga', `${group}/rename`, { name: ' New name ' })).status).toBe(303);
    expect((await people.get('olga', homes.crew)).text).toContain('<bdi>New name</bdi>');
    const entries = await slipway.data.audit.list(await people.idOf('crew'), 1);
    expect(entries.map(({ action, subject }) => [action, subject])).toEqual([
      ['group.renamed', 'Names: New name'],
    ]);
  });

  it('are limited in number and in people, under concurrency too', async () => {
    await slipway.project('large', { members: { olga: 'owner' } });
    const home = '/organizations/large/groups';
    const ownerId = await people.idOf('large');
    for (let at = 0; at < maxGroupsOfOwner - 1; at++)
      await slipway.data.groups.insertGroup({ ownerId, name: `g${at}`, now: clock() });
    const made = await Promise.all(
      ['one', 'two', 'three'].map((name) => people.post('olga', `${home}/create`, { name })),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([303, 409, 409]);
    expect(made.some(({ text }) => text.includes('At most 50 groups.'))).toBe(true);
    const [group] = await slipway.data.groups.listGroups(ownerId);
    const id = group?.id ?? '';
    await slipway.data.transaction(async (tx) => {
      for (let at = 0; at < maxPeopleOfGroup; at++) {
        const user = await addUser(tx, `crowd-${at}`);
        await tx.groups.addPerson(id, user.id, now);
      }
    });
    const full = await people.post('olga', `${home}/${id}/add`, { login: 'olga' });
    expect([full.status, full.text.includes('A group can have at most 500 people.')]).toEqual([409, true]);
  });

  it('are managed only by the owner of the apps', async () => {
    const group = await create(homes.crew, 'Private');
    for (const name of ['dev', 'tess', 'sam']) {
      for (const place of [homes.crew, group, homes.olga])
        expect([name, place, (await people.get(name, place)).status]).toEqual([name, place, 404]);
      expect((await people.post(name, `${homes.crew}/create`, { name: 'x' })).status).toBe(404);
    }
    // A group of another owner.
    const moved = `${homes.olga}/${idOf(group)}`;
    expect((await people.get('olga', moved)).status).toBe(404);
    for (const action of ['add', 'remove', 'rename', 'delete'])
      expect([
        action,
        (await people.post('olga', `${moved}/${action}`, { login: 'tess', user: 'x', name: 'x' })).status,
      ]).toEqual([action, 404]);
    // Developers choose among the groups in the settings of a page.
    const settingsOf = async (name: string) =>
      (await people.get(name, `${pageOf('crew')}/settings/access`)).text;
    expect((await settingsOf('dev')).includes('Manage groups')).toBe(false);
    expect((await settingsOf('olga')).includes('Manage groups')).toBe(true);
    expect((await restrict('crew', 'dev', [idOf(group)])).status).toBe(303);
    expect((await restrict('crew', 'dev', [])).text).toContain('Choose at least one group.');
    expect((await restrict('crew', 'dev', ['gone'])).text).toContain('One of the groups no longer exists.');
    const foreign = await create(homes.olga, 'Foreign');
    expect((await restrict('crew', 'dev', [idOf(foreign)])).status).toBe(400);
  });

  it('limit the emails about a build on their page', async () => {
    const group = await create(homes.crew, 'Mailed');
    await people.post('olga', `${group}/add`, { login: 'tess' });
    await slipway.data.owners.addTeamMember(
      await people.idOf('crew'),
      'tester',
      await people.idOf('sam'),
      now,
    );
    await restrict('crew', 'olga', [idOf(group)]);
    const page = (await slipway.data.groups.pagesOfGroup(idOf(group)))[0];
    const crew = await people.idOf('crew');
    const app = await slipway.data.apps.findApp(crew, 'android', 'com.crew');
    const found = await slipway.data.distributions.findPageWithApp(page?.accessKey ?? '');
    if (!app || !found) throw new Error('the test needs an app with a page');
    for (const name of ['olga', 'dev', 'tess', 'sam'])
      await slipway.data.mailChoices.setChoice(await people.idOf(name), app.id, true, now);
    const recipients = async (groupsOf: string | null) => {
      const rows = await slipway.data.mailChoices.listRecipients(app, { groupsOf, limit: 99 });
      return rows.map(({ address }) => address.replace(/@.*/, '')).sort();
    };
    expect(await recipients(null)).toContain('sam');
    expect(await recipients(found.page.id)).toEqual(
      (await recipients(null)).filter((name) => name !== 'sam'),
    );
  });
});
