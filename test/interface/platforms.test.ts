/** The addresses of one platform, and the simulator build uploaded with an IPA. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { appEntries, buildIpa } from '../support/build-ipa.ts';
import { buildZip } from '../support/build-zip.ts';
import { get, leavesNothing, refusalOf, resultsOf, upload, uploaded } from '../support/interface-client.ts';
import { sharedFixturePath, sharedFixturesPresent } from '../support/shared-fixtures.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const bundleIdentifier = 'com.example.sim';
const ipa = buildIpa({ bundleIdentifier });
const apk = buildApk({ packageName: bundleIdentifier });
const simulatorZip = (identifier = bundleIdentifier, root = 'Test.app/') =>
  buildZip([{ name: root }, ...appEntries({ bundleIdentifier: identifier, simulator: true }, root)]);

describe('platforms', () => {
  let slipway: TestService;
  let mina: string;
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
    mina = await slipway.user('mina');
  });
  afterAll(() => slipway.close());

  it.each([
    ['android', apk, 'Android'],
    ['Android', apk, 'Android'],
    ['ios', ipa, 'iOS'],
    ['iOS', ipa, 'iOS'],
  ])('accept uploads at the address of %s', async (platform, file, osName) => {
    const results = await uploaded(slipway, { path: `/api/users/admin/platforms/${platform}/apps`, file });
    expect(results.os_name).toBe(osName);
    expect(results.path).toBe(`/users/admin/apps/${bundleIdentifier}`);
  });

  it.each([
    ['android', ipa],
    ['ios', apk],
  ])('refuse the other platform at the address of %s', async (platform, file) => {
    const path = `/api/users/admin/platforms/${platform}/apps`;
    const refusal = refusalOf(await leavesNothing(slipway, () => upload(slipway, { path, file })), 400);
    expect(refusal.message).toMatch(/^application create error: /);
  });

  it('return 404 for an unknown platform, but 403 first', async () => {
    const path = '/api/users/admin/platforms/windows/apps';
    await leavesNothing(slipway, async () => {
      refusalOf(await upload(slipway, { path }), 404);
      refusalOf(await upload(slipway, { path, key: mina }), 403);
      const token = { name: 'token', value: slipway.adminKey };
      const parts = [{ name: 'file', content: apk }, token];
      refusalOf(await upload(slipway, { path, key: null, parts }), 404);
    });
  });

  const withSimulator = (file: Buffer, content: Buffer) =>
    upload(slipway, {
      parts: [
        { name: 'ios_simulator_zip', content, fileName: 'Test.app.zip' },
        { name: 'file', content: file, fileName: 'app.ipa' },
      ],
    });

  it.each([
    ['at the top', simulatorZip()],
    ['in a folder', simulatorZip(bundleIdentifier, 'build/Release-iphonesimulator/Test.app/')],
  ])('store a simulator build with its app %s, for everyone who may see the app', async (_name, zip) => {
    const answer = await withSimulator(ipa, zip);
    expect(answer.status).toBe(200);
    const results = JSON.parse(answer.text).results;
    const address = results.file.replace(/\/file\?.*$/, '/simulator');
    const stored = await get(slipway, address, slipway.adminKey);
    expect(stored.status).toBe(200);
    expect(stored.body.equals(zip)).toBe(true);
    expect(stored.headers['content-type']).toBe('application/zip');
    expect(stored.headers['content-length']).toBe(String(zip.length));
    refusalOf(await get(slipway, address), 404);
    refusalOf(await get(slipway, address, mina), 404);
    const key = new URL(results.file).searchParams.get('key');
    refusalOf(await get(slipway, `${address}?key=${key}`), 404);
    const page = await get(slipway, results.revision_url, slipway.adminKey);
    const link = /href="(\/builds\/[^"]+\/simulator\?key=[^"]+)"/.exec(page.text)?.[1] ?? '';
    expect((await get(slipway, link)).body.equals(zip)).toBe(true);
    expect((await get(slipway, results.file)).body.equals(ipa)).toBe(true);
  });

  it('return 404 for a simulator build that was not uploaded', async () => {
    const results = await uploaded(slipway, { file: ipa });
    const address = results.file.replace(/\/file\?.*$/, '/simulator');
    refusalOf(await get(slipway, address, slipway.adminKey), 404);
  });

  it('store a simulator build with another bundle identifier, and warn', async () => {
    const zip = simulatorZip('com.example.debug');
    const results = resultsOf(await withSimulator(ipa, zip));
    expect(results.warnings).toContain(
      `ios_simulator_zip contains com.example.debug, but the uploaded package is ${bundleIdentifier}.`,
    );
    const address = results.file.replace(/\/file\?.*$/, '/simulator');
    expect((await get(slipway, address, slipway.adminKey)).body.equals(zip)).toBe(true);
  });

  it.each([
    ['a simulator build', simulatorZip()],
    ['anything else', Buffer.from('not a zip')],
  ])('ignore %s uploaded with an APK, and warn', async (_name, zip) => {
    const before = await slipway.leftBehind();
    const results = resultsOf(await withSimulator(apk, zip));
    expect(results.warnings).toContain('ios_simulator_zip was ignored because the upload has no IPA.');
    const address = results.file.replace(/\/file\?.*$/, '/simulator');
    refusalOf(await get(slipway, address, slipway.adminKey), 404);
    const after = await slipway.leftBehind();
    expect(after.blobs.filter((key) => key.startsWith('simulators/'))).toEqual(
      before.blobs.filter((key) => key.startsWith('simulators/')),
    );
    expect(after.spool).toEqual([]);
  });

  it.each([
    ['no .app', ipa, buildZip([{ name: 'readme.txt', content: 'x' }]), /\.app|simulator/],
    [
      'two .app',
      ipa,
      buildZip([
        ...appEntries({ bundleIdentifier }, 'A.app/'),
        ...appEntries({ bundleIdentifier }, 'B.app/'),
      ]),
      /./,
    ],
    [
      'an app without Info.plist',
      ipa,
      buildZip([{ name: 'Test.app/' }, { name: 'Test.app/Test', content: 'x' }]),
      /./,
    ],
    ['no zip', ipa, Buffer.from('not a zip'), /./],
    ['an empty file', ipa, Buffer.alloc(0), /./],
    ['an IPA in its place', ipa, ipa, /./],
  ])('refuse a simulator build with %s', async (_name, file, zip, message) => {
    const refusal = refusalOf(await leavesNothing(slipway, () => withSimulator(file, zip)), 400);
    expect(refusal.message).toMatch(/^ios_simulator_zip /);
    expect(refusal.message).toMatch(message);
  });

  it.skipIf(!sharedFixturesPresent)('accept a real simulator build (needs the shared fixtures)', async () => {
    const file = buildIpa({ bundleIdentifier: 'com.savla.RottenTomatoes' });
    const zip = readFileSync(sharedFixturePath('simulator/RottenTomatoes.zip'));
    expect((await withSimulator(file, zip)).status).toBe(200);
  });
});
