import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UnreadablePackage } from '../../src/packages/package-info.ts';
import { readSimulatorZip } from '../../src/packages/read-simulator-zip.ts';
import { appEntries, buildIpa } from '../support/build-ipa.ts';
import { buildZip } from '../support/build-zip.ts';
import { fixturesOfRun, sharedFixturePath, sharedFixturesPresent } from '../support/shared-fixtures.ts';

const folder = mkdtempSync(join(tmpdir(), 'slipway-simulator-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function read(bytes: Buffer) {
  const path = join(folder, 'build.zip');
  writeFileSync(path, bytes);
  return readSimulatorZip(path);
}

const simulator = { simulator: true, name: 'Example' };

describe('a simulator zip', () => {
  it('can contain the app at its top level', async () => {
    expect(await read(buildZip(appEntries(simulator, 'Example.app/')))).toEqual({
      bundleIdentifier: 'com.example.test',
      appFolder: 'Example.app',
      name: 'Example',
      minimumOsVersion: '15.0',
    });
  });

  it('can contain the app in folders, next to the files that macOS adds', async () => {
    const root = 'build/Debug-iphonesimulator/Example.app/';
    const entries = [
      { name: '__MACOSX/build/Other.app/x', content: 'x' },
      { name: 'build/._Example.app/x', content: 'x' },
      { name: 'build/Example.app.dSYM/Contents/Info.plist', content: 'x' },
      ...appEntries({ ...simulator, minimumOsVersion: null, name: null }, root),
    ];
    expect(await read(buildZip(entries))).toEqual({
      bundleIdentifier: 'com.example.test',
      appFolder: 'build/Debug-iphonesimulator/Example.app',
      name: 'com.example.test',
      minimumOsVersion: null,
    });
  });

  it('can contain apps within the app', async () => {
    const entries = [
      ...appEntries(simulator, 'Example.app/'),
      ...appEntries({ ...simulator, bundleIdentifier: 'com.example.test.watch' }, 'Example.app/Watch/W.app/'),
    ];
    expect((await read(buildZip(entries))).bundleIdentifier).toBe('com.example.test');
  });

  it('can contain an app that does not state its platform', async () => {
    const infoPlist = { CFBundleSupportedPlatforms: [], DTPlatformName: '' };
    const bytes = buildZip(appEntries({ infoPlist }, 'Example.app/'));
    expect((await read(bytes)).appFolder).toBe('Example.app');
  });

  it.each([
    [
      'two apps',
      buildZip([...appEntries(simulator, 'A.app/'), ...appEntries(simulator, 'b/B.app/')]),
      'the simulator zip contains 2 apps',
    ],
    ['no app', buildZip([{ name: 'readme.txt', content: 'x' }]), 'the simulator zip contains no .app folder'],
    [
      'a file named like an app',
      buildZip([{ name: 'A.app', content: 'x' }]),
      'the simulator zip contains no .app folder',
    ],
    [
      'an app without Info.plist',
      buildZip([{ name: 'A.app/PkgInfo', content: 'x' }]),
      'A.app contains no Info.plist',
    ],
    ['an app for devices', buildZip(appEntries({}, 'A.app/')), 'A.app is not built for the iOS simulator'],
    ['an IPA for devices', buildIpa(), 'Payload/Test.app is not built for the iOS simulator'],
    ['what is no zip', Buffer.from('hello'), 'zip'],
  ])('is rejected: %s', async (_name, bytes, words) => {
    await expect(read(bytes)).rejects.toThrow(UnreadablePackage);
    await expect(read(bytes)).rejects.toThrow(words);
  });
});

describe.skipIf(!sharedFixturesPresent)('real simulator zips (needs ../shared/fixtures)', () => {
  const fixtures = fixturesOfRun().filter(({ path }) => path.startsWith('simulator/'));

  it.each(fixtures.map((fixture) => [fixture.path, fixture] as const))('%s', async (path, { truth }) => {
    expect(await readSimulatorZip(sharedFixturePath(path))).toEqual({
      bundleIdentifier: truth.expect.package_name,
      appFolder: truth.apps[0].slice(0, -1),
      name: truth.expect.name,
      minimumOsVersion: truth.expect.sdk_version,
    });
  });
});
