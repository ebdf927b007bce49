/** Queries about owners: a change reports whether it found something to change. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newHexKey } from '../../src/core/identifier.ts';
import type { User } from '../../src/owners/owner.ts';
import { openRecordedQueries, type RecordedQueries } from '../support/recorded-queries.ts';
import { addApp, addProject, addUser } from '../support/sample-rows.ts';
import { dialects } from '../support/test-database.ts';

describe.each(dialects)('queries about owners on %s', (dialect) => {
  let test: RecordedQueries;
  let data: RecordedQueries['data'];
  let ada: User;
  beforeAll(async () => {
    test = await openRecordedQueries(dialect);
    data = test.data;
    ada = await addUser(data, 'Ada');
  });
  afterAll(() => test.close());

  const twice = async <T>(change: () => Promise<T>) => [await change(), await change()];

  it('add and remove people once', async () => {
    const { owners, groups, workspaces, appTesters } = data;
    const project = await addProject(data, 'teams');
    expect(await twice(() => owners.addTeamMember(project.id, 'tester', ada.id, 1))).toEqual([true, false]);
    expect(await owners.addTeamMember(project.id, 'developer', ada.id, 3)).toBe(true);
    expect(await twice(() => owners.removeTeamMember(project.id, 'tester', ada.id))).toEqual([true, false]);
    expect(await owners.teamsOf(project.id, ada.id)).toEqual(['developer']);
    const group = await groups.insertGroup({ ownerId: project.id, name: 'QA', now: 1 });
    expect(await twice(() => groups.addPerson(group, ada.id, 1))).toEqual([true, false]);
    expect(await twice(() => groups.removePerson(group, ada.id))).toEqual([true, false]);
    expect(await groups.findGroup(ada.id, group)).toBeNull();
    const look = { displayName: 'Yard', iconUrl: '/i', createdAt: 1 };
    const yard = await data.owners.insertWorkspace({ name: 'yard', ...look });
    await data.workspaces.addPerson(yard.id, ada.id, 'owner');
    expect(await workspaces.hasOtherOwner(yard.id, ada.id)).toBe(false);
    expect(await twice(() => workspaces.removePerson(yard.id, ada.id, 'owner'))).toEqual([true, false]);
    await workspaces.remove(yard.id, 5);
    expect(await data.transaction((tx) => tx.workspaces.lock(yard.id))).toBe(false);
    const { appId } = await addApp(data, project.id);
    await appTesters.add({ appId, userId: ada.id, limit: 9, now: 1 });
    expect(await twice(() => appTesters.remove(appId, ada.id))).toEqual([true, false]);
  });

  it('know users and owners by their kind', async () => {
    const project = await addProject(data, 'kinds');
    expect([await data.teams.lockUser(ada.id), await data.teams.lockUser(project.id)]).toEqual([true, false]);
    expect(await data.owners.findUserForSignIn('kinds')).toBeNull();
    const quota = { maxStorageBytes: 50_000_000_000_000, maxBuilds: 4, maxProjects: null };
    expect([await data.quotas.set(ada.id, quota), await data.quotas.set('nobody', quota)]).toEqual([
      true,
      false,
    ]);
    expect([await data.quotas.find(ada.id), await data.quotas.find('nobody')]).toEqual([quota, null]);
    expect(await data.retention.setRule('owner', 'nobody', null)).toBe(false);
  });

  it('make the owner who joined first, and whose account is active, accountable for a Project', async () => {
    const { quotas, owners, accountState } = data;
    const [project, other] = [await addProject(data, 'held'), await addProject(data, 'held-too')];
    const [ben, cid, dan] = [
      await addUser(data, 'ben'),
      await addUser(data, 'cid'),
      await addUser(data, 'dan'),
    ];
    for (const [at, user] of [ben, dan, cid].entries())
      await owners.addTeamMember(project.id, 'owner', user.id, at);
    await accountState.setDisabled(dan.id, 1);
    for (const { id } of [project, other]) await quotas.claimProject(id, ben.id);
    await quotas.transferProjects(ben.id, project.id);
    expect(await quotas.findAccountableUser(project.id)).toMatchObject({ id: cid.id });
    expect(await quotas.findAccountableUser(other.id)).toMatchObject({ id: ben.id });
    await quotas.claimProject(project.id, ben.id);
    expect(await quotas.findAccountableUser(project.id)).toMatchObject({ id: cid.id });
  });

  it('list what a person can access, all of it or what another person owns', async () => {
    const person = await addUser(data, 'placed');
    const manager = await addUser(data, 'placing');
    const managed = await addProject(data, 'placed-in');
    const foreign = await addProject(data, 'placed-elsewhere');
    await data.owners.addTeamMember(managed.id, 'owner', manager.id, 1);
    await data.owners.addTeamMember(managed.id, 'tester', person.id, 1);
    await data.owners.addTeamMember(managed.id, 'owner', person.id, 1);
    await data.owners.addTeamMember(foreign.id, 'owner', person.id, 1);
    const workspace = { displayName: 'Place', iconUrl: '', createdAt: 1 };
    const yard = await data.owners.insertWorkspace({ name: 'placed-yard', ...workspace });
    const pier = await data.owners.insertWorkspace({ name: 'placed-pier', ...workspace });
    await data.workspaces.addPerson(yard.id, person.id, 'owner');
    await data.workspaces.addPerson(yard.id, manager.id, 'owner');
    await data.workspaces.addPerson(pier.id, person.id, 'owner');
    const { appId } = await addApp(data, manager.id, { packageName: 'com.placed' });
    await data.transaction((tx) => tx.appTesters.add({ appId, userId: person.id, limit: 9, now: 1 }));
    const places = async (by: string | null, limit = 9) => [
      (await data.personPlaces.listProjects(person.id, by, limit))
        .map(({ name, teams, isLastOwner }) => [name, [...teams].sort(), isLastOwner])
        .sort(),
      (await data.personPlaces.listWorkspaces(person.id, by, limit))
        .map(({ name, isLastOwner }) => [name, isLastOwner])
        .sort(),
      (await data.personPlaces.listSharedApps(person.id, by, limit)).map(({ name, owner }) => [
        name,
        owner.name,
      ]),
    ];
    const shared = [['com.placed (android)', 'placing']];
    const inManaged = ['placed-in', ['owner', 'tester'], false];
    expect(await places(manager.id)).toEqual([[inManaged], [['placed-yard', false]], shared]);
    expect(await places(null)).toEqual([
      [['placed-elsewhere', ['owner'], true], inManaged],
      [
        ['placed-pier', true],
        ['placed-yard', false],
      ],
      shared,
    ]);
    expect(await places(ada.id)).toEqual([[], [], []]);
    expect(await places(null, 0)).toEqual([[], [], []]);
    expect([...(await data.personPlaces.listOwned(manager.id))].sort()).toEqual([managed.id, yard.id].sort());
  });

  it('admit people to a page by its own groups', async () => {
    const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.grouped' });
    const pageOf = async (name: string) => {
      const made = {
        appId,
        name,
        accessKey: newHexKey(),
        buildId: builds[0]?.id ?? '',
        releaseNote: '',
        now: 1,
      };
      return (await data.distributions.putPageByName(made)).id;
    };
    const [page, other] = [await pageOf('main'), await pageOf('other')];
    const insert = (name: string) => data.groups.insertGroup({ ownerId: ada.id, name, now: 1 });
    const [qa, beta] = [await insert('QA'), await insert('Beta')];
    await data.groups.addPerson(qa, ada.id, 1);
    await data.groups.setGroupsOfPage(page, [qa, beta]);
    await data.groups.setGroupsOfPage(page, [qa]);
    const isIn = (id: string) => data.groups.isInGroupOfPage(id, ada.id);
    expect([await isIn(page), await isIn(other)]).toEqual([true, false]);
    expect(await data.groups.groupsOfPage(page)).toEqual([{ id: qa, name: 'QA' }]);
    await data.groups.removeFromOwner(ada.id, ada.id);
    expect(await isIn(page)).toBe(false);
  });

  it('read no table that can grow as a whole', () => test.expectNoScans());
});
