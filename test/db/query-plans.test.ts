/** Queries read no table that can grow as a whole: those that neither pages nor operations of the API run in their tests. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageViewer } from '../../src/apps/listed-page.ts';
import { liveQueries } from '../../src/apps/live/live-queries.ts';
import { outboxQueries } from '../../src/jobs/outbox-queries.ts';
import type { WebhookDraft } from '../../src/webhooks/webhook-queries.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { isStatement, planOf, scansOf } from '../support/query-plans.ts';
import { addApp, addPage, addProject, addUser } from '../support/sample-rows.ts';
import { testClaim } from '../support/test-claims.ts';
import { dialects } from '../support/test-database.ts';

describe.each(dialects)('query plans on %s', (dialect) => {
  let test: TestData;
  const asked = new Set<string>();
  beforeAll(async () => {
    test = await openTestData(dialect, ({ sql }) => {
      if (isStatement(sql)) asked.add(sql);
    });
  });
  afterAll(() => test.close());

  /** The statements that `work` runs. */
  const statementsOf = async (work: () => Promise<unknown>) => {
    asked.clear();
    await work();
    expect(asked.size).toBeGreaterThan(0);
    return [...asked];
  };
  const planLines = async (work: () => Promise<unknown>) => {
    const lines: string[] = [];
    for (const statement of await statementsOf(work)) lines.push(...(await planOf(test.database, statement)));
    return lines;
  };

  it('show a full scan', async () => {
    const whole = () =>
      test.database.queries.selectFrom('builds').select('id').where('message', '=', 'x').execute();
    expect(await scansOf(test.database, await statementsOf(whole))).toHaveLength(1);
  });

  it('contain none for queries of requests', async () => {
    const { data } = test;
    const { administration } = data;
    const ada = await addUser(data, 'ada');
    const project = await addProject(data, 'project');
    const { appId, builds } = await addApp(data, ada.id, { count: 3 });
    const build = builds[0]?.id ?? '';
    const page = await addPage(data, appId, build);
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
    const everyone = { appId, buildId: null, pageId: null, since: 1 };
    const app = await data.apps.findApp(ada.id, 'android', 'com.example.sample');
    if (!app) throw new Error('no app');
    const questions = [
      () => data.groups.isInGroupOfPage(page.id, ada.id),
      () =>
        data.mailChoices.listRecipients(
          { id: appId, owner: { id: project.id, kind: 'project', name: '' }, platform: 'ios' },
          { groupsOf: page.id, limit: 500 },
        ),
      () => data.personPlaces.listSharedApps(ada.id, null, 9),
      () => data.sessions.deleteSession('hash'),
      () => data.sessions.touchSession('id', { at: 1, address: '', endsAt: 2 }),
      () => data.sessions.deleteSessionOf(ada.id, 'id'),
      () => data.sessions.deleteSessionsOf(ada.id, 'hash'),
      () => data.secondFactors.insertTotp(ada.id, 'sealed', 1),
      () => data.secondFactors.takeTotpStep(ada.id, 'sealed', 1),
      () => data.secondFactors.takeRecoveryCode(ada.id, 'hash'),
      () => data.secondFactors.replaceRecoveryCodes(ada.id, []),
      () => data.identities.findUserOfIdentity('issuer', 'subject'),
      () => data.identities.listIdentities(ada.id),
      () => data.identities.deleteIdentity(ada.id, 'issuer', 'subject'),
      () => data.accounts.useReset('hash', 1),
      () =>
        data.teams.moveInvitations(
          project.id,
          { address: 'a@b.c' },
          { from: ['tester'], to: 'owner', now: 1 },
        ),
      () => data.teams.projectsInWorkspace('id', ada),
      () => data.invitations.setInvitationToken('id', 'hash', 1),
      () => data.invitations.useInvitation('id', 1),
      () => data.apps.listApps({ ownerIds: [ada.id] }, { limit: 20, above: { id: 'x', lastUploadAt: 0 } }),
      () => data.builds.namedBlobs(['packages/a', 'icons/b']),
      () => data.buildDeletion.lockBuilds(appId, [1, 2]),
      () => data.buildDeletion.blockingPages([build, 'b']),
      () => data.retention.listApps({ kind: 'everything' }, 'a', 200),
      () => data.retention.hasRules(),
      () => data.retainedBuilds.lock(appId, [1, 2]),
      () => data.buildDeletion.removeBuild('b', 1),
      () => data.appPeople.listShared(appId, ['x'], { limit: 51, before: 'z' }),
      () => data.accounts.hasSeveralPeople(),
      () => liveQueries(data).appState(viewer, appId, 3),
      () => data.search.findBuilds([appId, 'other'], ['message', '1'], { depth: 100, limit: 6 }),
      () => data.search.findPages(viewer, [appId, 'other'], ['main'], 6),
      () => data.search.findMembers([project.id, 'other'], ['ada'], 6),
      () => data.search.findPeople(['ada'], 6),
      () => data.distributions.listUpdates(page.id, { limit: 20, before: 'a' }),
      () => data.memberActivity.statesOf(ada.id, [appId]),
      () => data.memberActivity.list(everyone, { limit: 26, before: { lastAt: 9, id: 'b' } }),
      () => data.memberActivity.list({ ...everyone, pageId: page.id }, { limit: 26 }),
      () => data.memberActivity.installCountsOf([build, 'b']),
      () =>
        data.memberActivity.installersOf(
          { ...app, owner: { kind: 'project', id: project.id, name: 'project' } },
          [{ id: page.id, access: 'groups' }],
        ),
      () => data.memberActivity.installersOf(app, [{ id: page.id, access: 'members' }]),
      () => data.pageSettings.saveNote(page, ''),
      () => data.devices.findDeviceOfBrowser('one', ada.id),
      () => data.devices.renameDevicesOfUser(ada.id, 'u', 'name'),
      () => data.devices.deleteDeviceOfUser(ada.id, 'id'),
      () => data.deviceCodes.listPending(1, 1001),
      () => data.deviceCodes.setViewed('id', 1),
      () => data.deviceCodes.deletePending(['a', 'b']),
      () => administration.listPeople({ only: 'administrators', words: [] }, { limit: 20, after: 'a' }),
      () => administration.listPeople({ only: 'disabled', words: [] }, { limit: 20, before: 'z' }),
      () => administration.setAdministrator(ada.id, false),
      () =>
        administration.nameSubjects({
          builds: [build, 'x'],
          mails: ['m', 'n'],
          apps: [appId, 'y'],
          keys: ['k', 'l'],
        }),
      () => data.idempotency.find(ada.id, { credential: 'key:one', key: 'key' }, 1),
      () => data.idempotency.take(ada.id, { credential: 'key:one', key: 'key' }, taken, 1),
      () => data.idempotency.deleteOld(1),
      () => data.audit.page({ ownerId: ada.id, from: 1, until: 2 }, { limit: 20, below: 'x' }),
      () => data.audit.page({ ownerId: null, action: 'a.b' }, { limit: 20, above: 'x' }),
      () => data.quotas.setAccountable(project.id, ada.id),
      () => data.ownerDeletion.projectsOf(ada.id),
      () => data.ownerDeletion.listSubscribedWebhooks(ada.id, { after: '', limit: 500 }),
      () => data.ownerDeletion.hideApps('none', 1),
      () =>
        data.apps.listApps(
          { ownerIds: [ada.id, project.id], testerId: ada.id, words: ['tide', 'watch'] },
          { limit: 20 },
        ),
      () => data.webhooks.setState('hook', 'off'),
      () => data.webhooks.countWaitingBefore({ ...delivery, createdAt: 1, updatedAt: 1 }, 20),
      () => data.mails.listMails({ state: 'dead', below: 'id', limit: 20 }),
      () => data.mails.listMails({ state: 'dead', above: 'id', limit: 20 }),
      () =>
        data.mailChoices.listRecipients(
          { id: appId, owner: { id: project.id, kind: 'project', name: '' }, platform: 'ios' },
          { after: '', limit: 500 },
        ),
      () =>
        data.mailChoices.listRecipients(
          { id: appId, owner: { id: ada.id, kind: 'user', name: '' }, platform: 'android' },
          { only: ada.id, limit: 1 },
        ),
      () => data.mailChoices.listChoices(ada.id, { limit: 50, appIds: [appId] }),
      () => data.outbox.releaseExpired(),
      () => data.claims.renew('node', [1, 2]),
      () => data.claims.releaseNode('node'),
      () => data.outbox.release(testClaim),
      () => data.outbox.putOff('id', 1),
    ];
    const statements = await statementsOf(async () => {
      for (const ask of questions) await ask();
    });
    expect(await scansOf(test.database, statements)).toEqual([]);
  });

  it('claim a job by reading the index in order, however many wait', async () => {
    const lines = await planLines(async () => {
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
    const lines = await planLines(() => test.data.builds.listBuilds('app', { limit: 20, below: 1000 }));
    if (dialect === 'sqlite')
      expect(lines.filter((line) => !isParameter(line))).toEqual([
        expect.stringMatching(/^SEARCH b USING INDEX builds_listed \(app_id=\?/),
      ]);
    else expect(lines.join('\n')).not.toMatch(/Sort/);
  });
});

/** How SQLite's plans show a parameter, see src/db/sqlite-compiler.ts. */
const isParameter = (line: string) => /^(SCALAR SUBQUERY \d+|SCAN CONSTANT ROW)$/.test(line);
