/** The bytes that pages with full lists transfer with gzip. Uses the pages and data of the benchmark. */
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consolePlaces } from '../../bench/console-places.ts';
import { seedActivity } from '../../bench/seed-activity.ts';
import { createSeeding } from '../../bench/seed-builds.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { type BrowserSession, signIn } from '../support/browser-session.ts';
import { send } from '../support/http-client.ts';
import { bearer } from '../support/interface-client.ts';
import { assetsOf, maxBytesOf } from '../support/page-weight.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const builds = 2000;
const people = 100;
const coding = { 'Accept-Encoding': 'gzip' };

describe('a page with full lists', () => {
  let slipway: TestService;
  let admin: BrowserSession;
  const assetBytes = new Map<string, number>();
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
    const owner = await slipway.data.owners.findOwner('admin');
    if (!owner) throw new Error('there is no administrator');
    const database = await openDatabase(slipway.config.database);
    const shape = { buildsOfApp: 3, appsOfProject: 60, buildsOfPerson: builds / people };
    await (await createSeeding(database, owner.id, shape)).growTo(builds);
    await seedActivity(database, owner.id, people);
    await database.close();
    admin = await signIn(slipway, 'admin');
  });
  afterAll(() => slipway.close());

  const bytesOfAsset = async (address: string): Promise<number> => {
    const known = assetBytes.get(address);
    if (known !== undefined) return known;
    const { body } = await send(slipway.port, address, { headers: coding });
    assetBytes.set(address, body.byteLength);
    return body.byteLength;
  };

  it.each([...consolePlaces, { what: 'documentation', path: '/docs' }])(
    'transfers at most 60 KiB, 30 KiB to testers, and 96 KiB as the reference: $what',
    async ({ path, key }) => {
      const who = key === undefined ? { Cookie: admin.cookie } : bearer(key);
      const headers = { Accept: 'text/html', 'Sec-Fetch-Site': 'same-origin', ...coding, ...who };
      const answer = await send(slipway.port, path, { headers });
      expect([answer.status, answer.headers['content-encoding']]).toEqual([200, 'gzip']);
      const assets = assetsOf(gunzipSync(answer.body).toString());
      expect(assets.length).toBeGreaterThanOrEqual(2);
      const sizes = await Promise.all(assets.map(bytesOfAsset));
      const total = sizes.reduce((sum, size) => sum + size, answer.body.byteLength);
      expect(total).toBeGreaterThan(5000);
      expect(total).toBeLessThanOrEqual(maxBytesOf(path));
    },
  );

  it('has the full lists', async () => {
    const rows = async (path: string, name: RegExp) => (await admin.get(path)).text.match(name)?.length ?? 0;
    expect(await rows('/', /class="plain strong"/g)).toBe(50);
  });
});
