/** Limits of the pictures that people upload: logos and screenshots. */
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { cleanLogo } from '../../../src/packages/icon/clean-logo.ts';
import {
  cleanScreenshot,
  maxScreenshotFileSide,
  maxScreenshotSide,
} from '../../../src/packages/icon/clean-screenshot.ts';
import {
  maxLogoBytes,
  maxLogoFileBytes,
  maxLogoFileSide,
  maxLogoSide,
} from '../../../src/packages/logo-limits.ts';
import { maxScreenshotFileBytes } from '../../../src/packages/package-task.ts';

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#224466' } })
    .png()
    .toBuffer();
const padded = (bytes: Buffer, length: number) => Buffer.concat([bytes, Buffer.alloc(length - bytes.length)]);
const sizeOf = async (bytes: Buffer | null) => {
  const { width, height } = await sharp(bytes ?? undefined).metadata();
  return [width, height];
};

it('maxLogoFileBytes: accepted at the limit, refused with a byte more', async () => {
  const logo = await picture(8, 8);
  expect(await sizeOf(await cleanLogo(padded(logo, maxLogoFileBytes)))).toEqual([8, 8]);
  await expect(cleanLogo(padded(logo, maxLogoFileBytes + 1))).rejects.toThrow('bytes');
});

it('maxLogoFileSide and maxLogoSide: scaled down at the limit, refused with a pixel more', async () => {
  expect(await sizeOf(await cleanLogo(await picture(maxLogoFileSide, 16)))).toEqual([maxLogoSide, 2]);
  expect(await sizeOf(await cleanLogo(await picture(maxLogoSide, 16)))).toEqual([maxLogoSide, 16]);
  await expect(cleanLogo(await picture(16, maxLogoFileSide + 1))).rejects.toThrow('side');
});

it('maxLogoBytes: pixels that do not compress are scaled down until they fit', async () => {
  let state = 1;
  const pixels = Buffer.alloc(256 * 256 * 4).map(() => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
  const source = await sharp(pixels, { raw: { width: 256, height: 256, channels: 4 } })
    .png()
    .toBuffer();
  expect(source.length).toBeGreaterThan(maxLogoBytes);
  expect((await cleanLogo(source)).length).toBeLessThanOrEqual(maxLogoBytes);
});

it('maxScreenshotFileBytes: accepted at the limit, refused with a byte more', async () => {
  const screenshot = await picture(8, 8);
  expect(await sizeOf(await cleanScreenshot(padded(screenshot, maxScreenshotFileBytes)))).toEqual([8, 8]);
  expect(await cleanScreenshot(padded(screenshot, maxScreenshotFileBytes + 1))).toBeNull();
});

it('maxScreenshotFileSide and maxScreenshotSide: scaled down at the limit, refused with a pixel more', async () => {
  const [width] = await sizeOf(await cleanScreenshot(await picture(maxScreenshotFileSide, 16)));
  expect(width).toBe(maxScreenshotSide);
  expect(await cleanScreenshot(await picture(maxScreenshotFileSide + 1, 16))).toBeNull();
});

it.each(['gif', 'avif'] as const)(
  'refuses a %s as a logo and as a screenshot: only packages have such icons',
  async (format) => {
    const bytes = await sharp({ create: { width: 9, height: 9, channels: 4, background: '#123' } })
      .toFormat(format)
      .toBuffer();
    await expect(cleanLogo(bytes)).rejects.toThrow('format');
    expect(await cleanScreenshot(bytes)).toBeNull();
  },
);
