/** Blobs on S3: clients are redirected there by signed links, only after Slipway's own permission checks. */
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageKey } from '../../src/blobs/blob-key.ts';
import { sweepAgeMs, sweepBlobs } from '../../src/blobs/sweep-blobs.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildIpa } from '../support/build-ipa.ts';
import { type Answer, send } from '../support/http-client.ts';
import { bearer, get, refusalOf, type UploadResult, uploaded } from '../support/interface-client.ts';
import { hasS3 } from '../support/s3-service.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const icon = await sharp({ create: { width: 96, height: 96, channels: 4, background: '#c04' } })
  .png()
  .toBuffer();
const apk = buildApk({
  packageName: 'com.example.linked',
  versionName: '1.0 "β"/2',
  icons: [{ path: 'res/mipmap-xxhdpi-v4/icon.png', content: icon }],
  fillerBytes: 100_000,
});

describe.skipIf(!hasS3)('files on S3 (needs Ceph)', () => {
  let slipway: TestService;
  let result: UploadResult;
  let member = '';
  let stranger = '';
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 's3' });
    member = await slipway.user('mina');
    stranger = await slipway.user('stranger');
    await slipway.project('crew', { members: { mina: 'developer' } });
    result = await uploaded(slipway, { owner: 'crew', key: member, file: apk });
  });
  afterAll(() => slipway.close());

  /** The first response, without following redirects. */
  const ask = (address: string, headers: Record<string, string> = {}, method = 'GET') =>
    send(slipway.port, address.slice(slipway.origin.length), { headers, method });
  const linkIn = (answer: Answer) => new URL(answer.headers.location ?? '');

  it('redirect clients to the store and do not log the link', async () => {
    const answer = await ask(result.file);
    expect(answer.status).toBe(302);
    expect(answer.body).toHaveLength(0);
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    for (const name of ['etag', 'last-modified', 'content-disposition', 'accept-ranges']) {
      expect(answer.headers[name]).toBeUndefined();
    }
    const link = linkIn(answer);
    const endpoint = 'endpoint' in slipway.config.blobs ? slipway.config.blobs.endpoint : null;
    expect(link.origin).toBe(endpoint);
    expect(Number(link.searchParams.get('X-Amz-Expires'))).toBeLessThanOrEqual(15 * 60);
    expect(link.href).not.toContain(new URL(result.file).searchParams.get('key'));
  });

  it('are served by the store byte for byte, with the same name and type', async () => {
    const answer = await fetch(result.file);
    expect(Buffer.from(await answer.arrayBuffer()).equals(apk)).toBe(true);
    const head = await ask(result.file, {}, 'HEAD');
    for (const name of ['content-type', 'content-disposition', 'content-length']) {
      expect({ name, value: answer.headers.get(name) }).toEqual({ name, value: head.headers[name] });
    }
    expect(head.headers['content-type']).toBe('application/vnd.android.package-archive');
    expect(head.headers['content-disposition']).toMatch(/^attachment; filename="[\x20-\x7e]+\.apk"/);
  });

  it('are served by the store in ranges', async () => {
    const answer = await fetch(result.file, { headers: { Range: 'bytes=100-199' } });
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-range')).toBe(`bytes 100-199/${apk.length}`);
    expect(Buffer.from(await answer.arrayBuffer()).equals(apk.subarray(100, 200))).toBe(true);
  });

  it('are handled by Slipway if no bytes are needed', async () => {
    const head = await ask(result.file, { Range: 'bytes=0-9' }, 'HEAD');
    expect(head.status).toBe(200);
    expect(head.headers['content-length']).toBe(String(apk.length));
    const { etag = '' } = head.headers;
    expect((await ask(result.file, { 'If-None-Match': etag })).status).toBe(304);
    const past = await ask(result.file, { Range: `bytes=${apk.length}-` });
    expect(past.headers['content-range']).toBe(`bytes */${apk.length}`);
    refusalOf(past, 416);
  });

  it('get links only for permitted callers', async () => {
    const bare = result.file.split('?')[0] ?? '';
    expect((await ask(bare, bearer(member))).status).toBe(302);
    for (const headers of [{}, bearer(stranger)]) {
      const answer = await ask(bare, headers);
      expect(answer.headers.location).toBeUndefined();
      refusalOf(answer, 404);
    }
    refusalOf(await ask(`${bare}?key=x`), 404);
  });

  it('are redirected for an IPA, too', async () => {
    const file = buildIpa({ bundleIdentifier: 'com.example.linked' });
    const ios = await uploaded(slipway, { file });
    const answer = await fetch(ios.file);
    expect(new URL(answer.url).origin).not.toBe(slipway.origin);
    expect(answer.headers.get('content-disposition')).toMatch(/\.ipa"/);
    expect(Buffer.from(await answer.arrayBuffer()).equals(file)).toBe(true);
  });

  it('include icons served by Slipway, because pages load no images from other hosts', async () => {
    const answer = await ask(result.icon);
    expect(answer.status).toBe(200);
    expect((await sharp(answer.body).metadata()).format).toBe('png');
    const part = await ask(result.icon, { Range: 'bytes=10-19' });
    expect(part.status).toBe(206);
    expect(part.body.equals(answer.body.subarray(10, 20))).toBe(true);
    const head = await ask(result.icon, {}, 'HEAD');
    expect(head.headers['content-length']).toBe(String(answer.body.length));
  });

  it('are fetched by Slipway when it reads them, without keeping a copy', async () => {
    const { icon: address } = await uploaded(slipway, { file: apk });
    expect((await get(slipway, address)).status).toBe(200);
    await slipway.service.outbox.idle();
    const left = await slipway.leftBehind();
    expect(left.spool).toEqual([]);
    expect(left.blobs.filter((key) => key.startsWith('icons/')).length).toBeGreaterThanOrEqual(1);
  });

  it('uploaded while links are off have the same addresses', async () => {
    const streaming = await startTestService({ blobs: 's3-streamed' });
    try {
      const { file } = await uploaded(streaming, { file: apk });
      const answer = await send(streaming.port, file.slice(streaming.origin.length));
      expect(answer.status).toBe(200);
      expect(answer.body.equals(apk)).toBe(true);
    } finally {
      await streaming.close();
    }
  });

  it('are kept without a row while they are recent, and removed a day later', async () => {
    const key = 'packages/without-a-row';
    const before = await slipway.leftBehind();
    await slipway.blobs.putBytes(packageKey('without-a-row'), Buffer.from('litter'));
    const sweepAt = (now: number) =>
      sweepBlobs({
        store: slipway.blobs,
        isNamed: slipway.data.builds.namedBlobs,
        before: now - sweepAgeMs,
      });
    await sweepAt(Date.now());
    expect((await slipway.leftBehind()).blobs).toContain(key);
    const swept = await sweepAt(Date.now() + 25 * 60 * 60 * 1000);
    expect(swept.removed).toBe(1);
    expect(await slipway.leftBehind()).toEqual(before);
  });
});
