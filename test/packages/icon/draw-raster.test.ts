import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { maxRasterBytes } from '../../../src/packages/icon/clean-raster.ts';
import { maxIconSidePixels } from '../../../src/packages/icon/draw-icon.ts';
import { drawIconOfFile } from '../../../src/packages/icon/draw-icon-from-file.ts';
import { openPixels } from '../../../src/packages/icon/image-library.ts';
import type { IconChoice } from '../../../src/packages/package-info.ts';
import { bitmap, buildAssetCatalog } from '../ipa/build-asset-catalog.ts';
import { buildPng } from '../ipa/build-png.ts';
import { startProcessorTime } from '../processor-time.ts';
import { buildIconPackage, drawPackage, pixelsOf, plainPng } from './build-icon-package.ts';

const draw = (content: Buffer, kind: IconChoice['kind'] = 'png') =>
  drawPackage({ files: { 'icon.png': content } }, { kind, source: 'icon.png' });

const red = (width: number, height: number) =>
  openPixels(Buffer.alloc(width * height * 4, Buffer.from([255, 0, 0, 255])), width, height);

describe('the raster reader', () => {
  test('keeps the size and pixels of a PNG', async () => {
    const pixel = (x: number, y: number) => [x * 20, y * 20, 7, 128 + x];
    const pixels = await pixelsOf(await draw(buildPng({ width: 7, height: 5, pixel })));
    expect([pixels.width, pixels.height]).toEqual([7, 5]);
    expect(pixels.at(3.5 / 7, 2.5 / 5)).toBe('#3c280783');
  });

  test.each([
    ['a WebP', () => red(40, 40).webp({ lossless: true }).toBuffer()],
    ['a JPEG', () => red(40, 40).removeAlpha().jpeg({ quality: 100 }).toBuffer()],
    ['a GIF', () => red(40, 40).gif().toBuffer()],
    ['an AVIF', () => red(40, 40).avif({ lossless: true, effort: 0 }).toBuffer()],
    ['a palette PNG', () => red(40, 40).png({ palette: true }).toBuffer()],
    ['an interlaced PNG', () => red(40, 40).png({ progressive: true }).toBuffer()],
    ['a 16-bit PNG', () => red(40, 40).toColorspace('rgb16').png().toBuffer()],
    [
      'Apple’s PNG',
      async () => buildPng({ width: 40, height: 40, cgbi: true, pixel: () => [255, 0, 0, 255] }),
    ],
  ])('converts %s to an 8-bit PNG', async (_, build) => {
    const png = await draw(await build());
    const pixels = await pixelsOf(png);
    expect([pixels.width, pixels.height]).toEqual([40, 40]);
    expect(pixels.at(0.5, 0.5)).toMatch(/^#f[ef]0[01]0[01]ff$/);
    expect(png?.readUInt8(24)).toBe(8);
  });

  test('ignores a wrong file type', async () => {
    const pixels = await pixelsOf(await draw(await red(9, 9).webp({ lossless: true }).toBuffer(), 'png'));
    expect(pixels.at(0.5, 0.5)).toBe('#ff0000ff');
  });

  test('scales down a large picture and keeps the proportions of a wide one', async () => {
    const pixels = await pixelsOf(await draw(await plainPng(3000, 1500, 0x00ff00ff)));
    expect([pixels.width, pixels.height]).toEqual([maxIconSidePixels, maxIconSidePixels / 2]);
    expect(pixels.at(0.5, 0.5)).toBe('#00ff00ff');
  });

  test('strips metadata', async () => {
    const withText = await red(9, 9)
      .withExif({ IFD0: { Copyright: 'secret words' } })
      .withIccProfile('p3')
      .png()
      .toBuffer();
    expect(withText.includes('eXIf')).toBe(true);
    const png = await draw(withText);
    expect(png?.includes('secret words')).toBe(false);
    expect(chunkNames(png)).toEqual(['IHDR', 'IDAT', 'IEND']);
  });

  test('uses only the first frame of an animation', async () => {
    const frames = Buffer.concat([Buffer.alloc(400, 255), Buffer.alloc(400, 127)]);
    const raw = { width: 10, height: 20, pageHeight: 10, channels: 4 } as const;
    const animation = await sharp(frames, { raw }).webp({ lossless: true, loop: 0 }).toBuffer();
    expect((await sharp(animation).metadata()).pages).toBe(2);
    const pixels = await pixelsOf(await draw(animation));
    expect([pixels.width, pixels.height]).toEqual([10, 10]);
    expect(pixels.at(0.5, 0.5)).toBe('#ffffffff');
  });
});

describe('the catalog reader', () => {
  const catalog = (payload: Buffer) =>
    buildAssetCatalog({
      facets: { AppIcon: 1 },
      renditions: [{ width: 2, height: 2, key: { 2: 220, 17: 1 }, rowBytes: 8, payload }],
    });

  test('draws the icon in an asset catalog', async () => {
    const blueGreenRed = Buffer.alloc(16, Buffer.from([0x10, 0x20, 0x30, 0xff]));
    const pixels = await pixelsOf(await draw(catalog(bitmap(0, blueGreenRed)), 'asset-catalog'));
    expect(pixels.at(0.5, 0.5)).toBe('#302010ff');
  });

  test('draws nothing for a damaged catalog', async () => {
    expect(await draw(Buffer.from('BOMStore, or not'), 'asset-catalog')).toBeNull();
    expect(await draw(catalog(Buffer.from('x')), 'asset-catalog')).toBeNull();
  });
});

describe('the reader draws nothing for', () => {
  const svgFile =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';

  test.each<[string, () => Promise<Buffer> | Buffer]>([
    ['an empty file', () => Buffer.alloc(0)],
    ['other bytes', () => Buffer.from('not a picture at all, but long enough to be looked at')],
    ['an SVG', () => Buffer.from(svgFile)],
    ['an AVIF that is truncated', async () => cutInHalf(await red(500, 500).avif({ effort: 0 }).toBuffer())],
    ['a TIFF', () => red(9, 9).tiff().toBuffer()],
    ['a PNG that is truncated', async () => cutInHalf(await plainPng(500, 500, 0x12345678))],
    ['a WebP that is truncated', async () => cutInHalf(await red(500, 500).webp({ quality: 1 }).toBuffer())],
    ['a JPEG that is only a header', async () => (await red(99, 99).jpeg().toBuffer()).subarray(0, 300)],
    ['a PNG that says it has 20,000 by 20,000 pixels', () => lyingPng(20_000, 20_000, 10)],
    ['a PNG that says it has 4,000 by 4,000 and has one row', () => lyingPng(4_000, 4_000, 1)],
    ['a PNG without pixels', () => lyingPng(0, 9, 1)],
    ['a PNG that is a bomb', () => lyingPng(8_000, 8_000, 8_000)],
    ['Apple’s PNG that is a bomb', () => lyingCgbi()],
    [
      'a file beyond the cap',
      async () => Buffer.concat([await plainPng(9, 9, 0xff), Buffer.alloc(maxRasterBytes)]),
    ],
  ])('%s', async (_, build) => {
    const content = await build();
    const takesAtMost = startProcessorTime();
    expect((await draw(content)) === null).toBe(true);
    takesAtMost(2_000);
  });

  test('a missing file', async () => {
    expect(await drawPackage({ files: {} }, { kind: 'png', source: 'icon.png' })).toBeNull();
    expect(await drawPackage({ files: {} }, { kind: 'adaptive', source: 'icon.xml' })).toBeNull();
    expect(await drawPackage({ files: {} }, { kind: 'asset-catalog', source: 'Assets.car' })).toBeNull();
  });
});

describe('files on disk', () => {
  test('are drawn and closed; a file that is not an archive draws nothing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'draw-icon-'));
    try {
      const choice = { kind: 'png', source: 'icon.png', width: null, height: null } as const;
      const path = join(folder, 'package');
      await writeFile(path, buildIconPackage({ files: { 'icon.png': await plainPng(3, 3, 0x123456ff) } }));
      expect((await pixelsOf(await drawIconOfFile(path, choice))).at(0.5, 0.5)).toBe('#123456ff');
      await writeFile(path, 'no archive');
      expect(await drawIconOfFile(path, choice)).toBeNull();
      await expect(drawIconOfFile(join(folder, 'missing'), choice)).rejects.toThrow('ENOENT');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

function chunkNames(png: Buffer | null): string[] {
  const names: string[] = [];
  for (let at = 8; png && at + 8 <= png.length; at += 12 + png.readUInt32BE(at)) {
    names.push(png.toString('latin1', at + 4, at + 8));
  }
  return [...new Set(names)].filter((name) => name !== 'pHYs');
}

const cutInHalf = (bytes: Buffer) => bytes.subarray(0, bytes.length / 2);

/** A PNG of 8-bit gray with the size in its header and this many empty rows of data. */
function lyingPng(width: number, height: number, rows: number, first: Buffer[] = []): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const data = deflateSync(Buffer.alloc((width + 1) * rows));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    ...first,
    pngChunk('IHDR', header),
    pngChunk('IDAT', data),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function lyingCgbi(): Buffer {
  return lyingPng(30_000, 30_000, 1, [pngChunk('CgBI', Buffer.from([0x50, 0, 0x20, 2]))]);
}

function pngChunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8, type);
  head.writeUInt32BE(data.length, 0);
  head.write(type, 4, 'latin1');
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(data, crc32(type)), 0);
  return Buffer.concat([head, data, checksum]);
}
