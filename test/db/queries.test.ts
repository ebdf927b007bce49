/** Every query of every `*-queries.ts` at least once, on both dialects: the last test holds this file to that. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newHexKey } from '../../src/identifier.ts';
import type { User } from '../../src/owners/owner.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { addApp, addProject, addUser, sampleBuild } from '../support/sample-rows.ts';
import { dialects } from '../support/test-database.ts';

const day = 24 * 60 * 60_000;
const groups = [
  'owners',
  'audit',
  'access',
  'apps',
  'builds',
  'distributions',
  'idempotency',
  'outbox',
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
    it('finds a User by name, whatever the case, and by id', async () => {
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

    it('finds who signs in by name or address, and no Project', async () => {
      await addProject(data, 'sign-in-project');
      const expected = { user: ada, passwordHash: 'hash of Ada' };
      expect(await data.owners.findUserForSignIn('ada')).toEqual(expected);
      expect(await data.owners.findUserForSignIn('ADA@Example.com')).toEqual(expected);
      expect(await data.owners.findUserForSignIn('sign-in-project')).toBeNull();
      expect(await data.owners.findUserForSignIn('')).toBeNull();
    });

    it('knows whether there are users, and the administrator that came first', async () => {
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

    it('keeps Workspaces, their Projects and their owners', async () => {
      const icon = { displayName: 'Team & Co', iconUrl: '/icon.svg' };
      const workspace = await data.owners.insertWorkspace({ name: 'Acme', ...icon, createdAt: 1 });
      expect(await data.owners.findWorkspace('ACME')).toEqual({ id: workspace.id, name: 'Acme', ...icon });
      expect(await data.owners.findWorkspace('ada')).toBeNull();
      const inside = await addProject(data, 'acme-app', 'acme');
      await addProject(data, 'acme-elsewhere');
      expect(await data.owners.listProjectsOfWorkspace(workspace.id)).toEqual([inside]);
      expect(await data.owners.findOwner('acme-app')).toEqual({ ...inside, workspace });
      expect(await data.owners.isWorkspaceOwner(workspace.id, ada.id)).toBe(false);
      await data.owners.addWorkspaceOwner(workspace.id, ada.id);
      await data.owners.addWorkspaceOwner(workspace.id, ada.id);
      expect(await data.owners.isWorkspaceOwner(workspace.id, ada.id)).toBe(true);
    });

    it('keeps who is in which team, each once', async () => {
      const project = await addProject(data, 'teams');
      const bob = await addUser(data, 'bob');
      expect(await data.owners.addTeamMember(project.id, 'tester', bob.id, 1)).toBe(true);
      expect(await data.owners.addTeamMember(project.id, 'tester', bob.id, 2)).toBe(false);
      expect(await data.owners.addTeamMember(project.id, 'developer', bob.id, 3)).toBe(true);
      await data.owners.addTeamMember(project.id, 'owner', ada.id, 4);
      expect((await data.owners.teamsOf(project.id, bob.id)).sort()).toEqual(['developer', 'tester']);
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

    it('answers a ping', () => data.owners.ping());
  });

  it('keeps the audit log of an Owner, newest first, whatever becomes of the actor', async () => {
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

    it('finds a key with whose it is, and forgets nothing when it is revoked', async () => {
      const project = await addProject(data, 'keyed', 'acme');
      const own = await data.access.insertKey(key(ada.id, 'a1'));
      const other = await data.access.insertKey(key(project.id, 'a2'));
      const expected = { id: own.id, expiresAt: 50, revokedAt: null, lastUsedAt: null };
      expect(await data.access.findKey('a1')).toEqual({ ...expected, actor: { kind: 'user', user: ada } });
      expect(await data.access.findKey('a2')).toMatchObject({
        id: other.id,
        actor: { kind: 'project', project },
      });
      expect(await data.access.findKey('a3')).toBeNull();
      await data.access.touchKey(own.id, 20);
      expect(await data.access.revokeKey(project.id, own.id, 21)).toBeNull();
      expect(await data.access.revokeKey(ada.id, own.id, 22)).toBe(own.id);
      expect(await data.access.revokeKey(ada.id, own.id, 23)).toBeNull();
      expect(await data.access.findKey('a1')).toMatchObject({ lastUsedAt: 20, revokedAt: 22 });
      expect(await data.access.listKeys(ada.id)).toEqual([{ ...own, lastUsedAt: 20, revokedAt: 22 }]);
    });

    it('refuses the same key twice', async () => {
      await data.access.insertKey(key(ada.id, 'twice'));
      await expect(data.access.insertKey(key(ada.id, 'twice'))).rejects.toThrow(/unique/i);
    });

    it('ends sessions when they run out or are signed out', async () => {
      expect(await data.access.hasSessions()).toBe(false);
      const session = (tokenHash: string, expiresAt: number) => ({
        userId: ada.id,
        tokenHash,
        createdAt: 1,
        expiresAt,
      });
      await data.access.insertSession(session('s1', 10));
      await data.access.insertSession(session('s2', 20));
      await data.access.insertSession(session('s3', 20));
      expect(await data.access.hasSessions()).toBe(true);
      expect(await data.access.findSession('s1', 9)).toEqual(ada);
      expect(await data.access.findSession('s1', 10)).toBeNull();
      await data.access.deleteExpiredSessions(10);
      expect(await data.access.findSession('s1', 0)).toBeNull();
      await data.access.deleteSession('s2');
      expect(await data.access.findSession('s2', 0)).toBeNull();
      expect(await data.access.findSession('s3', 0)).toEqual(ada);
    });
  });

  describe('apps', () => {
    it('gives out revisions 1, 2, 3 …, and none again that was rolled back or deleted', async () => {
      const { appId } = await addApp(data, ada.id, { packageName: 'com.revisions', count: 2 });
      const take = {
        ownerId: ada.id,
        platform: 'android',
        packageName: 'com.revisions',
        secret: 'x',
        now: 9,
      } as const;
      const undone = data.transaction(async (inside) => {
        expect((await inside.apps.takeNextRevision(take)).lastRevision).toBe(3);
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
        owner: { name: 'Ada', kind: 'user' },
      });
      expect(app?.secret).toMatch(/^[0-9a-f]{40}$/);
      expect(await data.apps.findAppById(appId)).toEqual(app);
      expect(await data.apps.findApp(ada.id, 'ios', 'com.revisions')).toBeNull();
      expect(await data.apps.findApp(ada.id, 'android', 'COM.revisions')).toBeNull();
      expect(await data.apps.findAppById('none')).toBeNull();
    });

    it('gives revisions without gap or double to parallel takers', async () => {
      const take = {
        ownerId: ada.id,
        platform: 'ios',
        packageName: 'com.parallel',
        secret: 'x',
        now: 1,
      } as const;
      const second = await test.openSecond();
      const takers = Array.from({ length: 40 }, (_, index) =>
        (index % 2 ? data : second.data).transaction(async (inside) => {
          const { id, lastRevision } = await inside.apps.takeNextRevision(take);
          if (lastRevision % 7 === 0 && index % 5 === 0) throw new Error('rolled back');
          await inside.builds.insertBuild(sampleBuild(id, lastRevision));
          return lastRevision;
        }),
      );
      const taken = (await Promise.allSettled(takers)).flatMap((end) =>
        end.status === 'fulfilled' ? [end.value] : [],
      );
      expect(taken.length).toBeGreaterThan(30);
      expect(taken.sort((one, other) => one - other)).toEqual(taken.map((_, index) => index + 1));
    });

    it('keeps an app of each platform apart under one package name', async () => {
      await addApp(data, ada.id, { packageName: 'com.both', platform: 'ios' });
      await addApp(data, ada.id, { packageName: 'com.both', platform: 'android' });
      const both = await data.apps.findAppsByPackageName(ada.id, 'com.both');
      expect(both.map(({ platform }) => platform)).toEqual(['android', 'ios']);
    });

    it('reads back what it was given of a build', async () => {
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

    it('pages through builds both ways', async () => {
      const { appId } = await addApp(data, ada.id, { packageName: 'com.pages', count: 7 });
      const revisions = async (page: Parameters<typeof data.builds.listBuilds>[1]) =>
        (await data.builds.listBuilds(appId, page)).map(({ revision }) => revision);
      expect(await revisions({ most: 3 })).toEqual([7, 6, 5]);
      expect(await revisions({ below: 5, most: 3 })).toEqual([4, 3, 2]);
      expect(await revisions({ above: 4, most: 2 })).toEqual([6, 5]);
      expect(await revisions({ below: 1, most: 3 })).toEqual([]);
    });

    it('finds builds by what they say, whatever the case, taking % and _ as they are', async () => {
      const { appId } = await addApp(data, ada.id, { packageName: 'com.search' });
      const texts = { branch: 'Feature/Login', commit: 'DEADBEEF', label: '100%', message: 'a_b' };
      await data.builds.insertBuild(sampleBuild(appId, 2, texts));
      await data.builds.insertBuild(sampleBuild(appId, 3, { message: 'axb 100 percent \\' }));
      const revisions = async (query: string) =>
        (await data.builds.listBuilds(appId, { most: 9, query })).map(({ revision }) => revision);
      expect(await revisions('feature/log')).toEqual([2]);
      expect(await revisions('deadBEEF')).toEqual([2]);
      expect(await revisions('100%')).toEqual([2]);
      expect(await revisions('A_B')).toEqual([2]);
      expect(await revisions('\\')).toEqual([3]);
      expect(await revisions('1.2')).toEqual([3, 2, 1]);
    });

    it('lists apps by their last upload, each with its newest build', async () => {
      const carl = await addUser(data, 'carl');
      const dora = await addUser(data, 'dora');
      await addApp(data, carl.id, { packageName: 'old', now: 10, count: 3 });
      await addApp(data, dora.id, { packageName: 'new', now: 30 });
      await addApp(data, carl.id, { packageName: 'middle', now: 20 });
      const names = async (skip: number, most: number) =>
        (await data.apps.listApps([carl.id, dora.id], skip, most)).map(({ app, latest }) => [
          app.packageName,
          latest?.revision,
        ]);
      expect(await names(0, 9)).toEqual([
        ['new', 1],
        ['middle', 1],
        ['old', 3],
      ]);
      expect(await names(1, 1)).toEqual([['middle', 1]]);
      expect(await data.apps.listApps([], 0, 9)).toEqual([]);
    });

    it('settles an icon once', async () => {
      const { builds } = await addApp(data, ada.id, { packageName: 'com.icons' });
      const id = builds[0]?.id ?? '';
      expect(await data.builds.settleIcon(id, { state: 'drawn', blob: 'icons/first' })).toBe(true);
      expect(await data.builds.settleIcon(id, { state: 'none' })).toBe(false);
      expect((await data.builds.findBuild(id))?.icon).toEqual({ state: 'drawn', blob: 'icons/first' });
      expect(await data.builds.settleIcon('gone', { state: 'none' })).toBe(false);
    });

    it('keeps the outcome of a verification', async () => {
      const { builds } = await addApp(data, ada.id, { packageName: 'com.verified' });
      const verification = { verified: true, verifiedFromSdk: 24, problems: [] };
      await data.builds.setVerification(builds[0]?.id ?? '', verification);
      expect((await data.builds.findBuild(builds[0]?.id ?? ''))?.verification).toEqual(verification);
    });

    it('tells blobs that a build names from litter', async () => {
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

    it('counts', async () => {
      const before = await data.builds.countRows();
      await addApp(data, ada.id, { packageName: 'com.counted', count: 3 });
      const after = await data.builds.countRows();
      expect(after).toEqual({ ...before, apps: before.apps + 1, builds: before.builds + 3 });
    });
  });

  describe('distribution pages', () => {
    it('makes a page by its name once, hands out another build later, and remembers both', async () => {
      const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.dist', count: 2 });
      const [first, second] = builds.map(({ id }) => id) as [string, string];
      const page = { appId, name: 'main', releaseNote: 'one', buildId: first, now: 10 };
      const made = await data.distributions.putPageByName({ ...page, accessKey: newHexKey() });
      const again = { ...page, buildId: second, releaseNote: 'two', now: 20, accessKey: newHexKey() };
      const updated = await data.distributions.putPageByName(again);
      expect(updated).toEqual({ ...made, buildId: second, releaseNote: 'two', updatedAt: 20 });
      expect(await data.distributions.findPage(made.accessKey)).toEqual(updated);
      expect(await data.distributions.findPageById(made.id)).toEqual(updated);
      expect(await data.distributions.findPage(again.accessKey)).toBeNull();
      expect(await data.distributions.findPageById('none')).toBeNull();
      const other = await data.distributions.putPageByName({
        ...page,
        name: 'MAIN',
        accessKey: newHexKey(),
        now: 30,
      });
      expect(other.id).not.toBe(made.id);
      expect((await data.distributions.listPages(appId, 9)).map(({ name }) => name)).toEqual([
        'MAIN',
        'main',
      ]);
      expect((await data.distributions.listPages(appId, 1)).map(({ name }) => name)).toEqual(['MAIN']);
      const back = await data.distributions.updatePage(made.id, {
        buildId: first,
        releaseNote: 'three',
        now: 40,
      });
      expect(back).toMatchObject({ buildId: first, updatedAt: 40, createdAt: 10 });
      expect(
        await data.distributions.updatePage('none', { buildId: first, releaseNote: '', now: 1 }),
      ).toBeNull();
      const notes = (await data.distributions.listUpdates(made.id, 9)).map(({ releaseNote, revision }) => [
        releaseNote,
        revision,
      ]);
      expect(notes).toEqual([
        ['three', 1],
        ['two', 2],
        ['one', 1],
      ]);
      expect(await data.distributions.listUpdates(made.id, 1)).toHaveLength(1);
      const where = { name: 'main', accessKey: made.accessKey };
      expect(await data.distributions.pagesOfBuild(second)).toEqual([
        { ...where, since: 20, current: false },
      ]);
      const ofFirst = await data.distributions.pagesOfBuild(first);
      expect(ofFirst).toHaveLength(2);
      expect(ofFirst).toContainEqual({ ...where, since: 10, current: true });
    });

    it('makes one page when many ask for its name at once', async () => {
      const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.dist.parallel' });
      const second = await test.openSecond();
      const page = { appId, name: 'nightly', releaseNote: '', buildId: builds[0]?.id ?? '', now: 1 };
      const pages = await Promise.all(
        Array.from({ length: 16 }, (_, index) =>
          (index % 2 ? data : second.data).transaction((inside) =>
            inside.distributions.putPageByName({ ...page, accessKey: newHexKey() }),
          ),
        ),
      );
      expect(new Set(pages.map(({ accessKey }) => accessKey)).size).toBe(1);
      expect(await data.distributions.listUpdates(pages[0]?.id ?? '', 99)).toHaveLength(16);
    });
  });

  it('takes an idempotency key once a day', async () => {
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

  it('keeps jobs until they are finished', async () => {
    await data.outbox.add({ kind: 'draw-icon', buildId: 'b1' }, 100);
    expect(await data.outbox.nextRunAt()).toBe(100);
    const [claimed] = await data.outbox.claim(100, 5);
    expect(claimed).toMatchObject({ job: { kind: 'draw-icon', buildId: 'b1' }, attempts: 1 });
    await data.outbox.retryLater(claimed?.id ?? '', 500, 'no luck');
    expect(await data.outbox.nextRunAt()).toBe(500);
    await data.outbox.finish(claimed?.id ?? '');
    expect(await data.outbox.nextRunAt()).toBeNull();
  });

  it('turns a violated unique constraint into a refusal, and nothing else', async () => {
    const refusal = () => new Error('taken');
    await expect(data.refuseDuplicate(() => addUser(data, 'ADA'), refusal)).rejects.toThrow('taken');
    const other = data.refuseDuplicate(() => Promise.reject(new Error('other')), refusal);
    await expect(other).rejects.toThrow('other');
  });

  it('has asked every query', () => {
    const all = groups.flatMap((group) => Object.keys(test.data[group]).map((name) => `${group}.${name}`));
    expect(all.length).toBeGreaterThan(40);
    expect(all.filter((name) => !asked.has(name))).toEqual([]);
  });
});

/** The same data, noting which queries are asked, inside transactions too. */
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
  return { ...record(data), transaction: (work) => data.transaction((inside) => work(record(inside))) };
}
