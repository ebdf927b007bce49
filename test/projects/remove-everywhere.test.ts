/** Removing a person from everything that the remover manages. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type SignedInPeople, signInPeople } from '../support/administration-users.ts';
import { formOf } from '../support/page-forms.ts';
import { addApp, addUser } from '../support/sample-rows.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

describe('removing a person from everything', () => {
  let slipway: TestService;
  let people: SignedInPeople;
  let person = '';
  let round = 0;
  // Never the same time twice, so that the audit log has one order.
  let now = Date.UTC(2026, 10, 23);
  const clock = () => {
    now += 1;
    return now;
  };
  const names = () => ({ mine: `mine-${round}`, shared: `shared-${round}`, other: `other-${round}` });
  const apps: Record<string, string> = {};

  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory', now: clock });
    people = await signInPeople(slipway, ['admin', 'olga', 'piet', 'dev']);
    for (const name of ['olga', 'piet']) {
      const { appId } = await addApp(slipway.data, await people.idOf(name), { packageName: `com.${name}` });
      apps[name] = appId;
    }
  });
  afterAll(() => slipway.close());

  /** A new person in two Projects of olga, one of piet and a Workspace, with two shared apps and two invitations. */
  beforeEach(async () => {
    round++;
    const { mine, shared, other } = names();
    const { id } = await addUser(slipway.data, `person-${round}`);
    person = id;
    await slipway.project(mine, { members: { olga: 'owner', [`person-${round}`]: 'tester' } });
    await slipway.project(shared, {
      members: { olga: 'owner', piet: 'owner', [`person-${round}`]: 'owner' },
    });
    await slipway.project(other, { members: { piet: 'owner', [`person-${round}`]: 'developer' } });
    await slipway.project(`dock-${round}`, { members: { olga: 'owner' } });
    await slipway.project(`quay-${round}`, { members: { piet: 'owner' } });
    await slipway.data.transaction(async (tx) => {
      for (const appId of Object.values(apps))
        await tx.appTesters.add({ appId, userId: id, limit: 500, now });
    });
    for (const [name, by] of [
      [`dock-${round}`, 'olga'],
      [`quay-${round}`, 'piet'],
    ] as const) {
      await slipway.data.invitations.insertInvitation({
        tokenHash: `${by}-${round}`,
        email: null,
        into: { kind: 'project', id: await people.idOf(name), team: 'tester' },
        userId: id,
        invitedBy: await people.idOf(by),
        createdAt: now,
        expiresAt: now + 60_000,
      });
    }
  });

  const address = (project: string) => `/organizations/${project}/people/${person}`;
  const stateOf = async () => ({
    teams: (await slipway.data.owners.listProjectsOfUser(person)).map(({ name }) => name).sort(),
    apps: [
      await slipway.data.appTesters.has(apps.olga ?? '', person),
      await slipway.data.appTesters.has(apps.piet ?? '', person),
    ],
    invitations: (await slipway.data.invitations.listOfUser(person, now, 9))
      .map(({ place }) => place.name)
      .sort(),
  });
  const listed = (html: string) =>
    [...html.matchAll(/<li><span class="grow">([\s\S]*?)<\/li>/g)].map(([, row = '']) =>
      row
        .replaceAll(/<[^>]*>/g, '|')
        .split(/\|+/)
        .filter(Boolean),
    );

  it('states and removes exactly what an owner owns', async () => {
    const { mine, shared, other } = names();
    const list = await people.get('olga', `/organizations/${mine}/people`);
    expect(list.text).toContain(`href="${address(mine)}/removal"`);
    const page = await people.get('olga', `${address(mine)}/removal`);
    expect(page.status).toBe(200);
    expect(listed(page.text).sort()).toEqual(
      [
        [mine, 'Project · Tester'],
        [shared, 'Project · Owner'],
        ['com.olga (android)', 'App shared by olga'],
        [`Project dock-${round}`, 'Pending invitation'],
      ].sort(),
    );
    const { action, fields } = formOf(page.text, 'remove-everywhere');
    const removed = await people.postAsIs('olga', action, fields);
    expect([removed.status, removed.headers.location]).toEqual([
      303,
      `/organizations/${mine}/people?done=everywhere`,
    ]);
    expect((await people.get('olga', removed.headers.location ?? '')).text).toContain(
      'Removed from everything that you manage.',
    );
    expect(await stateOf()).toEqual({
      teams: [other],
      apps: [false, true],
      invitations: [`quay-${round}`],
    });
    const entries = async (name: string) =>
      (await slipway.data.audit.list(await people.idOf(name), 1)).map(
        ({ action: what, subject }) => `${what} ${subject}`,
      );
    expect(await entries(mine)).toEqual([`team.left person-${round} tester team`]);
    expect(await entries(shared)).toEqual([`team.left person-${round} owner team`]);
    expect(await entries(`dock-${round}`)).toEqual([`invitation.revoked person-${round}: dock-${round}`]);
    expect(await entries('olga')).toEqual([`access.taken person-${round}: com.olga (android)`]);
    expect((await people.postAsIs('olga', action, fields)).status).toBe(404);
  });

  it('covers everything on the server for an administrator', async () => {
    const { mine } = names();
    const page = await people.get('admin', `${address(mine)}/removal`);
    expect(listed(page.text)).toHaveLength(7);
    const { action, fields } = formOf(page.text, 'remove-everywhere');
    expect((await people.postAsIs('admin', action, fields)).status).toBe(303);
    expect(await stateOf()).toEqual({ teams: [], apps: [false, false], invitations: [] });
  });

  it('includes the Workspaces that both own', async () => {
    const { mine } = names();
    const workspace = await slipway.data.owners.insertWorkspace({
      name: `yard-${round}`,
      displayName: 'Yard',
      iconUrl: '',
      createdAt: now,
    });
    await slipway.data.workspaces.addPerson(workspace.id, person, 'owner');
    const place = [`yard-${round}`, 'Workspace · Owner'];
    expect(listed((await people.get('olga', `${address(mine)}/removal`)).text)).not.toContainEqual(place);
    await slipway.data.workspaces.addPerson(workspace.id, await people.idOf('olga'), 'owner');
    const page = await people.get('olga', `${address(mine)}/removal`);
    expect(listed(page.text)).toContainEqual(place);
    const { action, fields } = formOf(page.text, 'remove-everywhere');
    expect((await people.postAsIs('olga', action, fields)).status).toBe(303);
    expect(await slipway.data.workspaces.rolesOf(workspace.id, person)).toEqual([]);
  });

  it('is refused as a whole while the person is the last owner of a Project', async () => {
    const { mine } = names();
    await slipway.project(`alone-${round}`, { members: { [`person-${round}`]: 'owner' } });
    const alone = await people.idOf(`alone-${round}`);
    await slipway.data.owners.removeTeamMember(alone, 'owner', await people.idOf('admin'));
    const before = await stateOf();
    const page = await people.get('admin', `${address(mine)}/removal`);
    expect(page.text).toContain(`They are the only active owner of alone-${round}.`);
    expect(page.text).not.toContain('Remove from');
    const { action, fields } = formOf(page.text, 'remove-everywhere');
    const refused = await people.postAsIs('admin', action, fields);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain(`They are the only active owner of alone-${round}.`);
    expect(await stateOf()).toEqual(before);
  });

  it('is for owners of the Project and administrators, and for people in it', async () => {
    const { mine, other } = names();
    await slipway.data.owners.addTeamMember(
      await people.idOf(mine),
      'developer',
      await people.idOf('dev'),
      now,
    );
    for (const name of ['dev', 'piet']) {
      expect((await people.get(name, `${address(mine)}/removal`)).status).toBe(404);
      expect((await people.post(name, `${address(mine)}/remove-everywhere`, {})).status).toBe(404);
    }
    const stranger = await people.idOf('piet');
    const self = await people.idOf('olga');
    for (const id of [stranger, self, 'nobody']) {
      const place = `/organizations/${mine}/people/${id}`;
      expect((await people.get('olga', `${place}/removal`)).status).toBe(404);
      expect((await people.post('olga', `${place}/remove-everywhere`, {})).status).toBe(404);
    }
    expect((await stateOf()).teams).toContain(other);
    expect((await stateOf()).teams).toContain(mine);
  });
});
