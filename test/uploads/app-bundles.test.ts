/** Android App Bundles from the upload to the APK that testers install. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWithLocalPackage } from '../../src/apps/files/local-package.ts';
import { createSpool } from '../../src/blobs/spool/spool.ts';
import { type ClaimedJob, lanes, NotReady } from '../../src/jobs/outbox.ts';
import { createSharedRates } from '../../src/limits/shared-rates.ts';
import { createMemoryMailer } from '../../src/mail/memory-mailer.ts';
import { mailChoiceQueries } from '../../src/mail/pages/mail-choice-queries.ts';
import { createSigningKeys } from '../../src/owners/signing-keys/signing-keys.ts';
import { createPackageReader, type PackageReader } from '../../src/packages/package-reader.ts';
import { readPackage } from '../../src/packages/read-package.ts';
import { verifySignature } from '../../src/packages/verify-signature.ts';
import { createConvertBundle } from '../../src/uploads/convert-bundle.ts';
import { createFailedPackages } from '../../src/uploads/failed-packages.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildBundle } from '../support/build-bundle.ts';
import { buildZip } from '../support/build-zip.ts';
import { json, send as request } from '../support/http-client.ts';
import { bearer, get, refusalOf, type UploadOptions, upload, uploaded } from '../support/interface-client.ts';
import { mailSettings } from '../support/mail-service.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { signApk } from '../support/sign-apk.ts';
import { crossedStores } from '../support/stores.ts';
import { createTestKey } from '../support/test-key.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const packageName = 'com.example.bundle';
const apk = buildApk({ packageName, versionCode: 6 });
const notNow = 'The APK of this app bundle is not ready yet.';
const android =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36';
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

interface BuildAnswer {
  sha256: string;
  size: number;
  signature: string;
  signature_verified: boolean | null;
  apk: { state: string; size: number | null; sha256: string | null; error: string | null } | null;
}

/** The requests of tests to a service. */
function clientOf(slipway: TestService) {
  const api = (path: string, body?: object) =>
    request(slipway.port, `/api/v1${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { ...bearer(slipway.adminKey), ...(body ? { 'Content-Type': 'application/json' } : {}) },
      ...(body ? { body: Buffer.from(JSON.stringify(body)) } : {}),
    });
  const buildsPath = (owner: string) => `/apps/${owner}/android/${packageName}/builds`;
  return {
    api,
    upload: (file: Buffer, page: string | null, options: UploadOptions = {}) =>
      uploaded(slipway, { file, fields: page === null ? {} : { distribution_name: page }, ...options }),
    build: async (revision: number, owner = 'admin') =>
      json<BuildAnswer>(await api(`${buildsPath(owner)}/${revision}`)),
    files: async (revision: number) =>
      json<Record<'package' | 'apk', { url: string; size: number; sha256: string } | null>>(
        await api(`${buildsPath('admin')}/${revision}/files`),
      ),
    eventTypes: async () => {
      const { data } = json<{ data: { type: string }[] }>(
        await api(`/owners/admin/events?app=android/${packageName}&limit=100`),
      );
      // Analyzed while the bundle is converted.
      return data.map(({ type }) => type).filter((type) => type !== 'build.checked');
    },
    /** The revision that the page serves. */
    served: async (key: string) => json<{ revision: number }>(await api(`/pages/${key}`)).revision,
    settle: async () => {
      slipway.service.outbox.wake();
      await slipway.service.outbox.idle();
    },
  };
}

async function buildOf(slipway: TestService, revision: number) {
  const admin = await slipway.data.owners.findOwner('admin');
  const app = await slipway.data.apps.findApp(admin?.id ?? '', 'android', packageName);
  const build = await slipway.data.builds.findBuildByRevision(app?.id ?? '', revision);
  if (!build) throw new Error('no build');
  return build;
}

describe.each(crossedStores)('app bundles on $dialect with blobs on $blobs', (options) => {
  const isMain = options.dialect === 'sqlite' && options.blobs === 'disk';
  let slipway: TestService;
  let client: ReturnType<typeof clientOf>;
  let folder: string;
  let developersKey: string;
  const mailer = createMemoryMailer();
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-bundles-'));
    slipway = await startTestService({ ...options, mailer, settings: mailSettings });
    client = clientOf(slipway);
    await slipway.user('otto');
    developersKey = await slipway.user('dora');
    await slipway.project('harbour', { members: { admin: 'owner', otto: 'owner', dora: 'developer' } });
  });
  afterAll(async () => {
    await slipway.close();
    await rm(folder, { recursive: true });
  });

  const saved = async (bytes: Buffer) => {
    const path = join(folder, `${sha256(bytes)}.apk`);
    await writeFile(path, bytes);
    return path;
  };

  it('become the same APK when they arrive in parts', async () => {
    const bundle = buildBundle();
    await slipway.project('parts', { members: { dora: 'developer' } });
    const whole = await upload(slipway, { owner: 'parts', key: developersKey, file: bundle });
    const tus = { ...bearer(developersKey), 'Tus-Resumable': '1.0.0' };
    const metadata = `filename ${btoa('app.aab')},owner ${btoa('parts')}`;
    const begun = await request(slipway.port, '/api/v1/uploads', {
      method: 'POST',
      headers: { ...tus, 'Upload-Length': String(bundle.length), 'Upload-Metadata': metadata },
    });
    const write = (offset: number, body: Buffer) =>
      request(slipway.port, String(begun.headers.location), {
        method: 'PATCH',
        headers: {
          ...tus,
          'Content-Type': 'application/offset+octet-stream',
          'Upload-Offset': String(offset),
        },
        body,
      });
    const half = Math.ceil(bundle.length / 2);
    expect((await write(0, bundle.subarray(0, half))).status).toBe(204);
    expect([(await write(half, bundle.subarray(half))).status, whole.status]).toEqual([200, 200]);
    await client.settle();
    const path = `/api/v1/apps/parts/android/${packageName}/builds`;
    const { data } = json<{ data: { sha256: string; apk: { state: string; sha256: string } }[] }>(
      await get(slipway, path, developersKey),
    );
    const [inParts, atOnce] = data;
    expect(inParts).toMatchObject({ sha256: sha256(bundle), apk: { state: 'ready' } });
    expect([data.length, inParts?.apk.sha256]).toEqual([2, atOnce?.apk.sha256]);
  });

  it('are answered with the facts of the app, and become an APK that the page installs', async () => {
    const bundle = buildBundle();
    const results = await client.upload(bundle, 'main');
    expect(results).toMatchObject({
      package_name: packageName,
      name: 'Tides 🌊',
      version_code: '7',
      file_size: bundle.length,
      md5: createHash('md5').update(bundle).digest('hex'),
      warnings: [],
    });
    expect((await get(slipway, results.file)).body.equals(bundle)).toBe(true);
    await client.settle();

    const build = await client.build(1);
    expect(build).toMatchObject({
      size: bundle.length,
      sha256: sha256(bundle),
      signature: results.signature,
      signature_verified: true,
      apk: { state: 'ready', error: null },
    });
    const files = await client.files(1);
    const made = await get(slipway, files.apk?.url ?? '');
    expect(made.headers['content-disposition']).toContain(`${packageName}-1.7-1.apk`);
    expect([made.body.length, sha256(made.body)]).toEqual([build.apk?.size, build.apk?.sha256]);
    expect((await get(slipway, files.package?.url ?? '')).headers['content-disposition']).toContain('-1.aab');
    const path = await saved(made.body);
    const info = await readPackage(path);
    expect(info).toMatchObject({ packageName, versionCode: '7', signature: results.signature });
    expect(info.signing.certificates[0]).toMatchObject({ subject: 'CN=admin', key: 'RSA 3072' });
    expect(await verifySignature(path)).toEqual({ verified: true, verifiedFromSdk: 24, problems: [] });

    const page = await get(slipway, results.distribution?.url ?? '', null, {
      headers: { 'User-Agent': android },
    });
    const [, link = ''] = /href="([^"]+\/file\?[^"]+)"/.exec(page.text) ?? [];
    const installed = await get(slipway, link.replaceAll('&amp;', '&'));
    expect(installed.headers['content-type']).toBe('application/vnd.android.package-archive');
    expect(sha256(installed.body)).toBe(build.apk?.sha256);
    expect(await client.eventTypes()).toEqual([
      'build.uploaded',
      'page.created',
      'page.published',
      'build.verified',
    ]);
    await slipway.leftBehind();
  });

  it.runIf(isMain)('leave a page as it is when no APK can be made', async () => {
    const { distribution } = await client.upload(apk, 'beta');
    const key = distribution?.access_key ?? '';
    await client.settle();
    const damaged = await client.upload(buildBundle({ isDamaged: true }), 'beta');
    await client.settle();
    expect(await client.build(damaged.revision)).toMatchObject({
      signature_verified: null,
      apk: { state: 'failed', size: null, error: expect.stringContaining('assets/damaged') },
    });
    expect(await client.served(key)).toBe(damaged.revision - 1);
    expect((await client.eventTypes()).slice(-2)).toEqual(['build.uploaded', 'build.conversion_failed']);
    for (const [path, body] of [
      [`/pages/${key}/publish`, { revision: damaged.revision }],
      [`/apps/admin/android/${packageName}/pages`, { name: 'gamma', revision: damaged.revision }],
    ] as const)
      expect((await client.api(path, body)).status).toBe(409);
    expect((await client.files(damaged.revision)).apk).toBeNull();
    const next = await client.upload(buildBundle(), 'beta');
    await client.settle();
    expect(await client.served(key)).toBe(next.revision);
    await slipway.leftBehind();
  });

  it.runIf(isMain)('announce their APK, unless the upload asks for silence', async () => {
    const { data } = slipway;
    const order = { owner: 'harbour', key: developersKey };
    const announcedTo = async (fields: Record<string, string>) => {
      mailer.sent.length = 0;
      await client.upload(buildBundle(), null, { ...order, fields });
      await client.settle();
      return mailer.sent.map(({ to }) => to.name);
    };
    const silent = { disable_notify: 'yes' };
    await announcedTo(silent);
    const [harbour, otto] = [await data.owners.findOwner('harbour'), await data.owners.findOwner('otto')];
    const app = await data.apps.findApp(harbour?.id ?? '', 'android', packageName);
    await mailChoiceQueries(data).setChoice(otto?.id ?? '', app?.id ?? '', true, Date.now());
    expect(await announcedTo(silent)).toEqual([]);
    expect(await announcedTo({})).toEqual(['otto']);
  });

  it.runIf(isMain)('of which no APK can be made are reported to who uploaded them', async () => {
    const file = buildBundle({ isDamaged: true });
    const reported = async (key: string) => {
      mailer.sent.length = 0;
      await client.upload(file, null, { owner: 'harbour', key, fields: { disable_notify: 'yes' } });
      await client.settle();
      expect(mailer.sent[0]?.text).toContain('assets/damaged');
      return mailer.sent.map(({ to, subject }) => `${to.name}: ${subject}`);
    };
    const { revision } = await client.upload(file, null, {
      owner: 'harbour',
      fields: { disable_notify: 'yes' },
    });
    await client.settle();
    const subject = (after: number) =>
      `Tides 🌊 1.7 (7) #${revision + after} could not be converted to an APK`;
    expect(await reported(developersKey)).toEqual([`dora: ${subject(1)}`]);
    expect(await reported(await slipway.projectKey('harbour'))).toEqual([`otto: ${subject(2)}`]);
  });

  it.runIf(isMain && runsEverything)(
    'of one owner are signed with one key, even when the first ones arrive together',
    async () => {
      await slipway.project('jetty', { members: { admin: 'owner' } });
      const send = () => client.upload(buildBundle(), null, { owner: 'jetty' });
      const results = await Promise.all([send(), send(), send()]);
      const signatures = results.map(({ signature }) => signature);
      const revision = Math.max(...results.map((one) => one.revision));
      expect(new Set(signatures).size).toBe(1);
      expect(signatures[0]).not.toBe((await client.build(1)).signature);
      await client.settle();
      expect(await client.build(revision, 'jetty')).toMatchObject({
        apk: { state: 'ready' },
        signature: signatures[0],
      });
    },
  );

  it('that bundletool converted to a set with a universal APK are that APK', async () => {
    const universal = signApk(buildApk({ packageName: 'com.example.set', minSdk: 24 }), {
      v2: [{ key: createTestKey() }],
    });
    const set = (content: Buffer, method = 0) =>
      buildZip([
        { name: 'toc.pb', content: Buffer.alloc(9), method: 0 },
        { name: 'universal.apk', content, method },
      ]);
    const before = (await slipway.leftBehind()).spool;
    const options = { headers: { 'Idempotency-Key': 'a set of APKs' } };
    const results = await client.upload(set(universal), 'set', options);
    expect(await client.upload(set(universal), 'set', options)).toEqual(results);
    expect(results).toMatchObject({
      package_name: 'com.example.set',
      file_size: universal.length,
      md5: createHash('md5').update(universal).digest('hex'),
    });
    expect((await get(slipway, results.file)).body.equals(universal)).toBe(true);
    await client.settle();
    const path = `/apps/admin/android/com.example.set/builds/${results.revision}`;
    expect(json<BuildAnswer>(await client.api(path))).toMatchObject({ apk: null, signature_verified: true });
    const compressed = await upload(slipway, { file: set(universal, 8) });
    expect(refusalOf(compressed, 400).because).toContain('upload the universal.apk itself');
    const inner = await upload(slipway, { file: set(Buffer.from('no APK')) });
    expect(refusalOf(inner, 400).because).toContain('this is a text file');
    expect((await slipway.leftBehind()).spool).toEqual(before);
  });

  it('take their files with them when they are deleted', async () => {
    const { revision } = await client.upload(buildBundle(), null);
    await client.settle();
    const build = await buildOf(slipway, revision);
    if (build.apk?.state !== 'ready') throw new Error('no APK');
    const { blob } = build.apk;
    expect((await slipway.leftBehind()).blobs).toContain(blob);
    await slipway.data.buildDeletion.hideBuilds([build.id], 'admin', 5);
    expect(await slipway.data.buildDeletion.removeBuild(build.id, 5)).toContain(blob);
    await slipway.leftBehind();
  });
});

describe('app bundles that wait for their APK', () => {
  const secret = 'a secret of the test with more than enough bytes';
  let slipway: TestService;
  let client: ReturnType<typeof clientOf>;
  let packages: PackageReader;
  /** Runs the jobs that wait. */
  let convert: (change?: {
    freeBytes?: number;
    laterMs?: number;
    job?: object;
    limit?: number;
  }) => Promise<void>;
  beforeAll(async () => {
    slipway = await startTestService({
      settings: { SLIPWAY_SECRET: secret, SLIPWAY_FAILED_PACKAGE_SECONDS_PER_HOUR: '6' },
    });
    client = clientOf(slipway);
    await slipway.service.outbox.stop();
    const { data, blobs, config } = slipway;
    const spool = createSpool({ folder: join(config.dataFolder, 'spool-of-test'), minimumFreeBytes: 0 });
    packages = createPackageReader({ folder: join(config.dataFolder, 'reading-of-test') });
    convert = async ({ freeBytes, laterMs = 0, job: change, limit = 10 } = {}) => {
      const now = () => Date.now() + laterMs;
      const run = createConvertBundle({
        ...{ data, blobs, packages, now, limits: config.limits },
        spool: freeBytes === undefined ? spool : { freeBytes: async () => freeBytes },
        signingKeys: createSigningKeys({ data, secret, now }),
        withLocalPackage: createWithLocalPackage({ blobs, spool }),
        failedPackages: createFailedPackages(
          createSharedRates({ queries: data.attempts, now, refused: () => undefined }),
          config.rates,
        ),
        wakeOutbox: () => undefined,
      });
      const claimed = await data.outbox.claim(lanes.conversions, now(), limit);
      const convertOne = async ({ id, job }: ClaimedJob) => {
        if (job.kind !== 'convert-bundle') throw new Error('another job');
        const later = (error: unknown) => (error instanceof NotReady ? error.until : now());
        await run({ ...job, ...change }).catch(async (error: unknown) => {
          await data.outbox.putOff(id, later(error));
          throw error;
        });
        await data.outbox.finish(id);
      };
      const results = await Promise.allSettled(claimed.map(convertOne));
      for (const result of results) if (result.status === 'rejected') throw result.reason;
    };
  });
  afterAll(async () => {
    await packages.close();
    await slipway.close();
  });

  it('cannot be installed or published, and say so', async () => {
    const { distribution, revision } = await client.upload(buildBundle(), 'new');
    expect(await client.build(revision)).toMatchObject({
      signature_verified: null,
      apk: { state: 'converting' },
    });
    const page = await get(slipway, distribution?.url ?? '', null, { headers: { 'User-Agent': android } });
    expect(page.text).toContain(notNow);
    const { file } = await client
      .upload(apk, 'old')
      .then(({ distribution: old }) => ({ file: old?.access_key ?? '' }));
    expect((await client.api(`/pages/${file}/publish`, { revision })).status).toBe(409);
    const id = (await buildOf(slipway, revision)).id;
    expect((await get(slipway, `/builds/${id}/apk`, slipway.adminKey)).status).toBe(404);
    await convert();
    const ready = await get(slipway, distribution?.url ?? '', null, { headers: { 'User-Agent': android } });
    expect(ready.text).not.toContain(notNow);
  });

  it('do not replace a newer build that a page got meanwhile', async () => {
    const { distribution } = await client.upload(apk, 'busy');
    const key = distribution?.access_key ?? '';
    const bundle = await client.upload(buildBundle(), 'busy');
    expect(await client.served(key)).toBe(bundle.revision - 1);
    const newer = await client.upload(apk, 'busy');
    await convert();
    expect(await client.build(bundle.revision)).toMatchObject({ apk: { state: 'ready' } });
    expect(await client.served(key)).toBe(newer.revision);
  });

  it('are tried again for a day when the server cannot convert them', async () => {
    const { revision } = await client.upload(buildBundle(), null);
    await expect(convert({ freeBytes: 0 })).rejects.toThrow('no space');
    expect(await client.build(revision)).toMatchObject({ apk: { state: 'converting' } });
    await convert({ freeBytes: 0, laterMs: 25 * 60 * 60_000 });
    expect(await client.build(revision)).toMatchObject({
      apk: {
        state: 'failed',
        error: 'the server could not convert the Android App Bundle to an APK within a day',
      },
    });
  });

  const growing = (bytes: number) =>
    buildBundle({
      uncompressed: 'assets/**',
      files: { 'base/assets/zeros': Buffer.alloc(bytes) },
    });
  const limited = async (name: string, maxStorageBytes: number) => {
    await slipway.project(name, { members: { admin: 'owner' } });
    const owner = await slipway.data.owners.findOwner(name);
    const limit = (bytes: number | null) =>
      slipway.data.quotas.set(owner?.id ?? '', {
        maxStorageBytes: bytes,
        maxBuilds: null,
        maxProjects: null,
      });
    await limit(maxStorageBytes);
    return { owner: name, limit };
  };
  const overQuota = { state: 'failed', size: null, error: expect.stringContaining('the storage quota') };
  const usageOf = async (name: string) => {
    const owner = await slipway.data.owners.findOwner(name);
    return (await slipway.data.quotas.usageOf(owner?.id ?? '')).bytes;
  };

  it('are refused when their APK, which may be far larger, exceeds the quota', async () => {
    const { owner } = await limited('small', 1_000_000);
    const before = await slipway.leftBehind();
    const refused = await upload(slipway, { file: growing(1_000_000), owner });
    expect(refusalOf(refused, 403).because).toBe('application create error: limit');
    expect(await slipway.leftBehind()).toEqual(before);
    const { revision } = await client.upload(growing(900_000), null, { owner });
    await convert();
    expect(await client.build(revision, owner)).toMatchObject({ apk: { state: 'ready' } });
    const bytes = await usageOf(owner);
    expect(bytes).toBeGreaterThan(900_000);
    expect(bytes).toBeLessThan(1_000_000);
  });

  it('fail with the reason when other builds took the space of their APK meanwhile', async () => {
    const { owner, limit } = await limited('full', 1_000_000);
    const { revision } = await client.upload(growing(100_000), null, { owner });
    await limit(50_000);
    await convert();
    const { apk } = await client.build(revision, owner);
    expect(apk).toMatchObject(overQuota);
    expect(apk?.error).toMatch(/it needs about 11[0-9.]+ KiB, but only 4[0-9.]+ KiB are left/);
  });

  it('never store more than the quota, however many arrive at once', async () => {
    const { owner } = await limited('many', 300_000);
    const files = [150_000, 150_001, 150_002].map(growing);
    const uploads = await Promise.all(files.map((file) => client.upload(file, null, { owner })));
    await convert();
    const states = await Promise.all(
      uploads.map(async ({ revision }) => (await client.build(revision, owner)).apk),
    );
    expect(states.map((apk) => apk?.state).sort()).toEqual(['failed', 'failed', 'ready']);
    expect(states.find((apk) => apk?.state === 'failed')).toMatchObject(overQuota);
    expect(await usageOf(owner)).toBeLessThan(300_000);
    await slipway.leftBehind();
  });

  it('fail when their APK turns out larger than the quota, without writing it', async () => {
    const { owner } = await limited('surprised', 100_000);
    const { revision } = await client.upload(growing(10_000), null, { owner });
    await slipway.data.quotas.set((await slipway.data.owners.findOwner(owner))?.id ?? '', {
      maxStorageBytes: 8_000,
      maxBuilds: null,
      maxProjects: null,
    });
    await convert({ job: { apkBytes: 1 } });
    expect(await client.build(revision, owner)).toMatchObject({ apk: overQuota });
  });

  it('wait, and are refused, after too many of their owner failed, while those of others are converted', async () => {
    const [clumsy, other] = [await limited('clumsy', 100_000), await limited('other', 100_000)];
    const failing = await client.upload(growing(10_000), null, clumsy);
    const next = await client.upload(growing(10_000), null, clumsy);
    await clumsy.limit(10_000);
    await convert({ job: { apkBytes: 1 }, limit: 1 });
    expect(await client.build(failing.revision, 'clumsy')).toMatchObject({ apk: overQuota });
    await clumsy.limit(null);
    await expect(convert({ limit: 1 })).rejects.toThrow(NotReady);
    expect(await client.build(next.revision, 'clumsy')).toMatchObject({ apk: { state: 'converting' } });
    const refused = await upload(slipway, { file: buildBundle(), owner: 'clumsy' });
    expect(refusalOf(refused, 429)).toMatchObject({
      message:
        'application create error: too many app bundles of this owner could not be converted within the last hour',
    });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3000);
    await uploaded(slipway, { file: apk, owner: 'clumsy' });
    const { revision } = await client.upload(buildBundle(), null, other);
    await convert();
    expect(await client.build(revision, 'other')).toMatchObject({ apk: { state: 'ready' } });
    await convert({ laterMs: 60 * 60_000 });
    expect(await client.build(next.revision, 'clumsy')).toMatchObject({ apk: { state: 'ready' } });
  });

  it('are refused when the disk has no space for their APK', async () => {
    const { minimumFreeBytes } = slipway.config.limits;
    const needed = (bytes: number) => ({ freeBytes: minimumFreeBytes + bytes });
    const { revision } = await client.upload(growing(1_000_000), null);
    await expect(convert(needed(900_000))).rejects.toThrow('no space');
    await convert(needed(1_100_000));
    expect(await client.build(revision)).toMatchObject({ apk: { state: 'ready' } });
  });

  it('get their APK also while they are deleted, because they can be restored', async () => {
    const { revision } = await client.upload(buildBundle(), null);
    const { id } = await buildOf(slipway, revision);
    await slipway.data.buildDeletion.hideBuilds([id], 'admin', 5);
    await convert();
    await slipway.data.buildDeletion.showBuilds([id]);
    expect(await client.build(revision)).toMatchObject({ apk: { state: 'ready' } });
  });

  it('leave nothing when they are removed meanwhile', async () => {
    const { revision } = await client.upload(buildBundle(), null);
    const { id } = await buildOf(slipway, revision);
    const before = await slipway.leftBehind();
    await slipway.data.buildDeletion.hideBuilds([id], 'admin', 5);
    await slipway.data.buildDeletion.removeBuild(id, 5);
    await convert();
    expect((await slipway.leftBehind()).blobs).toEqual(before.blobs);
  });
});
