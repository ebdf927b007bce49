/** The life of an app on the stores that `npm test` covers nowhere else: every query and file once on the way. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { undoMs } from '../../src/apps/deletion/build-deletion.ts';
import { buildApk } from '../support/build-apk.ts';
import { json, send } from '../support/http-client.ts';
import { bearer, get, refusalOf, upload, uploaded } from '../support/interface-client.ts';
import { settleOutbox } from '../support/mail-service.ts';
import { linksOf, phones } from '../support/page-visits.ts';
import { hasS3 } from '../support/s3-service.ts';
import { signApk } from '../support/sign-apk.ts';
import { createTestKey } from '../support/test-key.ts';
import { startTestService, type TestService, type TestServiceOptions } from '../support/test-service.ts';

const packageName = 'com.example.journey';
const v2 = [{ key: createTestKey() }];
const apkOf = (versionCode: number) =>
  signApk(buildApk({ packageName, versionCode, fillerBytes: 100_000 }), { v2 });
const one = apkOf(1);
const two = apkOf(2);

const stores: [string, boolean, TestServiceOptions][] = [
  ['PostgreSQL with files on disk', true, { dialect: 'postgres', blobs: 'disk' }],
  ['SQLite with links to S3 (needs Ceph)', hasS3, { dialect: 'sqlite', blobs: 's3' }],
];
for (const [name, isPresent, options] of stores) {
  describe.runIf(isPresent)(`an app on ${name}`, () => {
    let slipway: TestService;
    let mina: string;
    const clock = { offsetMs: 0 };
    beforeAll(async () => {
      slipway = await startTestService({ ...options, now: () => Date.now() + clock.offsetMs });
      mina = await slipway.user('mina');
      await slipway.project('crew', { workspace: 'acme', members: { mina: 'developer' } });
    });
    afterAll(() => slipway.close());

    it('is uploaded, listed, opened, downloaded, updated and deleted build by build', async () => {
      const fields = { distribution_name: 'nightly' };
      const first = await uploaded(slipway, { owner: 'crew', key: mina, file: one, fields });
      const listed = await get(slipway, '/api/organizations', mina);
      expect(json<{ organizations: object[] }>(listed).organizations).toMatchObject([
        { name: 'crew', enterprise: { name: 'acme' } },
      ]);

      const page = first.distribution?.url ?? '';
      const downloaded = async () => {
        const headers = { 'User-Agent': phones.android, Accept: 'text/html' };
        const { file } = linksOf((await get(slipway, page, null, { headers })).text);
        return (await get(slipway, file ?? '')).body;
      };
      expect((await downloaded()).equals(one)).toBe(true);

      const second = await uploaded(slipway, { owner: 'crew', key: mina, file: two, fields });
      expect([second.revision, second.distribution?.url]).toEqual([2, page]);
      expect((await downloaded()).equals(two)).toBe(true);
      const owned = await slipway.data.distributions.findPage(second.distribution?.access_key ?? '');
      expect(owned?.installs).toBe(2);

      await settleOutbox(slipway);
      const builds = `/api/v1/apps/crew/android/${packageName}/builds`;
      const remove = (revision: number) =>
        send(slipway.port, `${builds}/${revision}`, { method: 'DELETE', headers: bearer(mina) });
      expect((await remove(2)).status).toBe(409);
      expect((await remove(1)).status).toBe(204);
      clock.offsetMs = undoMs;
      await settleOutbox(slipway);
      refusalOf(await get(slipway, first.file), 404);
      expect((await get(slipway, second.file)).body.equals(two)).toBe(true);
      const left = await slipway.leftBehind();
      expect(left).toMatchObject({ spool: [], builds: 1, apps: 1, pages: 1 });
      expect(left.blobs.filter((key) => key.startsWith('packages/'))).toHaveLength(1);
      const { data } = json<{ data: { revision: number }[] }>(await get(slipway, builds, mina));
      expect(data.map(({ revision }) => revision)).toEqual([2]);
    });

    it('leaves nothing of an upload that is refused', async () => {
      const before = await slipway.leftBehind();
      const fields = { distribution_key: 'f'.repeat(40) };
      refusalOf(await upload(slipway, { owner: 'crew', key: mina, file: two, fields }), 404);
      expect(await slipway.leftBehind()).toEqual(before);
    });
  });
}
