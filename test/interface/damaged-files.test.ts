/** Stored files that are missing, truncated or changed: responses, findings of a check, and recovery. */
import { buffer } from 'node:stream/consumers';
import pino from 'pino';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BlobKey, parseBlobKey } from '../../src/blobs/blob-key.ts';
import { installation } from '../../src/jobs/outbox.ts';
import { checkFiles, createFileCheckJob } from '../../src/operations/verify-stored-files.ts';
import { buildApk } from '../support/build-apk.ts';
import { appEntries, buildIpa, createSigningIdentity } from '../support/build-ipa.ts';
import { buildZip } from '../support/build-zip.ts';
import { get, refusalOf, type UploadResult, uploaded } from '../support/interface-client.ts';
import { linksOf, phones } from '../support/page-visits.ts';
import { signApk } from '../support/sign-apk.ts';
import { everyStore } from '../support/stores.ts';
import { createTestKey } from '../support/test-key.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

/** iOS only installs over https. */
const origin = 'https://apps.example.com';
const bundleIdentifier = 'com.example.broken';
const simulator = buildZip(appEntries({ simulator: true, bundleIdentifier }, 'Test.app/'));

describe.each(everyStore)('damaged files on $dialect with blobs on $blobs', (options) => {
  let slipway: TestService;
  let ios: UploadResult;
  let android: UploadResult;
  const lines: Record<string, unknown>[] = [];
  beforeAll(async () => {
    const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const settings = { SLIPWAY_URL: origin, SLIPWAY_TRUST_PROXY: '127.0.0.1' };
    slipway = await startTestService({ ...options, logger, settings });
    const identity = createSigningIdentity();
    const file = buildIpa({ bundleIdentifier, identity, profile: { type: 'enterprise', identity } });
    const background = { r: 9, g: 90, b: 200 };
    const png = await sharp({ create: { width: 96, height: 96, channels: 3, background } })
      .png()
      .toBuffer();
    const icons = [{ path: 'res/mipmap-xxhdpi-v4/icon.png', content: png }];
    ios = await uploaded(slipway, {
      parts: [
        { name: 'file', content: file, fileName: 'app.ipa' },
        { name: 'ios_simulator_zip', content: simulator, fileName: 'simulator.zip' },
        { name: 'distribution_name', value: 'testers' },
      ],
    });
    const apk = signApk(buildApk({ packageName: bundleIdentifier, icons }), {
      v2: [{ key: createTestKey() }],
    });
    android = await uploaded(slipway, { file: apk, fields: { distribution_name: 'testers' } });
    await slipway.service.outbox.idle();
  });
  afterAll(() => slipway.close());

  const buildOf = async ({ os_name }: UploadResult) => {
    const page = await slipway.data.distributions.findPage(
      (os_name === 'iOS' ? ios : android).distribution?.access_key ?? '',
    );
    const build = page?.buildId ? await slipway.data.builds.findBuild(page.buildId) : null;
    if (!build) throw new Error('the build is gone');
    return build;
  };
  /** Every kind of file, with one of its addresses. */
  const files = async () => {
    const build = await buildOf(ios);
    const { icon } = await buildOf(android);
    const simulatorAddress = ios.file.replace(/\/file\?.*$/, '/simulator');
    return [
      { key: build.packageBlob, address: ios.file },
      { key: build.simulatorBlob ?? '', address: simulatorAddress },
      { key: icon.state === 'drawn' ? icon.blob : '', address: android.icon },
    ].map(({ key, address }) => ({ key: parseBlobKey(key), address }));
  };
  const bytesOf = async (key: BlobKey) => {
    const opened = await slipway.blobs.open(key);
    if (!opened) throw new Error(`${key} is missing`);
    return buffer(opened.stream);
  };
  const replace = async (key: BlobKey, bytes: Buffer | null) => {
    await slipway.blobs.remove(key);
    if (bytes) await slipway.blobs.putBytes(key, bytes);
  };
  const check = async () => {
    const found: string[] = [];
    const { data, blobs } = slipway;
    const onDamaged = ({ key, reason }: { key: string; reason: string }) =>
      void found.push(`${key}: ${reason}`);
    const checked = await checkFiles({ data, blobs, bytesPerSecond: 1e9, onDamaged });
    return { ...checked, found };
  };

  it('return 503 with an explanation while they are missing or have another size', async () => {
    for (const { key, address } of await files()) {
      const bytes = await bytesOf(key);
      // Once it was sent, a picture is sent from memory.
      if (!key.startsWith('icons/'))
        expect((await get(slipway, address, slipway.adminKey)).body.equals(bytes)).toBe(true);
      await replace(key, null);
      for (const headers of [{}, { Range: 'bytes=0-9' }] as Record<string, string>[]) {
        const answer = await get(slipway, address, slipway.adminKey, { headers });
        expect(refusalOf(answer, 503).message).toMatch(/damaged: it is missing from the file store/);
        expect(answer.headers).not.toHaveProperty('content-disposition');
        expect(answer.headers).not.toHaveProperty('etag');
      }
      expect((await get(slipway, address, slipway.adminKey, { method: 'HEAD' })).status).toBe(503);
      await replace(key, bytes.subarray(0, -1));
      expect(refusalOf(await get(slipway, address, slipway.adminKey), 503).message).toMatch(/size/);
      await replace(key, bytes);
      expect((await get(slipway, address, slipway.adminKey)).status).toBe(200);
    }
    expect(lines.map((line) => JSON.stringify(line)).join('\n')).toContain('missing from the file store');
  });

  it('do not count as installs, from a manifest or a file', async () => {
    const links = async ({ distribution }: UploadResult, userAgent: string) => {
      const page = await get(slipway, distribution?.url ?? '', null, {
        headers: { 'User-Agent': userAgent, Accept: 'text/html' },
      });
      return linksOf(page.text);
    };
    const installs = async ({ distribution }: UploadResult) =>
      (await slipway.data.distributions.findPage(distribution?.access_key ?? ''))?.installs;
    for (const [upload, address] of [
      [ios, (await links(ios, phones.iphone)).manifest],
      [android, (await links(android, phones.android)).file],
    ] as const) {
      const key = parseBlobKey((await buildOf(upload)).packageBlob);
      const bytes = await bytesOf(key);
      await replace(key, null);
      expect(refusalOf(await get(slipway, address ?? ''), 503).message).toMatch(/damaged/);
      expect(await installs(upload)).toBe(0);
      await replace(key, bytes);
      expect((await get(slipway, address ?? '')).status).toBe(200);
    }
  });

  it('are found and marked by a check, and served again once a check finds them intact', async () => {
    const all = await files();
    expect(await check()).toEqual({ files: 4, damaged: 0, found: [] });
    const [changed, cut, missing] = all;
    if (!changed || !cut || !missing) throw new Error('files are missing');
    const kept = await Promise.all(all.map(({ key }) => bytesOf(key)));
    const flipped = Buffer.from(kept[0] ?? '');
    flipped[flipped.length >> 1] = (flipped[flipped.length >> 1] ?? 0) ^ 1;
    await replace(changed.key, flipped);
    expect((await get(slipway, changed.address)).status).toBe(200);
    await replace(cut.key, (kept[1] ?? Buffer.alloc(0)).subarray(1));
    await replace(missing.key, null);
    const { found, damaged } = await check();
    expect(damaged).toBe(3);
    expect(found.sort()).toEqual(
      [`${changed.key}: wrong-bytes`, `${cut.key}: wrong-size`, `${missing.key}: missing`].sort(),
    );
    expect(await slipway.data.builds.countDamaged()).toBe(2);
    for (const [index, { key, address }] of all.entries()) {
      await replace(key, kept[index] ?? null);
      refusalOf(await get(slipway, address, slipway.adminKey), 503);
    }
    expect(await check()).toMatchObject({ damaged: 0 });
    expect(await slipway.data.builds.countDamaged()).toBe(0);
    for (const { address } of all) expect((await get(slipway, address, slipway.adminKey)).status).toBe(200);
  });

  it('are found by the weekly check, which several nodes share piece by piece', async () => {
    const { data, blobs } = slipway;
    let clock = Date.UTC(2026, 10, 22, 12);
    const found: string[] = [];
    const nodeOf = (enabled: boolean) =>
      createFileCheckJob({
        data,
        blobs,
        enabled,
        bytesPerSecond: 1e9,
        now: () => clock,
        log: { error: (fields) => void found.push((fields as { key: string }).key) },
      });
    const jobs = async () => {
      const claimed = await data.outbox.claim(lane, clock, 100);
      return claimed.map(({ id, job }) => ({ id, job }));
    };
    const lane = { kinds: ['check-files'], jobsAtOnce: 1, maxAttempts: 1 } as const;
    await Promise.all([nodeOf(true).resume(), nodeOf(true).resume(), nodeOf(false).resume()]);
    expect(await jobs()).toEqual([]);
    clock += 7 * 24 * 60 * 60_000;
    const [first, ...others] = await jobs();
    expect(others).toEqual([]);
    if (first?.job.kind !== 'check-files') throw new Error('no check is due');
    const key = parseBlobKey((await buildOf(android)).packageBlob);
    const bytes = await bytesOf(key);
    await replace(key, null);
    await nodeOf(true).handlers['check-files'](first.job, installation);
    await data.outbox.finish(first.id);
    expect(found).toEqual([key]);
    // The screenshots of feedback and the symbol files follow in separate jobs.
    for (const after of ['feedback/', 'symbols/']) {
      const [next] = await jobs();
      expect(next?.job).toEqual({ kind: 'check-files', after });
      await nodeOf(true).handlers['check-files']({ kind: 'check-files', after }, installation);
      await data.outbox.finish(next?.id ?? '');
    }
    expect(await jobs()).toEqual([]);
    expect(await data.builds.countDamaged()).toBe(1);
    await replace(key, bytes);

    const stopping = nodeOf(true);
    stopping.stop();
    await expect(
      stopping.handlers['check-files']({ kind: 'check-files', after: '' }, installation),
    ).rejects.toThrow('the job waits');
    expect(await data.builds.countDamaged()).toBe(1);
    await nodeOf(true).handlers['check-files']({ kind: 'check-files', after: '' }, installation);
    expect(await data.builds.countDamaged()).toBe(0);

    clock += 7 * 24 * 60 * 60_000;
    const [second] = await jobs();
    if (second?.job.kind !== 'check-files') throw new Error('the next check was not planned');
    await nodeOf(false).handlers['check-files'](second.job, installation);
    await data.outbox.finish(second.id);
    clock += 7 * 24 * 60 * 60_000;
    expect(await jobs()).toEqual([]);
  });
});
