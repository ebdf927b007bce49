/** `slipway inspect --json` over every file of the shared set, against all facts in its manifest. */
import { basename } from 'node:path';
import { Writable } from 'node:stream';
import { beforeAll, describe, expect, it } from 'vitest';
import { runInspect } from '../../src/commands/inspect/inspect-command.ts';
import { jsonLines } from '../support/run-cli.ts';
import {
  type SharedFixture,
  sharedFixturePath,
  sharedFixtures,
  sharedFixturesPresent,
} from '../support/shared-fixtures.ts';

// biome-ignore lint/suspicious/noExplicitAny: a line of JSON
type Line = any;

const fixtures = sharedFixtures();

/** The known keys of `truth.expect`: others would not be compared. */
const comparedWords = new Set([
  ...[
    'package_detectable',
    'md5',
    'os_name',
    'name',
    'name_unknown',
    'package_name',
    'version_code',
    'version_name',
  ],
  ...['sdk_version', 'target_sdk_version', 'signature_verified', 'signature_sha1', 'v1_block_sha1'],
  ...['profile_type', 'codesign_sha1', 'profile_certificate_sha1'],
]);

/** Differences between the oracles and Slipway, explained in docs/packages.md. */
const deviations: Readonly<Record<string, Line>> = {
  // Debian's aapt2 does not support compact entries.
  'apk/issue3366.apk': { name: 'Issue3366' },
  // The codename is in raw_sdk_version.
  'apk/framework.apk': { sdk_version: '35', target_sdk_version: 35 },
};

/** The signer for the newest platforms; apksigner also lists one for older platforms. */
const signerOfNewestPlatforms: Readonly<Record<string, string>> = {
  'apk/scheme_jb1-v2optional_v1-and-v3.1-with-source-stamp.apk': 'e9d0dd023bdab7fae9479d1ecbb3275e0fccac20',
  'apk/scheme_s2-v2required_v3.1.apk': 'e9d0dd023bdab7fae9479d1ecbb3275e0fccac20',
  'apk/v31-rsa-2048_2-tgt-34-1-tgt-28.apk': 'b1394d371d16965a9331f152765cc2e5fb0a54c5',
};

/** Its META-INF/*.RSA has no .SF file, so that platforms ignore it. */
const blockIsNoSignature = ['apk/issue-1128-poc1.apk'];

/** Edited after they were signed, which openssl does not check. */
const editedAfterSigning = ['ipa/test_app_2.ipa', 'ipa/test_no_versionNumber.ipa'];

const deviceFamilies: Readonly<Record<number, string>> = { 1: 'iphone', 2: 'ipad' };

describe.skipIf(!sharedFixturesPresent)('inspect of every shared fixture (needs ../shared/fixtures)', () => {
  const lines = new Map<string, Line>();
  beforeAll(async () => {
    const files = fixtures.map(({ path }) => sharedFixturePath(path));
    let text = '';
    const stdout = new Writable({
      write(chunk, _encoding, done) {
        text += String(chunk);
        done();
      },
    });
    const io = { environment: {}, stdin: process.stdin, stdout, stderr: process.stderr, host: process };
    expect(await runInspect(io, files, { json: true })).toBe(1);
    const printed: Line[] = jsonLines(text);
    expect(printed.map(({ file }) => file)).toEqual(files);
    for (const [index, { path }] of fixtures.entries()) lines.set(path, printed[index]);
  });

  it('covers over a hundred fixtures with known verdicts', () => {
    expect(fixtures.length).toBeGreaterThan(100);
    const verdicts = [
      'accept',
      'debatable',
      'reject',
      'reject as an app',
      'signature policy',
      'simulator zip',
    ];
    expect([...new Set(fixtures.map(({ verdict }) => verdict))].toSorted()).toEqual(verdicts);
  });

  it.each(fixtures)('$path', ({ path, verdict, truth, ...file }) => {
    const line = lines.get(path);
    const expected = truth.expect;
    expect(Object.keys(expected).filter((word) => !comparedWords.has(word))).toEqual([]);
    if (verdict === 'accept' || verdict === 'signature policy')
      expect(expected.package_detectable).toBe(true);
    if (path.endsWith('.aab')) {
      // Only uploads refuse bundles.
      expect(line).toMatchObject({ package_name: 'com.deploygate.sample', signing: { verified: false } });
      return;
    }
    if (!expected.package_detectable) {
      expect(line).toEqual({
        file: sharedFixturePath(path),
        error: expect.stringMatching(/^[^\n]{10,300}$/),
      });
      return;
    }
    expect(line).not.toHaveProperty('error');
    expect(expected.md5).toBe(file.md5);
    expect(line).toMatchObject({
      platform: expected.os_name === 'iOS' ? 'ios' : 'android',
      md5: file.md5,
      sha256: file.sha256,
      size: file.size,
      package_name: expected.package_name,
      version_name: expected.version_name,
      raw_sdk_version: expected.sdk_version,
    });
    if (expected.os_name === 'iOS') compareIpa(line, path, truth);
    else compareApk(line, path, truth);
  });

  it('names the kind of each file that is not an app', () => {
    const errors = [...lines].flatMap(([path, { error }]) => (error ? [`${basename(path)}: ${error}`] : []));
    for (const words of [
      'janus.apk: other bytes precede the zip archive',
      'ContainsWatchApp.ipa: the Payload directory is not at the top of the archive',
      'zip_multi-disk.zip: this is one part of a zip archive that was split',
      'TestSimulator.app.zip: this is a zipped .app directory, such as a simulator build',
      'ios_adhoc.mobileprovision: this is a provisioning profile',
      'dummy.mobileprovision: the file is empty',
    ]) {
      expect(errors.filter((error) => error.startsWith(words))).toHaveLength(1);
    }
  });
});

function compareApk(line: Line, path: string, truth: SharedFixture['truth']): void {
  const { expect: expected, aapt2, signing } = truth;
  expect(line).toMatchObject({
    name: expected.name ?? expected.package_name,
    version_code: expected.version_code ?? '0',
    sdk_version: expected.sdk_version ?? '1',
    target_sdk_version: Number(expected.target_sdk_version ?? expected.sdk_version ?? 1),
    max_sdk_version: aapt2.maxSdkVersion === null ? null : Number(aapt2.maxSdkVersion),
    compile_sdk_version: Number(aapt2.compileSdkVersion ?? 0) || null,
    debuggable: aapt2.application_debuggable,
    test_only: aapt2.testOnly,
    native_abis: aapt2.nativeCode.toSorted(),
    profile: null,
    ...deviations[path],
  });
  for (const [tag, label] of Object.entries(aapt2.locale_label_sample))
    expect(line.labels[tag] ?? line.name).toBe(label);
  compareSignature(line, path, expected, signing);
}

function compareSignature(line: Line, path: string, expected: Line, oracles: Line): void {
  const sha1s = line.signing.certificates.map(({ sha1 }: { sha1: string }) => sha1);
  expect(line.signing.verified).toBe(expected.signature_verified);
  expect(line.signing.problems.length > 0).toBe(!expected.signature_verified);
  const fromSdk = oracles.verifies_from_api?.min_sdk_version ?? Number(line.sdk_version);
  expect(line.signing.verified_from_sdk).toBe(expected.signature_verified ? fromSdk : null);
  const hasJarSigners = expected.v1_block_sha1.length > 0 && !blockIsNoSignature.includes(path);
  expect(line.signing.schemes.includes('v1')).toBe(hasJarSigners);
  expect(line.signature).toBe(sha1s[0] ?? null);
  if (expected.signature_verified) {
    const newest = signerOfNewestPlatforms[path];
    expect(sha1s.toSorted()).toEqual(newest === undefined ? expected.signature_sha1.toSorted() : [newest]);
    expect(expected.signature_sha1).toContain(line.signature);
  } else if (line.signing.schemes.at(-1) === 'v1') {
    // Unlike openssl, apksigner prints no certificates of packages that do not verify.
    expect(expected.v1_block_sha1).toContain(line.signature);
  } else {
    expect(line.signature === null).toBe(line.signing.schemes.length === 0);
  }
}

function compareIpa(line: Line, path: string, truth: SharedFixture['truth']): void {
  const { expect: expected } = truth;
  const [bundle] = truth.bundles;
  expect(line).toMatchObject({
    name: expected.name,
    version_code: expected.version_code,
    sdk_version: expected.sdk_version,
    target_sdk_version: null,
    signature: expected.codesign_sha1[0] ?? null,
    signing: { verified: expected.codesign_sha1.length > 0 && !editedAfterSigning.includes(path) },
    executable: bundle.CFBundleExecutable ?? null,
    simulator: truth.simulator,
    device_families: (bundle.UIDeviceFamily ?? []).map((number: number) => deviceFamilies[number]),
    labels: bundle.localized_names,
  });
  expect(line.signing.problems.length > 0).toBe(!line.signing.verified);
  const nested = bundle.nested.map(({ CFBundleIdentifier: identifier }: Line) => identifier);
  expect([...line.extensions, ...line.app_clips, ...line.watch_apps].toSorted()).toEqual(nested.toSorted());
  const widths = bundle.icon_files.map(({ width }: { width: number }) => width);
  expect(line.icon?.width ?? 0).toBeGreaterThanOrEqual(Math.max(0, ...widths));
  compareProfile(line.profile, bundle.profile, expected);
}

function compareProfile(profile: Line, stated: Line, expected: Line): void {
  expect(profile?.type ?? null).toBe(expected.profile_type);
  expect(profile?.certificate_sha1s ?? []).toEqual(expected.profile_certificate_sha1);
  if (!stated) {
    expect(profile).toBeNull();
    return;
  }
  const isoDate = (text: string) => `${text.replace(' ', 'T')}.000Z`;
  expect(profile).toMatchObject({
    name: stated.name,
    uuid: stated.uuid,
    team: stated.team[0],
    created_at: isoDate(stated.created),
    expires_at: isoDate(stated.expires),
    device_count: stated.udid_count ?? 0,
    certificate_sha1s: stated.developer_certificate_sha1,
    intact: stated.openssl.cms_rc === 0,
    entitlements: {
      'application-identifier': stated.application_identifier,
      'get-task-allow': stated.get_task_allow,
    },
  });
}
