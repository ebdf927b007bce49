/** Every query that serves a request uses an index: none scans a table that can grow. */
import { type CompiledQuery, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageViewer } from '../../src/apps/listed-page.ts';
import { liveQueries } from '../../src/apps/live/live-queries.ts';
import { newHexKey } from '../../src/core/identifier.ts';
import { lanes } from '../../src/jobs/outbox.ts';
import { outboxQueries } from '../../src/jobs/outbox-queries.ts';
import type { WebhookDraft } from '../../src/webhooks/webhook-queries.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { addApp, addProject, addUser, sampleMailAbout } from '../support/sample-rows.ts';
import { testClaim } from '../support/test-claims.ts';
import { dialects } from '../support/test-database.ts';

/** Tables that grow with use. Administrators read the whole `outbox`; `workspaces` and `schema_migrations` stay small. */
const growing = [
  'owners',
  'users',
  'projects',
  'team_members',
  'api_keys',
  'sessions',
  'invitations',
  'password_resets',
  'apps',
  'builds',
  'distribution_pages',
  'distribution_updates',
  'app_testers',
  'idempotency_keys',
  'audit_rows',
  'install_tickets',
  'page_counts',
  'page_visitors',
  'member_activity',
  'build_counts',
  'install_systems',
  'devices',
  'hooks',
  'hook_deliveries',
  'events',
  'mails',
  'mail_choices',
  'app_testers',
  'attempts',
  'idempotent_requests',
];

describe.each(dialects)('query plans on %s', (dialect) => {
  let test: TestData;
  let asked: CompiledQuery[];
  beforeAll(async () => {
    test = await openTestData(dialect);
    asked = recordQueries(test);
  });
  afterAll(() => test.close());

  /** The lines of the plans of all queries that `work` runs. */
  const plansOf = async (work: () => Promise<unknown>): Promise<string[]> => {
    asked.length = 0;
    await work();
    const queries = [...asked];
    expect(queries.length).toBeGreaterThan(0);
    const lines: string[] = [];
    for (const query of queries) lines.push(...(await explain(test, query)));
    return lines;
  };
  const fullScans = (lines: string[]) =>
    lines.filter((line) =>
      growing.some((table) =>
        dialect === 'sqlite'
          ? new RegExp(`^SCAN (${aliases[table] ?? table})\\b`).test(line)
          : line.includes(`Seq Scan on ${table}`),
      ),
    );

  it('detect a full scan', async () => {
    const whole = () =>
      test.database.queries.selectFrom('builds').select('id').where('message', '=', 'x').execute();
    expect(fullScans(await plansOf(whole))).toHaveLength(1);
  });

  it('use no full scan for queries of requests', async () => {
    const { data } = test;
    const { administration } = data;
    const ada = await addUser(data, 'ada');
    const project = await addProject(data, 'project');
    const { appId, builds } = await addApp(data, ada.id, { count: 3 });
    const build = builds[0]?.id ?? '';
    const page = await data.distributions.putPageByName({
      appId,
      name: 'main',
      accessKey: newHexKey(),
      buildId: build,
      releaseNote: '',
      now: 1,
    });
    const content = { buildId: build, releaseNote: '', now: 2 };
    const viewer = pageViewer({ actor: { kind: 'user', user: ada } }, 1);
    const taken = { sha256: '', buildId: build, pageId: null };
    const webhook: WebhookDraft = {
      id: 'hook',
      ownerId: ada.id,
      appId,
      name: '',
      kind: 'json',
      oldSecretUntil: null,
      state: 'on',
      shownAddress: '',
      encryptedAddress: '',
      encryptedSecret: '',
      subscribedEvents: ['build.uploaded', 'build.deleted', 'owner.deleted', 'page.published'],
    };
    await data.webhooks.insertWebhook(webhook, 1);
    const settled = {
      state: 'sent',
      dueAt: 1,
      status: 200,
      fault: null,
      durationMs: 1,
      attemptLog: [],
    } as const;
    const delivery = {
      id: 'd',
      webhookId: 'hook',
      event: 'test',
      facts: '{}',
      attempts: 1,
      ...settled,
    } as const;
    const source = { ownerId: ada.id, appId };
    const recorded = {
      ...{ id: 'e', ownerId: ada.id, app: null, at: 1, data: '{}' },
      type: 'key.created',
    } as const;
    const feed = { after: 0, since: 0, limit: 50 };
    const choice = { platform: 'ios', packageName: 'com.example.sample', appId } as const;
    const everyone = { appId, buildId: null, pageId: null, since: 1 };
    const app = await data.apps.findApp(ada.id, 'android', 'com.example.sample');
    if (!app) throw new Error('no app');
    const questions: Record<string, () => Promise<unknown>> = {
      findOwner: () => data.owners.findOwner('ada'),
      findOwnerById: () => data.owners.findOwnerById(ada.id),
      'findUserForSignIn by name': () => data.owners.findUserForSignIn('ada'),
      'findUserForSignIn by address': () => data.owners.findUserForSignIn('ada@example.com'),
      isWorkspaceOwner: () => data.owners.isWorkspaceOwner('w', ada.id),
      teamsOf: () => data.owners.teamsOf(project.id, ada.id),
      'groups.listGroups': () => data.groups.listGroups(ada.id),
      'groups.findGroup': () => data.groups.findGroup(ada.id, 'g'),
      'groups.lockOwner': () => data.groups.lockOwner(ada.id),
      'groups.renameGroup': () => data.groups.renameGroup('g', 'QA'),
      'groups.deleteGroup': () => data.groups.deleteGroup('g'),
      'groups.listPeople': () => data.groups.listPeople('g', 9),
      'groups.hasAccess to a Project': () =>
        data.groups.hasAccess({ id: project.id, kind: 'project' }, ada.id),
      'groups.hasAccess to apps of a User': () => data.groups.hasAccess({ id: ada.id, kind: 'user' }, ada.id),
      'groups.removePerson': () => data.groups.removePerson('g', ada.id),
      'groups.removeFromOwner': () => data.groups.removeFromOwner(ada.id, ada.id),
      'groups.groupsOfPage': () => data.groups.groupsOfPage(page.id),
      'groups.pagesOfGroup': () => data.groups.pagesOfGroup('g'),
      'groups.isInGroupOfPage': () => data.groups.isInGroupOfPage(page.id, ada.id),
      'mailChoices.listRecipients in groups': () =>
        data.mailChoices.listRecipients(
          { id: appId, owner: { id: project.id, kind: 'project', name: '' }, platform: 'ios' },
          { groupsOf: page.id, limit: 500 },
        ),
      'personPlaces.listProjects': () => data.personPlaces.listProjects(ada.id, ada.id, 9),
      'personPlaces.listProjects of everyone': () => data.personPlaces.listProjects(ada.id, null, 9),
      'personPlaces.listWorkspaces': () => data.personPlaces.listWorkspaces(ada.id, ada.id, 9),
      'personPlaces.listWorkspaces of everyone': () => data.personPlaces.listWorkspaces(ada.id, null, 9),
      'personPlaces.listSharedApps': () => data.personPlaces.listSharedApps(ada.id, ada.id, 9),
      'personPlaces.listSharedApps of everyone': () => data.personPlaces.listSharedApps(ada.id, null, 9),
      'personPlaces.listOwned': () => data.personPlaces.listOwned(ada.id),
      listMembers: () => data.owners.listMembers(project.id),
      listProjectsOfUser: () => data.owners.listProjectsOfUser(ada.id),
      'projectLists.listProjects': () =>
        data.projectLists.listProjects({ memberId: ada.id }, ['x'], { limit: 51, after: 'a' }),
      'projectLists.listProjects of uploaders': () =>
        data.projectLists.listProjects({ memberId: ada.id, teams: ['owner'] }, [], {
          limit: 51,
          before: 'z',
        }),
      'projectLists.listProjects of a Workspace': () =>
        data.projectLists.listProjects({ workspaceId: 'w' }, [], { limit: 51 }),
      'projectLists.listProjects of a member in a Workspace': () =>
        data.projectLists.listProjects({ memberId: ada.id, workspaceId: 'w' }, [], { limit: 1 }),
      'projectLists.listLatestProjects': () => data.projectLists.listLatestProjects({ memberId: ada.id }, 12),
      'projectLists.teamsByProject': () => data.projectLists.teamsByProject(ada.id, [project.id]),
      'projectLists.listWorkspaces': () => data.projectLists.listWorkspaces(ada.id, ['x'], { limit: 51 }),
      addTeamMember: () => data.owners.addTeamMember(project.id, 'owner', ada.id, 1),
      removeTeamMember: () => data.owners.removeTeamMember(project.id, 'tester', ada.id),
      findKey: () => data.keys.findKey('hash', 1),
      touchKey: () => data.keys.touchKey('id', 1, ''),
      'findKey that was rotated': () => data.keys.findKey('previous', 1),
      holdKey: () => data.keys.holdKey('hash', 1),
      findKeyById: () => data.keys.findKeyById('id'),
      listExpiredKeys: () => data.keys.listExpiredKeys(1),
      endReplacedSecrets: () => data.keys.endReplacedSecrets(1),
      endPreviousSecret: () => data.keys.endPreviousSecret(ada.id, 'id', 1),
      listKeys: () => data.keys.listKeys(ada.id),
      revokeKey: () => data.keys.revokeKey(ada.id, 'id', 1),
      findSession: () => data.sessions.findSession('hash', 1),
      deleteSession: () => data.sessions.deleteSession('hash'),
      deleteExpiredSessions: () => data.sessions.deleteExpiredSessions(1),
      touchSession: () => data.sessions.touchSession('id', { at: 1, address: '', endsAt: 2 }),
      listSessions: () => data.sessions.listSessions(ada.id, 'hash', 1),
      deleteSessionOf: () => data.sessions.deleteSessionOf(ada.id, 'id'),
      deleteSessionsOf: () => data.sessions.deleteSessionsOf(ada.id, 'hash'),
      deleteSurplusSessions: () => data.sessions.deleteSurplusSessions(ada.id, 9),
      countUsableKeys: () => data.keys.countUsableKeys(ada.id, 1),
      'accounts.findAccount': () => data.accounts.findAccount(ada.id),
      'accounts.setPassword': () => data.accounts.setPassword(ada.id, 'hash', false),
      'accounts.setEmail': () => data.accounts.setEmail(ada.id, 'ada@example.com', ada.email, true),
      'secondFactors.find': () => data.secondFactors.findFactors(ada.id),
      'secondFactors.insertTotp': () => data.secondFactors.insertTotp(ada.id, 'sealed', 1),
      'secondFactors.takeTotpStep': () => data.secondFactors.takeTotpStep(ada.id, 'sealed', 1),
      'secondFactors.takeRecoveryCode': () => data.secondFactors.takeRecoveryCode(ada.id, 'hash'),
      'secondFactors.replaceRecoveryCodes': () => data.secondFactors.replaceRecoveryCodes(ada.id, []),
      'secondFactors.findPasskey': () => data.secondFactors.findPasskey('credential'),
      'secondFactors.listPasskeys': () => data.secondFactors.listPasskeys(ada.id),
      'secondFactors.usePasskey': () => data.secondFactors.usePasskey('id', 1, 1),
      'secondFactors.deletePasskey': () => data.secondFactors.deletePasskey(ada.id, 'id'),
      'secondFactors.deletePasskeysOf': () => data.secondFactors.deletePasskeysOf(ada.id),
      'identities.findUser': () => data.identities.findUserOfIdentity('issuer', 'subject'),
      'identities.findHolder': () => data.identities.findHolderOfEmail('ada@example.com'),
      'identities.list': () => data.identities.listIdentities(ada.id),
      'identities.delete': () => data.identities.deleteIdentity(ada.id, 'issuer', 'subject'),
      'accounts.isEmailTaken': () => data.accounts.isEmailTaken('ada@example.com'),
      'accounts.findReset': () => data.accounts.findReset('hash', 1),
      'accounts.useReset': () => data.accounts.useReset('hash', 1),
      'accounts.deleteResetsOf': () => data.accounts.deleteResetsOf(ada.id),
      'invitations.find': () => data.invitations.findInvitation('hash', 1),
      'invitations.findById': () => data.invitations.findInvitationById('id', 1),
      'invitations.list': () => data.invitations.listInvitations(project.id, 1, 9),
      'invitations.list here': () => data.invitations.listInvitations(null, 1, 9),
      'workspaces.hasMember': () => data.workspaces.hasMember('id', ada.id),
      'invitations.listOfPlace': () => data.invitations.listOfPlace({ kind: 'app', id: appId }, 1, 9),
      'invitations.listInWorkspace': () => data.invitations.listInWorkspace('id', 1, 9),
      'invitations.listMailed': () => data.invitations.listMailed(ada.id, 1, 9),
      'invitations.deleteOldOfPlace': () => data.invitations.deleteOldOfPlace({ kind: 'app', id: appId }, 1),
      'invitations.isExcluded': () => data.invitations.isExcluded('id', ada.id),
      'teams.withdrawInvitations': () =>
        data.teams.withdrawInvitations(
          { kind: 'project', id: project.id },
          { userId: ada.id },
          { teams: ['tester'], now: 1 },
        ),
      'teams.moveInvitations': () =>
        data.teams.moveInvitations(
          project.id,
          { address: 'a@b.c' },
          { from: ['tester'], to: 'owner', now: 1 },
        ),
      'teams.projectsInWorkspace': () => data.teams.projectsInWorkspace('id', ada),
      'teams.excludeFromLinks': () => data.teams.excludeFromLinks({ kind: 'app', id: appId }, ada.id),
      'invitations.listOfUser': () => data.invitations.listOfUser(ada.id, 1, 9),
      'invitations.findOfUser': () => data.invitations.findOfUser(ada.id, 'id', 1),
      'invitations.findPersonal': () => data.invitations.findPersonal('id', 1),
      'invitations.deleteOfPlace': () => data.invitations.deleteOfPlace({ kind: 'app', id: appId }, 'id'),
      'inviteLinks.list': () =>
        data.inviteLinks.list({ kind: 'app', id: appId, name: '', ownerId: '' }, 1, 9),
      'inviteLinks.find': () =>
        data.inviteLinks.find({ kind: 'app', id: appId, name: '', ownerId: '' }, 'id', 1),
      'inviteLinks.delete': () =>
        data.inviteLinks.delete({ kind: 'app', id: appId, name: '', ownerId: '' }, 'id'),
      'inviteLinks.deleteExpired': () =>
        data.inviteLinks.deleteExpired({ kind: 'app', id: appId, name: '', ownerId: '' }, 1),
      'invitations.count': () => data.invitations.countInvitations(project.id, 1),
      'invitations.setToken': () => data.invitations.setInvitationToken('id', 'hash', 1),
      'invitations.take': () => data.invitations.useInvitation('id', 1),
      'invitations.delete': () => data.invitations.deleteInvitation(project.id, 'id'),
      'invitations.deleteOld': () => data.invitations.deleteOldInvitations(project.id, 1),
      findApp: () => data.apps.findApp(ada.id, 'android', 'com.example.sample'),
      findAppById: () => data.apps.findAppById(appId),
      findAppsByPackageName: () => data.apps.findAppsByPackageName(ada.id, 'com.example.sample'),
      'listApps of one': () => data.apps.listApps({ ownerIds: [ada.id] }, { limit: 20 }),
      'listApps of several': () =>
        data.apps.listApps(
          { ownerIds: [ada.id, project.id] },
          { limit: 20, below: { id: 'x', lastUploadAt: 2 } },
        ),
      'listApps above': () =>
        data.apps.listApps({ ownerIds: [ada.id] }, { limit: 20, above: { id: 'x', lastUploadAt: 0 } }),
      takeNextRevision: () =>
        data.apps.takeNextRevision({
          ownerId: ada.id,
          platform: 'ios',
          packageName: 'p',
          secret: '',
          now: 1,
        }),
      findBuild: () => data.builds.findBuild(build),
      findBuildByRevision: () => data.builds.findBuildByRevision(appId, 1),
      listBuilds: () => data.builds.listBuilds(appId, { limit: 20 }),
      'listBuilds below': () => data.builds.listBuilds(appId, { limit: 20, below: 2 }),
      'listBuilds above': () => data.builds.listBuilds(appId, { limit: 20, above: 1 }),
      searchBuilds: () => data.builds.searchBuilds(appId, { below: 9, limit: 20, text: 'x' }),
      'searchBuilds above': () => data.builds.searchBuilds(appId, { above: 1, limit: 20, text: 'x' }),
      servedBuilds: () => data.builds.servedBuilds([build, 'x']),
      settleIcon: () => data.builds.settleIcon(build, { state: 'none' }),
      setVerification: () =>
        data.builds.setVerification(build, { verified: true, verifiedFromSdk: 1, problems: [] }),
      referencedBlobs: () => data.builds.namedBlobs(['packages/a', 'icons/b']),
      setProtected: () => data.builds.setProtected(build, true),
      changeMessage: () => data.builds.changeMessage(build, 'a', 'b'),
      'buildDeletion.lockBuilds': () => data.buildDeletion.lockBuilds(appId, [1, 2]),
      'buildDeletion.blockingPages': () => data.buildDeletion.blockingPages([build, 'b']),
      'buildDeletion.hideBuilds': () => data.buildDeletion.hideBuilds(['b', 'c'], 'ada', 1),
      'buildDeletion.showBuilds': () => data.buildDeletion.showBuilds(['b', 'c']),
      'buildDeletion.listDeleted': () => data.buildDeletion.listDeleted(appId, 1, 20),
      'retention.setRule': () => data.retention.setRule('app', appId, null),
      'retention.ruleOf': () => data.retention.ruleOf('owner', ada.id),
      'retention.findApp': () => data.retention.findApp(appId),
      'retention.listApps': () => data.retention.listApps({ kind: 'everything' }, 'a', 200),
      'retention.listApps of an app': () => data.retention.listApps({ kind: 'app', id: appId }, '', 200),
      'retention.listApps of an owner': () => data.retention.listApps({ kind: 'owner', id: ada.id }, '', 200),
      'retention.listApps of a Workspace': () =>
        data.retention.listApps({ kind: 'workspace', id: 'w' }, '', 200),
      'retention.hasRules': () => data.retention.hasRules(),
      'retainedBuilds.revisionAt': () => data.retainedBuilds.revisionAt(appId, 3),
      'retainedBuilds.list': () => data.retainedBuilds.list(appId, { after: 1, below: 3, limit: 100 }),
      'retainedBuilds.hold': () => data.retainedBuilds.hold(appId, [1, 2]),
      'retainedBuilds.spare': () => data.retainedBuilds.spare([build], 1),
      'buildDeletion.removeBuild': () => data.buildDeletion.removeBuild('b', 1),
      'appDeletion.contentsOf': () => data.appDeletion.contentsOf(appId, 20),
      'appDeletion.revisionsOf': () => data.appDeletion.revisionsOf(appId, 1000),
      'appDeletion.hideApp': () => data.appDeletion.hideApp('a', 1),
      'appDeletion.removePages': () => data.appDeletion.removePages('a', 50),
      'appDeletion.removeBuilds': () => data.appDeletion.removeBuilds('a', 100),
      'appDeletion.removeApp': () => data.appDeletion.removeApp('a'),
      findPage: () => data.distributions.findPage('key'),
      findPageWithApp: () => data.distributions.findPageWithApp(page.accessKey),
      findPageById: () => data.distributions.findPageById(page.id),
      listPages: () => data.appPages.listPages(viewer, appId, 20),
      'appPages.tabCounts': () => data.appPages.tabCounts({ id: appId, owner: { id: ada.id, kind: 'user' } }),
      'appPages.tabCounts of a Project': () =>
        data.appPages.tabCounts({ id: appId, owner: { id: project.id, kind: 'project' } }),
      'appPeople.listTeam': () => data.appPeople.listTeam(project.id, ['x'], { limit: 51, after: 'a' }),
      'appPeople.listShared': () => data.appPeople.listShared(appId, ['x'], { limit: 51, before: 'z' }),
      'accounts.hasSeveralPeople': () => data.accounts.hasSeveralPeople(),
      'appPages.livePagesOf': () => data.appPages.livePagesOf(viewer, [appId, 'a'], { limit: 2, now: 1 }),
      'appPages.pagesServing': () => data.appPages.pagesServing(viewer, [build, 'b']),
      'live.appState': () => liveQueries(data).appState(viewer, appId, 3),
      'appPages.installsOf': () => data.appPages.installsOf([build, 'b']),
      'builds.listByRevisions': () => data.builds.listByRevisions(appId, [1, 2]),
      'builds.changeLabel': () => data.builds.changeLabel('none', 'rc'),
      'search.searchedApps': () =>
        data.search.searchedApps({ ownerIds: [ada.id, project.id], testerId: ada.id }, 1000),
      'search.findBuilds': () =>
        data.search.findBuilds([appId, 'other'], ['message', '1'], { depth: 100, limit: 6 }),
      'search.findPages': () => data.search.findPages(viewer, [appId, 'other'], ['main'], 6),
      'search.findMembers': () => data.search.findMembers([project.id, 'other'], ['ada'], 6),
      'search.findPeople': () => data.search.findPeople(['ada'], 6),
      'builds.listBuilds of a branch': () =>
        data.builds.listBuilds(appId, { limit: 20, filters: { branch: 'main' } }),
      'builds.listBuilds of a page': () =>
        data.builds.listBuilds(appId, { limit: 20, filters: { page: page.id } }),
      'buildFilters.filterValues': () => data.buildFilters.filterValues(appId),
      'buildFilters.countFiltered': () => data.buildFilters.countFiltered(appId, { signer: 'a1' }),
      updatePage: () => data.distributions.updatePage(page.id, content),
      putPageByName: () =>
        data.distributions.putPageByName({ ...content, appId, name: 'b', accessKey: newHexKey() }),
      listUpdates: () => data.distributions.listUpdates(page.id, { limit: 20 }),
      'listUpdates before': () => data.distributions.listUpdates(page.id, { limit: 20, before: 'a' }),
      findUpdate: () => data.distributions.findUpdate(page.id, 1),
      findUpdateOfBuild: () => data.distributions.findUpdateOfBuild(page.id, build),
      'pageCounts.saltOf': () => data.pageCounts.saltOf('2026-11-21', 'salt'),
      'pageCounts.count': () =>
        data.pageCounts.count({
          pageId: page.id,
          buildId: build,
          day: '2026-11-21',
          visitors: ['v'],
          system: 'android',
          kind: 'view',
        }),
      'pageCounts.useTicket': () => data.pageCounts.consumeTicket(page.id, 'ticket', 1),
      'pageCounts.takeInstall': () => data.pageCounts.takeInstall(page.id),
      'pageCounts.countsByDay': () => data.pageCounts.countsByDay(appId, '2026-11-01'),
      'pageCounts.countsByBuild': () => data.pageCounts.countsByBuild(appId, '2026-11-01', 20),
      'pageCounts.countSystem': () =>
        data.pageCounts.countSystem({
          pageId: page.id,
          buildId: build,
          day: '2026-11-21',
          system: 'iOS 26',
        }),
      'memberActivity.record': () =>
        data.memberActivity.record({
          ...{ id: 'a', appId, buildId: build, pageId: page.id, userId: ada.id },
          ...{ kind: 'install', system: 'iOS 26', model: null, at: 1 },
        }),
      'memberActivity.record without a page': () =>
        data.memberActivity.record(
          {
            ...{ id: 'b', appId, buildId: build, pageId: null, userId: ada.id },
            ...{ kind: 'install', system: 'iOS 26', model: null, at: 2 },
          },
          1,
        ),
      'memberActivity.lastDirect': () => data.memberActivity.lastDirect(build, ada.id),
      'pageCounts.countDirect': () =>
        data.pageCounts.countDirect({
          ...{ appId, buildId: build, day: '2026-11-21', platform: 'ios', kind: 'install' },
          ...{ system: 'iOS 26', isFirst: true },
        }),
      'memberActivity.statesOf': () => data.memberActivity.statesOf(ada.id, [appId]),
      'memberActivity.list': () => data.memberActivity.list(everyone, { limit: 26 }),
      'memberActivity.list, older': () =>
        data.memberActivity.list(everyone, { limit: 26, before: { lastAt: 9, id: 'b' } }),
      'memberActivity.list of a build': () =>
        data.memberActivity.list({ ...everyone, buildId: build }, { limit: 26 }),
      'memberActivity.list of a page': () =>
        data.memberActivity.list({ ...everyone, pageId: page.id }, { limit: 26 }),
      'memberActivity.countInstallers': () => data.memberActivity.countInstallers(appId, 1),
      'memberActivity.installsByMembers': () => data.memberActivity.installsByMembers(appId),
      'memberActivity.installCountsOf': () => data.memberActivity.installCountsOf([build, 'b']),
      'memberActivity.installersOf in a Project': () =>
        data.memberActivity.installersOf(
          { ...app, owner: { kind: 'project', id: project.id, name: 'project' } },
          [{ id: page.id, access: 'groups' }],
        ),
      'memberActivity.installersOf of a User': () =>
        data.memberActivity.installersOf(app, [{ id: page.id, access: 'members' }]),
      'memberActivity.deleteBefore': () => data.memberActivity.deleteBefore(1),
      'pageCounts.installsByDay': () => data.pageCounts.installsByDay(appId, '2026-11-01'),
      'pageCounts.countsBySystem': () => data.pageCounts.countsBySystem(appId, '2026-11-01'),
      'pageCounts.countsByPage': () => data.pageCounts.countsByPage(appId, '2026-11-01', 10),
      'pageCounts.countsOfDay': () => data.pageCounts.countsOfDay(appId, '2026-11-01'),
      'pageCounts.forgetVisitors': () => data.pageCounts.forgetVisitors('2026-11-01'),
      'pageCounts.forgetTickets': () => data.pageCounts.deleteExpiredTickets(1),
      countAttempts: () => data.attempts.countAttempts(['subject', 'another'], 1, 1),
      resetAttempts: () => data.attempts.resetAttempts('subject'),
      deleteOldAttempts: () => data.attempts.deleteOldAttempts(1),
      pagesOfBuild: () => data.appPages.pagesOfBuild(viewer, build),
      lockPage: () => data.pageSettings.lockPage(page.id),
      lockBuild: () => data.pageSettings.lockBuild(appId, 1),
      hasPageNamed: () => data.pageSettings.hasPageNamed(appId, 'main'),
      saveNote: () => data.pageSettings.saveNote(page, ''),
      listServedBuilds: () => data.pageSettings.listServedBuilds(page.id, { limit: 20, before: 'x' }),
      setWithdrawn: () => data.pageSettings.setWithdrawn(page.id, build, true),
      setAccessKey: () => data.pageSettings.setAccessKey(page.id, newHexKey()),
      'pageSettings.deletePage': () => data.pageSettings.deletePage('none'),
      'appTesters.has': () => data.appTesters.has(appId, ada.id),
      'appTesters.hasAny': () => data.appTesters.hasAny(ada.id),
      'appTesters.list': () => data.appTesters.list(appId, 20),
      'appTesters.add': () => data.appTesters.add({ appId, userId: ada.id, limit: 9, now: 1 }),
      'appTesters.remove': () => data.appTesters.remove(appId, ada.id),
      'listApps with those given': () =>
        data.apps.listApps({ ownerIds: [ada.id, project.id], testerId: ada.id }, { limit: 20 }),
      putDevice: () =>
        data.devices.putDevice(
          {
            ownerId: ada.id,
            udid: 'u',
            name: '',
            product: 'p',
            browser: 'one',
            osVersion: '',
            userId: null,
            pageId: page.id,
            now: 1,
          },
          10,
        ),
      findDevice: () => data.devices.findDevice('id'),
      findDeviceOfBrowser: () => data.devices.findDeviceOfBrowser('one', ada.id),
      listDevices: () => data.devices.listDevices(ada.id, 100, 20),
      allDevices: () => data.devices.allDevices(ada.id, 20),
      countDevices: () => data.devices.countDevices(ada.id),
      renameDevice: () => data.devices.renameDevice(ada.id, 'id', 'name'),
      deleteDevice: () => data.devices.deleteDevice(ada.id, 'id'),
      devicesOfUser: () => data.devices.devicesOfUser(ada.id, 20),
      renameDevicesOfUser: () => data.devices.renameDevicesOfUser(ada.id, 'u', 'name'),
      deleteDeviceOfUser: () => data.devices.deleteDeviceOfUser(ada.id, 'id'),
      'accountState.find': () => data.accountState.find(ada.id),
      'accountState.hold': () => data.accountState.lock(ada.id),
      'accountState.beginEpoch': () => data.accountState.beginEpoch(ada.id),
      'deviceCodes.listPending': () => data.deviceCodes.listPending(1, 1001),
      'deviceCodes.setViewed': () => data.deviceCodes.setViewed('id', 1),
      'deviceCodes.deletePending': () => data.deviceCodes.deletePending(['a', 'b']),
      'deviceCodes.denyApproved': () => data.deviceCodes.denyApproved(ada.id),
      'administration.listPeople': () =>
        administration.listPeople({ only: null, words: ['ada', 'x'] }, { limit: 20 }),
      'administration.listPeople behind': () =>
        administration.listPeople({ only: 'administrators', words: [] }, { limit: 20, after: 'a' }),
      'administration.listPeople before': () =>
        administration.listPeople({ only: 'disabled', words: [] }, { limit: 20, before: 'z' }),
      'administration.findPerson': () => administration.findPerson('ada'),
      'administration.countSessions': () => administration.countSessions(ada.id, 1),
      'administration.holdAccount': () => administration.holdAccount(ada.id),
      'administration.setAdministrator': () => administration.setAdministrator(ada.id, false),
      'administration.setDisabled': () => administration.setDisabled(ada.id, null),
      'administration.listOwners': () =>
        administration.listOwners({ kind: 'project', words: ['x'] }, { limit: 20, after: 'a' }),
      'administration.ownersWithQuota': () => administration.ownersWithQuota([ada.id, project.id]),
      'administration.countOwners': () => administration.countOwners('user'),
      'administration.listWork': () => administration.listJobs('failing', 1, { limit: 20 }),
      'administration.nameSubjects': () =>
        administration.nameSubjects({
          builds: [build, 'x'],
          mails: ['m', 'n'],
          apps: [appId, 'y'],
          keys: ['k', 'l'],
        }),
      'idempotency.find': () => data.idempotency.find(ada.id, { credential: 'key:one', key: 'key' }, 1),
      'idempotency.take': () =>
        data.idempotency.take(ada.id, { credential: 'key:one', key: 'key' }, taken, 1),
      'idempotency.deleteOld': () => data.idempotency.deleteOld(1),
      'backup.listStored': () => data.backup.listStored('a', 500),
      'audit.list': () => data.audit.list(ada.id, 20),
      'audit.deleteOld': () => data.audit.deleteOld(['a.b', 'a.c'], 5),
      'audit.page of an Owner': () =>
        data.audit.page({ ownerId: ada.id, from: 1, until: 2 }, { limit: 20, below: 'x' }),
      'audit.page by action': () =>
        data.audit.page({ ownerId: null, action: 'a.b' }, { limit: 20, above: 'x' }),
      'audit.page by actor': () => data.audit.page({ ownerId: null, actorName: 'ada' }, { limit: 20 }),
      'audit.findActorName': () => data.audit.findActorName('ada'),
      'teams.lockUser': () => data.teams.lockUser(ada.id),
      'teams.hasOtherOwner': () => data.teams.hasOtherOwner(project.id, ada.id),
      'workspaces.hasOtherOwner': () => data.workspaces.hasOtherOwner('id', ada.id),
      'teams.describe': () => data.teams.describe(project.id, 'words'),
      'workspaces.listOwners': () => data.workspaces.listOwners('id'),
      'workspaces.listPeople': () => data.workspaces.listPeople('id', 9),
      'workspaces.listOwnedBy': () => data.workspaces.listOwnedBy(ada.id),
      'workspaces.countProjects': () => data.workspaces.countProjects('id'),
      'quotas.find': () => data.quotas.find(ada.id),
      'quotas.lock': () => data.quotas.lock(ada.id),
      'quotas.usageOf': () => data.quotas.usageOf(ada.id),
      'quotas.lockForUpload': () => data.quotas.lockForUpload(project.id),
      'quotas.quotaUsagesOf': () => data.quotas.quotaUsagesOf(project.id),
      'quotas.usageOfPerson': () => data.quotas.usageOfPerson(ada.id),
      'quotas.countProjectsOf': () => data.quotas.countProjectsOf(ada.id),
      'quotas.findAccountableUser': () => data.quotas.findAccountableUser(project.id),
      'quotas.setAccountable': () => data.quotas.setAccountable(project.id, ada.id),
      'quotas.claimProject': () => data.quotas.claimProject(project.id, ada.id),
      'quotas.transferProjects': () => data.quotas.transferProjects(ada.id, project.id),
      'quotas.set': () =>
        data.quotas.set(ada.id, { maxStorageBytes: null, maxBuilds: null, maxProjects: null }),
      'ownerDeletion.contentsOf a User': () => data.ownerDeletion.contentsOf(ada.id, 'user'),
      'ownerDeletion.contentsOf a Project': () => data.ownerDeletion.contentsOf(project.id, 'project'),
      'ownerDeletion.projectsOf': () => data.ownerDeletion.projectsOf(ada.id),
      'ownerDeletion.listHooksToTell': () =>
        data.ownerDeletion.listSubscribedWebhooks(ada.id, { after: '', limit: 500 }),
      'ownerDeletion.hideApps': () => data.ownerDeletion.hideApps('none', 1),
      'listApps with words': () =>
        data.apps.listApps(
          { ownerIds: [ada.id, project.id], testerId: ada.id, words: ['tide', 'watch'] },
          { limit: 20 },
        ),
      'events.dispatch': () => data.events.dispatch(ada.id, { type: 'page.edited', pageId: page.id }, 1),
      'events.isPending': () => data.events.isPending(webhook.appId ?? '', 'news'),
      'webhooks.listSubscribed': () => data.webhooks.listSubscribed(source, 'build.uploaded'),
      'recordedEvents.append': () => data.recordedEvents.append(recorded, 50),
      'recordedEvents.list': () => data.recordedEvents.list(ada.id, { type: null, app: null }, feed),
      'recordedEvents.list by type': () =>
        data.recordedEvents.list(ada.id, { type: 'build.edited', app: null }, feed),
      'recordedEvents.list by app': () => data.recordedEvents.list(ada.id, { type: null, app: 'a' }, feed),
      'recordedEvents.deleteOld': () => data.recordedEvents.deleteOld(1),
      'webhooks.listWebhooks of an App': () => data.webhooks.listWebhooks(webhook),
      'webhooks.listWebhooks of an Owner': () => data.webhooks.listWebhooks({ ...webhook, appId: null }),
      'webhooks.countWebhooks': () => data.webhooks.countWebhooks(webhook),
      'webhooks.findWebhook': () => data.webhooks.findWebhook(webhook, 'hook'),
      'webhooks.saveWebhook': () => data.webhooks.saveWebhook(webhook),
      'webhooks.setState': () => data.webhooks.setState('hook', 'off'),
      'webhooks.insertDeliveries': () => data.webhooks.insertDeliveries([delivery], 'news', 1),
      'webhooks.findDelivery': () => data.webhooks.findDelivery('d'),
      'webhooks.listDeliveries': () => data.webhooks.listDeliveries('hook', 20),
      'webhooks.countWaitingBefore': () =>
        data.webhooks.countWaitingBefore({ ...delivery, createdAt: 1, updatedAt: 1 }, 20),
      'webhooks.beginTry': () => data.webhooks.beginTry('d', 1),
      'webhooks.settle': () => data.webhooks.settle('d', settled, 1),
      'webhooks.revive': () => data.webhooks.revive('hook', 'd', 1),
      'webhooks.forgetDeliveries': () => data.webhooks.forgetDeliveries('hook'),
      'webhooks.deleteWebhook': () => data.webhooks.deleteWebhook('none'),
      'mails.insertMails': () =>
        data.mails.insertMails(
          [
            {
              buildId: build,
              pageId: null,
              userId: ada.id,
              address: 'a@x',
              state: 'waiting',
              about: sampleMailAbout,
            },
          ],
          1,
        ),
      'mails.findMail': () => data.mails.findMail('id'),
      'mails.takeMail': () => data.mails.takeMail('id', 1),
      'mails.changeMail': () =>
        data.mails.changeMail('id', ['sending'], { state: 'sent', lastError: null, now: 1 }),
      'mails.reviveMail': () => data.mails.reviveMail('id', 1),
      'mails.listMails': () => data.mails.listMails({ state: null, limit: 20 }),
      'mails.listMails by state': () => data.mails.listMails({ state: 'dead', below: 'id', limit: 20 }),
      'mails.listMails above': () => data.mails.listMails({ state: 'dead', above: 'id', limit: 20 }),
      'mails.countMails': () => data.mails.countMails('sent', 1000),
      'mails.deleteOldMails': () => data.mails.deleteOldMails(1),
      'mails.findReleaseNote': () => data.mails.findReleaseNote(page.id, build),
      'mailChoices.listRecipients of a Project': () =>
        data.mailChoices.listRecipients(
          { id: appId, owner: { id: project.id, kind: 'project', name: '' }, platform: 'ios' },
          { after: '', limit: 500 },
        ),
      'mailChoices.listRecipients of a User': () =>
        data.mailChoices.listRecipients(
          { id: appId, owner: { id: ada.id, kind: 'user', name: '' }, platform: 'android' },
          { only: ada.id, limit: 1 },
        ),
      'mailChoices.listChoices': () => data.mailChoices.listChoices(ada.id, { limit: 50 }),
      'mailChoices.listChoices after': () =>
        data.mailChoices.listChoices(ada.id, { after: choice, limit: 50 }),
      'mailChoices.listChoices before': () =>
        data.mailChoices.listChoices(ada.id, { before: choice, limit: 50 }),
      'mailChoices.listChoices of some': () =>
        data.mailChoices.listChoices(ada.id, { limit: 50, appIds: [appId] }),
      'mailChoices.findChoice': () => data.mailChoices.findChoice(ada.id, appId),
      'mailChoices.setChoice': () => data.mailChoices.setChoice(ada.id, appId, true, 1),
      'outbox.claim': () => data.outbox.claim(lanes.mail, 1, 2),
      'outbox.releaseExpired': () => data.outbox.releaseExpired(),
      'claims.renew': () => data.claims.renew('node', [1, 2]),
      'claims.releaseNode': () => data.claims.releaseNode('node'),
      'outbox.finish': () => data.outbox.finish('id'),
      'outbox.release': () => data.outbox.release(testClaim),
      'outbox.putOff': () => data.outbox.putOff('id', 1),
      'outbox.retryLater': () => data.outbox.retryLater('id', 1, ''),
    };
    const scans: string[] = [];
    for (const [name, question] of Object.entries(questions)) {
      for (const line of fullScans(await plansOf(question))) scans.push(`${name}: ${line}`);
    }
    expect(scans).toEqual([]);
  });

  it('claim a job by reading the index in order, however many wait', async () => {
    const lines = await plansOf(async () => {
      await test.data.outbox.add({ kind: 'draw-icon', buildId: 'b' }, 1, 'ann');
      const turn = { after: 'aaa', except: [] };
      expect(await outboxQueries(test.data).claim('builds', 1, testClaim, turn)).not.toBeNull();
      expect(await outboxQueries(test.data).nextDueAt()).toBeNull();
    });
    const plan = lines.join('\n');
    expect(plan.match(/outbox_turns/g)).toHaveLength(2);
    expect(plan).toMatch(/outbox_planned/);
    expect(plan).not.toMatch(/sort|temp b-tree/i);
  });

  it('find the newest builds by the index that orders them, without sorting', async () => {
    const lines = await plansOf(() => test.data.builds.listBuilds('app', { limit: 20, below: 1000 }));
    if (dialect === 'sqlite')
      expect(lines.filter((line) => !isParameter(line))).toEqual([
        expect.stringMatching(/^SEARCH b USING INDEX builds_listed \(app_id=\?/),
      ]);
    else expect(lines.join('\n')).not.toMatch(/Sort/);
  });
});

/** How SQLite's plans show a parameter, see src/db/sqlite-compiler.ts. */
const isParameter = (line: string) => /^(SCALAR SUBQUERY \d+|SCAN CONSTANT ROW)$/.test(line);

/** A table with an alias in a query. */
const aliases: Record<string, string> = {
  owners: 'owners|o',
  users: 'users|u',
  projects: 'projects|p',
  team_members: 'team_members|t',
  api_keys: 'api_keys|k',
  sessions: 'sessions|s',
  invitations: 'invitations|i',
  password_resets: 'password_resets|r',
  apps: 'apps|a|m',
  builds: 'builds|b|n',
  build_words: 'build_words|s',
  distribution_pages: 'distribution_pages|p',
  distribution_updates: 'distribution_updates|d|n',
  app_testers: 'app_testers|t|g',
  webhooks: 'hooks|one',
  hook_deliveries: 'hook_deliveries|d',
  mails: 'mails|m',
  mail_choices: 'mail_choices|c',
  devices: 'devices|d',
};

function recordQueries({ database }: TestData): CompiledQuery[] {
  const asked: CompiledQuery[] = [];
  const executor = database.queries.getExecutor();
  const execute = executor.executeQuery.bind(executor);
  executor.executeQuery = (query, ...rest) => {
    asked.push(query as CompiledQuery);
    return execute(query, ...rest);
  };
  return asked;
}

async function explain({ database }: TestData, query: CompiledQuery): Promise<string[]> {
  const values = query.parameters.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)));
  // SQLite and PostgreSQL number parameters differently; the plan does not depend on the values here.
  const text =
    database.dialect === 'sqlite'
      ? query.sql.replace(/\?/g, () => String(values.shift()))
      : query.sql.replace(/\$(\d+)/g, (_, place) => String(values[Number(place) - 1]));
  if (database.dialect === 'sqlite') {
    const { rows } = await sql<{ detail: string }>`explain query plan ${sql.raw(text)}`.execute(
      database.queries,
    );
    return rows.map((row) => row.detail);
  }
  return database.queries.transaction().execute(async (transaction) => {
    // With few rows a scan is cheapest: if disabled, it remains only where no index applies.
    await sql`set local enable_seqscan = off`.execute(transaction);
    const { rows } = await sql<{ 'QUERY PLAN': string }>`explain ${sql.raw(text)}`.execute(transaction);
    return rows.map((row) => row['QUERY PLAN']);
  });
}
