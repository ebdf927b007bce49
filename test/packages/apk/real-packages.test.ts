/** Compares every real package of the shared set with aapt2, recorded and, if installed, live. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type PackageInfo, UnreadablePackage } from '../../../src/packages/package-info.ts';
import { readPackage } from '../../../src/packages/read-package.ts';
import { type ApkSpec, buildApk } from '../../support/build-apk.ts';
import { runsEverything } from '../../support/runs-everything.ts';
import { fixturesOfRun, sharedFixturePath, sharedFixturesPresent } from '../../support/shared-fixtures.ts';

const run = promisify(execFile);
/** The recorded facts are from the same tools, so that live ones are only in the full run. */
const isUsable = (tool: string) => runsEverything && spawnSync(tool, ['version']).status === 0;
const present = new Map(['aapt2', 'aapt'].map((tool) => [tool, isUsable(tool)]));
/** aapt2 fails when it cannot resolve the label. */
const unreadByAapt = ['apk/issue3366.apk'];
const packages = fixturesOfRun().filter(({ path }) => path.endsWith('.apk') || path.endsWith('.aab'));

/** Debatable packages that Android also rejects. */
const refused: Readonly<Record<string, string>> = {
  'invalid/janus.apk': 'other bytes precede the zip archive, which Android rejects',
  'invalid/sample.aab': 'this is an Android App Bundle (AAB), not an APK',
};

/** Differences from aapt2, with reasons. */
const deviations: Readonly<Record<string, Partial<PackageInfo>>> = {
  // Debian's aapt2 does not support the compact entries of the table and cannot resolve the label.
  'apk/issue3366.apk': { name: 'Issue3366' },
  // aapt2 prints codenames; Slipway stores them separately from the API level.
  'apk/framework.apk': { sdkVersion: '35', rawSdkVersion: 'VanillaIceCream', targetSdkVersion: 35 },
};

describe.skipIf(!sharedFixturesPresent)('real packages (needs ../shared/fixtures)', () => {
  test('the fixtures are present', () => expect(packages.length).toBeGreaterThan(runsEverything ? 60 : 30));

  const isReadable = (fixture: (typeof packages)[number]) =>
    fixture.verdict !== 'reject' && !(fixture.path in refused);

  test.each(packages.filter((fixture) => !isReadable(fixture)))('$path is rejected', async ({ path }) => {
    const error = await readPackage(sharedFixturePath(path)).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(UnreadablePackage);
    if (path in refused) expect(error).toHaveProperty('message', refused[path]);
  });

  test.each(packages.filter(isReadable))('$path has the recorded facts', async ({ path, truth }) => {
    const info = await readPackage(sharedFixturePath(path));
    const { expect: recorded } = truth;
    expect(info).toMatchObject({
      platform: 'android',
      packageName: recorded.package_name,
      name: recorded.name ?? recorded.package_name,
      versionCode: recorded.version_code ?? '0',
      versionName: recorded.version_name,
      sdkVersion: recorded.sdk_version ?? '1',
      rawSdkVersion: recorded.sdk_version,
      targetSdkVersion: Number(recorded.target_sdk_version ?? recorded.sdk_version ?? 1),
      ...deviations[path],
    });
  });

  for (const tool of ['aapt2', 'aapt']) {
    const readable = packages.filter(isReadable);
    const read = readable.filter(({ path }) => tool !== 'aapt' || !unreadByAapt.includes(path));
    test.skipIf(!present.get(tool)).each(read)(
      `$path agrees with ${tool} (needs ${tool}: apt-get install aapt)`,
      async ({ path }) => {
        await expectLike(tool, sharedFixturePath(path), path);
      },
    );
  }
});

describe.skipIf(!present.get('aapt2'))(
  'built packages agree with aapt2 (needs aapt2: apt-get install aapt)',
  () => {
    const label = { '': 'Hello', ja: 'こんにちは', 'pt-rBR': 'Olá 😀', fil: 'Kumusta', 'es-r419': 'Hola' };
    test.each<[what: string, spec: ApkSpec]>([
      ['the defaults', {}],
      ['a UTF-16 pool', { utf16: true, label }],
      ['a UTF-8 pool', { label }],
      ['sparse entries', { label, tableLayout: 'sparse' }],
      [
        'nothing stated',
        { versionCode: null, versionName: null, minSdk: null, targetSdk: null, label: null },
      ],
      ['codenames', { minSdk: 'Tiramisu', targetSdk: 'Tiramisu' }],
      [
        'flags',
        { debuggable: true, testOnly: true, nativeAbis: ['x86', 'arm64-v8a'], permissions: ['a.b', 'c.d'] },
      ],
      ['a large version code', { versionCode: 2_147_483_647, versionCodeMajor: 2 }],
    ])('%s', async (_, spec) => {
      const folder = await mkdtemp(join(tmpdir(), 'slipway-aapt2-'));
      const path = join(folder, 'built.apk');
      await writeFile(path, buildApk(spec));
      await expectLike('aapt2', path, path).finally(() => rm(folder, { recursive: true }));
    });
  },
);

interface Badging {
  /** Returns the values of lines by the key before the colon. */
  lines: Map<string, string[]>;
  value: (key: string, name: string) => string | null;
}

async function expectLike(tool: string, path: string, name: string): Promise<void> {
  const badging = await dumpBadging(tool, path);
  const info = await readPackage(path);
  const quoted = (key: string) =>
    badging.lines
      .get(key)
      ?.at(-1)
      ?.replace(/^'(.*)'$/, '$1') || null;
  expect({
    packageName: info.packageName,
    versionCode: info.versionCode,
    versionName: info.versionName,
    rawSdkVersion: info.rawSdkVersion,
    targetSdkVersion: info.android?.targetSdkCodename ?? String(info.targetSdkVersion),
    maxSdkVersion: info.android?.maxSdkVersion ?? null,
    debuggable: info.android?.debuggable,
    testOnly: info.android?.testOnly,
    nativeAbis: info.android?.nativeAbis,
    permissions: info.android?.permissions.toSorted(),
  }).toEqual({
    packageName: badging.value('package', 'name'),
    versionCode: badging.value('package', 'versionCode') || '0',
    versionName: badging.value('package', 'versionName') || null,
    rawSdkVersion: quoted('sdkVersion'),
    // Defaults to the minimum.
    targetSdkVersion: quoted('targetSdkVersion') ?? quoted('sdkVersion') ?? '1',
    maxSdkVersion: Number(quoted('maxSdkVersion') ?? 0) || null,
    debuggable: badging.lines.has('application-debuggable'),
    testOnly: (badging.lines.get('testOnly') ?? []).includes("'-1'"),
    nativeAbis: (badging.lines.get('native-code')?.[0]?.match(/[^' ]+/g) ?? []).toSorted(),
    permissions: statedPermissions(badging),
  });
  const deviates = name in deviations && 'name' in (deviations[name] ?? {});
  if (!deviates) expectSameLabels(info, badging);
  expectSameIcon(info, badging);
}

/** aapt2 fills every locale of the table with the default; Slipway lists only locales with their own text. */
function expectSameLabels(info: PackageInfo, badging: Badging): void {
  for (const [key, [line]] of badging.lines) {
    const [, tag] = /^application-label(?:-(.*))?$/.exec(key) ?? [];
    if (!key.startsWith('application-label')) continue;
    const theirs = line?.replace(/^'([\s\S]*)'$/, '$1') ?? '';
    const canonical =
      tag === undefined ? '' : tag.replace(/^iw\b/, 'he').replace(/^in\b/, 'id').replace(/^tl\b/, 'fil');
    expect({ tag: canonical, label: info.labels[canonical] ?? info.labels[''] ?? '' }).toEqual({
      tag: canonical,
      label: theirs,
    });
  }
}

/** Returns the icon for the highest density, unless it is a vector with alternative pictures. */
function expectSameIcon(info: PackageInfo, badging: Badging): void {
  const densities = [...badging.lines.keys()].flatMap(
    (key) => /^application-icon-(\d+)$/.exec(key)?.[1] ?? [],
  );
  const finest = densities
    .map(Number)
    .filter((density) => density <= 640)
    .at(-1);
  const theirs = badging.lines.get(`application-icon-${finest}`)?.[0]?.replaceAll("'", '') ?? null;
  const vectorBesidePictures = theirs?.endsWith('.xml') && info.icon?.kind === 'png';
  if (!vectorBesidePictures) expect(info.icon?.source ?? null).toBe(theirs);
}

function statedPermissions(badging: Badging): string[] {
  const names = (key: string) =>
    (badging.lines.get(key) ?? []).map((line) => /name='([^']*)'/.exec(line)?.[1] ?? '');
  const implied = names('uses-implied-permission');
  const stated = [...names('uses-permission'), ...names('uses-permission-sdk-23')].filter(
    (name) => !implied.includes(name),
  );
  return [...new Set(stated)].toSorted();
}

async function dumpBadging(tool: string, path: string): Promise<Badging> {
  const { stdout } = await run(tool, ['dump', 'badging', path], { maxBuffer: 64 * 1024 * 1024 });
  const lines = new Map<string, string[]>();
  for (const line of stdout.split('\n')) {
    const colon = line.search(/[:=]/);
    const key = (colon < 0 ? line : line.slice(0, colon)).trim();
    lines.set(key, [...(lines.get(key) ?? []), colon < 0 ? '' : line.slice(colon + 1).trim()]);
  }
  const value = (key: string, name: string) =>
    new RegExp(`(?:^| )${name}='([^']*)'`).exec(lines.get(key)?.[0] ?? '')?.[1] ?? null;
  return { lines, value };
}
