import sharp from 'sharp';
import { expect, test } from 'vitest';
import { readRasterHeader } from '../../../src/packages/apk/raster-header.ts';

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: '#12345678' } });

test.each([
  ['png', () => picture(192, 191).png().toBuffer()],
  ['jpeg', () => picture(192, 191).jpeg().toBuffer()],
  ['jpeg', () => picture(192, 191).jpeg({ progressive: true }).withMetadata().toBuffer()],
  ['webp', () => picture(192, 191).webp({ lossless: true }).toBuffer()],
  ['webp', () => picture(192, 191).webp().toBuffer()],
  ['webp', () => picture(192, 191).removeAlpha().webp().toBuffer()],
  ['gif', () => picture(192, 191).gif().toBuffer()],
  ['avif', () => picture(192, 191).avif({ effort: 0 }).toBuffer()],
])('the header of a %s gives its size', async (kind, make) => {
  expect(readRasterHeader(await make())).toEqual({ kind, width: 192, height: 191 });
});

test('other and truncated files are not recognized as pictures', async () => {
  expect(readRasterHeader(Buffer.alloc(0))).toBeNull();
  expect(readRasterHeader(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toBeNull();
  const jpeg = await picture(9, 9).jpeg().toBuffer();
  for (let length = 0; length < 100; length++) expect(readRasterHeader(jpeg.subarray(0, length))).toBeNull();
  const avif = await picture(9, 9).avif({ effort: 0 }).toBuffer();
  for (let length = 0; length < 100; length++) expect(readRasterHeader(avif.subarray(0, length))).toBeNull();
  const gif = await picture(9, 9).gif().toBuffer();
  expect(readRasterHeader(gif.subarray(0, 12))).toBeNull();
  const png = await picture(9, 9).png().toBuffer();
  expect(readRasterHeader(png.subarray(0, 23))).toBeNull();
});
