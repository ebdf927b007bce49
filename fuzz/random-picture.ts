/** Random PNGs and asset catalogs, some of them malformed. */
import {
  bitmap,
  buildAssetCatalog,
  encodeLzvn,
  encodeRuns,
  lzfseLzvn,
  lzfseRaw,
  type RenditionSpec,
  rawFile,
  zip,
} from '../test/packages/ipa/build-asset-catalog.ts';
import { buildPng } from '../test/packages/ipa/build-png.ts';
import { encodeDeepmap2 } from '../test/packages/ipa/encode-deepmap2.ts';
import { encodeLzfse } from '../test/packages/ipa/encode-lzfse.ts';
import { mutateBytes } from './mutate-bytes.ts';
import { mutatePng } from './mutate-content.ts';
import type { RandomSource } from './random.ts';

const kinds = [
  [0, 1],
  [0, 8],
  [0, 16],
  [2, 8],
  [2, 16],
  [3, 4],
  [3, 8],
  [4, 8],
  [4, 16],
  [6, 8],
  [6, 16],
] as const;

export function randomPng(random: RandomSource): Buffer {
  const [colorType, bitDepth] = random.pick(kinds);
  const png = buildPng({
    width: 1 + random.below(24),
    height: 1 + random.below(24),
    colorType,
    bitDepth,
    interlaced: random.chance(0.4),
    cgbi: random.chance(0.7),
    alphaInfo: random.below(8),
    filter: () => random.below(random.chance(0.05) ? 256 : 5),
    chunks: colorType === 3 ? [{ type: 'PLTE', data: random.bytes(3 * (1 + random.below(16))) }] : [],
  });
  return random.chance(0.6) ? mutatePng(png, random) : png;
}

export function randomCatalog(random: RandomSource): Buffer {
  const sometimes = (bytes: Buffer) => (random.chance(0.3) ? mutateBytes(bytes, random) : bytes);
  const renditions = Array.from({ length: 1 + random.below(3) }, () => randomRendition(random, sometimes));
  return sometimes(buildAssetCatalog({ facets: { AppIcon: 1 }, renditions }));
}

function randomRendition(random: RandomSource, sometimes: (bytes: Buffer) => Buffer): RenditionSpec {
  const side = random.pick([1, 8, 12, 16]);
  const stated = () => (random.chance(0.9) ? side : random.pick([0, 1, 1024, 5000, 0xffff, 0xffffffff]));
  const key = { 17: 1, 2: random.pick([220, 85]), 12: 1 + random.below(3) };
  return {
    width: stated(),
    height: stated(),
    key,
    pixelFormat: random.pick(['ARGB', 'ARGB', 'ARGB', 'GA8 ', 'RGBW', 'GA16', 'DATA']),
    ...(random.chance(0.2) ? { rowBytes: random.pick([0, side * 4, side * 4 + 16, 0xffffffff]) } : {}),
    ...(random.chance(0.15) ? { link: { left: random.below(20), bottom: random.below(20), key } } : {}),
    payload: sometimes(payload(random, side, sometimes)),
  };
}

function payload(random: RandomSource, side: number, sometimes: (bytes: Buffer) => Buffer): Buffer {
  const pixels = random.chance(0.5) ? random.bytes(side * side * 4) : Buffer.alloc(side * side * 4, 0x7f);
  const rows = Array.from({ length: side }, (_, row) =>
    pixels.subarray(row * side * 4, (row + 1) * side * 4),
  );
  const deepmap = () =>
    encodeDeepmap2({ rgba: pixels, width: side, method: random.pick([1, 2, 3]), predictor: random.below(5) });
  const triplets = [
    { literals: pixels.subarray(0, 40), matchBytes: 8 + random.below(30), distance: 1 + random.below(39) },
  ];
  return random.pick<() => Buffer>([
    () => bitmap(0, sometimes(pixels)),
    () => bitmap(1, sometimes(encodeRuns(rows, 4))),
    () => bitmap(2, sometimes(zip(pixels))),
    () => bitmap(3, sometimes(encodeLzvn(pixels))),
    () => bitmap(4, sometimes(random.chance(0.5) ? lzfseRaw(pixels) : lzfseLzvn(pixels))),
    () => bitmap(4, sometimes(encodeLzfse(triplets))),
    () => bitmap(8, sometimes(lzfseRaw(pixels))),
    () => bitmap(11, sometimes(deepmap())),
    () =>
      bitmap(random.pick([3, 4]), [{ rows: random.below(side + 2), bytes: sometimes(encodeLzvn(pixels)) }]),
    () => rawFile(randomPng(random)),
  ])();
}
