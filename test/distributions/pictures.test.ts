/** The badge and the QR codes of a page, for READMEs and comments of anyone with the link. */
import sharp from 'sharp';
import { encode } from 'uqr';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { badgeSvg } from '../../src/distributions/pictures/badge-svg.ts';
import { qrPng } from '../../src/web/components/qr-pictures.ts';
import { signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { send } from '../support/http-client.ts';
import { bearer, uploaded } from '../support/interface-client.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { readElements } from '../web/elements.ts';

const files = ['latest.svg', 'qr.png', 'qr.svg'];
const widthOf = (svg: string) => Number(/width="(\d+)"/.exec(svg)?.[1]);
/** The reader of elements also fails for what is not well-formed. */
const titleOf = (svg: string) => readElements(svg).find(({ tag }) => tag === 'title')?.text;

describe('pictures of a distribution page', () => {
  let slipway: TestService;
  let now = Date.UTC(2026, 10, 28);
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory', now: () => now });
  });
  afterAll(() => slipway.close());

  const publish = async (name: string, apk: Parameters<typeof buildApk>[0]) => {
    const file = buildApk({ packageName: 'com.example.tide', label: 'Tide', ...apk });
    const { distribution } = await uploaded(slipway, { file, fields: { distribution_name: name } });
    return distribution?.access_key ?? '';
  };
  const picture = (key: string, file: string, headers: Record<string, string> = {}) =>
    send(slipway.port, `/distributions/${key}/${file}`, { headers });
  const setRules = async (key: string, rules: object) => {
    const page = await slipway.data.distributions.findPage(key);
    if (!page) throw new Error('there is no page');
    await slipway.data.pageSettings.saveRules(page.id, { ...page, ...rules, recount: false });
  };

  it('shows the version that the page serves, and is asked for again each time', async () => {
    const key = await publish('beta', { versionCode: 1042, versionName: '2.4.0' });
    const first = await picture(key, 'latest.svg');
    expect([first.status, titleOf(first.text)]).toEqual([200, 'Tide · Android: 2.4.0 (#1)']);
    expect(first.headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'cache-control': 'public, no-cache',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    });
    const etag = String(first.headers.etag);
    const again = await picture(key, 'latest.svg', { 'If-None-Match': etag });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
    await publish('beta', { versionCode: 1043, versionName: '2.4.1' });
    const changed = await picture(key, 'latest.svg', { 'If-None-Match': etag });
    expect([changed.status, titleOf(changed.text)]).toEqual([200, 'Tide · Android: 2.4.1 (#2)']);
    const labeled = await picture(key, `latest.svg?label=${encodeURIComponent('<Nightly>')}`);
    expect(titleOf(labeled.text)).toBe('<Nightly>: 2.4.1 (#2)');
    expect((await picture(key, 'latest.svg?label=+')).text).toBe(changed.text);
  });

  it('draws the QR code of the page as PNG and SVG', async () => {
    const key = await publish('codes', { versionCode: 7 });
    const address = `${slipway.origin}/distributions/${key}`;
    const [png, svg] = [await picture(key, 'qr.png'), await picture(key, 'qr.svg')];
    expect([png.headers['content-type'], png.body]).toEqual(['image/png', qrPng(address, 360)]);
    expect(png.body.length).toBeLessThan(4096);
    const { size, data } = encode(address, { ecc: 'M', border: 4 });
    const { data: pixels, info } = await sharp(svg.body)
      .resize(size * 4)
      .greyscale()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const seen = data.map((row, y) =>
      row.map((_, x) => (pixels[((y * 4 + 2) * info.width + x * 4 + 2) * info.channels] ?? 0) < 128),
    );
    expect(seen).toEqual(data);
    for (const { headers, body } of [png, svg]) {
      expect([body.length > 0, headers['content-security-policy']]).toEqual([
        true,
        "default-src 'none'; sandbox",
      ]);
    }
    const known = await picture(key, 'qr.svg', { 'If-None-Match': String(svg.headers.etag) });
    expect([known.status, known.text]).toEqual([304, '']);
  });

  it('does not exist unless everyone with the link may open the page, not even for those who may', async () => {
    const key = await publish('closing', { versionCode: 9, versionName: '9.0' });
    const etags = await Promise.all(
      files.map(async (file) => String((await picture(key, file)).headers.etag)),
    );
    const member = { Cookie: (await signIn(slipway, 'admin')).cookie, ...bearer(slipway.adminKey) };
    const rules = [
      { active: false },
      { expiresAt: now - 1 },
      { networks: ['192.0.2.0/24'] },
      { access: 'passcode', passcodeHash: 'not a hash' },
      { access: 'members' },
      { access: 'groups' },
    ];
    const usual = { active: true, expiresAt: null, networks: [], access: 'unlisted', passcodeHash: null };
    for (const rule of rules) {
      await setRules(key, { ...usual, ...rule });
      for (const [at, file] of files.entries()) {
        const headers = { ...member, 'If-None-Match': etags[at] ?? '' };
        const found = await picture(key, file, headers);
        const missing = await picture('0'.repeat(40), file, headers);
        const shape = ({ status, text, headers }: typeof found) => {
          const { date: _, 'x-request-id': __, ...others } = headers;
          return [status, text.replace(/[0-9a-z]{26}/g, ''), others];
        };
        expect([rule, file, ...shape(found)]).toEqual([rule, file, ...shape(missing)]);
        expect(found.status).toBe(404);
      }
      await setRules(key, usual);
      expect((await picture(key, 'latest.svg')).status).toBe(200);
    }
    await setRules(key, { ...usual, networks: ['127.0.0.0/8', '::1/128'] });
    expect((await picture(key, 'qr.svg')).headers['cache-control']).toBe('private, no-cache');
    await setRules(key, { ...usual, expiresAt: now + 1000 });
    expect((await picture(key, 'latest.svg')).status).toBe(200);
    now += 1000;
    expect((await picture(key, 'latest.svg')).status).toBe(404);
  });

  it('has text to paste next to a preview in the settings, except for pages that are not open', async () => {
    const key = await publish('embedded', { packageName: 'com.example.odd', label: 'A "b" <i>[x]*</i>' });
    const address = `${slipway.origin}/distributions/${key}`;
    const { cookie } = await signIn(slipway, 'admin');
    const settings = async () =>
      (
        await send(slipway.port, `/distributions/${key}/settings`, {
          headers: { Cookie: cookie, Accept: 'text/html' },
        })
      ).text;
    const elements = readElements(await settings());
    const texts = elements.filter(({ tag }) => tag === 'code').map(({ text }) => text);
    expect(texts).toEqual(
      expect.arrayContaining([
        `[![A "b" \\<i\\>\\[x\\]\\*\\</i\\>](${address}/latest.svg)](${address})`,
        `<a href="${address}"><img src="${address}/latest.svg" alt="A &quot;b&quot; &lt;i>[x]*&lt;/i>"/></a>`,
        expect.stringContaining(`](${address}/qr.svg)](${address})`),
      ]),
    );
    await setRules(key, { access: 'members' });
    expect(await settings()).not.toContain('latest.svg');
  });
});

describe('a badge', () => {
  const of = (label: string, value = '1.0') => badgeSvg({ label, value }, true);

  it('is as wide as its text, in every script, and shortens what is long', () => {
    const lengthOf = (label: string) => Number(/textLength="([\d.]+)"/.exec(of(label))?.[1]);
    // Verdana at eleven pixels; other letters are square, half as wide, or have an average width.
    expect(['iii', 'MMM', '潮見アプリ', 'ｱﾌﾟﾘ', 'Ёлка'].map(lengthOf)).toEqual([9, 27.8, 55, 22, 28.6]);
    expect(lengthOf('e\u0301e\u0301')).toBe(lengthOf('ee'));
    expect(lengthOf('👩‍👩‍👧‍👦')).toBe(11);
    expect(widthOf(of('MMM')) - widthOf(of('iii'))).toBe(18);
    const long = of('x'.repeat(9999), '9'.repeat(9999));
    expect(long.match(/>[x9]+…</g)?.map((text) => text.length - 2)).toEqual([40, 32]);
    expect(titleOf(long)).toBe(`${'x'.repeat(99)}…: ${'9'.repeat(99)}…`);
    expect(long.length).toBeLessThan(2500);
  });

  it('stays well-formed, on one line and in one direction for hostile text', () => {
    const hostile = '</title><script>alert(1)</script>&\0\u001b[31m\ud800\ufffe\u202e"\'\n]]>';
    const svg = of(hostile, hostile);
    expect(readElements(svg).map(({ tag }) => tag)).toEqual(readElements(of('a')).map(({ tag }) => tag));
    for (const mark of ['\0', '\u001b', '\u202e', '\ufffe', '<script']) expect(svg).not.toContain(mark);
    expect(svg.split('\n').length).toBe(of('a').split('\n').length);
    expect(svg.isWellFormed()).toBe(true);
    expect(widthOf(of('', ''))).toBeGreaterThan(30);
  });
});
