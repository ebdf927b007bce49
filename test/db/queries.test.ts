/** Every query of every `*-queries.ts` at least once, on both dialects. The last test requires this. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxSearchedMessageLength, maxSearchedRevisions } from '../../src/apps/builds/build-labels.ts';
import { newHexKey } from '../../src/core/identifier.ts';
import { keyScopes } from '../../src/core/key-scope.ts';
import { lanes } from '../../src/jobs/outbox.ts';
import type { MailDraft } from '../../src/mail/mail-queries.ts';
import type { User } from '../../src/owners/owner.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { addApp, addProject, addUser, sampleBuild, sampleInfo } from '../support/sample-rows.ts';
import { dialects } from '../support/test-database.ts';

const day = 24 * 60 * 60_000;
const groups = [
  'owners',
  'teams',
  'workspaces',
  'quotas',
  'retention',
  'signingKeys',
  'ownerDeletion',
  'projectLists',
  'audit',
  'keys',
  'sessions',
  'attempts',
  'accounts',
  'secondFactors',
  'identities',
  'invitations',
  'inviteLinks',
  'personPlaces',
  'groups',
  'apps',
  'appTesters',
  'appDeletion',
  'builds',
  'buildFilters',
  'buildDeletion',
  'retainedBuilds',
  'distributions',
  'devices',
  'pageCounts',
  'pageSettings',
  'idempotency',
  'outbox',
  'appPages',
  'appPeople',
  'webhooks',
  'events',
  'recordedEvents',
  'mails',
  'mailChoices',
  'doctor',
  'backup',
  'metrics',
  'administration',
] as const;

describe.each(dialects)('queries on %s', (dialect) => {
  let test: TestData;
  let data: TestData['data'];
  let ada: User;
  const asked = new Set<string>();
  beforeAll(async () => {
    test = await openTestData(dialect);
    data = recordCalls(test.data, asked);
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

    it('respond to a ping', () => data.owners.ping());
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
      expect(await data.ownerDeletion.projectsOf(leaving.id)).toEqual([project.id]);
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

  describe('access', () => {
    const key = (ownerId: string, keyHash: string) => ({
      ownerId,
      keyHash,
      name: 'ci',
      hint: 'slw_abcd',
      createdAt: 5,
      expiresAt: 50,
    });

    it('finds an API key with its owner, and keeps revoked keys', async () => {
      const project = await addProject(data, 'keyed', 'acme');
      const own = await data.keys.insertKey(key(ada.id, 'a1'));
      const other = await data.keys.insertKey(key(project.id, 'a2'));
      const expected = { id: own.id, expiresAt: 50, revokedAt: null, lastUsedAt: null };
      expect(await data.keys.findKey('a1', 1)).toEqual({
        ...expected,
        actor: { kind: 'user', user: ada },
        scopes: keyScopes,
      });
      expect(await data.keys.findKey('a2', 1)).toMatchObject({
        id: other.id,
        actor: { kind: 'project', project },
      });
      expect(await data.keys.findKey('a3', 1)).toBeNull();
      await data.keys.touchKey(own.id, 20, '192.0.2.1');
      expect(await data.keys.revokeKey(project.id, own.id, 21)).toBeNull();
      expect(await data.keys.revokeKey(ada.id, own.id, 22)).toBe(own.id);
      expect(await data.keys.revokeKey(ada.id, own.id, 23)).toBeNull();
      expect(await data.keys.findKey('a1', 1)).toMatchObject({ lastUsedAt: 20, revokedAt: 22 });
      expect(await data.keys.listKeys(ada.id)).toEqual([
        { ...own, lastUsedAt: 20, lastUsedNetwork: '192.0.2.1', revokedAt: 22 },
      ]);
    });

    it('replaces the secret of a key and gives the old one an expiry', async () => {
      const rotated = await data.keys.insertKey(key(ada.id, 'r1'));
      const next = { keyHash: 'r2', hint: 'slw_next', expiresAt: 90, now: 10, previousUntil: 20 };
      expect(await data.keys.rotateKey({ ...rotated, hint: 'slw_gone' }, next)).toBe(false);
      expect(await data.keys.rotateKey(rotated, next)).toBe(true);
      const found = async (hash: string, now: number) => [
        (await data.keys.findKey(hash, now))?.id ?? null,
        (await data.keys.holdKey(hash, now))?.id ?? null,
      ];
      const { id } = rotated;
      expect(await found('r2', 19)).toEqual([id, id]);
      expect(await found('r1', 19)).toEqual([id, id]);
      expect(await found('r1', 20)).toEqual([null, null]);
      expect(await data.keys.findKeyById(id)).toEqual({
        ...rotated,
        hint: 'slw_next',
        expiresAt: 90,
        rotatedAt: 10,
        previousUntil: 20,
      });
      expect(await data.keys.endPreviousSecret('nobody', id, 15)).toBe(false);
      expect(await data.keys.endPreviousSecret(ada.id, id, 20)).toBe(false);
      expect(await data.keys.endPreviousSecret(ada.id, id, 15)).toBe(true);
      expect(await found('r1', 15)).toEqual([null, null]);
      expect(await data.keys.findKeyById('none')).toBeNull();
    });

    it('rotates the secret of an app once for each expired key', async () => {
      const owner = await addUser(data, 'rotating');
      const { appId } = await addApp(data, owner.id, { platform: 'ios' });
      expect(await data.apps.rotateSecret(appId, 'b'.repeat(40))).toBe(true);
      expect(await data.apps.rotateSecret('nowhere', 'b'.repeat(40))).toBe(false);
      const secretOf = async () => (await data.apps.findAppById(appId))?.secret;
      expect(await secretOf()).toBe('b'.repeat(40));
      await data.keys.insertKey({ ...key(owner.id, 'expiring'), expiresAt: 50 });
      await data.keys.noticeExpiredKeys(49);
      expect(await secretOf()).toBe('b'.repeat(40));
      await data.keys.noticeExpiredKeys(50);
      const rotated = await secretOf();
      expect(rotated).not.toBe('b'.repeat(40));
      await data.keys.noticeExpiredKeys(51);
      expect(await secretOf()).toBe(rotated);
    });

    it('rotates the secret of an app when the replaced secret of a key expires', async () => {
      const owner = await addUser(data, 'replacing');
      const { appId } = await addApp(data, owner.id, { platform: 'ios' });
      const rotations = async () => (await data.apps.findAppById(appId))?.secretRotations;
      const { id } = await data.keys.insertKey(key(owner.id, 'replaced'));
      const rotate = async (to: string, previousUntil: number | null) => {
        const record = await data.keys.findKeyById(id);
        if (!record) throw new Error('the key is gone');
        const next = { keyHash: to, hint: to, expiresAt: null, now: 1, previousUntil };
        expect(await data.keys.rotateKey(record, next)).toBe(true);
      };
      await rotate('replaced-1', 50);
      await data.keys.noticeExpiredKeys(49);
      expect(await rotations()).toBe(0);
      await data.keys.noticeExpiredKeys(50);
      await data.keys.noticeExpiredKeys(51);
      expect(await rotations()).toBe(1);
      await rotate('replaced-2', null);
      expect(await rotations()).toBe(2);
      await rotate('replaced-3', 90);
      expect(await data.keys.endPreviousSecret(owner.id, id, 60)).toBe(true);
      expect(await rotations()).toBe(3);
      await rotate('replaced-4', 90);
      await rotate('replaced-5', 90);
      expect(await rotations()).toBe(4);
      await data.keys.revokeKey(owner.id, id, 70);
      await data.keys.noticeExpiredKeys(95);
      expect(await rotations()).toBe(5);
    });

    it('reports whether the creator of a Project’s key is still a member', async () => {
      const project = await addProject(data, 'creators');
      const mia = await addUser(data, 'key-maker');
      await data.owners.addTeamMember(project.id, 'owner', mia.id, 1);
      await data.owners.addTeamMember(project.id, 'tester', mia.id, 1);
      await data.keys.insertKey({ ...key(project.id, 'creator'), createdBy: mia });
      const creators = async () => (await data.keys.listKeys(project.id)).map(({ createdBy }) => createdBy);
      expect(await creators()).toEqual([{ name: 'key-maker', left: false }]);
      await data.owners.removeTeamMember(project.id, 'owner', mia.id);
      expect(await creators()).toEqual([{ name: 'key-maker', left: false }]);
      await data.owners.removeTeamMember(project.id, 'tester', mia.id);
      expect(await creators()).toEqual([{ name: 'key-maker', left: true }]);
    });

    it('refuses the same key twice', async () => {
      await data.keys.insertKey(key(ada.id, 'twice'));
      await expect(data.keys.insertKey(key(ada.id, 'twice'))).rejects.toThrow(/unique/i);
    });

    it('counts usable keys', async () => {
      const counted = await addUser(data, 'counted');
      expect(await data.keys.countUsableKeys(counted.id, 10)).toBe(0);
      const first = await data.keys.insertKey(key(counted.id, 'c1'));
      await data.keys.insertKey(key(counted.id, 'c2'));
      await data.keys.insertKey({ ...key(counted.id, 'c3'), expiresAt: null });
      await data.keys.revokeKey(counted.id, first.id, 9);
      expect(await data.keys.countUsableKeys(counted.id, 49)).toBe(2);
      expect(await data.keys.countUsableKeys(counted.id, 50)).toBe(1);
    });

    it('ends sessions on expiry, on sign-out and from another session', async () => {
      expect(await data.sessions.hasSessions()).toBe(false);
      const session = (tokenHash: string, expiresAt: number, createdAt = 1, userId = ada.id) => ({
        userId,
        tokenHash,
        createdAt,
        expiresAt,
        userAgent: `agent of ${tokenHash}`,
        address: '::1',
        authenticatedAt: null,
      });
      await data.sessions.insertSession(session('s1', 10));
      await data.sessions.insertSession(session('s2', 20));
      await data.sessions.insertSession(session('s3', 20));
      expect(await data.sessions.hasSessions()).toBe(true);
      const known = await data.sessions.findSession('s1', 9);
      expect(known).toEqual({
        id: expect.stringMatching(/^[0-9a-z]{26}$/),
        language: null,
        user: ada,
        mustChangePassword: false,
        passwordAlone: true,
        createdAt: 1,
        lastSeenAt: 1,
      });
      expect(await data.sessions.findProof('s1')).toBeNull();
      await data.sessions.recordProof('s1', 8);
      expect(await data.sessions.findProof('s1')).toBe(8);
      expect(await data.sessions.findProof('s9')).toBeNull();
      expect(await data.sessions.findSession('s1', 10)).toBeNull();
      await data.sessions.deleteExpiredSessions(10);
      expect(await data.sessions.findSession('s1', 0)).toBeNull();
      await data.sessions.deleteSession('s2');
      expect(await data.sessions.findSession('s2', 0)).toBeNull();
      const third = await data.sessions.findSession('s3', 0);
      await data.sessions.touchSession(third?.id ?? '', { at: 8, address: '10.0.0.9', endsAt: 25 });
      const listed = { id: third?.id, userAgent: 'agent of s3', address: '10.0.0.9' };
      const line = { ...listed, current: true, createdAt: 1, lastSeenAt: 8, endsAt: 25 };
      expect(await data.sessions.listSessions(ada.id, 's3', 24)).toEqual([line]);
      expect(await data.sessions.listSessions(ada.id, 's4', 24)).toEqual([{ ...line, current: false }]);
      expect(await data.sessions.listSessions(ada.id, 's3', 25)).toEqual([]);

      const other = await addUser(data, 'with-sessions');
      for (let at = 1; at <= 5; at++) {
        await data.sessions.insertSession(session(`o${at}`, 99, at, other.id));
      }
      const hashes = async () => {
        const found: string[] = [];
        for (let at = 1; at <= 5; at++) {
          if (await data.sessions.findSession(`o${at}`, 9)) found.push(`o${at}`);
        }
        return found;
      };
      await data.sessions.deleteSurplusSessions(other.id, 4);
      expect(await hashes()).toEqual(['o2', 'o3', 'o4', 'o5']);
      const fifth = await data.sessions.findSession('o5', 9);
      expect(await data.sessions.deleteSessionOf(ada.id, fifth?.id ?? '')).toBe(false);
      expect(await data.sessions.deleteSessionOf(other.id, fifth?.id ?? '')).toBe(true);
      expect(await data.sessions.deleteSessionsOf(other.id, 'o3')).toBe(2);
      expect(await hashes()).toEqual(['o3']);
      expect(await data.sessions.deleteSessionsOf(other.id, null)).toBe(1);
      expect(await data.sessions.findSession('s3', 0)).not.toBeNull();
    });
  });

  describe('accounts', () => {
    it('store passwords, passwords that must be changed, and addresses', async () => {
      const user = await addUser(data, 'account');
      await addUser(data, 'account-too');
      expect(await data.accounts.findAccount(user.id)).toEqual({
        passwordHash: 'hash of account',
        mustChangePassword: false,
      });
      await data.accounts.setPassword(user.id, 'another', true);
      expect(await data.accounts.findAccount(user.id)).toEqual({
        passwordHash: 'another',
        mustChangePassword: true,
      });
      expect(await data.accounts.findAccount('nobody')).toBeNull();
      expect(await data.accounts.hasSeveralPeople()).toBe(true);
      expect(await data.accounts.setEmail(user.id, 'New@Example.com', null, true)).toBe(false);
      expect(await data.accounts.setEmail(user.id, 'New@Example.com', user.email, true)).toBe(true);
      expect(await data.accounts.isEmailTaken('nEW@example.com')).toBe(true);
      expect(await data.accounts.isEmailTaken('account@example.com')).toBe(false);
      const taken = data.accounts.setEmail(user.id, 'ACCOUNT-too@example.com', 'New@Example.com', true);
      await expect(taken).rejects.toThrow(/unique/i);
      expect(await data.owners.findLanguage(user.id)).toBeNull();
      await data.accounts.setLanguage(user.id, 'ja');
      expect(await data.owners.findLanguage(user.id)).toBe('ja');
      await data.accounts.setLanguage(user.id, null);
      expect([await data.owners.findLanguage(user.id), await data.owners.findLanguage('nobody')]).toEqual([
        null,
        null,
      ]);
      const bare = await addUser(data, 'account-bare', { email: null });
      expect(await data.accounts.setEmail(bare.id, 'bare@example.com', null, false)).toBe(true);
    });

    it('accept a reset token once, while it is valid', async () => {
      const user = await addUser(data, 'forgetful');
      const reset = (tokenHash: string) => ({ userId: user.id, tokenHash, expiresAt: 10 });
      await data.accounts.insertReset(reset('r1'));
      expect(await data.accounts.findReset('r1', 9)).toEqual({ userId: user.id, userName: 'forgetful' });
      expect(await data.accounts.findReset('r1', 10)).toBeNull();
      expect(await data.accounts.findReset('r2', 9)).toBeNull();
      expect(await data.accounts.useReset('r1', 10)).toBe(false);
      expect(await data.accounts.useReset('r1', 9)).toBe(true);
      expect(await data.accounts.useReset('r1', 9)).toBe(false);
      await data.accounts.insertReset(reset('r3'));
      await data.accounts.deleteResetsOf(user.id);
      expect(await data.accounts.findReset('r3', 9)).toBeNull();
    });
  });

  describe('second factors', () => {
    it('store a TOTP secret and use each time step once, in order', async () => {
      const person = await addUser(data, 'two-steps');
      const none = { encryptedTotp: null, passkeys: 0, recoveryCodes: 0 };
      expect(await data.secondFactors.findFactors(person.id)).toEqual(none);
      expect(await data.secondFactors.findFactors('nobody')).toBeNull();
      expect(await data.secondFactors.insertTotp(person.id, 'sealed', 7)).toBe(true);
      expect(await data.secondFactors.insertTotp(person.id, 'other', 8)).toBe(false);
      expect(await data.secondFactors.insertTotp('nobody', 'other', 8)).toBe(false);
      const take = (encrypted: string, step: number) =>
        data.secondFactors.takeTotpStep(person.id, encrypted, step);
      const taken = [await take('sealed', 7), await take('other', 8), await take('sealed', 8)];
      expect([...taken, await take('sealed', 8)]).toEqual([false, false, true, false]);
      expect(await data.secondFactors.findFactors(person.id)).toEqual({ ...none, encryptedTotp: 'sealed' });
      const deleted = [
        await data.secondFactors.deleteTotp(person.id),
        await data.secondFactors.deleteTotp(person.id),
      ];
      expect(deleted).toEqual([true, false]);
      expect(await data.secondFactors.findFactors(person.id)).toEqual(none);
      expect(await data.secondFactors.holdFactors(person.id)).toBe(true);
      expect(await data.secondFactors.holdFactors('nobody')).toBe(false);
    });

    it('store recovery codes, each valid once and for one person', async () => {
      const [one, other] = [await addUser(data, 'codes-one'), await addUser(data, 'codes-other')];
      await data.secondFactors.replaceRecoveryCodes(one.id, ['h1', 'h2', 'h3']);
      await data.secondFactors.replaceRecoveryCodes(other.id, ['h1']);
      const take = (hash: string) => data.secondFactors.takeRecoveryCode(one.id, hash);
      expect([await take('h1'), await take('h1'), await take('h9')]).toEqual([true, false, false]);
      await data.secondFactors.replaceRecoveryCodes(one.id, ['h4']);
      expect([await take('h2'), await take('h4')]).toEqual([false, true]);
      await data.secondFactors.replaceRecoveryCodes(one.id, []);
      expect(await data.secondFactors.findFactors(other.id)).toMatchObject({ recoveryCodes: 1 });
    });

    it('store passkeys, whose signature counter only grows', async () => {
      const person = await addUser(data, 'passkeys');
      const key = {
        userId: person.id,
        credentialId: 'credential',
        publicKey: 'key',
        signatureCount: 0,
        transports: ['usb', 'nfc'],
        name: 'Laptop',
      };
      await data.secondFactors.insertPasskey(key, 5);
      await expect(data.secondFactors.insertPasskey({ ...key, userId: ada.id }, 6)).rejects.toThrow();
      const passkey = await data.secondFactors.findPasskey('credential');
      expect(passkey).toEqual({ ...key, id: expect.any(String) });
      expect(await data.secondFactors.findPasskey('other')).toBeNull();
      const id = passkey?.id ?? '';
      const uses: boolean[] = [];
      for (const count of [0, 0, 3, 3, 2, 0, 4]) uses.push(await data.secondFactors.usePasskey(id, count, 9));
      expect(uses).toEqual([true, true, true, false, false, false, true]);
      expect(await data.secondFactors.renamePasskey(ada.id, id, 'x')).toBe(false);
      expect(await data.secondFactors.renamePasskey(person.id, id, 'Phone')).toBe(true);
      expect(await data.secondFactors.listPasskeys(person.id)).toEqual([
        {
          id,
          credentialId: 'credential',
          transports: ['usb', 'nfc'],
          name: 'Phone',
          createdAt: 5,
          lastUsedAt: 9,
        },
      ]);
      expect(await data.secondFactors.deletePasskey(ada.id, id)).toBeNull();
      expect(await data.secondFactors.deletePasskey(person.id, id)).toBe('Phone');
      await data.secondFactors.insertPasskey(key, 6);
      expect(await data.secondFactors.deletePasskeysOf(person.id)).toBe(1);
      expect(await data.secondFactors.deletePasskeysOf(person.id)).toBe(0);
    });
  });

  describe('identities', () => {
    const issuer = 'https://login.example.com';

    it('store the owner of an identity, one per issuer and person', async () => {
      const user = await addUser(data, 'linked');
      const other = await addUser(data, 'linked-too');
      const identity = { issuer, subject: 's1', label: 'l@x', userId: user.id, createdAt: 5 };
      expect(await data.identities.findUserOfIdentity(issuer, 's1')).toBeNull();
      await data.identities.insertIdentity(identity);
      expect(await data.identities.findUserOfIdentity(issuer, 's1')).toEqual(user);
      expect(await data.identities.findUserOfIdentity('https://other.example', 's1')).toBeNull();
      const again = data.identities.insertIdentity({ ...identity, subject: 's2' });
      await expect(again).rejects.toThrow(/unique/i);
      const stolen = data.identities.insertIdentity({ ...identity, userId: other.id });
      await expect(stolen).rejects.toThrow(/unique/i);
      const elsewhere = { ...identity, issuer: 'https://other.example', createdAt: 6 };
      await data.identities.insertIdentity(elsewhere);
      const listed = { issuer, subject: 's1', label: 'l@x', createdAt: 5 };
      expect(await data.identities.listIdentities(user.id)).toEqual([
        listed,
        { ...listed, issuer: elsewhere.issuer, createdAt: 6 },
      ]);
      expect(await data.identities.deleteIdentity(other.id, issuer, 's1')).toBe(false);
      expect(await data.identities.deleteIdentity(user.id, issuer, 's1')).toBe(true);
      expect(await data.identities.findUserOfIdentity(issuer, 's1')).toBeNull();
    });

    it('find the owner of an address, and whether it was confirmed', async () => {
      const user = await addUser(data, 'holder');
      const holder = { ...user, email: 'Held@example.com' };
      expect(await data.identities.findHolderOfEmail('HOLDER@example.com')).toEqual({
        user,
        confirmed: false,
      });
      await data.accounts.setEmail(user.id, 'Held@example.com', user.email, true);
      expect(await data.identities.findHolderOfEmail('held@example.com')).toEqual({
        user: holder,
        confirmed: true,
      });
      expect(await data.identities.findHolderOfEmail('nobody@example.com')).toBeNull();
    });
  });

  it('store invitations, each valid once and until it expires', async () => {
    const project = await addProject(data, 'inviting');
    const into = { projectId: project.id, team: 'tester' } as const;
    const put = (tokenHash: string, changes: object = {}) =>
      data.invitations.insertInvitation({
        tokenHash,
        email: null,
        into,
        invitedBy: ada.id,
        createdAt: 5,
        expiresAt: 50,
        ...changes,
      });
    expect(await data.invitations.findInvitation('i0', 9)).toBeNull();
    await put('i0');
    // An invitation by a user without permission to invite is invalid.
    expect(await data.invitations.findInvitation('i0', 9)).toBeNull();
    await data.invitations.deleteOldInvitations(project.id, 51);
    await data.owners.addTeamMember(project.id, 'owner', ada.id, 1);
    const root = await addUser(data, 'root-inviter', { administrator: true });
    const first = await put('i1');
    const second = await put('i2', { email: 'guest@example.com', createdAt: 6, expiresAt: 60 });
    const here = await put('i3', { into: null, invitedBy: root.id });
    expect(await data.invitations.findInvitation('i1', 49)).toEqual({
      id: first,
      email: null,
      invitedBy: 'Ada',
      createdAt: 5,
      expiresAt: 50,
      into: { kind: 'project', id: project.id, name: 'inviting', team: 'tester' },
      link: null,
    });
    expect(await data.invitations.findInvitation('i1', 50)).toBeNull();
    expect(await data.invitations.findInvitationById(here, 49)).toMatchObject({
      into: null,
      invitedBy: 'root-inviter',
    });
    const ids = async (projectId: string | null, now: number) =>
      (await data.invitations.listInvitations(projectId, now, 9)).map(({ id }) => id);
    expect(await ids(project.id, 9)).toEqual([second, first]);
    expect(await ids(project.id, 50)).toEqual([second]);
    expect(await ids(null, 9)).toEqual([here]);
    expect(await data.invitations.countInvitations(project.id, 9)).toBe(2);
    expect(await data.invitations.countInvitations(null, 9)).toBe(1);
    expect(await data.invitations.setInvitationToken(second, 'i4', 60)).toBe(false);
    expect(await data.invitations.setInvitationToken(second, 'i4', 59)).toBe(true);
    expect(await data.invitations.findInvitation('i2', 9)).toBeNull();
    expect(await data.invitations.useInvitation(second, 60)).toBe(false);
    await data.owners.removeTeamMember(project.id, 'owner', ada.id);
    expect(await data.invitations.useInvitation(second, 59)).toBe(false);
    await data.owners.addTeamMember(project.id, 'owner', ada.id, 1);
    expect(await data.invitations.useInvitation(second, 59)).toBe(true);
    expect(await data.invitations.useInvitation(second, 59)).toBe(false);
    expect(await data.invitations.findInvitation('i4', 9)).toBeNull();
    expect(await data.invitations.deleteInvitation(project.id, second)).toBeNull();
    expect(await data.invitations.deleteInvitation(null, first)).toBeNull();
    expect(await data.invitations.deleteInvitation(project.id, first)).toEqual({
      team: 'tester',
      mailed: false,
    });
    await data.invitations.deleteOldInvitations(null, 50);
    expect(await ids(null, 9)).toEqual([here]);
    await data.invitations.deleteOldInvitations(null, 51);
    expect(await ids(null, 9)).toEqual([]);
  });

  it('store invite links, each valid for several people', async () => {
    const { inviteLinks, invitations } = data;
    const project = await addProject(data, 'linking');
    await data.owners.addTeamMember(project.id, 'owner', ada.id, 1);
    const into = { kind: 'project', id: project.id, name: 'linking', team: 'tester' } as const;
    const groupId = await data.groups.insertGroup({ ownerId: project.id, name: 'QA', now: 1 });
    const put = (id: string, expiresAt: number) =>
      inviteLinks.insert({
        id,
        into,
        groupId,
        expiresAt,
        tokenHash: `link ${id}`,
        name: 'Everyone',
        maxPeople: 2,
        invitedBy: ada.id,
        createdAt: 1,
      });
    await put('l1', 50);
    await put('l2', 60);
    const expected = {
      id: 'l1',
      name: 'Everyone',
      into,
      group: { id: groupId, name: 'QA' },
      people: 0,
      maxPeople: 2,
    };
    expect(await inviteLinks.find(into, 'l1', 9)).toMatchObject({
      ...expected,
      isActive: true,
      tokenHash: 'link l1',
    });
    const ids = async (now: number) => (await inviteLinks.list(into, now, 9)).map(({ id }) => id);
    expect([await ids(49), await ids(50)]).toEqual([['l2', 'l1'], ['l2']]);
    expect(await invitations.findInvitation('link l1', 9)).toMatchObject({
      into,
      link: { groupId, maxPeople: 2 },
    });
    // Invitations for one person are listed and counted apart.
    expect(await invitations.listInvitations(project.id, 9, 9)).toEqual([]);
    expect(await invitations.countInvitations(project.id, 9)).toBe(0);
    expect(await invitations.deleteInvitation(project.id, 'l1')).toBeNull();
    const uses = [];
    for (let use = 0; use < 3; use++) uses.push(await invitations.useInvitation('l1', 9));
    expect(uses).toEqual([true, true, false]);
    expect(await invitations.findInvitation('link l1', 9)).toBeNull();
    expect(await inviteLinks.find(into, 'l1', 9)).toMatchObject({ people: 2 });
    expect(await inviteLinks.delete({ ...into, id: 'other' }, 'l1')).toBeNull();
    expect(await inviteLinks.delete(into, 'l1')).toBe('Everyone');
    await inviteLinks.deleteExpired(into, 60);
    expect(await ids(9)).toEqual(['l2']);
    await inviteLinks.deleteExpired(into, 61);
    expect(await ids(9)).toEqual([]);
  });

  it('keep invitations for existing accounts restricted to those accounts', async () => {
    const { invitations } = data;
    const project = await addProject(data, 'asking');
    await data.owners.addTeamMember(project.id, 'owner', ada.id, 1);
    const guest = await addUser(data, 'asked');
    const { appId } = await addApp(data, ada.id, { packageName: 'com.asked' });
    const yard = await data.owners.insertWorkspace({
      name: 'asking-yard',
      displayName: 'Yard',
      iconUrl: '/i',
      createdAt: 1,
    });
    await data.owners.addWorkspaceOwner(yard.id, ada.id);
    const put = (tokenHash: string, into: { projectId: string; team: 'tester' } | null, place: object = {}) =>
      invitations.insertInvitation({
        tokenHash,
        email: null,
        into,
        invitedBy: ada.id,
        createdAt: 5,
        expiresAt: 50,
        personal: { userId: guest.id, workspaceId: null, appId: null, ...place },
      });
    const first = await put('p1', { projectId: project.id, team: 'tester' });
    const second = await put('p2', null, { workspaceId: yard.id });
    const third = await put('p3', null, { appId });
    const places = [
      { kind: 'project', id: project.id, name: 'asking', team: 'tester' },
      { kind: 'workspace', id: yard.id, name: 'asking-yard' },
      { kind: 'app', id: appId, name: 'com.asked (android)', ownerId: ada.id },
    ] as const;
    const open = await invitations.listOfUser(guest.id, 9, 9);
    expect(open.map(({ place }) => place)).toHaveLength(3);
    for (const [at, id] of [first, second, third].entries()) {
      const place = places[at] ?? places[0];
      expect(await invitations.findOfUser(guest.id, id, 9)).toMatchObject({ place, invitedBy: 'Ada' });
      expect(await invitations.findPersonal(id, 9)).toMatchObject({ user: { id: guest.id, name: 'asked' } });
      expect(await invitations.findOfUser(ada.id, id, 9)).toBeNull();
      expect(await invitations.findOfUser(guest.id, id, 50)).toBeNull();
      expect((await invitations.listOfPlace(place, 9, 9)).map((one) => one.id)).toEqual([id]);
      expect(await invitations.findInvitation(`p${at + 1}`, 9)).toBeNull();
    }
    expect(await invitations.countInvitations(project.id, 9)).toBe(0);
    expect(await invitations.useInvitation(second, 9)).toBe(true);
    expect(await invitations.useInvitation(second, 9)).toBe(false);
    expect(await invitations.deleteOfPlace(places[0], third)).toBe(false);
    await data.teams.deleteOpenInvitations(places[2], ada.id);
    await data.teams.deleteOpenInvitations(places[0], guest.id);
    expect(await invitations.findOfUser(guest.id, first, 9)).toBeNull();
    expect(await invitations.deleteOfPlace(places[2], third)).toBe(true);
    expect(await data.workspaces.hasMember(yard.id, ada.id)).toBe(true);
    expect(await data.workspaces.hasMember(yard.id, guest.id)).toBe(false);
    const last = await put('p4', { projectId: project.id, team: 'tester' });
    await data.owners.removeTeamMember(project.id, 'owner', ada.id);
    expect(await invitations.useInvitation(last, 9)).toBe(false);
  });

  describe('apps', () => {
    it('assign revisions 1, 2, 3 … and never reuse one that was rolled back or deleted', async () => {
      const { appId } = await addApp(data, ada.id, { packageName: 'com.revisions', count: 2 });
      const take = {
        ownerId: ada.id,
        platform: 'android',
        packageName: 'com.revisions',
        secret: 'x',
        now: 9,
      } as const;
      const undone = data.transaction(async (tx) => {
        expect((await tx.apps.takeNextRevision(take)).lastRevision).toBe(3);
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      expect(await data.apps.takeNextRevision(take)).toMatchObject({
        id: appId,
        lastRevision: 3,
        lastUploadAt: 9,
      });
      const app = await data.apps.findApp(ada.id, 'android', 'com.revisions');
      expect(app).toMatchObject({
        id: appId,
        lastRevision: 3,
        createdAt: 1,
        latestName: 'Sample',
        owner: { name: 'Ada', kind: 'user' },
      });
      expect(app?.secret).toMatch(/^[0-9a-f]{40}$/);
      expect(await data.apps.findAppById(appId)).toEqual(app);
      expect(await data.apps.findApp(ada.id, 'ios', 'com.revisions')).toBeNull();
      expect(await data.apps.findApp(ada.id, 'android', 'COM.revisions')).toBeNull();
      expect(await data.apps.findAppById('none')).toBeNull();
    });

    it('assign revisions without gaps or duplicates to concurrent uploads', async () => {
      const take = {
        ownerId: ada.id,
        platform: 'ios',
        packageName: 'com.parallel',
        secret: 'x',
        now: 1,
      } as const;
      const second = await test.openSecond();
      const takers = Array.from({ length: 40 }, (_, index) =>
        (index % 2 ? data : second.data).transaction(async (tx) => {
          const { id, lastRevision } = await tx.apps.takeNextRevision(take);
          if (lastRevision % 7 === 0 && index % 5 === 0) throw new Error('rolled back');
          await tx.builds.insertBuild(sampleBuild(id, lastRevision));
          return lastRevision;
        }),
      );
      const taken = (await Promise.allSettled(takers)).flatMap((end) =>
        end.status === 'fulfilled' ? [end.value] : [],
      );
      expect(taken.length).toBeGreaterThan(30);
      expect(taken.sort((one, other) => one - other)).toEqual(taken.map((_, index) => index + 1));
    });

    it('keep the apps of each platform separate under one package name', async () => {
      await addApp(data, ada.id, { packageName: 'com.both', platform: 'ios' });
      await addApp(data, ada.id, { packageName: 'com.both', platform: 'android' });
      const both = await data.apps.findAppsByPackageName(ada.id, 'com.both');
      expect(both.map(({ platform }) => platform)).toEqual(['android', 'ios']);
    });

    it('list apps by name and platform, and go on after any of them', async () => {
      const lister = await addUser(data, 'lister');
      for (const packageName of ['com.list.b', 'com.list.a']) {
        await addApp(data, lister.id, { packageName, platform: 'ios' });
        await addApp(data, lister.id, { packageName, platform: 'android' });
      }
      const namesAfter = async (after?: { packageName: string; platform: 'android' | 'ios' }) =>
        (await data.apps.listAppsByName(lister.id, { after, limit: 99 }))
          .filter(({ packageName }) => packageName.startsWith('com.list.'))
          .map(({ packageName, platform }) => `${packageName} ${platform}`);
      const all = ['com.list.a android', 'com.list.a ios', 'com.list.b android', 'com.list.b ios'];
      expect(await namesAfter()).toEqual(all);
      expect(await namesAfter({ packageName: 'com.list.a', platform: 'ios' })).toEqual(all.slice(2));
      expect(await data.apps.listAppsByName(lister.id, { limit: 1 })).toHaveLength(1);
    });

    it('list pages by name, and find one by its name', async () => {
      const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.pages.by.name' });
      const [build] = builds;
      for (const name of ['b', 'a', 'c'])
        await data.distributions.putPageByName({
          appId,
          name,
          accessKey: `by-name-${name}`,
          buildId: build?.id ?? '',
          releaseNote: '',
          now: 1,
        });
      const namesOf = (pages: { name: string }[]) => pages.map(({ name }) => name);
      expect(namesOf(await data.distributions.listPagesByName(appId, { limit: 9 }))).toEqual(['a', 'b', 'c']);
      expect(namesOf(await data.distributions.listPagesByName(appId, { after: 'a', limit: 1 }))).toEqual([
        'b',
      ]);
      expect((await data.distributions.findPageByName(appId, 'c'))?.accessKey).toBe('by-name-c');
      expect(await data.distributions.findPageByName(appId, 'd')).toBeNull();
    });

    it('return every field of a build as it was stored', async () => {
      const { appId } = await addApp(data, ada.id, { packageName: 'com.whole', count: 0 + 1 });
      const build = sampleBuild(appId, 2, {
        icon: { state: 'none' },
        simulatorBlob: 'simulators/whole',
        simulatorBytes: 3_000_000_000,
        verification: { verified: false, verifiedFromSdk: null, problems: ['cut'] },
        branch: 'main',
        commit: 'abc',
        buildUrl: 'https://ci.example/1',
        label: 'nightly',
        uploadWarnings: ['message was cut.'],
        message: 'Grüße 📦 \\ \' " \n',
      });
      await data.builds.insertBuild(build);
      expect(await data.builds.findBuild(build.id)).toEqual(build);
      expect(await data.builds.findBuildByRevision(appId, 2)).toEqual(build);
      expect(await data.builds.findBuild('none')).toBeNull();
      expect(await data.builds.findBuildByRevision(appId, 3)).toBeNull();
      const same = sampleBuild(appId, 2);
      await expect(data.builds.insertBuild(same)).rejects.toThrow(/unique/i);
    });

    it('page through builds in both directions', async () => {
      const { appId } = await addApp(data, ada.id, { packageName: 'com.pages', count: 7 });
      const revisions = async (page: Parameters<typeof data.builds.listBuilds>[1]) =>
        (await data.builds.listBuilds(appId, page)).map(({ revision }) => revision);
      expect(await revisions({ limit: 3 })).toEqual([7, 6, 5]);
      expect(await revisions({ below: 5, limit: 3 })).toEqual([4, 3, 2]);
      expect(await revisions({ above: 4, limit: 2 })).toEqual([6, 5]);
      expect(await revisions({ below: 1, limit: 3 })).toEqual([]);
    });

    it('filter builds, and list the values that occur', async () => {
      const { appId } = await addApp(data, ada.id, { packageName: 'com.filters' });
      const signed = (sha256: string) => {
        const { info } = sampleBuild(appId, 1);
        const certificate = {
          sha1: '',
          sha256,
          subject: 'CN=Sample',
          issuer: 'CN=Sample',
          validFrom: '',
          validUntil: '',
          key: 'EC 256',
        };
        return { ...info, signing: { ...info.signing, certificates: [certificate] } };
      };
      const add = async (revision: number, change: Parameters<typeof sampleBuild>[2]) => {
        const build = sampleBuild(appId, revision, change);
        await data.builds.insertBuild(build);
        return build.id;
      };
      await add(2, { branch: 'main', label: 'rc', uploadedBy: 'jo', info: signed('aa') });
      const third = await add(3, { branch: 'main', uploadedBy: 'jo', info: signed('bb') });
      await add(4, { branch: 'next', label: 'rc', info: signed('bb') });
      const page = await data.distributions.putPageByName({
        appId,
        name: 'QA',
        accessKey: newHexKey(),
        buildId: third,
        releaseNote: '',
        now: 1,
      });
      const found = async (filters: Parameters<typeof data.buildFilters.countFiltered>[1]) => {
        const builds = await data.builds.listBuilds(appId, { limit: 9, filters });
        expect(await data.buildFilters.countFiltered(appId, filters)).toEqual({
          builds: builds.length,
          bytes: builds.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
        });
        return builds.map(({ revision }) => revision);
      };
      expect(await found({ branch: 'main' })).toEqual([3, 2]);
      expect(await found({ label: 'rc', branch: 'main' })).toEqual([2]);
      expect(await found({ uploader: 'jo' })).toEqual([3, 2]);
      expect(await found({ signer: 'bb' })).toEqual([4, 3]);
      expect(await found({ page: page.id })).toEqual([3]);
      expect(await found({ page: 'none' })).toEqual([]);
      const { builds } = await data.builds.searchBuilds(appId, {
        below: 9,
        limit: 9,
        text: 'rc',
        filters: { branch: 'next' },
      });
      expect(builds.map(({ revision }) => revision)).toEqual([4]);
      expect(await data.buildFilters.filterValues(appId)).toMatchObject({
        branch: ['next', 'main'],
        label: ['rc'],
        signer: expect.arrayContaining([
          { value: 'bb', newest: 4 },
          { value: 'aa', newest: 2 },
        ]),
      });
      expect(await data.builds.changeLabel(third, 'beta')).toBe(true);
      expect(await data.builds.changeLabel('none', 'beta')).toBe(false);
      expect(await found({ label: 'beta' })).toEqual([3]);
      const relabeled = await data.builds.searchBuilds(appId, { below: 9, limit: 9, text: 'beta' });
      expect(relabeled.builds.map(({ revision }) => revision)).toEqual([3]);
      const listed = await data.builds.listByRevisions(appId, [2, 4, 99]);
      expect(listed.map(({ revision }) => revision)).toEqual([4, 2]);
      expect(await data.builds.listByRevisions(appId, [])).toEqual([]);
      expect(await data.appPages.tabCounts({ id: appId, owner: { id: ada.id, kind: 'user' } })).toEqual({
        builds: 4,
        pages: 1,
        feedback: 0,
        testers: 0,
        webhooks: 0,
      });
      await data.pageCounts.count({
        pageId: page.id,
        buildId: third,
        day: '2026-11-21',
        visitor: 'v',
        system: 'android',
        kind: 'install',
      });
      expect(await data.appPages.installsOf([third, 'none'])).toEqual(new Map([[third, 1]]));
      expect(await data.appPages.installsOf([])).toEqual(new Map());
      const live = { name: 'QA', accessKey: page.accessKey };
      expect(await data.appPages.livePagesOf([appId, 'none'], 2)).toEqual(new Map([[appId, [live]]]));
      expect(await data.appPages.livePagesOf([appId], 0)).toEqual(new Map());
      expect(await data.appPages.livePagesOf([], 2)).toEqual(new Map());
    });

    it('search builds ignoring case, and take % and _ literally', async () => {
      const { appId } = await addApp(data, ada.id, { packageName: 'com.search' });
      const texts = { branch: 'Feature/Login', commit: 'DEADBEEF', label: '100%', message: 'a_b' };
      await data.builds.insertBuild(sampleBuild(appId, 2, texts));
      await data.builds.insertBuild(sampleBuild(appId, 3, { message: 'axb 100 percent \\' }));
      const revisions = async (query: string) =>
        (await data.builds.searchBuilds(appId, { below: 9, limit: 9, text: query })).builds.map(
          ({ revision }) => revision,
        );
      expect(await revisions('feature/log')).toEqual([2]);
      expect(await revisions('deadBEEF')).toEqual([2]);
      expect(await revisions('100%')).toEqual([2]);
      expect(await revisions('A_B')).toEqual([2]);
      expect(await revisions('\\')).toEqual([3]);
      expect(await revisions('1.2')).toEqual([3, 2, 1]);
      expect(await data.builds.revisionsOf([])).toEqual(new Map());
      const two = await data.builds.findBuildByRevision(appId, 2);
      expect(await data.builds.revisionsOf([two?.id ?? '', 'none'])).toEqual(new Map([[two?.id, 2]]));
    });

    it('search builds in steps, and find the current text of a message', async () => {
      const { appId } = await addApp(data, ada.id, { packageName: 'com.stretch' });
      const far = maxSearchedRevisions + 5;
      const message = `ÜBERGABE ${'x'.repeat(maxSearchedMessageLength)} tail`;
      await data.builds.insertBuild(sampleBuild(appId, 4, { message }));
      await data.builds.insertBuild(sampleBuild(appId, far, { message }));
      const search = async (page: { below: number } | { above: number }, text = 'übergabe') => {
        const { builds, next } = await data.builds.searchBuilds(appId, { ...page, limit: 9, text });
        return [builds.map(({ revision }) => revision), next];
      };
      expect(await search({ below: far + 1 })).toEqual([[far], 6]);
      expect(await search({ below: 6 })).toEqual([[4], 6 - maxSearchedRevisions]);
      expect(await search({ above: 4 })).toEqual([[], far - 1]);
      expect(await search({ above: 5 })).toEqual([[far], far]);
      expect(await search({ above: 3 })).toEqual([[4], far - 2]);
      expect(await search({ below: 6 }, 'tail')).toEqual([[], 6 - maxSearchedRevisions]);
      const four = await data.builds.findBuildByRevision(appId, 4);
      await data.builds.changeMessage(four?.id ?? '', message, 'Fixed');
      expect(await search({ below: 6 }, 'FIXED')).toEqual([[4], 6 - maxSearchedRevisions]);
      expect(await search({ below: 6 })).toEqual([[], 6 - maxSearchedRevisions]);
    });

    it('list apps by their last upload, each with its newest build', async () => {
      const carl = await addUser(data, 'carl');
      const dora = await addUser(data, 'dora');
      await addApp(data, carl.id, { packageName: 'old', now: 10, count: 3 });
      await addApp(data, dora.id, { packageName: 'new', now: 30 });
      await addApp(data, carl.id, { packageName: 'middle', now: 20 });
      const ownerIds = [carl.id, dora.id];
      const list = (page: Parameters<typeof data.apps.listApps>[1], words: string[] = []) =>
        data.apps.listApps({ ownerIds, words }, page);
      const names = async (...asked: Parameters<typeof list>) =>
        (await list(...asked)).map(({ app, latest }) => [app.packageName, latest?.revision]);
      const [newest, middle, old] = await list({ limit: 9 });
      expect(await names({ limit: 9 })).toEqual([
        ['new', 1],
        ['middle', 1],
        ['old', 3],
      ]);
      expect(await names({ limit: 1, below: newest?.app })).toEqual([['middle', 1]]);
      expect(await names({ limit: 9, below: old?.app })).toEqual([]);
      expect(await names({ limit: 1, above: old?.app })).toEqual([['middle', 1]]);
      expect(await names({ limit: 9, above: old?.app })).toEqual([
        ['new', 1],
        ['middle', 1],
      ]);
      expect(await names({ limit: 9, above: middle?.app }, ['NEW'])).toEqual([['new', 1]]);
      expect(await names({ limit: 9 }, ['sample', 'carl'])).toEqual([
        ['middle', 1],
        ['old', 3],
      ]);
      expect(await data.apps.listApps({ ownerIds: [] }, { limit: 9 })).toEqual([]);
    });

    it('page through apps with the same timestamp without losing or repeating one', async () => {
      const erin = await addUser(data, 'erin');
      for (const packageName of ['a', 'b', 'c', 'd', 'e'])
        await addApp(data, erin.id, { packageName, now: 7 });
      const scope = { ownerIds: [erin.id], testerId: erin.id };
      const all = await data.apps.listApps(scope, { limit: 9 });
      expect(all).toHaveLength(5);
      const two = await data.apps.listApps(scope, { limit: 2 });
      const next = await data.apps.listApps(scope, { limit: 9, below: two[1]?.app });
      expect([...two, ...next]).toEqual(all);
      expect(await data.apps.listApps(scope, { limit: 2, above: next[0]?.app })).toEqual(two);
    });

    it('find an app by the name of its newest build, even when its builds are deleted', async () => {
      const fred = await addUser(data, 'fred');
      const { appId, builds } = await addApp(data, fred.id, { packageName: 'com.named' });
      const finds = async (word: string) =>
        (await data.apps.listApps({ ownerIds: [fred.id], words: [word] }, { limit: 9 })).length === 1;
      const renamed = sampleBuild(appId, 2, { info: sampleInfo({ name: 'Harbour' }) });
      await data.builds.insertBuild(renamed);
      expect([await finds('harb'), await finds('sampl')]).toEqual([true, false]);
      await data.buildDeletion.hideBuilds([renamed.id], 'Ada', 5);
      expect([await finds('harb'), await finds('sampl')]).toEqual([false, true]);
      await data.buildDeletion.showBuilds([renamed.id]);
      expect([await finds('harb'), await finds('sampl')]).toEqual([true, false]);
      await data.buildDeletion.hideBuilds([renamed.id, builds[0]?.id ?? ''], 'Ada', 6);
      expect([await finds('harb'), await finds('sampl'), await finds('named')]).toEqual([false, false, true]);
    });

    it('set an icon once', async () => {
      const { builds } = await addApp(data, ada.id, { packageName: 'com.icons' });
      const id = builds[0]?.id ?? '';
      expect(await data.builds.settleIcon(id, { state: 'drawn', blob: 'icons/first' })).toBe(true);
      expect(await data.builds.settleIcon(id, { state: 'none' })).toBe(false);
      expect((await data.builds.findBuild(id))?.icon).toEqual({ state: 'drawn', blob: 'icons/first' });
      expect(await data.builds.settleIcon('gone', { state: 'none' })).toBe(false);
    });

    it('settle the APK of an app bundle once', async () => {
      const { appId } = await addApp(data, ada.id, { packageName: 'com.bundles' });
      const build = sampleBuild(appId, 2, { apk: { state: 'converting', percent: 0 } });
      await data.builds.insertBuild(build);
      const half = { state: 'converting', percent: 50 } as const;
      expect(await data.builds.settleApk(build.id, half)).toBe(true);
      expect((await data.builds.findConvertingBuild(build.id))?.apk).toEqual(half);
      const failed = { state: 'failed', reason: 'it is damaged' } as const;
      expect(await data.builds.settleApk(build.id, failed)).toBe(true);
      expect(await data.builds.settleApk(build.id, half)).toBe(false);
      expect(await data.builds.findConvertingBuild(build.id)).toBeNull();
      expect((await data.builds.findBuild(build.id))?.apk).toEqual(failed);
      const ready = { state: 'ready', blob: 'apks/q.1', sizeBytes: 5_000_000_000, sha256: 'ab' } as const;
      const other = sampleBuild(appId, 3, { apk: ready });
      await data.builds.insertBuild(other);
      expect((await data.builds.findBuild(other.id))?.apk).toEqual(ready);
      expect(await data.builds.namedBlobs(['apks/q.1'])).toEqual(new Set(['apks/q.1']));
    });

    it('list the signing keys of an owner in order, and add each number once', async () => {
      const key = {
        ...{ ownerId: ada.id, continues: false, origin: 'created' as const, createdAt: 5 },
        ...{ certificate: Buffer.from('certificate'), encryptedKey: '1.a' },
      };
      expect(await data.signingKeys.listOf(ada.id)).toEqual([]);
      expect(await data.signingKeys.insert({ ...key, number: 2, continues: true, origin: 'imported' })).toBe(
        true,
      );
      expect(await data.signingKeys.insert({ ...key, number: 1 })).toBe(true);
      expect(await data.signingKeys.insert({ ...key, number: 1, encryptedKey: '1.b' })).toBe(false);
      expect(await data.signingKeys.listOf(ada.id)).toEqual([
        { ...key, id: expect.any(String), number: 1 },
        { ...key, id: expect.any(String), number: 2, continues: true, origin: 'imported' },
      ]);
      expect(await data.reseal.listSigningKeys()).toHaveLength(2);
    });

    it('store the result of a verification', async () => {
      const { builds } = await addApp(data, ada.id, { packageName: 'com.verified' });
      const verification = { verified: true, verifiedFromSdk: 24, problems: [] };
      await data.builds.setVerification(builds[0]?.id ?? '', verification);
      expect((await data.builds.findBuild(builds[0]?.id ?? ''))?.verification).toEqual(verification);
    });

    it('distinguish referenced blobs from unreferenced ones', async () => {
      const { appId } = await addApp(data, ada.id, { packageName: 'com.blobs' });
      const named = { packageBlob: 'packages/n1', simulatorBlob: 'simulators/n2', simulatorBytes: 1 };
      await data.builds.insertBuild(
        sampleBuild(appId, 2, { ...named, icon: { state: 'drawn', blob: 'icons/n3' } }),
      );
      const keys = ['packages/n1', 'simulators/n2', 'icons/n3', 'packages/litter', 'icons/n1'];
      expect([...(await data.builds.namedBlobs(keys))].sort()).toEqual([
        'icons/n3',
        'packages/n1',
        'simulators/n2',
      ]);
      const many = Array.from({ length: 500 }, (_, index) => `packages/many-${index}`);
      expect(await data.builds.namedBlobs([...many.slice(1), 'packages/n1'])).toEqual(
        new Set(['packages/n1']),
      );
      expect(await data.builds.namedBlobs([])).toEqual(new Set());
    });

    it('count builds', async () => {
      const before = await data.builds.countRows();
      await addApp(data, ada.id, { packageName: 'com.counted', count: 3 });
      const after = await data.builds.countRows();
      expect(after).toEqual({ ...before, apps: before.apps + 1, builds: before.builds + 3 });
    });
  });

  describe('the life of a build', () => {
    const idsOf = async (packageName: string, count: number) => {
      const { appId, builds } = await addApp(data, ada.id, { packageName, count });
      return { appId, ids: builds.map(({ id }) => id) };
    };

    it('is protected once, and its message changes only if it is the one that was read', async () => {
      const { ids } = await idsOf('com.care', 2);
      const [first = '', second = ''] = ids;
      expect(await data.builds.setProtected(first, true)).toBe(true);
      expect(await data.builds.setProtected(first, true)).toBe(false);
      expect((await data.builds.findBuild(first))?.protected).toBe(true);
      expect((await data.builds.findBuild(second))?.protected).toBe(false);
      expect(await data.builds.setProtected(first, false)).toBe(true);
      expect(await data.builds.setProtected('none', true)).toBe(false);
      expect(await data.builds.changeMessage(first, 'message 1', 'new')).toBe(true);
      expect(await data.builds.changeMessage(first, 'message 1', 'newer')).toBe(false);
      expect((await data.builds.findBuild(first))?.message).toBe('new');
      await data.buildDeletion.hideBuilds([second], 'Ada', 5);
      expect(await data.builds.setProtected(second, true)).toBe(false);
      expect(await data.builds.changeMessage(second, 'message 2', 'new')).toBe(false);
    });

    it('can be deleted, restored, and removed permanently with its blobs listed', async () => {
      const { appId, ids } = await idsOf('com.hidden', 4);
      const [first = '', second = '', third = ''] = ids;
      await data.buildDeletion.hideBuilds([first, third], 'Ada', 50);
      await data.buildDeletion.hideBuilds([second], 'Bob', 60);
      await data.buildDeletion.hideBuilds([], 'Ada', 70);
      expect((await data.builds.listBuilds(appId, { limit: 9 })).map(({ revision }) => revision)).toEqual([
        4,
      ]);
      expect(await data.builds.findBuild(first)).toBeNull();
      expect(await data.builds.findBuildByRevision(appId, 2)).toBeNull();
      const listed = async (after: number, limit: number) =>
        (await data.buildDeletion.listDeleted(appId, after, limit)).map(({ build, deletedAt, deletedBy }) => [
          build.revision,
          deletedAt,
          deletedBy,
        ]);
      expect(await listed(0, 9)).toEqual([
        [2, 60, 'Bob'],
        [3, 50, 'Ada'],
        [1, 50, 'Ada'],
      ]);
      expect(await listed(50, 9)).toEqual([[2, 60, 'Bob']]);
      expect(await listed(0, 1)).toEqual([[2, 60, 'Bob']]);
      expect(await data.buildDeletion.lockBuilds(appId, [4, 9, 1])).toEqual([
        { id: first, revision: 1, protected: false, deletedAt: 50 },
        { id: ids[3], revision: 4, protected: false, deletedAt: null },
      ]);
      expect(await data.buildDeletion.lockBuilds(appId, [])).toEqual([]);
      await data.buildDeletion.showBuilds([third]);
      await data.buildDeletion.showBuilds([]);
      expect((await data.builds.findBuild(third))?.revision).toBe(3);
      expect(await data.builds.namedBlobs([`packages/${first}`])).toEqual(new Set([`packages/${first}`]));
      expect(await data.buildDeletion.removeBuild(first, 49)).toBeNull();
      expect(await data.buildDeletion.removeBuild(third, 50)).toBeNull();
      expect(await data.buildDeletion.removeBuild(first, 50)).toEqual([`packages/${first}`]);
      expect(await data.builds.namedBlobs([`packages/${first}`])).toEqual(new Set());
      expect(
        (await data.apps.listApps({ ownerIds: [ada.id] }, { limit: 99 })).find(({ app }) => app.id === appId)
          ?.latest?.revision,
      ).toBe(4);
      await data.buildDeletion.hideBuilds(ids, 'Ada', 90);
      const listing = (await data.apps.listApps({ ownerIds: [ada.id] }, { limit: 99 })).find(
        ({ app }) => app.id === appId,
      );
      expect(listing).toMatchObject({ latest: null });
    });

    it('includes the pages that serve it', async () => {
      const { appId, ids } = await idsOf('com.holding', 2);
      const [first = '', second = ''] = ids;
      const page = async (name: string, buildId: string, accessKey: string) =>
        data.pageSettings.insertPage({ appId, name, accessKey, buildId, releaseNote: '', now: 1 });
      await page('b', first, 'holding-b');
      const moved = await page('c', first, 'holding-c');
      await page('a', first, 'holding-a');
      await data.distributions.updatePage(moved.id, { buildId: second, releaseNote: '', now: 2 });
      expect(await data.buildDeletion.blockingPages([first])).toEqual([
        { buildId: first, name: 'a', accessKey: 'holding-a' },
        { buildId: first, name: 'b', accessKey: 'holding-b' },
      ]);
      expect((await data.buildDeletion.blockingPages(ids)).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
      expect(await data.buildDeletion.blockingPages([])).toEqual([]);
    });

    it('ends with the deletion of its App, which hides its builds, frees its name and is removed in batches', async () => {
      const { appId, ids } = await idsOf('com.gone', 3);
      const [first = '', second = ''] = ids;
      await data.builds.setProtected(first, true);
      await data.buildDeletion.hideBuilds([second], 'Ada', 5);
      const page = await data.pageSettings.insertPage({
        appId,
        name: 'main',
        accessKey: 'gone-key',
        buildId: first,
        releaseNote: '',
        now: 1,
      });
      expect(await data.appDeletion.contentsOf(appId, 9)).toEqual({
        builds: 2,
        protectedBuilds: 1,
        bytes: 15_000_000_000,
        pages: 1,
        pageNames: ['main'],
        testers: 0,
      });
      expect(await data.appDeletion.revisionsOf(appId, 9)).toHaveLength(2);
      expect(await data.appDeletion.revisionsOf(appId, 1)).toHaveLength(1);
      expect(await data.appDeletion.contentsOf('none', 9)).toEqual({
        builds: 0,
        protectedBuilds: 0,
        bytes: 0,
        pages: 0,
        pageNames: [],
        testers: 0,
      });
      expect(await data.appDeletion.removePages(appId, 9)).toBe(false);
      expect(await data.appDeletion.removeBuilds(appId, 9)).toEqual([]);
      await data.appDeletion.removeApp(appId);
      expect(await data.apps.findAppById(appId)).not.toBeNull();
      const before = await data.builds.countRows();
      expect(await data.appDeletion.hideApp(appId, 9)).toBe(true);
      expect(await data.appDeletion.hideApp(appId, 9)).toBe(false);
      expect(await data.distributions.findPageWithApp('gone-key')).toBeNull();
      expect(await data.apps.findAppById(appId)).toBeNull();
      expect(await data.apps.findApp(ada.id, 'android', 'com.gone')).toBeNull();
      expect(await data.apps.findAppsByPackageName(ada.id, 'com.gone')).toEqual([]);
      expect(
        (await data.apps.listApps({ ownerIds: [ada.id] }, { limit: 99 })).map(({ app }) => app.id),
      ).not.toContain(appId);
      expect(
        (await data.mailChoices.listChoices(ada.id, { limit: 99 })).map((choice) => choice.appId),
      ).not.toContain(appId);
      expect(await data.builds.countRows()).toEqual({
        apps: before.apps - 1,
        builds: before.builds - 2,
        pages: before.pages - 1,
      });
      const again = await addApp(data, ada.id, { packageName: 'com.gone' });
      expect(again.appId).not.toBe(appId);
      expect(again.builds[0]?.revision).toBe(1);
      expect(await data.appDeletion.removePages(appId, 9)).toBe(true);
      expect(await data.distributions.findPageById(page.id)).toBeNull();
      const blobs = [
        ...(await data.appDeletion.removeBuilds(appId, 2)),
        ...(await data.appDeletion.removeBuilds(appId, 2)),
      ];
      expect(blobs.sort()).toEqual(ids.map((id) => `packages/${id}`).sort());
      await data.appDeletion.removeApp(appId);
      const rows = await test.database.queries
        .selectFrom('apps')
        .select('id')
        .where('id', '=', appId)
        .execute();
      expect(rows).toEqual([]);
      expect(await data.apps.findAppById(again.appId)).not.toBeNull();
    });
  });

  describe('distribution pages', () => {
    it('are created once per name, publish another build later, and record both', async () => {
      const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.dist', count: 2 });
      const [first, second] = builds.map(({ id }) => id) as [string, string];
      const page = { appId, name: 'main', releaseNote: 'one', buildId: first, now: 10 };
      const made = await data.distributions.putPageByName({ ...page, accessKey: newHexKey() });
      const again = { ...page, buildId: second, releaseNote: 'two', now: 20, accessKey: newHexKey() };
      const updated = await data.distributions.putPageByName(again);
      expect(updated).toEqual({ ...made, buildId: second, releaseNote: 'two', updatedAt: 20 });
      expect(await data.distributions.findPage(made.accessKey)).toEqual(updated);
      expect(await data.distributions.findPageById(made.id)).toEqual(updated);
      expect(await data.distributions.findPageWithApp(made.accessKey)).toEqual({
        page: updated,
        app: await data.apps.findAppById(appId),
      });
      expect(await data.distributions.findPageWithApp(again.accessKey)).toBeNull();
      expect(await data.distributions.findPage(again.accessKey)).toBeNull();
      expect(await data.distributions.findPageById('none')).toBeNull();
      const other = await data.distributions.putPageByName({
        ...page,
        name: 'MAIN',
        accessKey: newHexKey(),
        now: 30,
      });
      expect(other.id).not.toBe(made.id);
      expect((await data.appPages.listPages(appId, 9)).map(({ name }) => name)).toEqual(['MAIN', 'main']);
      expect((await data.appPages.listPages(appId, 1)).map(({ name }) => name)).toEqual(['MAIN']);
      const back = await data.distributions.updatePage(made.id, {
        buildId: first,
        releaseNote: 'three',
        now: 40,
      });
      expect(back).toMatchObject({ buildId: first, updatedAt: 40, createdAt: 10 });
      expect(
        await data.distributions.updatePage('none', { buildId: first, releaseNote: '', now: 1 }),
      ).toBeNull();
      const notes = (await data.distributions.listUpdates(made.id, { limit: 9 })).map(
        ({ releaseNote, revision }) => [releaseNote, revision],
      );
      expect(notes).toEqual([
        ['three', 1],
        ['two', 2],
        ['one', 1],
      ]);
      expect(await data.distributions.listUpdates(made.id, { limit: 1 })).toHaveLength(1);
      const where = { name: 'main', accessKey: made.accessKey };
      expect(await data.appPages.pagesOfBuild(second)).toEqual([{ ...where, since: 20, current: false }]);
      const ofFirst = await data.appPages.pagesOfBuild(first);
      expect(ofFirst).toHaveLength(2);
      expect(ofFirst).toContainEqual({ ...where, since: 10, current: true });
    });

    it('are created once when many requests use a name at once', async () => {
      const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.dist.parallel' });
      const second = await test.openSecond();
      const page = { appId, name: 'nightly', releaseNote: '', buildId: builds[0]?.id ?? '', now: 1 };
      const pages = await Promise.all(
        Array.from({ length: 16 }, (_, index) =>
          (index % 2 ? data : second.data).transaction((tx) =>
            tx.distributions.putPageByName({ ...page, accessKey: newHexKey() }),
          ),
        ),
      );
      expect(new Set(pages.map(({ accessKey }) => accessKey)).size).toBe(1);
      expect(await data.distributions.listUpdates(pages[0]?.id ?? '', { limit: 99 })).toHaveLength(16);
    });
  });

  it('count views and installs by build, day and system, without storing the visitor', async () => {
    const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.page.counted', count: 2 });
    const [first = '', second = ''] = builds.map(({ id }) => id);
    const page = await data.distributions.putPageByName({
      appId,
      name: 'counted',
      accessKey: newHexKey(),
      buildId: first,
      releaseNote: '',
      now: 1,
    });
    expect(await data.distributions.findUpdate(page.id, 1)).toMatchObject({
      buildId: first,
      withdrawn: false,
    });
    expect(await data.distributions.findUpdate(page.id, 2)).toBeNull();
    const count = (buildId: string, day: string, kind: 'view' | 'install', visitor: string) =>
      data.transaction((tx) =>
        tx.pageCounts.count({ pageId: page.id, buildId, day, system: 'ios', kind, visitor }),
      );
    for (const visitor of ['a', 'b', 'a']) await count(first, '2026-11-20', 'view', visitor);
    await count(first, '2026-11-21', 'view', 'a');
    await count(first, '2026-11-21', 'install', 'a');
    await count(second, '2026-11-21', 'view', 'a');
    const line = { system: 'ios' };
    const today = [
      { ...line, day: '2026-11-21', kind: 'view', times: 2, people: 2, members: 0 },
      { ...line, day: '2026-11-21', kind: 'install', times: 1, people: 1, members: 0 },
    ];
    const counted = await data.pageCounts.countsByDay(appId, '2026-11-20');
    expect(counted[0]).toEqual({ ...line, day: '2026-11-20', kind: 'view', times: 3, people: 2, members: 0 });
    expect(counted.slice(1)).toHaveLength(2);
    expect(counted).toEqual(expect.arrayContaining(today));
    expect(await data.pageCounts.countsByDay(appId, '2026-11-22')).toEqual([]);
    expect(await data.pageCounts.installsByDay(appId, '2026-11-20')).toMatchObject([
      { day: '2026-11-21', revision: 1, installs: 1 },
    ]);
    expect(await data.pageCounts.countsByPage(appId, '2026-11-20', 9)).toMatchObject([
      { pageId: page.id, name: 'counted', views: 5, installs: 1, guests: 1 },
    ]);
    expect(await data.pageCounts.countsByPage(appId, '2026-11-22', 9)).toEqual([]);
    expect(await data.pageCounts.countsOfDay(appId, '2026-11-21')).toMatchObject([
      { page: 'counted', revision: 2, views: 1, installs: 0, members: 0, guests: 0 },
      { page: 'counted', revision: 1, views: 1, installs: 1, members: 0, guests: 1 },
    ]);
    const byBuild = await data.pageCounts.countsByBuild(appId, '2026-11-20', 9);
    expect(byBuild).toMatchObject([
      { revision: 2, views: 1, installs: 0 },
      { revision: 1, views: 4, installs: 1 },
    ]);
    expect(await data.pageCounts.countsByBuild(appId, '2026-11-21', 1)).toMatchObject([{ revision: 2 }]);
    expect(await data.pageCounts.countsByBuild(appId, '2026-11-22', 9)).toEqual([]);
    const salt = await data.pageCounts.saltOf('2026-11-20', 'one');
    expect([salt, await data.pageCounts.saltOf('2026-11-20', 'two')]).toEqual(['one', 'one']);
    await data.pageCounts.forgetVisitors('2026-11-21');
    expect(await data.pageCounts.saltOf('2026-11-20', 'three')).toBe('three');
    await count(first, '2026-11-20', 'view', 'b');
    await count(first, '2026-11-21', 'view', 'a');
    const after = await data.pageCounts.countsByDay(appId, '2026-11-20');
    expect(after[0]).toMatchObject({ day: '2026-11-20', times: 4, people: 3 });
    expect(after.find(({ day, kind }) => day === '2026-11-21' && kind === 'view')).toMatchObject({
      times: 3,
      people: 2,
    });
  });

  it('count opens and installs without a page, beside those of pages', async () => {
    const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.page.direct' });
    const buildId = builds[0]?.id ?? '';
    const count = (day: string, kind: 'view' | 'install', system: string, isFirst: boolean) =>
      data.pageCounts.countDirect({ appId, buildId, day, platform: 'ios', kind, system, isFirst });
    await count('2026-11-20', 'view', 'iOS 26', true);
    await count('2026-11-21', 'install', 'iOS 26', true);
    await count('2026-11-21', 'install', 'iOS 26', false);
    await count('2026-11-21', 'install', 'iOS 18', true);
    const named = { appId, name: 'beside', accessKey: newHexKey(), buildId, releaseNote: '', now: 1 };
    const page = await data.distributions.putPageByName(named);
    const day = '2026-11-21';
    const visit = { pageId: page.id, buildId, day, system: 'ios', kind: 'install', visitor: 'v' } as const;
    await data.transaction((tx) => tx.pageCounts.count(visit));
    const onDay = { day, system: 'ios', kind: 'install' };
    expect(await data.pageCounts.countsByDay(appId, day)).toEqual([
      { ...onDay, times: 4, people: 3, members: 2 },
    ]);
    expect(await data.pageCounts.countsOfDay(appId, day)).toMatchObject([
      { page: '', installs: 3, members: 2, guests: 0 },
      { page: 'beside', installs: 1, members: 0, guests: 1 },
    ]);
    expect(await data.pageCounts.countsByBuild(appId, '2026-11-20', 9)).toMatchObject([
      { views: 1, installs: 4 },
    ]);
    expect(await data.pageCounts.installsByDay(appId, '2026-11-20')).toMatchObject([{ day, installs: 4 }]);
    expect(await data.pageCounts.countsBySystem(appId, '2026-11-20')).toEqual([
      { system: 'iOS 26', installs: 2 },
      { system: 'iOS 18', installs: 1 },
    ]);
    expect(await data.pageCounts.countsByPage(appId, '2026-11-20', 9)).toMatchObject([{ installs: 1 }]);
    await data.buildDeletion.hideBuilds([buildId], 'ada', 2);
    expect(await data.pageCounts.countsByDay(appId, '2026-11-20')).toEqual([]);
    expect(await data.pageCounts.countsBySystem(appId, '2026-11-20')).toEqual([]);
  });

  it('count installs by system version', async () => {
    const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.page.systems' });
    const buildId = builds[0]?.id ?? '';
    const named = { appId, name: 'systems', accessKey: newHexKey(), buildId, releaseNote: '', now: 1 };
    const page = await data.distributions.putPageByName(named);
    const count = (day: string, system: string) =>
      data.pageCounts.countSystem({ pageId: page.id, buildId, day, system });
    for (const system of ['iOS 26', 'iOS 26', 'iOS 18']) await count('2026-11-20', system);
    await count('2026-11-21', 'iOS 26');
    expect(await data.pageCounts.countsBySystem(appId, '2026-11-20')).toEqual([
      { system: 'iOS 26', installs: 3 },
      { system: 'iOS 18', installs: 1 },
    ]);
    expect(await data.pageCounts.countsBySystem(appId, '2026-11-21')).toEqual([
      { system: 'iOS 26', installs: 1 },
    ]);
  });

  it('accept a ticket once, and allow no more installs than the page’s limit', async () => {
    const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.limited' });
    const page = await data.distributions.putPageByName({
      appId,
      name: 'limited',
      accessKey: newHexKey(),
      buildId: builds[0]?.id ?? '',
      releaseNote: '',
      now: 1,
    });
    const { consumeTicket, takeInstall, deleteExpiredTickets } = data.pageCounts;
    expect([await consumeTicket(page.id, 't', 5), await consumeTicket(page.id, 't', 6)]).toEqual([
      true,
      false,
    ]);
    await deleteExpiredTickets(5);
    expect(await consumeTicket(page.id, 't', 7)).toBe(false);
    await deleteExpiredTickets(6);
    expect(await consumeTicket(page.id, 't', 8)).toBe(true);
    expect(await takeInstall(page.id)).toBe(true);
    await data.pageSettings.saveRules(page.id, { ...page, maxInstalls: 3, recount: false });
    const taken = await Promise.all(Array.from({ length: 6 }, () => takeInstall(page.id)));
    expect(taken.filter(Boolean)).toHaveLength(2);
    expect((await data.distributions.findPageById(page.id))?.installs).toBe(3);
    expect(await takeInstall('no page')).toBe(false);
  });

  it('count attempts within a window', async () => {
    const counts = async (subjects: string[], now: number) => {
      const rows = await data.attempts.countAttempts(subjects, now, 100);
      return subjects.map((subject) => rows.find((row) => row.subject === subject)?.count);
    };
    const count = async (now: number) => (await counts(['subject'], now))[0];
    expect([await count(1), await count(50), await count(100)]).toEqual([1, 2, 3]);
    expect([await count(101), await count(102)]).toEqual([1, 2]);
    await data.attempts.resetAttempts('subject');
    expect(await count(103)).toBe(1);
    await data.attempts.refundAttempt('subject');
    expect(await count(103)).toBe(1);
    await data.attempts.deleteOldAttempts(103);
    expect(await count(104)).toBe(2);
    await data.attempts.deleteOldAttempts(104);
    expect(await count(105)).toBe(1);
    const inOrder = (at: (number | undefined)[]) => at.sort((one, other) => Number(one) - Number(other));
    const eight = (subjects: string[]) =>
      Promise.all(Array.from({ length: 8 }, () => counts(subjects, 1))).then((at) => at.flat());
    expect(inOrder(await eight(['many']))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const both = await Promise.all([eight(['many', 'more']), eight(['more', 'many'])]);
    expect(inOrder(both.flat()).at(-1)).toBe(24);
    expect(await data.attempts.countAttempts(['more', 'new'], 50, 100)).toEqual(
      expect.arrayContaining([
        { subject: 'more', count: 17, since: 1 },
        { subject: 'new', count: 1, since: 50 },
      ]),
    );
    // A clock that was a day ahead and is set back starts a new window.
    expect(await counts(['ahead'], 1_000_000)).toEqual([1]);
    expect(await counts(['ahead'], 999_950)).toEqual([2]);
    expect(await counts(['ahead'], 60)).toEqual([1]);
  });

  describe('page settings', () => {
    const makePage = async (packageName: string, count = 2) => {
      const { appId, builds } = await addApp(data, ada.id, { packageName, count });
      const page = await data.pageSettings.insertPage({
        appId,
        name: 'main',
        accessKey: newHexKey(),
        buildId: builds[0]?.id ?? '',
        releaseNote: 'one',
        now: 10,
      });
      return { appId, page, ids: builds.map(({ id }) => id) };
    };

    it('are created with their first history entry, once per name', async () => {
      const { appId, page, ids } = await makePage('com.settings.made');
      expect(await data.distributions.findPage(page.accessKey)).toEqual(page);
      expect(page).toMatchObject({
        active: true,
        access: 'unlisted',
        installs: 0,
        networks: [],
        createdAt: 10,
      });
      expect(await data.distributions.listUpdates(page.id, { limit: 9 })).toMatchObject([
        { buildId: ids[0], releaseNote: 'one', withdrawn: false, createdAt: 10 },
      ]);
      expect(await data.pageSettings.hasPageNamed(appId, 'main')).toBe(true);
      expect(await data.pageSettings.hasPageNamed(appId, 'MAIN')).toBe(false);
      const again = { appId, name: 'main', accessKey: newHexKey(), buildId: ids[1] ?? '' };
      const refused = data.pageSettings.insertPage({ ...again, releaseNote: '', now: 11 });
      await expect(refused).rejects.toThrow(/unique/i);
    });

    it('store every rule, and reset the counter only on request', async () => {
      const { appId, page } = await makePage('com.settings.rules');
      const rules = {
        name: 'Größer',
        active: false,
        access: 'passcode',
        passcodeHash: '$argon2id$x',
        expiresAt: 5_000_000_000_000,
        maxInstalls: 7,
        networks: ['10.0.0.0/8', '::1'],
        feedback: true,
        mandatoryFrom: 3,
      } as const;
      await data.pageSettings.saveRules(page.id, { ...rules, recount: false });
      expect(await data.pageSettings.lockPage(page.id)).toEqual({ ...page, ...rules });
      const counted = test.database.queries.updateTable('distribution_pages').set({ installs: 5 });
      await counted.where('id', '=', page.id).execute();
      await data.pageSettings.saveRules(page.id, { ...rules, recount: false });
      expect((await data.distributions.findPageById(page.id))?.installs).toBe(5);
      await data.pageSettings.saveRules(page.id, { ...rules, recount: true });
      expect((await data.distributions.findPageById(page.id))?.installs).toBe(0);
      expect(await data.pageSettings.lockPage('none')).toBeNull();
      expect((await data.pageSettings.lockBuild(appId, 2))?.message).toBe('message 2');
      expect(await data.pageSettings.lockBuild(appId, 3)).toBeNull();
      expect(await data.pageSettings.lockBuild('none', 1)).toBeNull();
    });

    it('change the note of the live build only', async () => {
      const { page, ids } = await makePage('com.settings.note');
      const [first = '', second = ''] = ids;
      for (const [index, buildId] of [second, first].entries()) {
        await data.distributions.updatePage(page.id, { buildId, releaseNote: `${index}`, now: 20 + index });
      }
      await data.pageSettings.saveNote({ id: page.id, buildId: first }, 'changed');
      expect(await data.distributions.findPageById(page.id)).toMatchObject({
        releaseNote: 'changed',
        updatedAt: 21,
      });
      const notes = (await data.distributions.listUpdates(page.id, { limit: 9 })).map(
        ({ releaseNote }) => releaseNote,
      );
      expect(notes).toEqual(['changed', '0', 'one']);
    });

    it('list each build once, by its newest update, page by page', async () => {
      const { page, ids } = await makePage('com.settings.served', 4);
      for (const [index, at] of [1, 2, 3, 1, 0].entries()) {
        await data.distributions.updatePage(page.id, {
          buildId: ids[at] ?? '',
          releaseNote: '',
          now: 20 + index,
        });
      }
      const list = (limit: number, before?: string) =>
        data.pageSettings.listServedBuilds(page.id, { limit, before });
      const all = await list(9);
      expect(all.map(({ revision, createdAt }) => [revision, createdAt])).toEqual([
        [1, 24],
        [2, 23],
        [4, 22],
        [3, 21],
      ]);
      expect(await list(2)).toEqual(all.slice(0, 2));
      expect(await list(2, all[1]?.id)).toEqual(all.slice(2));
      expect(await data.pageSettings.listServedBuilds('none', { limit: 9 })).toEqual([]);
    });

    it('withdraw a build from one page, in every history entry, and offer it again', async () => {
      const { page, ids } = await makePage('com.settings.withdrawn');
      const [first = '', second = ''] = ids;
      await data.distributions.updatePage(page.id, { buildId: second, releaseNote: '', now: 20 });
      await data.distributions.updatePage(page.id, { buildId: first, releaseNote: '', now: 30 });
      const lines = async () =>
        (await data.distributions.listUpdates(page.id, { limit: 9 })).map(({ withdrawn }) => withdrawn);
      expect(await data.pageSettings.setWithdrawn(page.id, first, true)).toBe(true);
      expect(await data.pageSettings.setWithdrawn(page.id, first, true)).toBe(false);
      expect(await data.pageSettings.setWithdrawn('none', first, true)).toBe(false);
      expect(await lines()).toEqual([true, false, true]);
      expect(await data.pageSettings.setWithdrawn(page.id, first, false)).toBe(true);
      expect(await lines()).toEqual([false, false, false]);
    });

    it('can be moved to another address together with the history', async () => {
      const { page } = await makePage('com.settings.gone');
      const accessKey = newHexKey();
      await data.pageSettings.setAccessKey(page.id, accessKey);
      expect(await data.distributions.findPage(page.accessKey)).toBeNull();
      expect(await data.distributions.findPage(accessKey)).toEqual({ ...page, accessKey });
      expect(await data.pageSettings.deletePage(page.id)).toBe(true);
      expect(await data.pageSettings.deletePage(page.id)).toBe(false);
      expect(await data.distributions.findPage(accessKey)).toBeNull();
      expect(await data.distributions.listUpdates(page.id, { limit: 9 })).toEqual([]);
    });
  });

  it('limit who has access to an App, for concurrent callers too', async () => {
    const { appId } = await addApp(data, ada.id, { packageName: 'com.given', now: 900 });
    const people: User[] = [];
    for (const name of ['given-b', 'given-a', 'given-c', 'given-d']) people.push(await addUser(data, name));
    const [b, a, c, d] = people as [User, User, User, User];
    const add = (user: { id: string }, limit: number) =>
      data.transaction((tx) => tx.appTesters.add({ appId, userId: user.id, limit, now: 5 }));
    expect(await add(b, 9)).toBe('given');
    expect(await add(b, 1)).toBe('already');
    expect(await add({ id: 'nobody' }, 9)).toBe('unknown');
    const second = await test.openSecond();
    const parallel = await Promise.all(
      [a, c, d].map((user, index) =>
        (index % 2 ? second.data : data).transaction((tx) =>
          tx.appTesters.add({ appId, userId: user.id, limit: 2, now: 6 }),
        ),
      ),
    );
    expect(parallel.sort()).toEqual(['full', 'full', 'given']);
    expect(await add(a, 9)).toMatch(/given|already/);
    const names = (await data.appTesters.list(appId, 9)).map(({ user }) => user.name);
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(expect.arrayContaining(['given-a', 'given-b']));
    expect(await data.appTesters.list(appId, 1)).toEqual([
      { user: { id: a.id, name: 'given-a' }, since: expect.any(Number) },
    ]);
    const shared = await data.appPeople.listShared(appId, ['GIVEN'], { limit: 9 });
    expect(shared.map(({ user }) => user.name)).toEqual(names);
    const [firstName = '', lastName = ''] = [names[0], names.at(-1)];
    const after = await data.appPeople.listShared(appId, [], { limit: 9, after: firstName });
    expect(after.map(({ user }) => user.name)).toEqual(names.slice(1));
    const before = await data.appPeople.listShared(appId, [], { limit: 1, before: lastName });
    expect(before.map(({ user, reason }) => [user.name, reason])).toEqual([[names.at(-2), 'shared']]);
    expect(await data.appPeople.listShared(appId, ['_'], { limit: 9 })).toEqual([]);
    expect(await data.appTesters.has(appId, b.id)).toBe(true);
    expect([await data.appTesters.hasAny(b.id), await data.appTesters.hasAny(ada.id)]).toEqual([true, false]);
    const seen = await data.apps.listApps({ ownerIds: [b.id], testerId: b.id }, { limit: 9 });
    expect(seen.map(({ app }) => app.packageName)).toEqual(['com.given']);
    expect(await data.apps.listApps({ ownerIds: [b.id] }, { limit: 9 })).toEqual([]);
    expect(await data.appTesters.remove(appId, b.id)).toBe('given-b');
    expect(await data.appTesters.remove(appId, b.id)).toBeNull();
    expect(await data.appTesters.has(appId, b.id)).toBe(false);
    expect(await data.appTesters.hasAny(b.id)).toBe(false);
    expect(await data.apps.listApps({ ownerIds: [b.id], testerId: b.id }, { limit: 9 })).toEqual([]);
    const own = await data.apps.listApps({ ownerIds: [ada.id], testerId: ada.id }, { limit: 2 });
    expect(own).toEqual(await data.apps.listApps({ ownerIds: [ada.id] }, { limit: 2 }));
  });

  it('stores a device once per owner and browser, up to a limit, with its latest name', async () => {
    const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.devices' });
    const page = await data.distributions.putPageByName({
      appId,
      name: 'main',
      accessKey: newHexKey(),
      buildId: builds[0]?.id ?? '',
      releaseNote: '',
      now: 1,
    });
    const facts = { ownerId: ada.id, name: '', product: 'iPhone14,5', osVersion: '', pageId: page.id };
    const device = { ...facts, udid: 'u1', userId: null, browser: 'one', now: 10 };
    const first = await data.devices.putDevice(device, 2);
    const { now: _, browser: __, ...kept } = device;
    expect(first).toEqual({ ...kept, id: first?.id, createdAt: 10, updatedAt: 10 });
    const named = { ...device, name: 'phone', osVersion: '22B83', userId: ada.id, now: 20 };
    const updated = { ...first, name: 'phone', osVersion: '22B83', userId: ada.id, updatedAt: 20 };
    expect(await data.devices.putDevice(named, 2)).toEqual(updated);
    expect(await data.devices.putDevice({ ...named, name: 'x', userId: null }, 2)).toEqual(updated);
    const second = await data.devices.putDevice({ ...device, udid: 'u2', now: 30 }, 2);
    const owned = await data.devices.listOwnedDevices(ada.id, { limit: 9 });
    expect(owned.map(({ device: { udid } }) => udid)).toEqual(['u1', 'u2']);
    const [one] = owned;
    expect(
      (await data.devices.listOwnedDevices(ada.id, { after: one?.device, limit: 1 })).map(
        ({ device: { udid } }) => udid,
      ),
    ).toEqual(['u2']);
    expect(await data.devices.findOwnedDevice(ada.id, one?.device.id ?? '')).toEqual(one);
    expect(await data.devices.findOwnedDevice('nobody', one?.device.id ?? '')).toBeNull();
    expect(await data.devices.putDevice({ ...device, udid: 'u3' }, 2)).toBeNull();
    expect(await data.devices.putDevice(named, 0)).toEqual(updated);
    const other = await addUser(data, 'device-owner');
    expect(await data.devices.putDevice({ ...device, ownerId: other.id }, 1)).not.toBeNull();
    expect(await data.devices.findDevice(first?.id ?? '')).toEqual(updated);
    expect(await data.devices.findDeviceOfBrowser('one', ada.id)).toEqual(second);
    expect(await data.devices.findDeviceOfBrowser('one', other.id)).toMatchObject({ ownerId: other.id });
    expect(await data.devices.findDeviceOfBrowser('two', ada.id)).toBeNull();
    // Another browser, or another user in the same one, never changes existing registrations, and is rejected when the list is full.
    const stranger = { ...named, browser: 'two', userId: other.id, name: 'stolen', now: 40 };
    expect(await data.devices.putDevice(stranger, 2)).toBeNull();
    expect(await data.devices.putDevice({ ...stranger, browser: 'one' }, 2)).toBeNull();
    expect(await data.devices.putDevice({ ...stranger, userId: null }, 2)).toBeNull();
    const second2 = await data.devices.putDevice(stranger, 3);
    expect(second2).toMatchObject({ name: 'stolen', userId: other.id });
    expect(await data.devices.findDevice(first?.id ?? '')).toEqual(updated);
    expect(await data.devices.listDevices(ada.id, 0, 9)).toMatchObject([
      { repeated: true },
      { repeated: false },
      { repeated: true },
    ]);
    await data.devices.deleteDevice(ada.id, second2?.id ?? '');
    expect(await data.devices.countDevices(ada.id)).toBe(2);
    expect(await data.devices.allDevices(ada.id, 9)).toEqual([updated, second]);
    expect(await data.devices.listDevices(ada.id, 0, 9)).toEqual([
      { device: second, userName: null, page: { name: 'main', accessKey: page.accessKey }, repeated: false },
      {
        device: updated,
        userName: 'Ada',
        page: { name: 'main', accessKey: page.accessKey },
        repeated: false,
      },
    ]);
    expect(await data.devices.listDevices(ada.id, 1, 1)).toMatchObject([{ device: updated }]);
    expect(await data.devices.renameDevice(other.id, first?.id ?? '', 'stolen')).toBeNull();
    expect(await data.devices.renameDevice(ada.id, first?.id ?? '', 'mine')).toEqual({
      ...updated,
      name: 'mine',
    });
    const holder = await addUser(data, 'device-holder');
    const held = { ...device, udid: 'u-held', userId: holder.id, browser: 'held' } as Parameters<
      typeof data.devices.putDevice
    >[0];
    for (const ownerId of [ada.id, other.id]) await data.devices.putDevice({ ...held, ownerId }, 99);
    const own = await data.devices.devicesOfUser(holder.id, 9);
    expect(own.map(({ owner }) => owner.name).toSorted()).toEqual(['Ada', other.name].toSorted());
    expect(await data.devices.devicesOfUser(holder.id, 1)).toHaveLength(1);
    expect(await data.devices.renameDevicesOfUser(other.id, 'u-held', 'Nobody')).toEqual([]);
    expect(await data.devices.renameDevicesOfUser(holder.id, 'u-held', 'Held')).toHaveLength(2);
    for (const one of own) {
      expect(await data.devices.deleteDeviceOfUser(ada.id, one.device.id)).toBeNull();
      expect(await data.devices.deleteDeviceOfUser(holder.id, one.device.id)).toMatchObject({ name: 'Held' });
    }
    expect(await data.devices.deleteDevice(other.id, first?.id ?? '')).toBeNull();
    expect(await data.devices.deleteDevice(ada.id, first?.id ?? '')).toMatchObject({ udid: 'u1' });
    expect(await data.devices.deleteDevice(ada.id, first?.id ?? '')).toBeNull();
  });

  it('stores one row for many concurrent registrations of one device', async () => {
    const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.devices.parallel' });
    const page = await data.distributions.putPageByName({
      appId,
      name: 'main',
      accessKey: newHexKey(),
      buildId: builds[0]?.id ?? '',
      releaseNote: '',
      now: 1,
    });
    const second = await test.openSecond();
    const same = { ownerId: ada.id, udid: 'same', browser: 'one', userId: null };
    const device = { ...same, name: 'n', product: 'p', osVersion: '' };
    const put = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        (index % 2 ? data : second.data).devices.putDevice({ ...device, pageId: page.id, now: index }, 1000),
      ),
    );
    expect(new Set(put.map((one) => one?.id)).size).toBe(1);
  });

  it('accepts an idempotency key once a day', async () => {
    const { builds } = await addApp(data, ada.id, { packageName: 'com.idempotent', count: 2 });
    const result = { sha256: 'aa', buildId: builds[0]?.id ?? '', pageId: null };
    const later = { ...result, sha256: 'bb', buildId: builds[1]?.id ?? '' };
    expect(await data.idempotency.take(ada.id, 'job-1', result, 1000)).toBe(true);
    expect(await data.idempotency.take(ada.id, 'job-1', later, 1001)).toBe(false);
    expect(await data.idempotency.find(ada.id, 'job-1', 1000 + day - 1)).toEqual(result);
    expect(await data.idempotency.find(ada.id, 'job-1', 1000 + day)).toBeNull();
    expect(await data.idempotency.find('other owner', 'job-1', 1000)).toBeNull();
    expect(await data.idempotency.take(ada.id, 'job-1', later, 1000 + day)).toBe(true);
    expect(await data.idempotency.find(ada.id, 'job-1', 1000 + day)).toEqual(later);
    await data.idempotency.deleteOld(1000 + 2 * day - 1);
    expect(await data.idempotency.find(ada.id, 'job-1', 1000 + day)).toEqual(later);
    await data.idempotency.deleteOld(1000 + 2 * day);
    expect(await data.idempotency.find(ada.id, 'job-1', 1000 + day)).toBeNull();
  });

  it('stores jobs until they are finished', async () => {
    const { builds, mail } = lanes;
    await data.outbox.add({ kind: 'draw-icon', buildId: 'b1' }, 100);
    expect(await data.outbox.nextRunAt(builds)).toBe(100);
    const [claimed] = await data.outbox.claim(builds, 100, 5);
    expect(claimed).toMatchObject({ job: { kind: 'draw-icon', buildId: 'b1' }, attempts: 1 });
    await data.outbox.retryLater(claimed?.id ?? '', 500, 'no luck');
    expect(await data.outbox.nextRunAt(builds)).toBe(500);
    await data.outbox.finish(claimed?.id ?? '');
    expect(await data.outbox.nextRunAt(builds)).toBeNull();
    await data.outbox.addAll([{ kind: 'send-mail', mailId: 'm1', until: 9 }], 7);
    expect(await data.outbox.nextRunAt(builds)).toBeNull();
    expect(await data.outbox.nextRunAt(mail)).toBe(7);
    const round = { kind: 'retention-round', scope: { kind: 'everything' }, after: '' } as const;
    for (const runAt of [8, 9]) await data.outbox.addOnce('round', round, 1, runAt);
    expect(await data.outbox.claim(lanes.retention, 9, 5)).toEqual([
      { id: 'round', job: round, attempts: 1 },
    ]);
  });

  it('lists the events of an owner in the order in which they were recorded', async () => {
    const owner = await addUser(data, 'busy');
    const event = {
      ownerId: owner.id,
      app: 'ios/one',
      type: 'build.edited',
      at: 90,
      data: '{"n":1}',
    } as const;
    const append = (id: string, now: number, changes = {}) =>
      data.recordedEvents.append({ ...event, id, ...changes }, now);
    expect([await append('e1', 100), await append('e1', 101)]).toEqual([true, false]);
    // Clocks of nodes differ.
    expect(await append('e2', 50, { app: null, type: 'key.created' })).toBe(true);
    expect(await append('e3', 400, { app: 'ios/two' })).toBe(true);
    const list = async (
      filter: { type?: 'build.edited'; app?: string } = {},
      page: { after?: number; since?: number; limit?: number } = {},
    ) =>
      (
        await data.recordedEvents.list(
          owner.id,
          { type: null, app: null, ...filter },
          { after: 0, since: 0, limit: 9, ...page },
        )
      ).map(({ id, position }) => [id, position]);
    expect(await list()).toEqual([
      ['e1', 100],
      ['e2', 101],
      ['e3', 400],
    ]);
    expect(await list({ type: 'build.edited' }, { after: 100 })).toEqual([['e3', 400]]);
    expect(await list({ app: 'ios/one' })).toEqual([['e1', 100]]);
    expect(await list({}, { limit: 1 })).toEqual([['e1', 100]]);
    expect(await list({}, { since: 91 })).toEqual([]);
    await data.recordedEvents.deleteOld(90);
    expect(await list()).toHaveLength(3);
    await data.recordedEvents.deleteOld(91);
    expect(await list()).toEqual([]);
  });

  it('stores webhooks, their events and the delivery status', async () => {
    const owner = await addUser(data, 'hooked');
    const { appId } = await addApp(data, owner.id);
    const place = { ownerId: owner.id, appId };
    const encrypted = { shownAddress: 'https://x', encryptedAddress: 'a', encryptedSecret: 's' };
    const webhook = {
      id: 'hook-1',
      ...place,
      name: 'n',
      kind: 'slack',
      payloadVersion: 2,
      oldSecretUntil: null,
      state: 'on',
      ...encrypted,
      subscribedEvents: ['build.uploaded'],
    } as const;
    await data.webhooks.insertWebhook(webhook, 5);
    await data.webhooks.insertWebhook({ ...webhook, id: 'hook-2', appId: null }, 6);
    expect(await data.webhooks.listWebhooks(place)).toEqual([{ ...webhook, createdAt: 5 }]);
    expect(await data.webhooks.countWebhooks({ ...place, appId: null })).toBe(1);
    expect([
      await data.webhooks.findWebhook(place, 'hook-2'),
      await data.webhooks.findWebhook(place, 'none'),
    ]).toEqual([null, null]);
    const subscribers = async (event: 'build.uploaded' | 'build.deleted') =>
      (await data.webhooks.listSubscribed({ ownerId: owner.id, appId }, event)).map(({ id }) => id);
    expect([await subscribers('build.uploaded'), await subscribers('build.deleted')]).toEqual([
      ['hook-1', 'hook-2'],
      [],
    ]);
    const event = { type: 'build.uploaded', buildId: 'b', pageId: null } as const;
    const eventId = await data.events.dispatch(event, 41);
    const [job, ...more] = await data.outbox.claim(lanes.events, 50, 20);
    const edited = { type: 'build.edited', buildId: 'b' } as const;
    const together = await data.events.dispatchAll([edited, event], 42);
    expect(together.toSorted()).toEqual(together);
    for (const id of together) expect(await data.outbox.claim(lanes.events, 50, 1)).toMatchObject([{ id }]);
    for (const id of together) await data.outbox.finish(id);
    expect([job?.job, more]).toEqual([{ kind: 'dispatch-event', eventId, at: 41, event }, []]);
    expect(await data.events.isPending(appId, eventId)).toBe(true);
    await data.outbox.putOff(eventId, 60);
    expect(await data.outbox.claim(lanes.events, 60, 20)).toEqual([{ ...job, attempts: 1 }]);
    await data.outbox.finish(eventId);
    expect(await data.events.isPending(appId, eventId)).toBe(false);

    const nothing = { status: null, fault: null, durationMs: null };
    const draft = (id: string) => ({
      id,
      webhookId: 'hook-1',
      event: 'test' as const,
      facts: '{}',
      attempts: 0,
      dueAt: 7,
      ...nothing,
      state: 'waiting' as const,
    });
    expect(await data.webhooks.insertDeliveries([draft('d1')], 'news-1', 8)).toEqual(['d1']);
    expect(await data.webhooks.insertDeliveries([draft('d2')], 'news-1', 8)).toEqual([]);
    expect(await data.webhooks.insertDeliveries([draft('d3')], 'news-2', 9)).toEqual(['d3']);
    expect(await data.events.isPending(appId, 'news-1')).toBe(true);
    const found = await data.webhooks.findDelivery('d3');
    expect(found).toMatchObject({ delivery: draft('d3'), webhook: { id: 'hook-1' } });
    expect(await data.webhooks.findDelivery('d2')).toBeNull();
    expect(found && (await data.webhooks.countWaitingBefore(found.delivery, 9))).toBe(1);
    expect([await data.webhooks.beginTry('d1', 10), await data.webhooks.beginTry('d2', 10)]).toEqual([
      true,
      false,
    ]);
    const result = { state: 'dead', dueAt: 11, status: 500, fault: null, durationMs: 12 } as const;
    await data.webhooks.settle('d1', result, 13);
    await data.webhooks.settle('d1', { ...result, status: 200 }, 14);
    expect(await data.events.isPending(appId, 'news-1')).toBe(false);
    const deliveries = await data.webhooks.listDeliveries('hook-1', 9);
    expect(deliveries.map(({ id }) => id)).toEqual(['d3', 'd1']);
    expect(deliveries[1]).toMatchObject({ ...result, attempts: 1, createdAt: 8, updatedAt: 13 });
    expect([await data.webhooks.beginTry('d1', 15), await data.webhooks.revive('hook-2', 'd1', 15)]).toEqual([
      false,
      false,
    ]);
    expect([
      await data.webhooks.revive('hook-1', 'd1', 15),
      await data.webhooks.revive('hook-1', 'd1', 15),
    ]).toEqual([true, false]);
    await data.webhooks.forgetDeliveries('hook-1');
    expect(await data.webhooks.listDeliveries('hook-1', 9)).toHaveLength(2);

    await data.webhooks.setState('hook-1', 'gone');
    expect(await subscribers('build.uploaded')).toEqual(['hook-2']);
    expect(await data.webhooks.saveWebhook({ ...webhook, name: 'another' })).toBe(true);
    expect(await data.webhooks.saveWebhook({ ...webhook, id: 'none' })).toBe(false);
    expect((await data.webhooks.listWebhooks(place))[0]).toMatchObject({ name: 'another', state: 'on' });
    expect([
      await data.webhooks.deleteWebhook('hook-1'),
      await data.webhooks.deleteWebhook('hook-1'),
    ]).toEqual([true, false]);
    expect(await data.webhooks.findDelivery('d1')).toBeNull();
    const leaving = async (page: { after: string; limit: number }) =>
      (await data.ownerDeletion.listSubscribedWebhooks(owner.id, page)).webhooks.map(({ id, app }) => [
        id,
        app?.packageName,
      ]);
    expect(await leaving({ after: '', limit: 9 })).toEqual([]);
    const subscribed = { ...webhook, subscribedEvents: ['build.uploaded', 'owner.deleted'] } as const;
    for (const id of ['hook-3', 'hook-4', 'hook-5'])
      await data.webhooks.insertWebhook({ ...subscribed, id }, 7);
    await data.webhooks.setState('hook-5', 'off');
    await data.webhooks.saveWebhook({ ...subscribed, id: 'hook-2', appId: null });
    const afterSecond = { after: 'hook-2', limit: 1 };
    expect(await data.ownerDeletion.listSubscribedWebhooks(owner.id, afterSecond)).toEqual({
      webhooks: [
        {
          id: 'hook-3',
          kind: 'slack',
          payloadVersion: 2,
          oldSecretUntil: null,
          sealedAddress: 'a',
          sealedSecret: 's',
          app: { platform: 'android', packageName: 'com.example.sample', name: 'Sample' },
        },
      ],
      next: 'hook-3',
    });
    const named = 'com.example.sample';
    expect(await leaving({ after: '', limit: 9 })).toEqual([
      ['hook-2', undefined],
      ['hook-3', named],
      ['hook-4', named],
    ]);
    await data.appDeletion.hideApp(appId, 98);
    expect((await leaving({ after: '', limit: 9 })).map(([, name]) => name)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    await data.ownerDeletion.remove({ id: owner.id, kind: 'user', email: null }, 99);
    expect(await data.webhooks.listWebhooks({ ...place, appId: null })).toEqual([]);
  });

  describe('mail', () => {
    const draft = (buildId: string, user: User, changes: Partial<MailDraft> = {}): MailDraft => ({
      buildId,
      pageId: null,
      userId: user.id,
      address: user.email ?? '',
      state: 'waiting',
      ...changes,
    });

    it('is written once for each build and person', async () => {
      const { builds } = await addApp(data, ada.id, { packageName: 'com.mailed', count: 2 });
      const [first, second] = builds.map(({ id }) => id) as [string, string];
      const ben = await addUser(data, 'mail-ben');
      const ids = await data.mails.insertMails([draft(first, ada), draft(first, ben)], 100);
      expect(ids).toHaveLength(2);
      expect(await data.mails.insertMails([draft(first, ben), draft(second, ben)], 101)).toHaveLength(1);
      expect(await data.mails.insertMails([draft(first, ada, { address: 'x@example.com' })], 102)).toEqual(
        [],
      );
      expect(await data.mails.insertMails([], 103)).toEqual([]);
      expect(await data.mails.findMail(ids[0] ?? '')).toEqual({
        ...draft(first, ada),
        id: ids[0],
        attempts: 0,
        lastError: null,
        createdAt: 100,
        updatedAt: 100,
      });
      expect(await data.mails.findMail('none')).toBeNull();
    });

    it('is claimed by one of many concurrent callers, and changes only from its expected state', async () => {
      const { builds } = await addApp(data, ada.id, { packageName: 'com.mail.taken' });
      const [id = ''] = await data.mails.insertMails([draft(builds[0]?.id ?? '', ada)], 200);
      const second = await test.openSecond();
      const taken = await Promise.all(
        Array.from({ length: 10 }, (_, index) => (index % 2 ? data : second.data).mails.takeMail(id, 201)),
      );
      expect(taken.filter((mail) => mail !== null)).toMatchObject([
        { id, state: 'sending', attempts: 1, updatedAt: 201 },
      ]);
      const later = { state: 'waiting', lastError: 'no luck', now: 202 } as const;
      expect(await data.mails.changeMail(id, ['waiting', 'dead'], later)).toBe(false);
      expect(await data.mails.changeMail(id, ['sending'], later)).toBe(true);
      expect(await data.mails.findMail(id)).toMatchObject({
        state: 'waiting',
        lastError: 'no luck',
        attempts: 1,
      });
      expect(await data.mails.reviveMail(id, 203)).toBe(false);
      await data.mails.changeMail(id, ['waiting'], { state: 'dead', lastError: 'gone', now: 204 });
      expect(await data.mails.reviveMail(id, 205)).toBe(true);
      expect(await data.mails.findMail(id)).toMatchObject({
        state: 'waiting',
        lastError: null,
        attempts: 0,
        updatedAt: 205,
      });
    });

    it('is listed newest first, in both directions, by state, counted up to a limit, and deleted by age', async () => {
      await data.mails.deleteOldMails(1_000_000);
      const { builds } = await addApp(data, ada.id, {
        packageName: 'com.mail.listed',
        count: 5,
        platform: 'ios',
      });
      const ids: string[] = [];
      for (const [index, build] of builds.entries()) {
        const state = index === 3 ? 'dead' : 'kept';
        ids.push(
          ...(await data.mails.insertMails([draft(build.id, ada, { state })], 2_000_000 + index * 1000)),
        );
      }
      const list = async (page: Partial<Parameters<typeof data.mails.listMails>[0]>) =>
        (await data.mails.listMails({ state: null, limit: 9, ...page })).map(({ mail }) =>
          ids.indexOf(mail.id),
        );
      expect(await list({})).toEqual([4, 3, 2, 1, 0]);
      expect(await list({ state: 'kept', limit: 2 })).toEqual([4, 2]);
      expect(await list({ below: ids[3] ?? '', limit: 2 })).toEqual([2, 1]);
      expect(await list({ above: ids[0] ?? '', limit: 2 })).toEqual([2, 1]);
      expect(await list({ state: 'kept', above: ids[2] ?? '' })).toEqual([4]);
      expect((await data.mails.listMails({ state: 'dead', limit: 9 }))[0]).toMatchObject({
        userName: 'Ada',
        appName: 'Sample',
        versionName: '1.2',
        versionCode: '7',
        platform: 'ios',
      });
      expect(await data.mails.countMails('kept', 9)).toBe(4);
      expect(await data.mails.countMails('kept', 3)).toBe(3);
      expect(await data.mails.countMails('sent', 3)).toBe(0);
      await data.mails.deleteOldMails(2_003_000);
      expect(await list({})).toEqual([4, 3]);
    });

    it('contains the release note of its page, and nothing of other builds or pages', async () => {
      const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.mail.noted', count: 3 });
      const [first, second, third] = builds.map(({ id }) => id) as [string, string, string];
      const put = (buildId: string, name: string, releaseNote: string, now: number) =>
        data.distributions.putPageByName({ appId, name, releaseNote, buildId, now, accessKey: newHexKey() });
      const page = await put(first, 'main', 'one', 10);
      await put(second, 'main', 'two', 20);
      await put(first, 'main', 'one again', 30);
      await put(third, 'other', 'three', 40);
      expect(await data.mails.findReleaseNote(page.id, first)).toBe('one again');
      expect(await data.mails.findReleaseNote(page.id, second)).toBe('two');
      expect(await data.mails.findReleaseNote(page.id, third)).toBeNull();
    });

    it('is sent to the teams of a Project, by default for iOS only, as each person chose', async () => {
      const project = await addProject(data, 'mail-project');
      const people: User[] = [];
      for (const [index, team] of (['owner', 'developer', 'tester', 'tester', 'tester'] as const).entries()) {
        const user = await addUser(data, `mail-member-${index}`, index === 4 ? { email: null } : {});
        await data.owners.addTeamMember(project.id, team, user.id, 1);
        people.push(user);
      }
      await data.owners.addTeamMember(project.id, 'owner', people[2]?.id ?? '', 1);
      await addUser(data, 'mail-stranger');
      const ids = people.map(({ id }) => id) as [string, string, string, string, string];
      const appOf = async (platform: 'ios' | 'android') => {
        const { appId } = await addApp(data, project.id, { packageName: 'com.mail.people', platform });
        const app = await data.apps.findAppById(appId);
        if (!app) throw new Error('no app');
        return app;
      };
      const [ios, android] = [await appOf('ios'), await appOf('android')];
      const numbers = async (app: typeof ios, page: { after?: string; only?: string; limit?: number } = {}) =>
        (await data.mailChoices.listRecipients(app, { limit: 9, ...page })).map(({ userId }) =>
          ids.indexOf(userId),
        );
      // A member of two teams gets one email; a member without an address gets none.
      expect((await numbers(ios)).sort()).toEqual([0, 1, 2, 3]);
      expect(await numbers(android)).toEqual([]);
      await data.mailChoices.setChoice(ids[0], ios.id, false, 1);
      await data.mailChoices.setChoice(ids[1], android.id, true, 1);
      await data.mailChoices.setChoice(ids[4], android.id, true, 1);
      expect((await numbers(ios)).sort()).toEqual([1, 2, 3]);
      expect(await numbers(android)).toEqual([1]);
      const [one, ...rest] = await data.mailChoices.listRecipients(ios, { limit: 1 });
      expect(rest).toEqual([]);
      expect(await numbers(ios, { after: one?.userId ?? '' })).toHaveLength(2);
      expect(await numbers(ios, { only: ids[3] })).toEqual([3]);
      expect(await numbers(ios, { only: ids[0] })).toEqual([]);
      expect(await data.mailChoices.findChoice(ids[0], ios.id)).toBe(false);
      expect(await data.mailChoices.findChoice(ids[1], android.id)).toBe(true);
      expect(await data.mailChoices.findChoice(ids[1], ios.id)).toBeNull();
      await data.mailChoices.setChoice(ids[0], ios.id, true, 2);
      expect((await numbers(ios)).sort()).toEqual([0, 1, 2, 3]);
      // In a Project the teams decide, regardless of earlier rows in the table.
      const stranger = await addUser(data, 'mail-given');
      await data.appTesters.add({ appId: ios.id, userId: stranger.id, limit: 9, now: 1 });
      expect(await data.mailChoices.listRecipients(ios, { only: stranger.id, limit: 1 })).toEqual([]);
      expect(await data.mailChoices.listChoices(stranger.id, { limit: 9 })).toEqual([]);
    });

    it('is sent to the User who owns an app and to users with access to it', async () => {
      const owner = await addUser(data, 'mail-owner');
      const given = await addUser(data, 'mail-friend');
      const { appId } = await addApp(data, owner.id, { packageName: 'com.mail.own', platform: 'ios' });
      const other = await addApp(data, owner.id, { packageName: 'com.mail.other' });
      await data.appTesters.add({ appId, userId: given.id, limit: 9, now: 1 });
      const app = await data.apps.findAppById(appId);
      const to = app && (await data.mailChoices.listRecipients(app, { limit: 9 }));
      expect(to?.map(({ address }) => address).sort()).toEqual(
        ['mail-friend@example.com', 'mail-owner@example.com'].sort(),
      );
      const page = { limit: 9 };
      expect(await data.mailChoices.listChoices(given.id, page)).toEqual([
        {
          appId,
          platform: 'ios',
          packageName: 'com.mail.own',
          ownerName: 'mail-owner',
          appName: 'Sample',
          wanted: true,
        },
      ]);
      await data.mailChoices.setChoice(owner.id, other.appId, true, 1);
      const own = await data.mailChoices.listChoices(owner.id, page);
      expect(own.map(({ packageName, wanted }) => [packageName, wanted])).toEqual([
        ['com.mail.own', true],
        ['com.mail.other', true],
      ]);
      const some = await data.mailChoices.listChoices(owner.id, { ...page, appIds: [other.appId, 'none'] });
      expect(some.map(({ appId: id }) => id)).toEqual([other.appId]);
      expect(await data.mailChoices.listChoices(owner.id, { ...page, appIds: [] })).toEqual([]);
      // Another User's app of the same name.
      const third = await addApp(data, given.id, { packageName: 'com.mail.own' });
      await data.appTesters.add({ appId: third.appId, userId: owner.id, limit: 9, now: 1 });
      const fourth = await addApp(data, given.id, { packageName: 'com.mail.other' });
      await data.appTesters.add({ appId: fourth.appId, userId: owner.id, limit: 9, now: 1 });
      const all = await data.mailChoices.listChoices(owner.id, page);
      expect(all.map(({ platform, packageName }) => [platform, packageName])).toEqual([
        ['ios', 'com.mail.own'],
        ['android', 'com.mail.other'],
        ['android', 'com.mail.other'],
        ['android', 'com.mail.own'],
      ]);
      for (const [at, place] of all.entries()) {
        const [after, before] = await Promise.all([
          data.mailChoices.listChoices(owner.id, { after: place, limit: 9 }),
          data.mailChoices.listChoices(owner.id, { before: place, limit: 9 }),
        ]);
        expect([before, after]).toEqual([all.slice(0, at), all.slice(at + 1)]);
      }
      const last = all[3];
      expect(await data.mailChoices.listChoices(owner.id, { after: all[0], limit: 2 })).toEqual(
        all.slice(1, 3),
      );
      expect(await data.mailChoices.listChoices(owner.id, { before: last, limit: 2 })).toEqual(
        all.slice(1, 3),
      );
      const gone = { platform: 'ios', packageName: 'com.mail.p', appId: 'gone' } as const;
      expect(await data.mailChoices.listChoices(owner.id, { after: gone, limit: 9 })).toEqual(all.slice(1));
    });
  });

  it('maps only a violated unique constraint to a refusal', async () => {
    const refusal = () => new Error('taken');
    await expect(data.refuseDuplicate(() => addUser(data, 'ADA'), refusal)).rejects.toThrow('taken');
    const other = data.refuseDuplicate(() => Promise.reject(new Error('other')), refusal);
    await expect(other).rejects.toThrow('other');
  });

  describe('the doctor’s queries', () => {
    it('verify that the database can be written, and leave no row', async () => {
      await data.transaction((tx) => tx.doctor.checkWritable(1));
      const left = test.database.queries.selectFrom('attempts').where('subject', 'like', 'readiness %');
      expect(await left.selectAll().execute()).toEqual([]);
    });

    it('read the database server’s clock', async () => {
      const before = Date.now();
      const clock = await data.doctor.clock();
      if (dialect === 'sqlite') expect(clock).toBeNull();
      else {
        // The test database runs on this machine; its clock has a finer resolution than a millisecond.
        expect(clock).toBeGreaterThanOrEqual(before - 1);
        expect(clock).toBeLessThanOrEqual(Date.now() + 1);
      }
    });
  });

  it('name, list and remove the screenshots of feedback', async () => {
    const owner = await addUser(data, 'feedback-owner');
    const { appId, builds } = await addApp(data, owner.id, { packageName: 'com.example.feedback' });
    const screenshotOf = (id: string) => ({
      number: 1,
      blob: `feedback/${id}.1`,
      sizeBytes: 7,
      sha256: 'c0',
    });
    const add = (id: string) =>
      data.feedback.insert(
        {
          id,
          appId,
          buildId: builds[0]?.id ?? '',
          pageId: null,
          pageName: 'QA',
          text: 'It stops',
          email: null,
          sender: null,
          device: 'iPhone',
          status: 'new',
          createdAt: 1,
        },
        [screenshotOf(id)],
      );
    await add('f1');
    await add('f2');
    expect(await data.builds.namedBlobs(['feedback/f1.1', 'feedback/f9.1'])).toEqual(
      new Set(['feedback/f1.1']),
    );
    expect(await data.backup.listScreenshots('', 1)).toEqual([
      { blob: 'feedback/f1.1', sizeBytes: 7, sha256: 'c0' },
    ]);
    expect(await data.backup.listScreenshots('feedback/f1.1', 9)).toHaveLength(1);
    expect(await data.feedback.usage(appId)).toEqual({ count: 2, screenshotBytes: 14 });
    expect(await data.appDeletion.removeFeedback(appId, 9)).toBeNull();
    await data.appDeletion.hideApp(appId, 9);
    expect(await data.appDeletion.removeFeedback(appId, 1)).toEqual(['feedback/f1.1']);
    expect(await data.appDeletion.removeFeedback(appId, 9)).toEqual(['feedback/f2.1']);
    expect(await data.appDeletion.removeFeedback(appId, 9)).toBeNull();
  });

  it('list the blobs that builds reference, page by page, deleted builds too', async () => {
    const owner = await addUser(data, 'backed-up');
    const { builds } = await addApp(data, owner.id, { packageName: 'com.example.backup', count: 3 });
    const [first, second, third] = builds;
    await data.buildDeletion.hideBuilds([second?.id ?? ''], 'ada', 5);
    const ids: string[] = [];
    for (let after = ''; ; ) {
      const page = await data.backup.listStored(after, 2);
      ids.push(...page.map((build) => build.id));
      after = page.at(-1)?.id ?? '';
      if (page.length < 2) break;
    }
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(builds.map((build) => build.id)));
    const stored = (await data.backup.listStored('', 10_000)).find((build) => build.id === third?.id);
    expect(stored).toEqual({
      id: third?.id,
      sha256: third?.sha256,
      packageBlob: third?.packageBlob,
      packageBytes: 5_000_000_000,
      simulatorBlob: null,
      simulatorBytes: null,
      simulatorSha256: null,
      apkBlob: null,
      apkBytes: null,
      apkSha256: null,
      isDamaged: false,
      iconBlob: null,
    });
    expect(first).toBeDefined();
  });

  it('keep the damage of a build until its icon changes', async () => {
    const [build] = await data.backup.listStored('', 1);
    if (!build) throw new Error('no build is stored');
    const { id, iconBlob, packageBlob } = build;
    const before = await data.builds.countDamaged();
    expect(await data.builds.setDamage({ id, iconBlob: 'icons/other' }, { [packageBlob]: 'missing' })).toBe(
      false,
    );
    expect(await data.builds.setDamage({ id: 'gone', iconBlob: null }, {})).toBe(false);
    expect(await data.builds.setDamage({ id, iconBlob }, { [packageBlob]: 'missing' })).toBe(true);
    expect(await data.builds.countDamaged()).toBe(before + 1);
    expect((await data.backup.listStored('', 1))[0]).toMatchObject({ id, isDamaged: true });
    expect(await data.builds.setDamage({ id, iconBlob }, {})).toBe(true);
    expect(await data.builds.countDamaged()).toBe(before);
  });

  it('count what metrics report', async () => {
    const stored = await data.metrics.countStored();
    const all = await data.backup.listStored('', 10_000);
    expect(stored.builds).toBe(all.length);
    const bytes = all.reduce(
      (sum, build) => sum + build.packageBytes + (build.simulatorBytes ?? 0) + (build.apkBytes ?? 0),
      0,
    );
    expect(stored.bytes).toBe(bytes);
    const before = await data.metrics.countJobs(lanes.mail);
    await data.outbox.add({ kind: 'send-mail', mailId: 'counted', until: 1 }, 1);
    const after = await data.metrics.countJobs(lanes.mail);
    const waiting = (jobs: typeof after) => jobs.find((job) => job.kind === 'send-mail')?.waiting ?? 0;
    expect(waiting(after)).toBe(waiting(before) + 1);
    expect(after.every((job) => job.dead === 0)).toBe(true);
    const exhausted = { ...lanes.mail, maxAttempts: 0 };
    expect((await data.metrics.countJobs(exhausted)).find((job) => job.kind === 'send-mail')).toMatchObject({
      waiting: 0,
      dead: waiting(after),
    });
  });

  describe('the administration queries', () => {
    it('list people by name, searched and filtered, with their details', async () => {
      const one = await addUser(data, 'Pia-one');
      const two = await addUser(data, 'pia-two', { email: 'Second@Elsewhere.example', administrator: true });
      await addUser(data, 'pia-three', { email: null });
      const { administration } = data;
      const names = async (
        words: string[],
        page: object = {},
        only: 'administrators' | 'disabled' | null = null,
      ) =>
        (await administration.listPeople({ only, words }, { limit: 9, ...page })).map(
          ({ user }) => user.name,
        );
      expect(await names(['PIA-'])).toEqual(['Pia-one', 'pia-three', 'pia-two']);
      expect(await names(['pia', 'elsewhere'])).toEqual(['pia-two']);
      expect(await names(['p%a'])).toEqual([]);
      expect(await names(['pia-'], { after: 'pia-one', limit: 1 })).toEqual(['pia-three']);
      expect(await names(['pia-'], { before: 'pia-two', limit: 1 })).toEqual(['pia-three']);
      expect(await names(['pia-'], {}, 'administrators')).toEqual(['pia-two']);
      expect(await names([], {}, 'disabled')).toEqual([]);

      expect(await administration.findPerson('PIA-ONE')).toEqual({
        user: one,
        madeAt: 1,
        disabledAt: null,
        lastSeenAt: null,
        hasPassword: true,
        hasTotp: false,
        passkeys: 0,
      });
      expect(await administration.findPerson('nobody')).toBeNull();
      const session = {
        userId: one.id,
        tokenHash: 'pia',
        userAgent: '',
        address: '',
        authenticatedAt: null,
        createdAt: 5,
        expiresAt: 50,
      };
      await data.sessions.insertSession(session);
      expect((await administration.findPerson('pia-one'))?.lastSeenAt).toBe(5);
      expect(await administration.countSessions(one.id, 49)).toBe(1);
      expect(await administration.countSessions(one.id, 50)).toBe(0);
      const key = { ownerId: one.id, name: '', keyHash: 'pia key', hint: '', createdAt: 1, expiresAt: null };
      const { id: keyId } = await data.keys.insertKey(key);
      await data.keys.touchKey(keyId, 7, '');
      expect((await administration.findPerson('pia-one'))?.lastSeenAt).toBe(7);

      expect(await administration.holdAccount(two.id)).toEqual({ administrator: true, disabled: false });
      expect(await administration.holdAccount('nobody')).toBeNull();
      await administration.setAdministrator(two.id, false);
      await administration.setDisabled(two.id, 9);
      expect(await administration.holdAccount(two.id)).toEqual({ administrator: false, disabled: true });
      expect(await names([], {}, 'disabled')).toEqual(['pia-two']);
    });

    it('find no person whose account is disabled, until it is enabled', async () => {
      const user = await addUser(data, 'sleeper', { administrator: true });
      const key = {
        ownerId: user.id,
        name: '',
        keyHash: 'sleeper key',
        hint: '',
        createdAt: 1,
        expiresAt: null,
      };
      await data.keys.insertKey(key);
      const session = {
        userId: user.id,
        tokenHash: 'sleeper',
        userAgent: '',
        address: '',
        authenticatedAt: null,
      };
      await data.sessions.insertSession({ ...session, createdAt: 1, expiresAt: 50 });
      const known = async () => [
        (await data.keys.findKey('sleeper key', 1)) !== null,
        (await data.sessions.findSession('sleeper', 9)) !== null,
        (await data.sessions.holdForSession(user.id)) !== null,
        (await data.owners.findUserForSignIn('sleeper')) !== null,
        (await data.ownerDeletion.holdAdministrators()).includes(user.id),
      ];
      expect(await known()).toEqual([true, true, true, true, true]);
      await data.administration.setDisabled(user.id, 2);
      expect(await known()).toEqual([false, false, false, false, false]);
      await data.administration.setDisabled(user.id, null);
      expect(await known()).toEqual([true, true, true, true, true]);
      expect(await data.sessions.holdForSession('nobody')).toBeNull();
      await data.administration.setAdministrator(user.id, false);
    });

    it('sum what owners store, and list owners with their quotas', async () => {
      const { administration } = data;
      const project = await addProject(data, 'amassing');
      await addApp(data, project.id, { count: 2 });
      await addApp(data, project.id, { platform: 'ios' });
      const parts = (await administration.countStoredByOwner()).filter(
        ({ ownerId }) => ownerId === project.id,
      );
      expect(parts.toSorted((one, other) => other.builds - one.builds)).toEqual(
        [
          { platform: 'android', builds: 2, bytes: 10_000_000_000 },
          { platform: 'ios', builds: 1, bytes: 5_000_000_000 },
        ].map((part) => ({
          ownerId: project.id,
          ownerKind: 'project',
          ownerName: 'amassing',
          workspaceId: null,
          apps: 1,
          ...part,
        })),
      );
      const quota = { maxStorageBytes: 5, maxBuilds: null, maxProjects: null };
      await data.quotas.set(project.id, quota);
      const line = { id: project.id, kind: 'project', name: 'amassing', quota };
      expect(await administration.ownersWithQuota([project.id, 'nobody'])).toEqual([line]);
      expect(await administration.ownersWithQuota([])).toEqual([]);
      const filter = { kind: 'project', words: ['AMASSING'] } as const;
      expect(await administration.listOwners(filter, { limit: 9 })).toEqual([line]);
      expect(await administration.listOwners(filter, { limit: 9, after: 'amassing' })).toEqual([]);
      expect(await administration.listOwners(filter, { limit: 9, before: 'amassinh' })).toEqual([line]);
      const look = { name: 'Stores', displayName: 'The stores', iconUrl: '/i.png' };
      const { id } = await data.owners.insertWorkspace({ ...look, createdAt: 1 });
      const workspace = { id, name: 'Stores', displayName: 'The stores' };
      expect(await administration.listWorkspaces(['store'], { limit: 9, after: 'st' })).toEqual([workspace]);
      expect(await administration.listWorkspaces(['store'], { limit: 9, before: 'st' })).toEqual([]);
      const before = await administration.countOwners('project');
      await addProject(data, 'one-more');
      expect(await administration.countOwners('project')).toBe(before + 1);
      expect(await administration.countWorkspaces()).toBeGreaterThanOrEqual(1);
    });

    it('list jobs by state, and change failed ones', async () => {
      const { administration, outbox } = data;
      const now = 5000;
      const states = async () =>
        Promise.all(
          (['dead', 'failing', 'running', 'waiting', 'planned'] as const).map((state) =>
            administration.countJobs(state, now, 99),
          ),
        );
      const before = await states();
      const { builds } = await addApp(data, ada.id, { packageName: 'com.example.work' });
      const build = builds[0]?.id ?? '';
      await outbox.add({ kind: 'verify-signature', buildId: build }, now);
      await outbox.addAll([{ kind: 'verify-signature', buildId: build }], now, now + 1);
      const waiting = (await administration.listJobs('waiting', now, { limit: 99 })).find(
        ({ job }) => 'buildId' in job && job.buildId === build,
      );
      expect(waiting).toMatchObject({
        state: 'waiting',
        attempts: 0,
        lastError: null,
        dueAt: now,
        madeAt: now,
      });
      expect(await states()).toEqual(before.map((count, at) => count + (at >= 3 ? 1 : 0)));
      expect(await administration.countJobs('waiting', now, 1)).toBe(1);
      expect(await administration.countJobs('waiting', now, 99, 0)).toBe(0);
      const id = waiting?.id ?? '';
      expect(await administration.retryJob(id, now)).toBeNull();
      expect(await administration.discardJob(id, now)).toBeNull();

      const claimed: (string | undefined)[] = [];
      for (let at = 0; at < 99 && !claimed.includes(id); at++) {
        claimed.push((await outbox.claim(lanes.builds, now, 1))[0]?.id);
      }
      expect((await administration.listJobs('running', now, { limit: 99 })).map((one) => one.id)).toContain(
        id,
      );
      expect(await administration.retryJob(id, now)).toBeNull();
      await outbox.retryLater(id, now + 9, 'Error: no');
      const failing = await administration.listJobs('failing', now, { limit: 99, above: '0' });
      expect(failing.find((one) => one.id === id)).toMatchObject({ attempts: 1, lastError: 'Error: no' });
      expect(await administration.listJobs('failing', now, { limit: 99, below: '0' })).toEqual([]);
      expect(await administration.retryJob(id, now)).toBe('verify-signature');
      expect(await administration.retryJob(id, now)).toBeNull();
      await outbox.claim(lanes.builds, now, 1);
      await outbox.retryLater(id, now, 'Error: no');
      expect(await administration.discardJob(id, now)).toEqual({ kind: 'verify-signature', buildId: build });
      expect(await administration.discardJob(id, now)).toBeNull();

      const mail = {
        userId: ada.id,
        buildId: build,
        pageId: null,
        address: 'a@x',
        state: 'waiting',
      } as const;
      const [mailId = ''] = await data.mails.insertMails([mail], now);
      const appId = (await data.apps.findApp(ada.id, 'android', 'com.example.work'))?.id ?? '';
      const ids = { builds: [build, 'gone'], mails: [mailId], apps: [appId] };
      expect(Object.fromEntries(await administration.nameSubjects(ids))).toEqual({
        [build]: { name: 'Sample', revision: 1 },
        [mailId]: { name: 'Sample', revision: 1 },
        [appId]: { name: 'com.example.work', revision: null },
      });
      expect((await administration.nameSubjects({ builds: [], mails: [], apps: [] })).size).toBe(0);
    });

    it('describe the database', async () => {
      expect(await data.administration.databaseFacts()).toEqual({
        dialect,
        serverVersion: expect.stringMatching(/^\d+\.\d+/),
        schema: expect.stringMatching(/^\d{4}-/),
      });
    });
  });

  it('are all covered by these tests', () => {
    const all = groups.flatMap((group) => Object.keys(test.data[group]).map((name) => `${group}.${name}`));
    expect(all.length).toBeGreaterThan(40);
    expect(all.filter((name) => !asked.has(name))).toEqual([]);
  });
});

/** The same data, recording which queries run, inside transactions too. */
function recordCalls(data: TestData['data'], asked: Set<string>): TestData['data'] {
  const record = <Queries extends object>(queries: Queries): Queries => {
    const recorded = { ...queries } as Record<string, unknown>;
    for (const group of groups) {
      recorded[group] = new Proxy(queries[group as keyof Queries] as object, {
        get: (target, name) => {
          asked.add(`${group}.${String(name)}`);
          return Reflect.get(target, name);
        },
      });
    }
    return recorded as Queries;
  };
  return { ...record(data), transaction: (work) => data.transaction((tx) => work(record(tx))) };
}
