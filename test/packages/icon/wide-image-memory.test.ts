/** Found by fuzzing: a one-kilobyte picture with a few lines of hundreds of thousands of pixels took gigabytes to decode. */
import { expect, it } from 'vitest';
import { cleanRaster, maxRasterSide } from '../../../src/packages/icon/clean-raster.ts';
import { buildPng } from '../ipa/build-png.ts';

it.each([
  ['wide', (side: number) => ({ width: side, height: 1 })],
  ['high', (side: number) => ({ width: 1, height: side })],
])('a picture as %s as maxRasterSide is drawn, and a larger one is not', async (_, size) => {
  const draw = (side: number) => cleanRaster(buildPng({ ...size(side), colorType: 0, bitDepth: 1 }), 1024);
  expect(await draw(maxRasterSide)).not.toBeNull();
  expect(await draw(maxRasterSide + 1)).toBeNull();
});
