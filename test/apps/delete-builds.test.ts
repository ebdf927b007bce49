/** Build deletion: hiding, restoring, protected builds, and permanent removal. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { undoMs } from '../../src/apps/deletion/build-deletion.ts';
import { type BuildKit, ownerName, startBuildKit } from '../support/build-actions-kit.ts';
import { buildApk } from '../support/build-apk.ts';
import { get, type UploadResult, upload } from '../support/interface-client.ts';

describe('build deletion', () => {
  let first: BuildKit;
  let kit: BuildKit;
  let appPath: string;
  let packageName: string;
  let buildPath: BuildKit['buildPath'];
  let others: ReadonlySet<string>;
  beforeAll(async () => {
    first = await startBuildKit();
  });
  beforeEach(async () => {
    kit = first.newApp();
    ({ appPath, packageName, buildPath } = kit);
    others = new Set((await kit.slipway.leftBehind()).blobs);
  });
  afterAll(() => first.close());

  const statusOf = async (path: string) => (await kit.dev.get(path)).status;
  const remove = (...revisions: number[]) =>
    kit.post(`${appPath}/binaries/delete`, { revision: revisions.map(String) });
  const restore = (...revisions: number[]) =>
    kit.post(`${appPath}/binaries/restore`, { revision: revisions.map(String) });
  const blobs = async () => (await kit.slipway.leftBehind()).blobs.filter((key) => !others.has(key));
  const actions = async () => {
    const owner = await kit.slipway.data.owners.findOwner(ownerName);
    const rows = await kit.slipway.data.audit.list(owner?.id ?? '', 99);
    return rows
      .filter(({ subject }) => subject.startsWith(`${packageName} `))
      .map((row) => [row.action, row.actorName, row.subject]);
  };

  it('hides a deleted build everywhere immediately', async () => {
    const first = await kit.upload({ fields: { distribution_name: 'main', message: 'findme one' } });
    const second = await kit.upload({ fields: { distribution_name: 'main', message: 'findme two' } });
    const third = await kit.upload({ fields: { message: 'findme three' } });
    await kit.slipway.service.outbox.idle();
    expect(third.revision).toBe(3);
    const page = first.distribution?.url ?? '';
    expect((await get(kit.slipway, `${page}/1`)).status).toBe(200);
    for (const result of [first, second]) await countView(kit, result);
    expect((await get(kit.slipway, page)).text).toContain('/1"');

    const answer = await remove(1, 3);
    expect(answer).toMatchObject({ status: 303, location: `${appPath}?deleted=1,3` });

    for (const revision of [1, 3]) expect(await statusOf(buildPath(revision))).toBe(404);
    for (const result of [first, third]) {
      expect((await get(kit.slipway, result.file)).status).toBe(404);
      expect((await get(kit.slipway, result.icon)).status).toBe(404);
      const path = result.file.split('?', 1)[0] ?? '';
      expect((await get(kit.slipway, path, kit.slipway.adminKey)).status).toBe(404);
    }
    expect((await get(kit.slipway, second.file)).status).toBe(200);
    expect((await get(kit.slipway, `${page}/1`)).status).toBe(404);
    expect((await get(kit.slipway, page)).text).not.toContain('/1"');
    const list = (await kit.dev.get(appPath)).text;
    expect(list).toContain('/binaries/2"');
    expect(list).not.toMatch(/\/binaries\/[13]"/);
    const found = (await kit.dev.get(`${appPath}?q=findme`)).text;
    expect(found).toContain('findme two');
    expect(found).not.toMatch(/findme (one|three)/);
    const { data } = kit.slipway;
    const counted = await data.pageCounts.countsByBuild(await kit.appId(), '2026-01-01', 9);
    expect(counted.map(({ revision }) => revision)).toEqual([2]);
    const found1 = await data.distributions.findPage(first.distribution?.access_key ?? '');
    expect(await data.distributions.findUpdate(found1?.id ?? '', 1)).toBeNull();
    expect(
      (await data.pageSettings.listServedBuilds(found1?.id ?? '', { limit: 9 })).map(
        ({ revision }) => revision,
      ),
    ).toEqual([2]);
    expect(await kit.revisions()).toHaveLength(1);
    // Files of builds that can be restored still exist.
    expect(await blobs()).toHaveLength(3);
    expect(await actions()).toEqual(
      expect.arrayContaining([
        ['build.deleted', 'dora', `${packageName} (android) revision 1`],
        ['build.deleted', 'dora', `${packageName} (android) revision 3`],
      ]),
    );
  });

  it('restores builds completely, from the deletion notice and from the list', async () => {
    const first = await kit.upload({ fields: { distribution_name: 'main' } });
    await kit.upload({ fields: { distribution_name: 'main' } });
    const { location } = await remove(1);
    const after = (await kit.dev.get(location)).text;
    expect(after).toContain('Build #1 deleted.');
    expect(after).toContain('Recently deleted');
    expect(after).toContain('Deleted by <bdi>dora</bdi>');

    const back = await kit.submit(location, 'restore');
    expect(back).toMatchObject({ status: 303, location: `${buildPath(1)}?done=restored` });
    expect((await kit.dev.get(back.location)).text).toContain('Build restored.');
    expect((await get(kit.slipway, first.file)).status).toBe(200);
    expect((await get(kit.slipway, `${first.distribution?.url}/1`)).status).toBe(200);
    expect((await kit.dev.get(appPath)).text).not.toContain('Recently deleted');
    expect(await actions()).toContainEqual(['build.restored', 'dora', `${packageName} (android) revision 1`]);
    // The removal job finds that it is restored.
    kit.pass(undoMs + 1);
    kit.slipway.service.outbox.wake();
    await kit.slipway.service.outbox.idle();
    expect((await get(kit.slipway, first.file)).status).toBe(200);
  });

  it('permanently removes a build that was not restored, and never reuses its revision', async () => {
    await kit.upload();
    const second = await kit.upload();
    await kit.slipway.service.outbox.idle();
    const { location } = await remove(2);
    const { outbox } = kit.slipway.service;
    kit.pass(undoMs - 60_000);
    outbox.wake();
    await outbox.idle();
    expect(await blobs()).toHaveLength(2);
    expect((await kit.dev.get(location)).text).toContain('Undo');
    kit.pass(60_000);
    // From now on it cannot be restored, whether the background job has run or not.
    expect((await kit.dev.get(location)).text).not.toContain('Undo');
    expect(await restore(2)).toMatchObject({ status: 409 });
    outbox.wake();
    await outbox.idle();
    expect(await blobs()).toEqual([expect.stringContaining('packages/')]);
    expect(await restore(2)).toMatchObject({
      status: 409,
      text: expect.stringMatching(/permanently deleted/),
    });
    expect((await get(kit.slipway, second.file)).status).toBe(404);
    expect((await kit.upload()).revision).toBe(3);
  });

  it('counts the 24 hours from the latest deletion', async () => {
    await kit.upload();
    await kit.upload();
    await remove(1);
    kit.pass(undoMs / 2);
    await restore(1);
    await remove(1);
    kit.pass(undoMs / 2 + 1);
    const { outbox } = kit.slipway.service;
    outbox.wake();
    await outbox.idle();
    expect(await blobs()).toHaveLength(2);
    expect(await restore(1)).toMatchObject({ status: 303 });
  });

  it('keeps builds that a page is serving, open or closed, and names the page', async () => {
    const first = await kit.upload({ fields: { distribution_name: 'release <b>candidate' } });
    await kit.upload();
    await kit.upload();
    const refused = await remove(1, 2);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('Nothing was deleted');
    expect(refused.text).toContain('release &lt;b>candidate');
    expect(refused.text).toContain(`/distributions/${first.distribution?.access_key}/settings`);
    expect(await statusOf(buildPath(2))).toBe(200);
    const others = await kit.submit(buildPath(2), 'delete');
    expect(others.status).toBe(303);
    const settings = `/distributions/${first.distribution?.access_key}/settings`;
    expect((await kit.submit(settings, 'save', { active: null })).status).toBe(303);
    const page = (await kit.dev.get(buildPath(1))).text;
    expect(page).toContain('is serving this build');
    expect(page).not.toContain('Delete build');
    expect((await kit.post(`${buildPath(1)}/delete`, {})).status).toBe(409);
    expect((await kit.submit(settings, 'save', { revision: '3' })).status).toBe(303);
    expect((await kit.submit(buildPath(1), 'delete')).status).toBe(303);
    expect((await kit.post(`${buildPath(3)}/delete`, {})).status).toBe(409);
  });

  it('keeps protected builds until the protection is removed', async () => {
    await kit.upload();
    await kit.upload();
    const answer = await kit.submit(buildPath(1), 'protect');
    expect(answer).toMatchObject({ status: 303, location: `${buildPath(1)}?done=protected` });
    expect((await kit.dev.get(answer.location)).text).toContain('Build protected.');
    const list = (await kit.dev.get(appPath)).text;
    expect(list).toContain('Protected');
    for (const attempt of [await remove(1, 2), await kit.post(`${buildPath(1)}/delete`, {})]) {
      expect(attempt.status).toBe(409);
      expect(attempt.text).toContain('It is protected.');
    }
    expect(await kit.revisions()).toHaveLength(2);
    await kit.submit(buildPath(1), 'unprotect');
    expect(await remove(1, 2)).toMatchObject({ status: 303 });
    expect((await actions()).map(([action]) => action)).toEqual(
      expect.arrayContaining(['build.protected', 'build.unprotected']),
    );
  });

  it('deletes the remaining builds when the kept ones are deselected', async () => {
    await kit.upload();
    await kit.upload({ fields: { distribution_name: 'main' } });
    await kit.upload();
    const refused = await remove(1, 2, 3);
    const form = /<form method="post"[\s\S]*?<\/form>/.exec(
      refused.text.slice(refused.text.indexOf('<main')),
    )?.[0];
    expect(form).toContain('Delete the other 2 builds');
    expect(form).toContain('name="revision" value="1"');
    expect(form).toContain('name="revision" value="3"');
    expect(form).not.toContain('name="revision" value="2"');
  });

  it('shows an app without builds, and accepts a new upload for it', async () => {
    await kit.upload();
    await remove(1);
    const page = (await kit.dev.get(appPath)).text;
    expect(page).toContain('Every build of this app has been deleted.');
    expect(page).toContain('Undo');
    expect((await kit.dev.get('/')).text).toContain('No builds');
    expect((await kit.upload()).revision).toBe(2);
    expect((await kit.dev.get(appPath)).text).toContain('/binaries/2"');
  });

  it('returns the first result for a repeated upload only while the build exists', async () => {
    const headers = { 'Idempotency-Key': 'job-1' };
    expect((await kit.upload({ headers })).revision).toBe(1);
    expect((await kit.upload({ headers })).revision).toBe(1);
    await remove(1);
    expect((await kit.upload({ headers })).revision).toBe(2);
    expect((await kit.upload({ headers })).revision).toBe(2);
    await restore(1);
    expect((await kit.upload({ headers })).revision).toBe(2);
    const other = await upload(kit.slipway, {
      owner: ownerName,
      key: kit.slipway.adminKey,
      file: buildApk({ packageName, versionName: 'other bytes' }),
      headers,
    });
    expect(other.status).not.toBe(500);
  });

  it('creates one build from concurrent repeats of an upload whose build was deleted', async () => {
    const headers = { 'Idempotency-Key': 'job-2' };
    await kit.upload({ headers });
    await remove(1);
    const results = await Promise.all([1, 2, 3, 4].map(() => kit.upload({ headers })));
    expect(new Set(results.map(({ revision }) => revision)).size).toBe(1);
    expect(await kit.revisions()).toHaveLength(1);
  });

  it('handles malformed forms', async () => {
    await kit.upload();
    const cases: ['delete' | 'restore', readonly string[], number][] = [
      ['delete', [], 400],
      ['delete', ['0'], 400],
      ['delete', ['1', '-1'], 400],
      ['delete', ['1e0'], 400],
      ['delete', ['x'], 400],
      ['delete', ['9999999999999999'], 400],
      ['delete', ['999999999999999'], 404],
      ['delete', ['2'], 404],
      ['restore', ['2'], 409],
      ['delete', Array.from({ length: 101 }, (_, at) => String(at + 1)), 400],
    ];
    for (const [action, revision, status] of cases) {
      const answer = await kit.post(`${appPath}/binaries/${action}`, { revision });
      expect(answer.status, `${action} ${revision.slice(0, 3)}`).toBe(status);
    }
    for (const address of [`${buildPath(1)}/constructor`, `${buildPath(0)}/protect`, buildPath(9)]) {
      expect((await kit.post(`${address}/protect`, {})).status, address).toBe(404);
    }
    for (const hostile of [
      '?deleted=1&deleted=2',
      '?deleted=%00',
      '?restored=<script>,1,,9e9',
      '?done=toString',
    ]) {
      const page = await kit.dev.get(`${appPath}${hostile}`);
      expect(page.status).toBe(200);
      expect(page.text).not.toContain('<script>,');
      expect(page.text).not.toContain('is deleted.');
    }
    expect(await kit.revisions()).toHaveLength(1);
  });

  it('deletes or restores only once when two people do so concurrently', async () => {
    await kit.upload();
    await kit.upload();
    const deletions = await Promise.all([remove(1, 2), remove(2, 1), remove(1), remove(2)]);
    expect(deletions.map(({ status }) => status)).toEqual([303, 303, 303, 303]);
    const deleted = (await actions()).filter(([action]) => action === 'build.deleted');
    expect(deleted).toHaveLength(2);
    const undone = await Promise.all([restore(1, 2), restore(2), restore(1)]);
    expect(undone.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect((await actions()).filter(([action]) => action === 'build.restored')).toHaveLength(2);
  });
});

async function countView({ slipway }: BuildKit, result: UploadResult) {
  const page = await slipway.data.distributions.findPage(result.distribution?.access_key ?? '');
  const buildId = /\/builds\/([^/]+)\//.exec(result.file)?.[1] ?? '';
  const visit = {
    pageId: page?.id ?? '',
    buildId,
    day: '2026-11-21',
    system: 'android',
    kind: 'view',
  } as const;
  await slipway.data.transaction((tx) => tx.pageCounts.count({ ...visit, visitors: ['v'] }));
}
