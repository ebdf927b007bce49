/** The addresses of a build's file and icon: exact bytes, ranges, validators and permissions. */
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { buildIpa } from '../support/build-ipa.ts';
import { get, refusalOf, type UploadResult, uploaded } from '../support/interface-client.ts';
import { streamingStores } from '../support/stores.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const apk = buildApk({ packageName: 'com.example.file', versionName: '1.0 "β"/2', fillerBytes: 100_000 });
const last = apk.length - 1;

describe.each(streamingStores)('files on $dialect with blobs on $blobs', (options) => {
  let slipway: TestService;
  let result: UploadResult;
  const keys: Record<string, string> = {};
  beforeAll(async () => {
    slipway = await startTestService(options);
    for (const name of ['mina', 'tess', 'stranger']) keys[name] = await slipway.user(name);
    await slipway.project('crew', { members: { mina: 'developer', tess: 'tester' } });
    await slipway.project('other', { members: { stranger: 'owner' } });
    keys.crew = await slipway.projectKey('crew');
    keys.other = await slipway.projectKey('other');
    result = await uploaded(slipway, { owner: 'crew', key: keys.mina, file: apk });
  });
  afterAll(() => slipway.close());

  const ask = (headers: Record<string, string>, method = 'GET') =>
    get(slipway, result.file, null, { headers, method });

  it('are served byte for byte without request headers', async () => {
    const answer = await ask({});
    expect(answer.status).toBe(200);
    expect(answer.body.equals(apk)).toBe(true);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/vnd.android.package-archive',
      'content-length': String(apk.length),
      'accept-ranges': 'bytes',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': expect.stringMatching(/\bprivate\b/),
      etag: expect.stringMatching(/^"[^"]+"$/),
      'content-disposition': expect.stringMatching(
        /^attachment; filename="[\x20-\x7e]+\.apk"; filename\*=UTF-8''\S+\.apk$/,
      ),
    });
    expect(Number.isNaN(Date.parse(answer.headers['last-modified'] ?? ''))).toBe(false);
  });

  it('have the file name of the IPA', async () => {
    const ipa = buildIpa({ bundleIdentifier: 'com.example.file' });
    const ios = await uploaded(slipway, { file: ipa });
    const answer = await get(slipway, ios.file);
    expect(answer.body.equals(ipa)).toBe(true);
    expect(answer.headers['content-disposition']).toMatch(/\.ipa"/);
  });

  it.each<[string, number, number]>([
    ['bytes=0-0', 0, 0],
    ['bytes=0-99', 0, 99],
    ['bytes=100-199', 100, 199],
    [`bytes=${last}-${last}`, last, last],
    ['bytes=50000-', 50_000, last],
    ['bytes=-1', last, last],
    ['bytes=-500', last - 499, last],
    [`bytes=-${apk.length * 2}`, 0, last],
    ['bytes=0-99999999999999999999', 0, last],
    [`bytes=10-${apk.length * 2}`, 10, last],
  ])('are served partially for %s', async (range, from, to) => {
    const answer = await ask({ Range: range });
    expect(answer.status).toBe(206);
    expect(answer.headers['content-range']).toBe(`bytes ${from}-${to}/${apk.length}`);
    expect(answer.headers['content-length']).toBe(String(to - from + 1));
    expect(answer.body.equals(apk.subarray(from, to + 1))).toBe(true);
  });

  it.each([
    `bytes=${apk.length}-`,
    `bytes=${apk.length}-${apk.length + 5}`,
    'bytes=-0',
    'bytes=99999999999999999999-',
  ])('return 416 for %s', async (range) => {
    const answer = await ask({ Range: range });
    expect(answer.status).toBe(416);
    expect(answer.headers['content-range']).toBe(`bytes */${apk.length}`);
    refusalOf(answer, 416);
  });

  it.each([
    'bytes=0-1,5-9',
    'bytes=9-5',
    'bytes=',
    'bytes=-',
    'bytes=a-b',
    'items=0-5',
    'bytes 0-5',
    '0-5',
    'bytes=0x1-5',
  ])('ignore %s, as permitted', async (range) => {
    const answer = await ask({ Range: range });
    expect(answer.status).toBe(200);
    expect(answer.body.equals(apk)).toBe(true);
  });

  it('support ETag and date validators', async () => {
    const { etag = '', 'last-modified': modified = '' } = (await ask({})).headers;
    const past = new Date(Date.parse(modified) - 60_000).toUTCString();
    const cases: [Record<string, string>, number][] = [
      [{ 'If-None-Match': etag }, 304],
      [{ 'If-None-Match': `W/${etag}` }, 304],
      [{ 'If-None-Match': `"other", ${etag}` }, 304],
      [{ 'If-None-Match': '*' }, 304],
      [{ 'If-None-Match': '"other"' }, 200],
      [{ 'If-None-Match': '"other"', 'If-Modified-Since': modified }, 200],
      [{ 'If-Modified-Since': modified }, 304],
      [{ 'If-Modified-Since': past }, 200],
      [{ 'If-Modified-Since': 'nonsense' }, 200],
      [{ Range: 'bytes=0-9', 'If-Range': etag }, 206],
      [{ Range: 'bytes=0-9', 'If-Range': '"other"' }, 200],
      [{ Range: 'bytes=0-9', 'If-Range': `W/${etag}` }, 200],
      [{ Range: 'bytes=0-9', 'If-None-Match': etag }, 304],
    ];
    for (const [headers, status] of cases) {
      const answer = await ask(headers);
      expect({ headers, status: answer.status }).toEqual({ headers, status });
      expect(answer.headers.etag).toBe(etag);
      if (status === 304) expect(answer.body).toHaveLength(0);
    }
  });

  it('return the full length and no body for HEAD', async () => {
    for (const name of ['Accept', 'Range']) {
      const answer = await ask({ [name]: 'bytes=0-9' }, 'HEAD');
      expect(answer.status).toBe(200);
      expect(answer.body).toHaveLength(0);
      expect(answer.headers['content-length']).toBe(String(apk.length));
      expect(answer.headers.etag).toBe((await ask({})).headers.etag);
      expect(answer.headers['referrer-policy']).toBe('no-referrer');
    }
    const fresh = (await ask({})).headers.etag ?? '';
    expect((await ask({ 'If-None-Match': fresh }, 'HEAD')).status).toBe(304);
  });

  it('open for their key, an API key of a member, and a signed-in member; others get 404', async () => {
    for (const address of [result.file, result.icon]) {
      const bare = address.split('?')[0] ?? '';
      const key = new URL(address).searchParams.get('key') ?? '';
      for (const name of ['mina', 'tess', 'crew']) {
        expect((await get(slipway, bare, keys[name])).status).toBe(200);
      }
      for (const name of ['stranger', 'other']) refusalOf(await get(slipway, bare, keys[name]), 404);
      refusalOf(await get(slipway, bare), 404);
      for (const wrong of [
        '',
        'x',
        key.slice(1),
        `${key.slice(0, -4)}AAAA`,
        `${key}A`,
        `${key}&key=${key}`,
      ]) {
        refusalOf(await get(slipway, `${bare}?key=${wrong}`), 404);
        refusalOf(await get(slipway, `${bare}?key=${wrong}`, keys.stranger), 404);
      }
      expect((await get(slipway, `${bare}?key=x`, keys.tess)).status).toBe(200);
      expect((await get(slipway, address, keys.stranger)).status).toBe(200);
      expect((await get(slipway, address, 'slw_wrong-key-but-the-link-is-good')).status).toBe(200);
    }
  });

  it('do not open with the key of another file', async () => {
    const other = await uploaded(slipway, { owner: 'crew', key: keys.mina, file: apk });
    const keyOf = (address: string) => new URL(address).searchParams.get('key');
    const bare = (address: string) => address.split('?')[0];
    const crossed = [
      `${bare(result.icon)}?key=${keyOf(result.file)}`,
      `${bare(result.file)}?key=${keyOf(result.icon)}`,
      `${bare(other.file)}?key=${keyOf(result.file)}`,
      `${bare(result.file)}?key=${keyOf(other.file)}`,
      `${bare(result.file)}?key=${result.secret}`,
      `${bare(result.file)?.replace('/file', '/manifest.plist')}?key=${keyOf(result.file)}`,
    ];
    for (const address of crossed) refusalOf(await get(slipway, address), 404);
  });

  it('are not found for a build that does not exist', async () => {
    for (const id of ['0'.repeat(26), 'x', '%00', '..', '%2e%2e%2f', 'a'.repeat(2000)]) {
      refusalOf(await get(slipway, `/builds/${id}/file?key=abc`, keys.mina), 404);
      refusalOf(await get(slipway, `/builds/${id}/icon`, keys.mina), 404);
    }
  });

  it('are cached for an hour if they are monograms, and revalidated each time if they are icons', async () => {
    const monogram = await get(slipway, result.icon);
    expect(monogram.headers['cache-control']).toBe('private, max-age=3600');
    const { etag = '' } = monogram.headers;
    const fresh = await get(slipway, result.icon, null, { headers: { 'If-None-Match': etag } });
    expect(fresh.status).toBe(304);
    const png = await sharp({ create: { width: 48, height: 48, channels: 4, background: '#c04' } })
      .png()
      .toBuffer();
    const icons = [{ path: 'res/mipmap-xxhdpi-v4/icon.png', content: png }];
    const drawn = await uploaded(slipway, { file: buildApk({ packageName: 'com.example.drawn', icons }) });
    const icon = await get(slipway, drawn.icon);
    expect(icon.headers['cache-control']).toBe('private, max-age=0, must-revalidate');
  });

  it('always include an icon in PNG', async () => {
    const png = await sharp({ create: { width: 96, height: 96, channels: 4, background: '#c04' } })
      .png()
      .toBuffer();
    const drawn = buildApk({
      packageName: 'com.example.icon',
      icons: [{ path: 'res/mipmap-xxhdpi-v4/icon.png', content: png }],
    });
    const broken = buildApk({
      packageName: 'com.example.broken',
      icons: [{ path: 'res/mipmap-xxhdpi-v4/icon.png', content: Buffer.from('no picture') }],
    });
    for (const file of [apk, drawn, broken, buildIpa({ bundleIdentifier: 'com.example.icon' })]) {
      const { icon } = await uploaded(slipway, { file });
      for (const _ of ['drawn now', 'kept']) {
        const answer = await get(slipway, icon);
        expect(answer.status).toBe(200);
        expect(answer.headers).toMatchObject({
          'content-type': 'image/png',
          'content-length': String(answer.body.length),
          'referrer-policy': 'no-referrer',
          'cache-control': expect.stringMatching(/\bprivate\b/),
        });
        const { format, width = 0, height } = await sharp(answer.body).metadata();
        expect(format).toBe('png');
        expect(width).toBe(height);
        expect(width).toBeGreaterThanOrEqual(48);
      }
      const head = await get(slipway, icon, null, { method: 'HEAD' });
      expect(head.status).toBe(200);
      expect(head.headers['content-length']).toBe(String((await get(slipway, icon)).body.length));
    }
    const { icon } = await uploaded(slipway, { file: drawn });
    const { data, info } = await sharp((await get(slipway, icon)).body)
      .raw()
      .toBuffer({ resolveWithObject: true });
    const middle = (Math.floor(info.height / 2) * info.width + Math.floor(info.width / 2)) * info.channels;
    expect([...data.subarray(middle, middle + 3)]).toEqual([0xcc, 0x00, 0x44]);
  });

  it('include the same icon for 20 concurrent first requests', async () => {
    const png = await sharp({ create: { width: 96, height: 96, channels: 4, background: '#08c' } })
      .png()
      .toBuffer();
    const file = buildApk({
      packageName: 'com.example.askers',
      icons: [{ path: 'res/mipmap-xxhdpi-v4/icon.png', content: png }],
    });
    const { icon } = await uploaded(slipway, { file });
    const answers = await Promise.all(Array.from({ length: 20 }, () => get(slipway, icon)));
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(answer.body.equals(answers[0]?.body ?? Buffer.alloc(0))).toBe(true);
    }
  });
});
