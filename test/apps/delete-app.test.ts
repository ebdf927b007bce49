/** App deletion: the confirmation page, the immediate effect, and the removal in the background. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRemovalHandlers } from '../../src/apps/deletion/purge-deleted.ts';
import { createMemoryBlobStore } from '../../src/blobs/memory-blob-store.ts';
import { type BuildKit, ownerName, startBuildKit } from '../support/build-actions-kit.ts';
import { buildIpa } from '../support/build-ipa.ts';
import { get, refusalOf, upload, uploaded } from '../support/interface-client.ts';
import { openTestData } from '../support/open-test-data.ts';
import { formOf } from '../support/page-forms.ts';
import { addApp, addPage, addUser } from '../support/sample-rows.ts';
import { dialects } from '../support/test-database.ts';

describe('app deletion', () => {
  let first: BuildKit;
  let kit: BuildKit;
  let appPath: string;
  let packageName: string;
  let buildPath: BuildKit['buildPath'];
  let before: Awaited<ReturnType<BuildKit['slipway']['leftBehind']>>;
  beforeAll(async () => {
    first = await startBuildKit();
  });
  beforeEach(async () => {
    kit = first.newApp();
    ({ appPath, packageName, buildPath } = kit);
    await settle();
    before = await kit.slipway.leftBehind();
  });
  afterAll(() => first.close());

  const confirm = (confirmation: string) => kit.submit(`${appPath}/delete`, 'delete', { confirmation });
  const settle = async () => {
    kit.slipway.service.outbox.wake();
    await kit.slipway.service.outbox.idle();
  };
  /** The rows that this case has added. */
  const left = async () => {
    const { apps, builds, pages, blobs } = await kit.slipway.leftBehind();
    const packages = blobs.filter((key) => key.startsWith('packages/') && !before.blobs.includes(key)).length;
    return {
      ...{ apps: apps - before.apps, builds: builds - before.builds, pages: pages - before.pages },
      packages,
    };
  };
  const deletions = async () => {
    const owner = await kit.slipway.data.owners.findOwner(ownerName);
    const rows = await kit.slipway.data.audit.list(owner?.id ?? '', 99);
    return rows.filter((row) => row.action === 'app.deleted' && row.subject === `${packageName} (android)`);
  };

  it('lists what is deleted and what is not, and requires typing the app name', async () => {
    await kit.upload({ fields: { distribution_name: 'main & <b>more' } });
    await kit.upload({ fields: { distribution_name: 'beta' } });
    await kit.upload();
    await kit.submit(buildPath(3), 'protect');
    expect((await kit.dev.get(`${appPath}/settings`)).text).toContain(`${appPath}/delete`);
    const page = (await kit.dev.get(`${appPath}/delete`)).text;
    for (const words of [
      '3 builds',
      'including 1 protected build',
      '2 distribution pages',
      'main &amp; &lt;b>more',
      'beta',
    ]) {
      expect(page).toContain(words);
    }
    for (const wrong of ['', ownerName, packageName.toUpperCase(), `${packageName}.`]) {
      const refused = await confirm(wrong);
      expect(refused.status).toBe(400);
      expect(refused.text).toContain('Nothing was deleted');
      expect(refused.text).toContain(wrong === '' ? 'name="confirmation"' : `value="${wrong}"`);
    }
    expect((await left()).builds).toBe(3);
    expect(await deletions()).toEqual([]);
  });

  it('hides the app immediately, removes its files, and keeps the app of the other platform', async () => {
    const build = await kit.upload({ fields: { distribution_name: 'main' } });
    await kit.upload();
    await kit.upload();
    await kit.submit(buildPath(2), 'protect');
    const sister = await uploaded(kit.slipway, {
      owner: ownerName,
      key: kit.devKey,
      file: buildIpa({ bundleIdentifier: packageName }),
    });
    await kit.slipway.service.outbox.idle();
    await kit.post(`${appPath}/binaries/delete`, { revision: '3' });
    const appId = await kit.appId();

    const answer = await confirm(` ${packageName} `);
    expect(answer).toMatchObject({ status: 303, location: `/organizations/${ownerName}?done=app-deleted` });
    expect((await kit.dev.get(answer.location)).text).toContain('App deleted.');
    for (const path of [appPath, buildPath(2), `${appPath}/delete`, `${appPath}/compare?from=1&to=2`]) {
      expect((await kit.dev.get(path)).status, path).toBe(404);
    }
    for (const address of [
      build.file,
      build.icon,
      build.distribution?.url ?? '',
      `${appPath}?key=${build.secret}`,
    ]) {
      expect([401, 404], address).toContain((await get(kit.slipway, address)).status);
    }
    const { data } = kit.slipway;
    expect(await data.apps.findAppById(appId)).toBeNull();
    expect((await left()).apps).toBe(1);
    expect((await kit.post(`${appPath}/binaries/restore`, { revision: '3' })).status).toBe(404);
    expect((await kit.post(`${appPath}/delete`, { confirmation: packageName })).status).toBe(404);

    await settle();
    expect(await left()).toEqual({ apps: 1, builds: 1, pages: 0, packages: 1 });
    expect((await get(kit.slipway, sister.file)).status).toBe(200);
    expect((await kit.dev.get(appPath.replace('android', 'ios'))).status).toBe(200);
    const [entry] = await deletions();
    expect(entry).toMatchObject({
      actorName: 'dora',
      subject: `${packageName} (android)`,
      details: { app: appId, builds: 2, pages: 1 },
    });
  });

  it('creates a new app on the next upload, even before the background removal ran', async () => {
    const old = await kit.upload({ fields: { distribution_name: 'main' } });
    await confirm(packageName);
    const fresh = await kit.upload({ fields: { distribution_name: 'main' } });
    expect(fresh.revision).toBe(1);
    expect(fresh.secret).not.toBe(old.secret);
    expect(fresh.distribution?.access_key).not.toBe(old.distribution?.access_key);
    const byOldKey = await upload(kit.slipway, {
      owner: ownerName,
      key: kit.devKey,
      fields: { distribution_key: old.distribution?.access_key ?? '' },
    });
    refusalOf(byOldKey, 404);
    await settle();
    expect((await get(kit.slipway, fresh.file)).status).toBe(200);
    expect(await left()).toEqual({ apps: 1, builds: 1, pages: 1, packages: 1 });
  });

  it('does not return a deleted build for a repeated upload', async () => {
    const headers = { 'Idempotency-Key': 'job' };
    await kit.upload({ headers });
    await kit.upload();
    await confirm(packageName);
    expect((await kit.upload({ headers })).revision).toBe(1);
    expect((await kit.upload({ headers })).revision).toBe(1);
    expect((await left()).builds).toBe(1);
  });

  it('runs once when two people delete, and concurrent uploads go to either the old or the new app', async () => {
    await kit.upload();
    const shown = formOf((await kit.dev.get(`${appPath}/delete`)).text, 'delete');
    const fields = { ...shown.fields, confirmation: packageName };
    const ends = await Promise.all([
      kit.post(shown.action, fields),
      kit.post(shown.action, fields),
      kit.upload(),
      kit.upload(),
    ]);
    const statuses = ends.slice(0, 2).map((end) => (end as { status: number }).status);
    expect(statuses.filter((status) => status === 303)).toHaveLength(1);
    await settle();
    const { builds, packages } = await left();
    expect(packages).toBe(builds);
    for (const end of ends.slice(2)) {
      const file = (end as { file: string }).file;
      expect([200, 404]).toContain((await get(kit.slipway, file)).status);
    }
  });
});

describe.each(dialects)('removal of a deleted app on %s', (dialect) => {
  it('resumes in small batches after an interruption', async () => {
    const test = await openTestData(dialect);
    const { data } = test;
    const ada = await addUser(data, 'ada');
    const { appId, builds } = await addApp(data, ada.id, { count: 230 });
    for (let page = 0; page < 60; page++) {
      await addPage(data, appId, builds[page]?.id ?? '', { name: `page ${page}`, accessKey: `key-${page}` });
    }
    const kept = await addApp(data, ada.id, { packageName: 'com.kept' });
    const handlers = createRemovalHandlers({ data, blobs: createMemoryBlobStore(), now: () => 9 });
    // An App that was not deleted does not change.
    await handlers['remove-app']({ kind: 'remove-app', appId }, 'owner');
    expect(await data.appDeletion.contentsOf(appId, 1)).toMatchObject({
      builds: 230,
      pages: 60,
      pageNames: ['page 0'],
    });
    expect(await data.appDeletion.hideApp(appId, 5)).toBe(true);
    expect(await data.appDeletion.hideApp(appId, 6)).toBe(false);
    let runs = 0;
    const rows = () =>
      test.database.queries.selectFrom('apps').select('id').where('id', '=', appId).execute();
    while ((await rows()).length > 0) {
      await handlers['remove-app']({ kind: 'remove-app', appId }, 'owner');
      runs += 1;
      expect(runs).toBeLessThan(20);
    }
    // Two for pages, one that finds no page and removes the first builds, two more for builds, one for the row of the App.
    expect(runs).toBe(6);
    await handlers['remove-app']({ kind: 'remove-app', appId }, 'owner');
    expect(await data.builds.countRows()).toEqual({ apps: 1, builds: 1, pages: 0 });
    expect(await data.builds.findBuild(kept.builds[0]?.id ?? '')).not.toBeNull();
    const jobs = await test.database.queries
      .selectFrom('outbox')
      .select('payload')
      .where('kind', '=', 'remove-blobs')
      .execute();
    const keys = jobs.flatMap(({ payload }) => JSON.parse(payload).blobs as string[]);
    expect(keys.sort()).toEqual(builds.map(({ packageBlob }) => packageBlob).sort());
    await test.close();
  });
});
