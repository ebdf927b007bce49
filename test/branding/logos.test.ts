/** Logos: which files are accepted, what is stored of them, and where they appear. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logoRefusalText } from '../../src/branding/logo-form-http.ts';
import { UnreadablePackage } from '../../src/packages/package-info.ts';
import { createPackageReader } from '../../src/packages/package-reader.ts';
import { type AccountsService, type Browser, startAccountsService } from '../support/accounts-service.ts';
import { send } from '../support/http-client.ts';
import { uploaded } from '../support/interface-client.ts';
import { type FormPart, multipart } from '../support/multipart-body.ts';
import { testPassword } from '../support/test-service.ts';

const site = '/administration/branding';
const workspace = '/enterprises/docks/branding';
const maxFileBytes = 1024 * 1024;

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: '#224466' } });

/** Pixels that no encoder can compress. */
async function noise(width: number, height: number): Promise<Buffer> {
  const pixels = Buffer.alloc(width * height * 4);
  let state = 1;
  for (let at = 0; at < pixels.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    pixels[at] = state >>> 24;
  }
  return sharp(pixels, { raw: { width, height, channels: 4 } })
    .webp({ quality: 20 })
    .toBuffer();
}
let largeNoise: Promise<Buffer> | undefined;
const makeLargeNoise = () => {
  largeNoise ??= noise(512, 512);
  return largeNoise;
};

const animatedWebp = () =>
  sharp(Buffer.concat([0, 255].map((value) => Buffer.alloc(8 * 8 * 3, value))), {
    raw: { width: 8, height: 16, channels: 3, pageHeight: 8 },
  })
    .webp({ loop: 0, delay: [100, 100] })
    .toBuffer();

/** An acTL chunk after IHDR makes a PNG an animated one. Decoders that do not know it ignore it, whatever its checksum. */
async function animatedPng(): Promise<Buffer> {
  const png = await picture(8, 8).png().toBuffer();
  const chunk = Buffer.alloc(20);
  chunk.writeUInt32BE(8, 0);
  chunk.write('acTL', 4, 'latin1');
  chunk.writeUInt32BE(2, 8);
  return Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]);
}

/** A PNG of a few bytes that claims a size. */
async function claiming(width: number, height: number): Promise<Buffer> {
  const png = await picture(8, 8).png().toBuffer();
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  return png;
}

const svg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>1</script></svg>',
);

describe('logos', () => {
  let slipway: AccountsService;
  let admin: Browser;
  beforeAll(async () => {
    slipway = await startAccountsService('sqlite', []);
    await slipway.project('harbour', { workspace: 'docks' });
    admin = await slipway.browser('admin');
  });
  afterAll(() => slipway.close());

  const post = (path: string, parts: readonly FormPart[], accept = 'text/html') => {
    const { contentType, body } = multipart(parts);
    const headers = { 'Content-Type': contentType, Accept: accept, Cookie: admin.cookie };
    return send(slipway.port, path, { method: 'POST', headers, body });
  };
  const file = (bytes: Buffer) => ({
    name: 'logo',
    fileName: 'logo.png',
    contentType: 'image/png',
    content: bytes,
  });
  const put = async (bytes: Buffer, page = site) =>
    post(`${page}/logo`, [{ name: 'csrf', value: await admin.csrf() }, file(bytes)]);
  const find = (id = 'installation') => slipway.data.brands.find(id);
  const logoOf = (text: string) => /<img class="brand-logo" src="([^"]+)"[^>]*>/.exec(text)?.[0] ?? null;
  const addressOf = (text: string) => /src="([^"]+)"/.exec(logoOf(text) ?? '')?.[1] ?? '';

  it('are shown in the header instead of the mark, from an address to cache', async () => {
    expect((await slipway.stranger.get('/sign-in')).text).toContain('class="mark"');
    const source = await picture(1200, 300)
      .withExif({ IFD0: { Copyright: 'somebody' } })
      .jpeg()
      .toBuffer();
    const saved = await put(source);
    expect([saved.status, saved.headers.location]).toEqual([303, `${site}?done=logo-saved`]);
    const { text } = await slipway.stranger.get('/sign-in');
    expect(text).not.toContain('class="mark"');
    expect(logoOf(text)).toContain('alt width="512" height="128"');
    const served = await send(slipway.port, addressOf(text));
    expect(served.headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
    const facts = await sharp(served.body).metadata();
    expect(facts).toMatchObject({ format: 'png', width: 512, height: 128 });
    expect([facts.exif, facts.icc, facts.xmp]).toEqual([undefined, undefined, undefined]);
    expect(served.text).not.toContain('somebody');
    expect((await admin.get(site)).text).toContain('Remove logo');
    const log = await slipway.data.audit.page({ ownerId: null, action: 'branding.changed' }, { limit: 1 });
    expect(log).toHaveLength(1);
  });

  it('are also the icons of Workspaces, apart from their logos', async () => {
    const icon = '/enterprises/docks/icon';
    const parts = async (bytes: Buffer) => [{ name: 'csrf', value: await admin.csrf() }, file(bytes)];
    const saved = await post(icon, await parts(await picture(96, 96).png().toBuffer()));
    expect([saved.status, saved.headers.location]).toEqual([
      ...[303, '/enterprises/docks/settings?done=icon-saved'],
    ]);
    const iconOf = async () => (await slipway.data.owners.findWorkspace('docks'))?.iconUrl ?? '';
    expect(await iconOf()).toMatch(/^\/branding\/logos\/[0-9a-f]{32}-96x96\.png$/);
    expect((await admin.get('/enterprises/docks')).text).toContain(`src="${await iconOf()}"`);
    expect((await send(slipway.port, await iconOf())).headers['content-type']).toBe('image/png');
    expect(await find((await slipway.data.owners.findWorkspace('docks'))?.id)).toMatchObject({ logo: null });
    const refused = await post(icon, await parts(Buffer.from('icon')));
    expect([refused.status, refused.text.includes('not a PNG, JPEG or WebP image')]).toEqual([400, true]);
    expect((await admin.submit('/enterprises/docks/settings', 'icon/remove')).status).toBe(303);
    expect(await iconOf()).toBe('/assets/favicon.svg');
    const [entry] = await slipway.data.audit.page(
      { ownerId: null, action: 'workspace.changed' },
      { limit: 1 },
    );
    expect(entry).toMatchObject({ actorName: 'admin', subject: 'docks' });
  });

  it('are deleted with their Workspace, and so are its icon and the rest of its brand', async () => {
    await admin.post('/workspaces/new', {
      name: 'yard',
      display_name: 'Yard',
      csrf: await admin.csrf(),
      proof: testPassword,
    });
    const bytes = await picture(50, 40).png().toBuffer();
    for (const place of ['branding/logo', 'icon']) {
      const parts = [{ name: 'csrf', value: await admin.csrf() }, file(bytes)];
      expect((await post(`/enterprises/yard/${place}`, parts)).status).toBe(303);
    }
    const count = async () => (await slipway.data.brands.listAll()).size;
    const before = await count();
    const deletion = { confirmation: 'yard', csrf: await admin.csrf(), proof: testPassword };
    expect((await admin.post('/enterprises/yard/delete', deletion)).status).toBe(303);
    expect(await count()).toBe(before - 2);
  });

  it.each<[string, () => Promise<Buffer>]>([
    ['PNG', () => picture(64, 64).png().toBuffer()],
    ['WebP', () => picture(64, 64).webp().toBuffer()],
    ['JPEG', () => picture(64, 64).jpeg().toBuffer()],
  ])('are accepted as %s and never scaled up', async (_format, make) => {
    expect((await put(await make())).status).toBe(303);
    expect((await find()).logo).toMatch(/^[0-9a-f]{32}-64x64\.png$/);
  });

  it('take at most 64 KiB, whatever they show', async () => {
    const source = await makeLargeNoise();
    expect(source.length).toBeLessThan(maxFileBytes);
    expect((await put(source)).status).toBe(303);
    const png = await slipway.data.brands.findLogo((await find()).logo ?? '');
    expect(png?.length).toBeGreaterThan(1024);
    expect(png?.length).toBeLessThanOrEqual(64 * 1024);
  });

  it('that take too long to process are refused with their own sentence', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-logo-'));
    const path = join(folder, 'logo');
    await writeFile(path, await makeLargeNoise());
    const reader = createPackageReader({ folder: join(folder, 'packages'), limits: { maxDrawingMs: 1 } });
    const error = await reader.drawLogo(path, 'ann').catch((reason: unknown) => reason);
    await reader.close();
    await rm(folder, { recursive: true });
    if (!(error instanceof UnreadablePackage)) throw error;
    expect(logoRefusalText(error)).toBe(
      'The image took too much time or memory to process. Upload a smaller image.',
    );
  });

  it('are accepted with exactly 1 MiB and refused with a byte more', async () => {
    const png = await picture(64, 64).png().toBuffer();
    const padded = (bytes: number) => Buffer.concat([png, Buffer.alloc(bytes - png.length)]);
    expect((await put(padded(maxFileBytes))).status).toBe(303);
    const before = await find();
    const refused = await put(padded(maxFileBytes + 1));
    expect([refused.status, before]).toEqual([400, await find()]);
    expect(refused.text).toContain('File too large. The limit is 1 MiB.');
  });

  it.each<[string, () => Promise<Buffer>, string]>([
    ['an SVG', async () => svg, 'not a PNG, JPEG or WebP image'],
    ['text', async () => Buffer.from('logo'), 'not a PNG, JPEG or WebP image'],
    ['a GIF', () => picture(8, 8).gif().toBuffer(), 'not a PNG, JPEG or WebP image'],
    ['nothing', async () => Buffer.alloc(0), 'Choose a file.'],
    ['a side of 4,097 pixels', () => picture(4097, 8).png().toBuffer(), 'The limit is 4,096 pixels'],
    ['a bomb', () => claiming(60_000, 60_000), 'The limit is 4,096 pixels'],
    ['a size that its data contradicts', () => claiming(4000, 4000), 'damaged or incomplete'],
    ['an animated WebP', animatedWebp, 'The image is animated.'],
    ['an animated PNG', animatedPng, 'The image is animated.'],
    [
      'a truncated PNG',
      async () =>
        (
          await sharp(await noise(64, 64))
            .png()
            .toBuffer()
        ).subarray(0, 6000),
      'damaged or incomplete',
    ],
    [
      'a truncated JPEG',
      async () =>
        (
          await sharp(await noise(64, 64))
            .jpeg()
            .toBuffer()
        ).subarray(0, 1500),
      'damaged or incomplete',
    ],
    ['a truncated WebP', async () => (await noise(64, 64)).subarray(0, 400), 'damaged or incomplete'],
  ])('are refused as %s, and nothing changes', async (_what, make, sentence) => {
    const before = await find();
    const refused = await put(await make());
    expect(refused.status).toBe(400);
    expect(refused.text).toContain(sentence);
    expect(refused.text).toContain('aria-describedby="logo-hint logo-errors"');
    expect(await find()).toEqual(before);
    expect((await slipway.leftBehind()).spool).toEqual([]);
  });

  it('are refused without the form token, or with it too late', async () => {
    const before = await find();
    const png = await picture(9, 9).png().toBuffer();
    const csrf = { name: 'csrf', value: await admin.csrf() };
    for (const parts of [[file(png)], [file(png), csrf], [{ name: 'csrf', value: 'wrong' }, file(png)]]) {
      expect((await post(`${site}/logo`, parts)).status).toBe(403);
    }
    const two = await post(`${site}/logo`, [csrf, file(png), file(png)]);
    expect([two.status, two.text.includes('more than one file')]).toEqual([400, true]);
    expect(await find()).toEqual(before);
    expect((await slipway.leftBehind()).spool).toEqual([]);
  });

  it('of a Workspace replace the installation’s on its distribution pages, until removed', async () => {
    const built = await uploaded(slipway, { owner: 'harbour', fields: { distribution_name: 'main' } });
    const address = new URL(built.distribution?.url ?? '').pathname;
    const shown = async () => addressOf((await slipway.stranger.get(address)).text);
    const ofSite = addressOf((await slipway.stranger.get('/sign-in')).text);
    expect([ofSite, await shown()]).toEqual([expect.stringMatching(/^\/branding\/logos\//), ofSite]);
    expect((await put(await picture(40, 20).png().toBuffer(), workspace)).status).toBe(303);
    const own = await shown();
    expect(own).toMatch(/-40x20\.png$/);
    expect(addressOf((await slipway.stranger.get('/sign-in')).text)).toBe(ofSite);
    const removed = await admin.submit(workspace, 'logo/remove');
    expect(removed.headers.location).toBe(`${workspace}?done=logo-removed`);
    expect(await shown()).toBe(ofSite);
    expect((await send(slipway.port, own)).status).toBe(404);
    await admin.submit(workspace, 'save', { name: 'Docks', accent: '', support: '' });
    expect(await shown()).toBe('');
  });

  it('are kept when the other fields are saved', async () => {
    const { logo } = await find();
    expect(logo).not.toBeNull();
    await admin.submit(site, 'save', { name: 'Quay', accent: '', support: '' });
    expect(await find()).toMatchObject({ name: 'Quay', logo });
    expect((await admin.submit(site, 'logo/remove')).status).toBe(303);
    expect(await find()).toMatchObject({ name: 'Quay', logo: null });
  });
});
