/**
 * Uploads while the file store fails: refused in the documented shape, nothing stored, and accepted once it works
 * again.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { type Fault, type FaultyProxy, startFaultyProxy } from '../support/faulty-proxy.ts';
import { get, leavesNothing, refusalOf, upload, uploaded } from '../support/interface-client.ts';
import { createS3Scratch, hasS3, type S3Scratch } from '../support/s3-service.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const mebibyte = 1024 * 1024;
const always = Number.POSITIVE_INFINITY;
const apk = buildApk({ packageName: 'com.example.faults', fillerBytes: 3 * mebibyte });
const large = buildApk({ packageName: 'com.example.faults', fillerBytes: 20 * mebibyte });

describe.skipIf(!hasS3)('S3 failures (needs Ceph)', () => {
  let s3: S3Scratch;
  let proxy: FaultyProxy;
  let slipway: TestService;
  const begun: TestService[] = [];
  const start = async (settings: Record<string, string>) => {
    const service = await startTestService({ settings: { ...s3.settings, ...settings } });
    begun.push(service);
    return service;
  };
  const addressOf = (bucket: string) => `s3://${bucket}/${s3.config.prefix}?endpoint=${proxy.endpoint}`;

  beforeAll(async () => {
    s3 = await createS3Scratch();
    proxy = await startFaultyProxy(new URL(s3.config.endpoint ?? ''));
    slipway = await start({ SLIPWAY_BLOB_URL: addressOf(s3.config.bucket) });
  });
  afterEach(() => proxy.set({ kind: 'none' }));
  afterAll(async () => {
    for (const service of begun) await service.close();
    await proxy.close();
    await s3.remove();
  });

  const lasting: [string, Fault][] = [
    ['refuses connections', { kind: 'refuse' }],
    ['answers 500', { kind: 'answer', status: 500, times: always }],
    ['answers 503', { kind: 'answer', status: 503, times: always }],
    ['breaks off in the middle', { kind: 'cut-request', afterBytes: mebibyte, times: always }],
    ['gets changed bytes', { kind: 'flip', times: always }],
  ];
  describe.each(lasting)('where S3 %s', (_name, fault) => {
    it.each([
      ['a small package', apk],
      ['one in parts', large],
    ])('refuse %s with 503, store nothing and accept it afterwards', async (_size, file) => {
      await leavesNothing(slipway, async () => {
        proxy.set(fault);
        const refusal = refusalOf(
          await upload(slipway, { file, fields: { distribution_name: 'main' } }),
          503,
        );
        expect(refusal).toMatchObject({
          message: 'the file store is not available. Try again later',
          error_type: 'unavailable',
        });
        proxy.set({ kind: 'none' });
        expect(await s3.uploads()).toEqual([]);
      });
      const { file: address } = await uploaded(slipway, { file });
      expect((await get(slipway, address)).body.equals(file)).toBe(true);
    });
  });

  it('leave no gap in the revisions', async () => {
    const first = await uploaded(slipway, { file: apk });
    proxy.set({ kind: 'refuse' });
    refusalOf(await upload(slipway, { file: apk }), 503);
    proxy.set({ kind: 'none' });
    expect((await uploaded(slipway, { file: apk })).revision).toBe(first.revision + 1);
  });

  it('are reflected by readiness', async () => {
    const ready = () => get(slipway, '/readyz');
    expect((await ready()).status).toBe(200);
    proxy.set({ kind: 'refuse' });
    expect((await ready()).status).toBe(503);
    expect((await get(slipway, '/healthz')).status).toBe(200);
    proxy.set({ kind: 'none' });
    // A connection that the refusal has closed may be used once more.
    await expect.poll(async () => (await ready()).status).toBe(200);
  });

  it('still redirect clients to the store', async () => {
    const { file } = await uploaded(slipway, { file: apk });
    proxy.set({ kind: 'refuse' });
    const { status, headers } = await fetch(file, { redirect: 'manual' });
    expect(status).toBe(302);
    proxy.set({ kind: 'none' });
    expect((await fetch(headers.get('location') ?? '')).status).toBe(200);
  });

  it.each([
    ['wrong credentials', { AWS_SECRET_ACCESS_KEY: 'wrong' }, 'rejected the credentials of this server'],
    ['a bucket that is not there', {}, 'the bucket of the file store does not exist'],
  ])('prevent a start with %s, with an error message', async (_name, settings, words) => {
    const bucket = 'AWS_SECRET_ACCESS_KEY' in settings ? s3.config.bucket : 'not-there';
    const starting = start({ ...settings, SLIPWAY_BLOB_URL: addressOf(bucket) });
    await expect(starting).rejects.toThrow(words);
    await expect(starting).rejects.toThrow('(SLIPWAY_BLOB_URL)');
  });
});
