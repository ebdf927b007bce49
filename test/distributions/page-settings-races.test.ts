/** Concurrent changes: a build deleted while it is selected, a page deleted while it is saved, and two users at a time. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../src/apps/app.ts';
import { createBuildDeletion } from '../../src/apps/deletion/build-deletion.ts';
import { SettingsRefused } from '../../src/distributions/settings/page-settings.ts';
import {
  createPageSettings,
  type PageChange,
} from '../../src/distributions/settings/page-settings-change.ts';
import type { User } from '../../src/owners/owner.ts';
import type { TestQueries } from '../support/every-query.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { addApp, addPage, addUser } from '../support/sample-rows.ts';
import { dialects } from '../support/test-database.ts';

describe.each(dialects)('concurrent page changes on %s', (dialect) => {
  // SQLite has one writer at a time, and few orders.
  const rounds = dialect === 'sqlite' ? 2 : 6;
  let test: TestData;
  let data: TestQueries;
  let other: TestData;
  let ada: User;
  beforeAll(async () => {
    test = await openTestData(dialect);
    data = test.data;
    other = { ...test, ...(await test.openSecond()) };
    ada = await addUser(data, 'ada');
  });
  afterAll(() => test.close());

  let made = 0;
  const makePage = async (count: number) => {
    const packageName = `com.race.n${made++}`;
    const { builds } = await addApp(data, ada.id, { packageName, count });
    const app = await data.apps.findApp(ada.id, 'android', packageName);
    if (!app) throw new Error('no app');
    const page = await addPage(data, app.id, builds[0]?.id ?? '');
    const change: PageChange = { by: { kind: 'user', user: ada }, app, page };
    return {
      app,
      page,
      change,
      buildIds: builds.map(({ id }) => id),
    };
  };
  const settingsOf = (of: TestQueries) =>
    createPageSettings({ data: of, config: { publicUrl: null }, now: () => 50, wakeOutbox: () => undefined });
  const deleteBuild = (id: string) =>
    other.database.queries.deleteFrom('builds').where('id', '=', id).execute();
  const revisionOf = async (app: App, pageId: string) => {
    const page = await data.distributions.findPageById(pageId);
    const build = page && (await data.builds.findBuild(page.buildId));
    expect(build?.appId).toBe(app.id);
    return build?.revision;
  };

  it('report a build that is deleted while it is being published', async () => {
    const { app, page, change, buildIds } = await makePage(2);
    let saved: Promise<unknown> = Promise.resolve();
    await other.database.queries.transaction().execute(async (transaction) => {
      await transaction
        .deleteFrom('builds')
        .where('id', '=', buildIds[1] ?? '')
        .execute();
      saved = settingsOf(data)
        .change(change, { revision: 2 })
        .catch((error: unknown) => error);
      // Committed data still contains the build: the save starts before the deletion is committed.
      expect(await data.builds.findBuild(buildIds[1] ?? '')).not.toBeNull();
    });
    const refused = await saved;
    expect(refused).toBeInstanceOf(SettingsRefused);
    expect((refused as SettingsRefused).errors).toEqual({
      revision: [expect.stringContaining('no longer exists')],
    });
    expect(await revisionOf(app, page.id)).toBe(1);
    expect(await data.distributions.listUpdates(page.id, { limit: 9 })).toHaveLength(1);
    expect(await data.audit.list(ada.id, 99)).toEqual([]);
  });

  it('lock a build that is being published, so its deletion waits and is rejected', async () => {
    const { app, page, buildIds } = await makePage(2);
    let deletion: Promise<unknown> = Promise.resolve();
    await data.transaction(async (tx) => {
      const build = await tx.pageSettings.lockBuild(app.id, 2);
      expect(build?.id).toBe(buildIds[1]);
      deletion = deleteBuild(buildIds[1] ?? '').catch((error: unknown) => error);
      await tx.distributions.updatePage(page.id, { buildId: build?.id ?? '', releaseNote: '', now: 9 });
    });
    expect(await deletion).toBeInstanceOf(Error);
    expect(await revisionOf(app, page.id)).toBe(2);
  });

  it('handle builds that are deleted while people choose one', async () => {
    const deletions = createBuildDeletion({ data: other.data, now: () => 60, wakeOutbox: () => undefined });
    for (let round = 0; round < rounds; round++) {
      const { app, page, change } = await makePage(6);
      const choosers = [2, 3, 4, 5, 6, 2, 4].map((revision, at) =>
        settingsOf(at % 2 ? other.data : data).change(change, { revision }),
      );
      const deleted = [1, 2, 3, 4, 5, 6].map((revision) => deletions.remove(change.by, app, [revision]));
      for (const end of await Promise.allSettled(choosers)) {
        if (end.status === 'rejected') expect(end.reason).toBeInstanceOf(SettingsRefused);
      }
      await Promise.all(deleted);
      const revision = await revisionOf(app, page.id);
      const history = await data.distributions.listUpdates(page.id, { limit: 99 });
      expect(history.map((update) => update.revision)).toContain(revision);
    }
  });

  it('never roll back to a build that is deleted at the same time', async () => {
    const deletions = createBuildDeletion({ data: other.data, now: () => 60, wakeOutbox: () => undefined });
    for (let round = 0; round < rounds; round++) {
      const { app, page, change } = await makePage(2);
      await settingsOf(data).change(change, { revision: 2 });
      const [rolledBack, again, deletion] = await Promise.allSettled([
        settingsOf(data).rollBack(change, 1),
        settingsOf(other.data).rollBack(change, 1),
        deletions.remove(change.by, app, [1]),
      ]);
      const isDeleted = deletion.status === 'fulfilled' && deletion.value.kind === 'deleted';
      expect(await revisionOf(app, page.id)).toBe(isDeleted ? 2 : 1);
      expect([rolledBack.status, again.status].filter((status) => status === 'fulfilled')).toHaveLength(
        isDeleted ? 0 : 1,
      );
    }
  });

  it('never withdraw the live build', async () => {
    for (let round = 0; round < rounds; round++) {
      const { page, change } = await makePage(2);
      await settingsOf(data).change(change, { revision: 2 });
      const ends = await Promise.allSettled([
        settingsOf(data).setWithdrawn(change, 1, true),
        settingsOf(other.data).change(change, { revision: 1 }),
        settingsOf(data).setWithdrawn(change, 1, true),
      ]);
      expect(ends[1].status).toBe('fulfilled');
      const current = await data.distributions.findPageById(page.id);
      const history = await data.distributions.listUpdates(page.id, { limit: 9 });
      expect(
        history.filter(({ buildId }) => buildId === current?.buildId).some(({ withdrawn }) => withdrawn),
      ).toBe(false);
    }
  });

  it('do not require a passcode that another user has just removed', async () => {
    const { page, change } = await makePage(1);
    const settings = settingsOf(data);
    await settings.change(change, { access: 'passcode', passcode: 'open sesame' });
    const seen = await data.distributions.findPageById(page.id);
    await settings.change(change, { access: 'unlisted' });
    const stale = settings.change({ ...change, page: seen ?? page }, { access: 'passcode', maxInstalls: 4 });
    await expect(stale).rejects.toThrow(SettingsRefused);
    expect(await data.distributions.findPageById(page.id)).toMatchObject({
      access: 'unlisted',
      maxInstalls: null,
    });
  });

  it('delete the page once when several people delete it, and apply no later change', async () => {
    const { page, change } = await makePage(2);
    const ends = await Promise.allSettled([
      settingsOf(data).remove(change, 'main'),
      settingsOf(other.data).remove(change, 'main'),
      settingsOf(data).change(change, { revision: 2 }),
    ]);
    expect(ends.slice(0, 2).filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await data.distributions.findPageById(page.id)).toBeNull();
    const rows = await test.database.queries
      .selectFrom('distribution_updates')
      .select('id')
      .where('page_id', '=', page.id)
      .execute();
    expect(rows).toEqual([]);
    const late = settingsOf(data).change(change, { maxInstalls: 3 });
    await expect(late).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('create one page per name when several people create it', async () => {
    const { app, change } = await makePage(1);
    const ends = await Promise.allSettled(
      [data, other.data, data, other.data].map((of) =>
        settingsOf(of).make(change.by, app, { name: 'beta', revision: 1, note: 'n' }),
      ),
    );
    const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    expect(refused).toHaveLength(3);
    for (const error of refused) expect((error as SettingsRefused).errors).toHaveProperty('name');
    const names = (await data.appPages.listPages({ kind: 'manager' }, app.id, 9)).map(({ name }) => name);
    expect(names.sort()).toEqual(['beta', 'main']);
  });
});
