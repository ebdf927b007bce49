/** The "Uploaded app result", field by field, on both databases and both kinds of blob store. */
import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { buildIpa, createSigningIdentity } from '../support/build-ipa.ts';
import { buildZip } from '../support/build-zip.ts';
import {
  leavesNothing,
  refusalOf,
  resultsOf,
  type UploadResult,
  upload,
  uploaded,
} from '../support/interface-client.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { sharedFixturePath, sharedFixtures } from '../support/shared-fixtures.ts';
import { everyStore } from '../support/stores.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const md5Of = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex');

/** In this order, which the documentation shows. */
const fields = [
  'name',
  'package_name',
  'labels',
  'secret',
  'os_name',
  'path',
  'revision',
  'revision_url',
  'version_code',
  'version_name',
  'sdk_version',
  'raw_sdk_version',
  'target_sdk_version',
  'signature',
  'message',
  'file',
  'file_size',
  'md5',
  'icon',
  'updated_at',
  'user',
  'warnings',
  'size_change',
  'install_problems',
  'profile_expires_at',
];

describe.each(everyStore)('the result of an upload on $dialect with blobs on $blobs', (options) => {
  let slipway: TestService;
  const now = Date.UTC(2026, 10, 21, 9, 40, 1, 999);
  beforeAll(async () => {
    slipway = await startTestService({ ...options, now: () => now });
  });
  afterAll(() => slipway.close());

  const addressed = (kind: string) =>
    expect.stringMatching(new RegExp(`^${slipway.origin}/builds/[0-9a-z]{26}/${kind}\\?key=[\\w-]{43}$`));

  /** Fields that the results of both platforms share. */
  const sharedOf = (file: Buffer, platform: string) => ({
    name: 'All of it',
    package_name: 'com.example.all',
    secret: expect.stringMatching(/^[0-9a-f]{40}$/),
    path: '/users/admin/apps/com.example.all',
    revision: 1,
    revision_url: `${slipway.origin}/users/admin/platforms/${platform}/apps/com.example.all/binaries/1`,
    file: addressed('file'),
    file_size: file.length,
    md5: md5Of(file),
    icon: addressed('icon'),
    updated_at: Math.floor(now / 1000),
    user: { name: 'admin' },
    warnings: expect.any(Array),
    size_change: null,
    install_problems: expect.any(Array),
    profile_expires_at: null,
  });

  it('has every field of an Android package with its type', async () => {
    const file = buildApk({
      packageName: 'com.example.all',
      versionCode: 45,
      versionName: '1.2.3',
      minSdk: 23,
      targetSdk: 34,
      label: { '': 'All of it', ja: 'すべて', 'pt-rBR': 'Tudo' },
    });
    const answer = await upload(slipway, { file, fields: { message: 'first\nline "two" \u2028 ü' } });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.text).not.toMatch(/[\r\n]/);
    const body = JSON.parse(answer.text);
    expect(Object.keys(body)).toEqual(['error', 'results']);
    expect(body.error).toBe(false);
    expect(Object.keys(body.results)).toEqual(fields);
    expect(body.results).toEqual({
      ...sharedOf(file, 'android'),
      labels: { ja: 'すべて', 'pt-BR': 'Tudo' },
      os_name: 'Android',
      version_code: '45',
      version_name: '1.2.3',
      sdk_version: '23',
      raw_sdk_version: '23',
      target_sdk_version: 34,
      signature: null,
      message: 'first\nline "two" \u2028 ü',
    });
  });

  it('has every field of an IPA with its type', async () => {
    const identity = createSigningIdentity({ commonName: 'Apple Distribution: Test' });
    const file = buildIpa({
      bundleIdentifier: 'com.example.all',
      name: 'All of it',
      version: '418.1',
      shortVersion: '2.4',
      minimumOsVersion: '16.4',
      identity,
      labels: { de: 'Alles' },
    });
    const results = await uploaded(slipway, { file });
    expect(Object.keys(results)).toEqual(fields);
    expect(results).toEqual({
      ...sharedOf(file, 'ios'),
      labels: { de: 'Alles' },
      os_name: 'iOS',
      version_code: '418.1',
      version_name: '2.4',
      sdk_version: '16.4',
      raw_sdk_version: '16.4',
      target_sdk_version: null,
      signature: expect.stringMatching(/^[0-9a-f]{40}$/),
      message: '',
    });
  });

  it('keeps the secret of an app across revisions, and gives every app its own', async () => {
    const first = await uploaded(slipway, { file: buildApk({ packageName: 'com.example.one' }) });
    const second = await uploaded(slipway, { file: buildApk({ packageName: 'com.example.one' }) });
    const other = await uploaded(slipway, { file: buildApk({ packageName: 'com.example.two' }) });
    const ios = await uploaded(slipway, { file: buildIpa({ bundleIdentifier: 'com.example.one' }) });
    expect([first.revision, second.revision, other.revision, ios.revision]).toEqual([1, 2, 1, 1]);
    expect(second.secret).toBe(first.secret);
    expect(new Set([first.secret, other.secret, ios.secret]).size).toBe(3);
    expect(second.file).not.toBe(first.file);
  });

  it('fills in absent facts as the platform does', async () => {
    const bare = buildApk({
      packageName: 'com.example.bare',
      versionCode: null,
      versionName: null,
      minSdk: null,
      targetSdk: null,
      label: null,
    });
    expect(await uploaded(slipway, { file: bare })).toMatchObject({
      name: 'com.example.bare',
      labels: {},
      version_code: '0',
      version_name: null,
      sdk_version: '1',
      raw_sdk_version: null,
      target_sdk_version: 1,
      signature: null,
      message: '',
    });
    const target = buildApk({ packageName: 'com.example.target', minSdk: 26, targetSdk: null });
    expect(await uploaded(slipway, { file: target })).toMatchObject({
      sdk_version: '26',
      target_sdk_version: 26,
    });
    const codename = buildApk({ packageName: 'com.example.codename', minSdk: 26, targetSdk: 'Nougatine' });
    expect((await uploaded(slipway, { file: codename })).target_sdk_version).toBe(10_000);
    const major = buildApk({ packageName: 'com.example.major', versionCode: 7, versionCodeMajor: 3 });
    expect((await uploaded(slipway, { file: major })).version_code).toBe('7');
    const noVersion = buildIpa({ bundleIdentifier: 'com.example.nov', shortVersion: null, name: null });
    expect(await uploaded(slipway, { file: noVersion })).toMatchObject({
      version_name: null,
      os_name: 'iOS',
    });
  });

  it('accepts packages with hostile facts', async () => {
    const cases = [
      { packageName: 'com.example.h1', versionName: '1.0"\r\nX-Injected: yes', label: '</script><b>' },
      { packageName: 'com.example.h2', versionName: '\ud83d\ude00 1.0/../..', label: '\u202eevil\u0000' },
      { packageName: 'com.example.h3', versionName: 'v'.repeat(60_000), label: 'l'.repeat(60_000) },
      { packageName: 'com.example.h4', versionName: 'a\ud800b', label: '\udc00', utf16: true },
    ];
    for (const spec of cases) {
      const results = await uploaded(slipway, { file: buildApk(spec) });
      expect(results.package_name).toBe(spec.packageName);
      const { pathname, search } = new URL(results.file);
      const stored = await fetch(slipway.origin + pathname + search);
      expect(stored.status).toBe(200);
      expect(stored.headers.get('x-injected')).toBeNull();
      expect(md5Of(Buffer.from(await stored.arrayBuffer()))).toBe(results.md5);
      const page = await fetch(`${slipway.origin}${results.path}?key=${results.secret}`);
      expect(page.status).toBe(200);
    }
  });
});

describe.each(everyStore)('uploads that are not packages on $dialect with blobs on $blobs', (options) => {
  let slipway: TestService;
  beforeAll(async () => {
    slipway = await startTestService(options);
  });
  afterAll(() => slipway.close());

  const aab = buildZip([
    { name: 'BundleConfig.pb', content: 'x' },
    { name: 'base/manifest/AndroidManifest.xml', content: 'x' },
    { name: 'base/dex/classes.dex', content: 'dex' },
  ]);
  const cases: [string, Buffer][] = [
    ['text', Buffer.from('not a package')],
    ['an empty file', Buffer.alloc(0)],
    ['an empty zip', buildZip([])],
    ['a zip of something else', buildZip([{ name: 'readme.txt', content: 'x' }])],
    ['an APK cut in half', buildApk().subarray(0, buildApk().length / 2)],
    ['an IPA without an app', buildZip([{ name: 'Payload/' }])],
    ['an app bundle (AAB)', aab],
    ['an APK in a zip', buildZip([{ name: 'app.apk', content: buildApk() }])],
    ['an IPA in a zip', buildZip([{ name: 'app.ipa', content: buildIpa() }])],
    [
      'split APKs',
      buildZip([
        { name: 'base.apk', content: buildApk() },
        { name: 'split_config.arm64_v8a.apk', content: buildApk() },
      ]),
    ],
    ['a manifest that is none', buildApk({ manifest: Buffer.from('<manifest/>') })],
  ];
  it.each(cases)('%s', async (_name, file) => {
    const refusal = refusalOf(
      await leavesNothing(slipway, () => upload(slipway, { file, fields: { distribution_name: 'main' } })),
      400,
    );
    expect(refusal.message).toMatch(/^application create error: .+cannot detect the package\.$/);
  });
});

it.runIf(runsEverything)(
  'an upload is temporarily refused if no process starts that could read it',
  async () => {
    const slipway = await startTestService({ blobs: 'memory', ownPackageProcesses: true });
    const kill = (message: unknown) =>
      process.nextTick(() => (message as { process: ChildProcess }).process.kill('SIGKILL'));
    subscribe('child_process', kill);
    const answer = await leavesNothing(slipway, () => upload(slipway, { file: buildApk() }));
    unsubscribe('child_process', kill);
    expect(refusalOf(answer, 503).message).toBe('packages cannot be read at the moment, try again later');
    expect(resultsOf(await upload(slipway, { file: buildApk() })).package_name).toBe('com.example.test');
    await slipway.close();
  },
);

const fixtures = sharedFixtures().filter(({ size }) => size < 1_600_000);
const real = fixtures.filter(({ verdict }) => verdict === 'accept' || verdict === 'signature policy');
const rejected = fixtures.filter(({ verdict }) => verdict.startsWith('reject'));

describe.runIf(runsEverything)('real packages', () => {
  let slipway: TestService;
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
  });
  afterAll(() => slipway.close());

  it.skipIf(rejected.length === 0)(
    'are refused if they are invalid (needs the shared fixtures)',
    async () => {
      for (const { path } of rejected) {
        const file = readFileSync(sharedFixturePath(path));
        const refusal = refusalOf(await leavesNothing(slipway, () => upload(slipway, { file })), 400);
        expect(refusal.message).toMatch(/^application create error: .+cannot detect the package\.$/);
      }
    },
  );

  it.skipIf(real.length === 0)('match what reference tools read (needs the shared fixtures)', async () => {
    const wrong: unknown[] = [];
    for (const { path, truth, md5, size } of real) {
      const results = resultsOf(await upload(slipway, { file: readFileSync(sharedFixturePath(path)) }));
      const { expect: oracle } = truth;
      // Facts that the reference tools could not read must still be in the result.
      const stated = (name: string) => oracle[name] ?? undefined;
      const expected: Partial<Record<keyof UploadResult, unknown>> = {
        os_name: oracle.os_name,
        name: stated('name'),
        package_name: oracle.package_name,
        version_code: stated('version_code'),
        version_name: oracle.version_name,
        md5,
        file_size: size,
      };
      for (const [name, value] of Object.entries(expected)) {
        const got = results[name as keyof UploadResult];
        if (value !== undefined && value !== got) wrong.push({ path, name, value, got });
      }
      if (oracle.sdk_version && oracle.sdk_version !== results.sdk_version) {
        wrong.push({ path, name: 'sdk_version', value: oracle.sdk_version, got: results.sdk_version });
      }
      const signers: string[] = [...(oracle.signature_sha1 ?? []), ...(oracle.codesign_sha1 ?? [])];
      if (signers.length > 0 && !signers.includes(results.signature ?? '')) {
        wrong.push({ path, name: 'signature', value: signers, got: results.signature });
      }
    }
    expect(wrong).toEqual([]);
  });
});
