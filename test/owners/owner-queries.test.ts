/** Every query about owners at least once, on both dialects. The last test requires this. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newHexKey } from '../../src/core/identifier.ts';
import type { User } from '../../src/owners/owner.ts';
import { openRecordedQueries, type RecordedQueries } from '../support/recorded-queries.ts';
import { addApp, addProject, addUser, sampleBuild } from '../support/sample-rows.ts';
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

  describe('owners', () => {
    it('find a User by name, ignoring case, and by id', async () => {
      const expected = {
        kind: 'user',
        id: ada.id,
        name: 'Ada',
        email: 'Ada@example.com',
        administrator: false,
      };
      expect(await data.owners.findOwner('aDA')).toEqual(expected);
      expect(await data.owners.findOwnerById(ada.id)).toEqual(expected);
      expect(await data.owners.findOwner('nobody')).toBeNull();
      expect(await data.owners.findOwnerById('nobody')).toBeNull();
    });

    it('find a user for sign-in by name or address, and no Project', async () => {
      await addProject(data, 'sign-in-project');
      const expected = { user: ada, passwordHash: 'hash of Ada' };
      expect(await data.owners.findUserForSignIn('ada')).toEqual(expected);
      expect(await data.owners.findUserForSignIn('ADA@Example.com')).toEqual(expected);
      expect(await data.owners.findUserForSignIn('sign-in-project')).toBeNull();
      expect(await data.owners.findUserForSignIn('')).toBeNull();
    });

    it('report whether there are users, and find the first administrator', async () => {
      expect(await data.owners.hasUsers()).toBe(true);
      expect(await data.owners.findFirstAdministrator()).toBeNull();
      const first = await addUser(data, 'root-one', { administrator: true });
      await data.owners.insertUser({
        name: 'root-two',
        email: null,
        administrator: true,
        passwordHash: null,
        createdAt: 99,
      });
      expect(await data.owners.findFirstAdministrator()).toEqual(first);
    });

    it('store Workspaces, their Projects and their owners', async () => {
      const icon = { displayName: 'Team & Co', iconUrl: '/icon.svg' };
      const workspace = await data.owners.insertWorkspace({ name: 'Acme', ...icon, createdAt: 1 });
      expect(await data.owners.findWorkspace('ACME')).toEqual({ id: workspace.id, name: 'Acme', ...icon });
      expect(await data.owners.findWorkspace('ada')).toBeNull();
      const tx = await addProject(data, 'acme-app', 'acme');
      await addProject(data, 'acme-elsewhere');
      const listed = await data.projectLists.listProjects({ workspaceId: workspace.id }, [], { limit: 9 });
      expect(listed).toEqual([{ project: tx, lastUploadAt: null }]);
      expect(await data.owners.findOwner('acme-app')).toEqual({ ...tx, workspace });
      expect(await data.owners.isWorkspaceOwner(workspace.id, ada.id)).toBe(false);
      await data.owners.addWorkspaceOwner(workspace.id, ada.id);
      await data.owners.addWorkspaceOwner(workspace.id, ada.id);
      expect(await data.owners.isWorkspaceOwner(workspace.id, ada.id)).toBe(true);
    });

    it('store each team member once', async () => {
      const project = await addProject(data, 'teams');
      const bob = await addUser(data, 'bob');
      expect(await data.owners.addTeamMember(project.id, 'tester', bob.id, 1)).toBe(true);
      expect(await data.owners.addTeamMember(project.id, 'tester', bob.id, 2)).toBe(false);
      expect(await data.owners.addTeamMember(project.id, 'developer', bob.id, 3)).toBe(true);
      await data.owners.addTeamMember(project.id, 'owner', ada.id, 4);
      expect((await data.owners.teamsOf(project.id, bob.id)).sort()).toEqual(['developer', 'tester']);
      const team = await data.appPeople.listTeam(project.id, [], { limit: 9 });
      expect(team).toEqual([
        { user: { id: ada.id, name: 'Ada' }, reason: 'owner', since: 4 },
        { user: { id: bob.id, name: 'bob' }, reason: 'developer', since: 1 },
      ]);
      expect(await data.appPeople.listTeam(project.id, [], { limit: 9, before: 'bob' })).toEqual([team[0]]);
      expect(await data.appPeople.listTeam(project.id, ['B'], { limit: 9 })).toEqual([team[1]]);
      const app = { id: 'none', owner: { id: project.id, kind: 'project' } } as const;
      expect((await data.appPages.tabCounts(app)).testers).toBe(2);
      const members = await data.owners.listMembers(project.id);
      expect(members.map(({ user, teams }) => [user.name, [...teams].sort()])).toEqual([
        ['Ada', ['owner']],
        ['bob', ['developer', 'tester']],
      ]);
      expect((await data.owners.listProjectsOfUser(bob.id)).map(({ name }) => name)).toEqual(['teams']);
      expect(await data.owners.removeTeamMember(project.id, 'tester', bob.id)).toBe(true);
      expect(await data.owners.removeTeamMember(project.id, 'tester', bob.id)).toBe(false);
      expect(await data.owners.teamsOf(project.id, bob.id)).toEqual(['developer']);
    });

    it('keep groups per owner, their people and the pages that admit them', async () => {
      const owner = await addProject(data, 'grouped');
      const other = await addProject(data, 'grouped-elsewhere');
      const bea = await addUser(data, 'Bea-grouped');
      const cid = await addUser(data, 'cid-grouped');
      await data.owners.addTeamMember(owner.id, 'tester', bea.id, 1);
      const insert = (ownerId: string, name: string) =>
        data.transaction(async (tx) => {
          await tx.groups.lockOwner(ownerId);
          return tx.groups.insertGroup({ ownerId, name, now: 1 });
        });
      const qa = await insert(owner.id, 'QA');
      const beta = await insert(owner.id, 'beta');
      const foreign = await insert(other.id, 'QA');
      const taken = () => new Error('taken');
      await expect(data.refuseDuplicate(() => insert(owner.id, 'qa'), taken)).rejects.toThrow('taken');
      expect(await data.groups.addPerson(qa, bea.id, 1)).toBe(true);
      expect(await data.groups.addPerson(qa, bea.id, 2)).toBe(false);
      await data.groups.addPerson(qa, cid.id, 1);
      await data.groups.addPerson(beta, cid.id, 1);
      await data.groups.addPerson(foreign, cid.id, 1);
      const listed = [
        { id: beta, name: 'beta', people: 1 },
        { id: qa, name: 'QA', people: 2 },
      ];
      expect(await data.groups.listGroups(owner.id)).toEqual(listed);
      expect(await data.groups.findGroup(owner.id, qa)).toEqual(listed[1]);
      expect(await data.groups.findGroup(other.id, qa)).toBeNull();
      expect((await data.groups.listPeople(qa, 9)).map(({ name }) => name)).toEqual([bea.name, cid.name]);
      expect(await data.groups.listPeople(qa, 1)).toHaveLength(1);
      expect(await data.groups.hasAccess({ id: owner.id, kind: 'project' }, bea.id)).toBe(true);
      expect(await data.groups.hasAccess({ id: owner.id, kind: 'project' }, cid.id)).toBe(false);
      const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.grouped', count: 1 });
      expect(await data.groups.hasAccess({ id: ada.id, kind: 'user' }, cid.id)).toBe(false);
      await data.transaction((tx) => tx.appTesters.add({ appId, userId: cid.id, limit: 9, now: 1 }));
      expect(await data.groups.hasAccess({ id: ada.id, kind: 'user' }, cid.id)).toBe(true);
      const page = await data.distributions.putPageByName({
        appId,
        name: 'groups',
        accessKey: newHexKey(),
        buildId: builds[0]?.id ?? '',
        releaseNote: '',
        now: 1,
      });
      await data.groups.setGroupsOfPage(page.id, [qa, beta]);
      await data.groups.setGroupsOfPage(page.id, [qa]);
      expect(await data.groups.groupsOfPage(page.id)).toEqual([{ id: qa, name: 'QA' }]);
      expect(await data.groups.pagesOfGroup(qa)).toEqual([{ name: 'groups', accessKey: page.accessKey }]);
      expect(await data.groups.pagesOfGroup(beta)).toEqual([]);
      const admitted = async () => [
        await data.groups.isInGroupOfPage(page.id, bea.id),
        await data.groups.isInGroupOfPage(page.id, cid.id),
        await data.groups.isInGroupOfPage(page.id, ada.id),
      ];
      expect(await admitted()).toEqual([true, true, false]);
      await data.groups.removeFromOwner(owner.id, cid.id);
      expect(await admitted()).toEqual([true, false, false]);
      expect(await data.groups.listPeople(foreign, 9)).toHaveLength(1);
      expect(await data.groups.removePerson(qa, bea.id)).toBe(true);
      expect(await data.groups.removePerson(qa, bea.id)).toBe(false);
      await data.groups.renameGroup(qa, 'Client');
      expect((await data.groups.findGroup(owner.id, qa))?.name).toBe('Client');
      await data.groups.deleteGroup(qa);
      expect(await data.groups.groupsOfPage(page.id)).toEqual([]);
      await data.groups.setGroupsOfPage(page.id, []);
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
      await data.owners.addWorkspaceOwner(yard.id, person.id);
      await data.owners.addWorkspaceOwner(yard.id, manager.id);
      await data.owners.addWorkspaceOwner(pier.id, person.id);
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
      expect([...(await data.personPlaces.listOwned(manager.id))].sort()).toEqual(
        [managed.id, yard.id].sort(),
      );
    });

    it('respond to a ping', () => data.ping());
  });

  describe('teams, Workspaces, quotas and deletion', () => {
    it('find other owners of a Project, and remove a person from every team', async () => {
      const project = await addProject(data, 'staffed');
      const mia = await addUser(data, 'mia');
      for (const team of ['owner', 'tester'] as const) {
        await data.owners.addTeamMember(project.id, team, mia.id, 1);
      }
      expect(await data.teams.hasOtherOwner(project.id, mia.id)).toBe(false);
      await data.owners.addTeamMember(project.id, 'owner', ada.id, 1);
      expect(await data.teams.hasOtherOwner(project.id, mia.id)).toBe(true);
      const held = await data.transaction(async (tx) => [
        await tx.teams.lockUser(mia.id),
        await tx.teams.lockUser(project.id),
      ]);
      expect(held).toEqual([true, false]);
      await data.teams.describe(project.id, 'new words');
      expect(await data.owners.findOwner('staffed')).toMatchObject({ description: 'new words' });
    });

    it('keep the owners and the appearance of a Workspace, and the name of a removed one', async () => {
      const look = { name: 'Yard', displayName: 'The Yard', iconUrl: '/i.png' };
      const yard = await data.owners.insertWorkspace({ ...look, createdAt: 1 });
      await data.owners.addWorkspaceOwner(yard.id, ada.id);
      expect(await data.workspaces.listOwners(yard.id)).toEqual([{ id: ada.id, name: 'Ada' }]);
      expect(await data.workspaces.listOwnedBy(ada.id)).toContainEqual(yard);
      expect(await data.workspaces.listPeople(yard.id, 9)).toMatchObject([{ id: ada.id, name: 'Ada' }]);
      expect(await data.workspaces.listPeople('none', 9)).toEqual([]);
      expect(await data.workspaces.hasOtherOwner(yard.id, ada.id)).toBe(false);
      expect(await data.workspaces.hasOtherOwner(yard.id, 'someone else')).toBe(true);
      await data.workspaces.change(yard.id, { displayName: 'Quay', iconUrl: '/q.png' });
      expect(await data.owners.findWorkspace('yard')).toMatchObject({
        displayName: 'Quay',
        iconUrl: '/q.png',
      });
      await addProject(data, 'in-the-yard', 'yard');
      expect(await data.workspaces.countProjects(yard.id)).toBe(1);
      expect(await data.workspaces.removeOwner(yard.id, ada.id)).toBe(true);
      expect(await data.workspaces.removeOwner(yard.id, ada.id)).toBe(false);
      const hold = () => data.transaction((tx) => tx.workspaces.lock(yard.id));
      expect(await hold()).toBe(true);
      await data.workspaces.remove(yard.id, 5);
      expect([await hold(), await data.owners.findWorkspace('yard')]).toEqual([false, null]);
      const again = () => data.owners.insertWorkspace({ ...look, name: 'YARD', createdAt: 2 });
      await expect(data.refuseDuplicate(again, () => new Error('taken'))).rejects.toThrow('taken');
    });

    it('list Projects of a member by name and by latest upload, and Workspaces of an owner', async () => {
      const lena = await addUser(data, 'lena');
      const quay = await data.owners.insertWorkspace({
        name: 'Quay-2',
        displayName: 'Der große KAI',
        iconUrl: '',
        createdAt: 1,
      });
      const alpha = await addProject(data, 'Alpha');
      const beta = await addProject(data, 'beta_1');
      const gamma = await addProject(data, 'Gamma', 'quay-2');
      const delta = await addProject(data, 'delta');
      for (const { id } of [alpha, beta, gamma, delta]) {
        await data.owners.addTeamMember(id, 'tester', lena.id, 1);
      }
      await data.owners.addTeamMember(beta.id, 'owner', lena.id, 1);
      await addProject(data, 'alpha-of-others');
      await addApp(data, gamma.id, { now: 5000 });
      const { appId } = await addApp(data, delta.id, { now: 9000 });
      await addApp(data, delta.id, { packageName: 'com.example.other', now: 3000 });
      await data.appDeletion.hideApp(appId, 9500);
      const { listProjects, listLatestProjects, listWorkspaces, teamsByProject } = data.projectLists;
      const mine = { memberId: lena.id };
      const namesOf = async (...asked: Parameters<typeof listProjects>) =>
        (await listProjects(...asked)).map(({ project }) => project.name);
      expect(await listProjects(mine, [], { limit: 2 })).toEqual([
        { project: alpha, lastUploadAt: null },
        { project: beta, lastUploadAt: null },
      ]);
      expect((await listProjects(mine, [], { limit: 2, after: 'beta_1' })).at(0)?.lastUploadAt).toBe(3000);
      expect(await namesOf(mine, [], { limit: 2, after: 'beta_1' })).toEqual(['delta', 'Gamma']);
      expect(await namesOf(mine, [], { limit: 2, before: 'gamma' })).toEqual(['beta_1', 'delta']);
      expect(await namesOf(mine, ['AL', 'a'], { limit: 9 })).toEqual(['Alpha']);
      expect(await namesOf(mine, ['_'], { limit: 9 })).toEqual(['beta_1']);
      expect(await namesOf({ ...mine, teams: ['owner', 'developer'] }, [], { limit: 9 })).toEqual(['beta_1']);
      expect(await namesOf({ ...mine, workspaceId: quay.id }, [], { limit: 9 })).toEqual(['Gamma']);
      expect(await namesOf({ memberId: ada.id, workspaceId: quay.id }, [], { limit: 9 })).toEqual([]);
      // Projects without apps were created at 1 and come last, by name.
      const latest = await listLatestProjects({ memberId: lena.id }, 3);
      expect(latest.map(({ name }) => name)).toEqual(['Gamma', 'delta', 'Alpha']);
      const teams = await teamsByProject(lena.id, [alpha.id, beta.id, 'x']);
      expect([teams.get(alpha.id), teams.get(beta.id)?.sort(), teams.size]).toEqual([
        ['tester'],
        ['owner', 'tester'],
        2,
      ]);
      expect(await teamsByProject(lena.id, [])).toEqual(new Map());
      await data.owners.addWorkspaceOwner(quay.id, lena.id);
      const workspaces = (words: string[], page = {}) =>
        listWorkspaces(lena.id, words, { limit: 9, ...page });
      expect(await workspaces([])).toEqual([quay]);
      expect(await workspaces(['kai'])).toEqual([quay]);
      expect([await workspaces(['quay', 'x']), await workspaces([], { after: 'quay-2' })]).toEqual([[], []]);
      expect(await workspaces([], { before: 'r' })).toEqual([quay]);
    });

    it('sum the storage of an Owner including deleted builds, and enforce its quota', async () => {
      const owner = await addUser(data, 'storing');
      const other = await addUser(data, 'storing-too');
      expect(await data.quotas.usageOf(owner.id)).toEqual({ bytes: 0, builds: 0, apps: 0 });
      const { appId, builds } = await addApp(data, owner.id, { count: 3 });
      await addApp(data, other.id, { count: 2 });
      const next = await data.apps.takeNextRevision({
        ownerId: owner.id,
        platform: 'android',
        packageName: 'com.example.sample',
        secret: 's',
        now: 1,
      });
      const simulator = { simulatorBlob: 'simulators/x', simulatorBytes: 7 };
      await data.builds.insertBuild(sampleBuild(appId, next.lastRevision, simulator));
      await data.buildDeletion.hideBuilds([builds[0]?.id ?? ''], 'Ada', 1);
      const stored = { bytes: 20_000_000_007, builds: 4 };
      expect(await data.quotas.usageOf(owner.id)).toEqual({ ...stored, apps: 1 });
      expect(await data.quotas.find(owner.id)).toEqual({
        maxStorageBytes: null,
        maxBuilds: null,
        maxProjects: null,
      });
      const wide = await addProject(data, 'wide');
      expect(await data.quotas.findAccountableUser(wide.id)).toBeNull();
      await data.quotas.claimProject(wide.id, owner.id);
      await data.quotas.claimProject(wide.id, ada.id);
      expect(await data.quotas.findAccountableUser(wide.id)).toMatchObject({ id: owner.id });
      const tx = await addApp(data, wide.id, { packageName: 'com.wide' });
      const whole = await data.quotas.usageOfPerson(owner.id);
      expect(whole).toMatchObject({ apps: 2, builds: stored.builds + tx.builds.length });
      expect(await data.quotas.quotaUsagesOf(wide.id)).toEqual([]);
      const two = { maxStorageBytes: null, maxBuilds: 2, maxProjects: 1 };
      await data.quotas.set(owner.id, two);
      expect(await data.quotas.quotaUsagesOf(wide.id)).toEqual([{ quota: two, usage: whole }]);
      expect(await data.quotas.quotaUsagesOf(owner.id)).toEqual([{ quota: two, usage: whole }]);
      expect(await data.quotas.quotaUsagesOf('nobody')).toEqual([]);
      expect(await data.quotas.storageLimitsOf(wide.id)).toEqual([]);
      await data.quotas.set(owner.id, { ...two, maxStorageBytes: 7 });
      await data.quotas.set(wide.id, { maxStorageBytes: 5, maxBuilds: null, maxProjects: null });
      const covered = expect.toSatisfy((ids: string[]) => ids.includes(wide.id) && ids.includes(owner.id));
      expect(await data.quotas.storageLimitsOf(wide.id)).toEqual([
        { maxBytes: 5, ownerIds: [wide.id] },
        { maxBytes: 7, ownerIds: covered },
      ]);
      expect(await data.quotas.storageLimitsOf(owner.id)).toEqual([{ maxBytes: 7, ownerIds: covered }]);
      await data.quotas.set(owner.id, two);
      await data.quotas.set(wide.id, { maxStorageBytes: null, maxBuilds: null, maxProjects: null });
      expect(await data.transaction((held) => held.quotas.lockForUpload(wide.id))).toBe(true);
      expect(await data.transaction((held) => held.quotas.lockForUpload('nobody'))).toBe(false);
      expect(await data.quotas.countProjectsOf(owner.id)).toBe(1);
      await data.owners.addTeamMember(wide.id, 'owner', owner.id, 1);
      await data.owners.addTeamMember(wide.id, 'owner', ada.id, 2);
      await data.quotas.transferProjects(owner.id, 'another');
      expect(await data.quotas.countProjectsOf(owner.id)).toBe(1);
      await data.quotas.transferProjects(owner.id, wide.id);
      expect(await data.quotas.findAccountableUser(wide.id)).toMatchObject({ id: ada.id });
      await data.quotas.setAccountable(wide.id, owner.id);
      await data.quotas.transferProjects(owner.id);
      expect(await data.quotas.findAccountableUser(wide.id)).toMatchObject({ id: ada.id });
      const quota = { maxStorageBytes: 50_000_000_000_000, maxBuilds: 4, maxProjects: null };
      expect(await data.quotas.set(owner.id, quota)).toBe(true);
      expect(await data.transaction((tx) => tx.quotas.lock(owner.id))).toEqual(quota);
      expect([await data.quotas.find('nobody'), await data.quotas.set('nobody', quota)]).toEqual([
        null,
        false,
      ]);
      await data.ownerDeletion.lockUser(owner.id);
      expect(await data.ownerDeletion.hideApps(owner.id, 5)).toEqual([appId]);
      expect(await data.ownerDeletion.hideApps(owner.id, 6)).toEqual([]);
      // They count until the background job has removed them.
      expect(await data.quotas.usageOf(owner.id)).toEqual({ ...stored, apps: 0 });
      expect(await data.quotas.countWrongTotals()).toBe(0);
      await data.transaction((tx) => tx.quotas.recalculateTotals());
      expect(await data.quotas.usageOf(owner.id)).toEqual({ ...stored, apps: 0 });
    });

    it('store retention rules, and find Apps with the rules that apply to them', async () => {
      const workspace = await data.owners.insertWorkspace({
        name: 'Ruled',
        displayName: 'Ruled',
        iconUrl: '',
        createdAt: 1,
      });
      const project = await addProject(data, 'ruled-project', 'ruled');
      const { appId } = await addApp(data, project.id);
      const rule = { newest: 20, days: null };
      expect(await data.retention.hasRules()).toBe(false);
      for (const [place, id] of [
        ['workspace', workspace.id],
        ['owner', project.id],
        ['app', appId],
      ] as const) {
        expect(await data.retention.ruleOf(place, id)).toBeNull();
        expect(await data.retention.setRule(place, id, rule)).toBe(true);
        expect(await data.retention.ruleOf(place, id)).toEqual(rule);
        expect(await data.retention.setRule(place, 'nobody', rule)).toBe(false);
      }
      await data.retention.setRule('owner', project.id, null);
      expect(await data.retention.hasRules()).toBe(true);
      const app = await data.retention.findApp(appId);
      expect(app).toMatchObject({
        id: appId,
        platform: 'android',
        packageName: 'com.example.sample',
        owner: { id: project.id, kind: 'project', name: 'ruled-project' },
        rules: { app: rule, owner: null, workspace: rule },
      });
      if (!app) throw new Error('no app');
      const stale = { ...app, rules: { app: null, owner: null, workspace: null } };
      expect(await data.transaction((tx) => tx.retention.lockApp(stale))).toEqual(app);
      for (const scope of [
        { kind: 'app', id: appId },
        { kind: 'owner', id: project.id },
        { kind: 'workspace', id: workspace.id },
      ] as const) {
        expect(await data.retention.listApps(scope, '', 9)).toEqual([app]);
        expect(await data.retention.listApps(scope, appId, 9)).toEqual([]);
        expect(await data.retention.listApps({ ...scope, id: 'nobody' }, '', 9)).toEqual([]);
      }
      const all = await data.retention.listApps({ kind: 'everything' }, '', 999);
      expect(all).toContainEqual(app);
      expect(all.map(({ id }) => id)).toEqual([...all.map(({ id }) => id)].sort());
      await data.appDeletion.hideApp(appId, 5);
      expect(await data.retention.findApp(appId)).toBeNull();
      expect(await data.transaction((tx) => tx.retention.lockApp(app))).toBeNull();
      await data.retention.setRule('workspace', workspace.id, null);
    });

    it('list builds for retention by revision, and find the one at a given position', async () => {
      const owner = await addUser(data, 'retaining');
      const { appId, builds } = await addApp(data, owner.id, { count: 5 });
      await data.buildDeletion.hideBuilds([builds[3]?.id ?? ''], 'Ada', 1);
      const { retainedBuilds } = data;
      const places = await Promise.all([1, 2, 4, 5].map((place) => retainedBuilds.revisionAt(appId, place)));
      expect(places).toEqual([5, 3, 1, 0]);
      await retainedBuilds.spare([], 7);
      await retainedBuilds.spare([builds[1]?.id ?? ''], 7);
      const [second, third, ...more] = await retainedBuilds.list(appId, { after: 1, below: 5, limit: 9 });
      expect(second).toEqual({
        id: builds[1]?.id,
        revision: 2,
        versionName: '1.2',
        versionCode: '7',
        bytes: 5_000_000_000,
        createdAt: 2,
        protected: false,
        exemptUntil: 7,
      });
      expect([third?.revision, third?.exemptUntil, more]).toEqual([3, null, []]);
      expect(await retainedBuilds.list(appId, { after: 0, below: 5, limit: 1 })).toHaveLength(1);
      const held = await data.transaction((tx) => tx.retainedBuilds.hold(appId, [5, 4, 1, 77]));
      expect(held.map(({ revision }) => revision)).toEqual([1, 5]);
      expect(await retainedBuilds.hold(appId, [])).toEqual([]);
    });

    it('keep only the name of a removed Owner', async () => {
      const leaving = await addUser(data, 'leaving');
      const project = await addProject(data, 'leaving-too');
      await data.owners.addTeamMember(project.id, 'owner', leaving.id, 1);
      await data.keys.insertKey({
        ownerId: leaving.id,
        name: 'n',
        keyHash: 'leaving',
        hint: 'h',
        createdAt: 1,
        expiresAt: null,
      });
      const nothing = { pages: 0, devices: 0, keys: 0, memberships: 1 };
      expect(await data.ownerDeletion.contentsOf(leaving.id, 'user')).toEqual({ ...nothing, keys: 1 });
      expect(await data.ownerDeletion.contentsOf(project.id, 'project')).toEqual(nothing);
      expect(await data.ownerDeletion.projectsOf(leaving.id)).toEqual([
        { id: project.id, name: project.name },
      ]);
      expect(await data.ownerDeletion.holdAdministrators()).not.toContain(leaving.id);
      await data.transaction(async (tx) => {
        await tx.ownerDeletion.remove({ id: project.id, kind: 'project', email: null }, 5);
        await tx.ownerDeletion.remove({ id: leaving.id, kind: 'user', email: leaving.email }, 5);
      });
      expect(await data.owners.findOwner('leaving')).toBeNull();
      expect(await data.owners.findOwnerById(project.id)).toBeNull();
      expect(await data.keys.findKey('leaving', 1)).toBeNull();
      expect(await data.quotas.find(leaving.id)).toBeNull();
      expect(await data.audit.findActorName('LEAVING')).toBe('leaving');
      expect(await data.audit.findActorName('never-there')).toBeNull();
    });
  });

  it('keep the audit log of an Owner, newest first, even when the actor is deleted', async () => {
    const project = await addProject(data, 'audited');
    const entry = (at: number, action: string) => ({
      at,
      action,
      ownerId: project.id,
      subject: `subject ${at}`,
    });
    await data.audit.record({ ...entry(1, 'project.made'), actor: 'command-line' });
    await data.audit.record({
      ...entry(3, 'c'),
      actor: { kind: 'project', project },
      details: { deep: [1] },
    });
    await data.audit.record({ ...entry(2, 'b'), actor: { kind: 'user', user: ada } });
    expect(await data.audit.list(project.id, 2)).toEqual([
      { at: 3, actorName: 'audited', action: 'c', subject: 'subject 3', details: { deep: [1] } },
      { at: 2, actorName: 'Ada', action: 'b', subject: 'subject 2', details: {} },
    ]);
    expect(await data.audit.list(ada.id, 10)).toEqual([]);
    const asked = async (filter: object, page: object = {}) =>
      (await data.audit.page({ ownerId: project.id, ...filter }, { limit: 9, ...page })).map(({ at }) => at);
    expect(await asked({})).toEqual([3, 2, 1]);
    expect(await asked({ from: 2 })).toEqual([3, 2]);
    expect(await asked({ from: 2, until: 3 })).toEqual([2]);
    expect(await asked({ action: 'c' })).toEqual([3]);
    expect(await asked({ actorName: 'command-line' })).toEqual([1]);
    const [newest] = await data.audit.page({ ownerId: project.id }, { limit: 1 });
    expect(await asked({}, { below: newest?.id, limit: 1 })).toEqual([2]);
    const oldest = (await data.audit.page({ ownerId: project.id }, { limit: 9 })).at(-1);
    expect(await asked({}, { above: oldest?.id, limit: 1 })).toEqual([2]);
    expect((await data.audit.page({ ownerId: null }, { limit: 9 })).length).toBeGreaterThan(2);
    await data.audit.deleteOld(['b', 'c'], 3);
    expect(await asked({})).toEqual([3, 1]);
  });

  it('are all covered by these tests', () => {
    // Tests of other subjects cover the last ones.
    test.expectCovered(
      [
        'quotas',
        'retention',
        'projectLists',
        'audit',
        'personPlaces',
        'groups',
        'retainedBuilds',
        'owners',
        'teams',
        'workspaces',
        'ownerDeletion',
        'appPeople',
      ],
      [
        'owners.findLanguage',
        'owners.findUser',
        'teams.withdrawInvitations',
        'teams.moveInvitations',
        'teams.projectsInWorkspace',
        'teams.excludeFromLinks',
        'workspaces.hasMember',
        'ownerDeletion.listSubscribedWebhooks',
        'appPeople.listShared',
      ],
    );
  });
});
