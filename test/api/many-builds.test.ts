/** A client pages through 10,000 builds while others upload. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildQueries } from '../../src/apps/builds/build-queries.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { buildApk } from '../support/build-apk.ts';
import { json, send } from '../support/http-client.ts';
import { bearer, uploaded } from '../support/interface-client.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { addApp, sampleBuild } from '../support/sample-rows.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const packageName = 'com.example.many';
const count = 10_000;

describe.runIf(runsEverything)('10,000 builds', () => {
  let slipway: TestService;
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
    const admin = await slipway.data.owners.findOwner('admin');
    const { appId } = await addApp(slipway.data, admin?.id ?? '', { packageName });
    await slipway.service.data.transaction(async (tx) => {
      for (let revision = 2; revision <= count; revision++)
        await buildQueries(tx).insertBuild(sampleBuild(appId, revision));
    });
    const database = await openDatabase(slipway.config.database);
    await database.queries.updateTable('apps').set({ last_revision: count }).execute();
    await database.close();
  }, 120_000);
  afterAll(() => slipway.close());

  it('are listed once each, without a gap', { timeout: 120_000 }, async () => {
    const uploads: Promise<unknown>[] = [];
    const seen: number[] = [];
    let address: string | undefined = `/api/v1/apps/admin/android/${packageName}/builds?limit=200`;
    while (address !== undefined) {
      // They commit while the next pages are read.
      uploads.push(uploaded(slipway, { file: buildApk({ packageName, versionCode: uploads.length + 1 }) }));
      if (uploads.length % 5 === 0) await uploads.at(-1);
      const answer = await send(slipway.port, address, { headers: bearer(slipway.adminKey) });
      const { data } = json<{ data: { revision: number }[] }>(answer);
      seen.push(...data.map(({ revision }) => revision));
      address = /^<([^>]+)>; rel="next"$/.exec(String(answer.headers.link))?.[1];
    }
    await Promise.all(uploads);
    const [newest = 0] = seen;
    expect(uploads.length).toBeGreaterThanOrEqual(50);
    expect(newest).toBeGreaterThanOrEqual(count);
    expect(seen).toEqual(Array.from({ length: newest }, (_, at) => newest - at));
  });
});
