/** Every query about operations and administration at least once, on both dialects. The last test requires this. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lanes } from '../../src/jobs/outbox.ts';
import type { User } from '../../src/owners/owner.ts';
import { openRecordedQueries, type RecordedQueries } from '../support/recorded-queries.ts';
import { addApp, addProject, addUser, sampleMailAbout } from '../support/sample-rows.ts';
import { dialects } from '../support/test-database.ts';

describe.each(dialects)('queries about operations and administration on %s', (dialect) => {
  let test: RecordedQueries;
  let data: RecordedQueries['data'];
  let ada: User;
  beforeAll(async () => {
    test = await openRecordedQueries(dialect);
    data = test.data;
    ada = await addUser(data, 'Ada');
  });
  afterAll(() => test.close());

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
        (await data.accountState.lock(user.id))?.isDisabled === false,
        (await data.owners.findUserForSignIn('sleeper')) !== null,
        (await data.ownerDeletion.holdAdministrators()).includes(user.id),
      ];
      expect(await known()).toEqual([true, true, true, true, true]);
      await data.administration.setDisabled(user.id, 2);
      expect(await known()).toEqual([false, false, false, false, false]);
      await data.administration.setDisabled(user.id, null);
      expect(await known()).toEqual([true, true, true, true, true]);
      expect(await data.accountState.lock('nobody')).toBeNull();
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
      expect(await administration.discardJob(id)).toBeNull();

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
      expect(await administration.discardJob(id)).toEqual({ kind: 'verify-signature', buildId: build });
      expect(await administration.discardJob(id)).toBeNull();

      const mail = {
        userId: ada.id,
        buildId: build,
        pageId: null,
        address: 'a@x',
        state: 'waiting',
        about: sampleMailAbout,
      } as const;
      const [mailId = ''] = await data.mails.insertMails([mail], now);
      const appId = (await data.apps.findApp(ada.id, 'android', 'com.example.work'))?.id ?? '';
      const { id: keyId } = await data.keys.insertKey({
        ...{ ownerId: ada.id, name: 'ci', keyHash: 'work', hint: 'slw_x', createdAt: now, expiresAt: null },
      });
      const ids = { builds: [build, 'gone'], mails: [mailId], apps: [appId], keys: [keyId, 'gone'] };
      expect(Object.fromEntries(await administration.nameSubjects(ids))).toEqual({
        [build]: { name: 'Sample', revision: 1 },
        [mailId]: { name: 'Sample', revision: 1 },
        [appId]: { name: 'com.example.work', revision: null },
        [keyId]: { name: 'ci', revision: null },
      });
      expect((await administration.nameSubjects({ builds: [], mails: [], apps: [], keys: [] })).size).toBe(0);
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
    test.expectCovered(['doctor', 'backup', 'metrics', 'administration']);
  });
});
