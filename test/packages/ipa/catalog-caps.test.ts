/** Limits of asset catalogs, each reached and exceeded. */
import { describe, expect, it } from 'vitest';
import {
  maxAssetCatalogBytes,
  maxKeyAttributes,
  readAssetCatalogIcon,
} from '../../../src/packages/ipa/asset-catalog/asset-catalog.ts';
import {
  maxTreeDepth,
  openBomStore,
  readBomTree,
} from '../../../src/packages/ipa/asset-catalog/bom-store.ts';
import { decodeDeepmap2, maxTiles } from '../../../src/packages/ipa/asset-catalog/deepmap2.ts';
import {
  decodeDeepmapImage,
  maxPaddingRows,
  maxPaletteColors,
  maxStreams,
} from '../../../src/packages/ipa/asset-catalog/deepmap2-image.ts';
import {
  decompressLzfse,
  maxLiteralsPerBlock,
  maxMatchesPerBlock,
} from '../../../src/packages/ipa/asset-catalog/lzfse.ts';
import { decodePaletteImage, maxColors } from '../../../src/packages/ipa/asset-catalog/palette-image.ts';
import type { Rendition } from '../../../src/packages/ipa/asset-catalog/rendition.ts';
import {
  decodePixels,
  maxRenditionPieces,
  maxRowPaddingBytes,
} from '../../../src/packages/ipa/asset-catalog/rendition-pixels.ts';
import { decodeCgbiPng } from '../../../src/packages/ipa/cgbi-png.ts';
import { maxPngSide, readPngSize, writePng } from '../../../src/packages/ipa/png-chunks.ts';
import { maxPngPixels } from '../../../src/packages/ipa/png-scanlines.ts';
import {
  bitmap,
  buildAssetCatalog,
  buildBomStore,
  buildPage,
  lzfseRaw,
  rawFile,
  uint16s,
  uint32s,
} from './build-asset-catalog.ts';
import { buildPng } from './build-png.ts';
import { encodeDeepmap2, tile } from './encode-deepmap2.ts';

const white = (pixels: number) => Buffer.alloc(pixels * 4, 0xff);

describe('the container limits', () => {
  it('maxKeyAttributes: apply to the attributes of a key', () => {
    const keyFormat = (count: number) => [
      7,
      12,
      17,
      2,
      ...Array.from({ length: count - 4 }, (_, index) => 100 + index),
    ];
    const rendition = { width: 1, height: 1, key: { 17: 1, 2: 220 }, payload: bitmap(0, white(1)) };
    const catalog = (count: number) =>
      buildAssetCatalog({ facets: { AppIcon: 1 }, renditions: [rendition], keyFormat: keyFormat(count) });
    expect(readAssetCatalogIcon(catalog(maxKeyAttributes))?.width).toBe(1);
    expect(() => readAssetCatalogIcon(catalog(maxKeyAttributes + 1))).toThrow('attributes');
  });

  it('maxTreeDepth: apply to nested tree pages', () => {
    const store = (depth: number) => {
      const tree = Buffer.concat([Buffer.from('tree'), uint32s(1, 2).swap32()]);
      const pages = Array.from({ length: depth }, (_, index) => buildPage(false, [[index + 3, 0]]));
      return openBomStore(buildBomStore([Buffer.alloc(0), tree, ...pages, buildPage(true, [])], [['T', 1]]));
    };
    expect(readBomTree(store(maxTreeDepth - 1), 'T')).toEqual([]);
    expect(() => readBomTree(store(maxTreeDepth), 'T')).toThrow('too deep');
  });
});

describe('the image limits', () => {
  const rendition: Rendition = {
    width: 1,
    height: 1,
    pixelFormat: 'ARGB',
    layout: 12,
    name: '',
    rowBytes: null,
    link: null,
    payload: Buffer.alloc(0),
  };

  it('maxPngPixels: apply to PNG files', () => {
    const side = Math.sqrt(maxPngPixels);
    const fits = { ...rendition, width: side, height: side, payload: bitmap(0, Buffer.alloc(0)) };
    expect(() => decodePixels(fits)).toThrow('lacks rows');
    expect(() => decodePixels({ ...fits, height: side + 1 })).toThrow('invalid size');
  });

  it('maxAssetCatalogBytes: apply to a compressed file in the catalog', () => {
    // A JPEG followed by zeros: one literal zero, then matches of 271 bytes, with the opcodes in lzvn.ts.
    const zeros = (count: number) => {
      const matches = Math.ceil(count / 271);
      const lzvn = [
        Buffer.from([0x40, 0x01, 0]),
        Buffer.alloc(matches * 2, 'f0ff', 'hex'),
        Buffer.from([6, 0, 0, 0, 0, 0, 0, 0]),
      ];
      const payload = Buffer.concat(lzvn);
      return Buffer.concat([Buffer.from('bvxn'), uint32s(4 + matches * 271, payload.length), payload]);
    };
    const icon = (count: number) => {
      const start = Buffer.from('ffd8ffe0', 'hex');
      const packed = [Buffer.from('bvx-'), uint32s(start.length), start, zeros(count), Buffer.from('bvx$')];
      const payload = rawFile(Buffer.concat(packed));
      const rendition = { width: 9, height: 9, key: { 17: 1, 2: 220 }, layout: 1000, payload };
      return readAssetCatalogIcon(buildAssetCatalog({ facets: { AppIcon: 1 }, renditions: [rendition] }));
    };
    expect(icon(maxAssetCatalogBytes / 64)?.bytes.length).toBeGreaterThan(maxAssetCatalogBytes / 64);
    expect(icon(maxAssetCatalogBytes)).toBeNull();
  });

  it('maxRowPaddingBytes: apply to the bytes between rows', () => {
    const padded = (padding: number) => ({
      ...rendition,
      rowBytes: 4 + padding,
      payload: bitmap(0, Buffer.alloc(4 + padding, 0xff)),
    });
    expect(decodePixels(padded(maxRowPaddingBytes)).data).toEqual(white(1));
    expect(() => decodePixels(padded(maxRowPaddingBytes + 1))).toThrow('invalid rows');
  });

  it('maxRenditionPieces: apply to the pieces of a rendition', () => {
    const pieces = (count: number) => [
      ...Array.from({ length: count - 1 }, () => ({ rows: 0, bytes: Buffer.alloc(0) })),
      { rows: 1, bytes: white(1) },
    ];
    const decode = (count: number) => decodePixels({ ...rendition, payload: bitmap(0, pieces(count)) }).data;
    expect(decode(maxRenditionPieces)).toEqual(white(1));
    expect(() => decode(maxRenditionPieces + 1)).toThrow(`more than ${maxRenditionPieces} pieces`);
  });

  it('maxColors: apply to a palette', () => {
    const image = (count: number) =>
      Buffer.concat([uint32s(0xcafef00d, 1), uint16s(count), white(count), uint16s(0)]);
    expect(decodePaletteImage(image(maxColors), 1, 1)).toEqual(white(1));
    expect(() => decodePaletteImage(image(maxColors + 1), 1, 1)).toThrow('palette');
  });

  it('maxPaletteColors: apply to a deepmap2 palette', () => {
    const image = (count: number) => {
      const stream = lzfseRaw(Buffer.from([0]));
      const content = [uint16s(count, 4), white(count), uint32s(stream.length), stream];
      return Buffer.concat([Buffer.from('dmp2'), Buffer.from([4, 0, 0, 4]), uint16s(1, 1), ...content]);
    };
    expect(decodeDeepmapImage(image(maxPaletteColors), 1, 1)).toEqual(white(1));
    expect(() => decodeDeepmapImage(image(maxPaletteColors + 1), 1, 1)).toThrow('invalid palette');
  });

  it('maxPaddingRows: apply to deepmap2 rows past the last', () => {
    const image = (paddingRows: number) =>
      encodeDeepmap2({ rgba: white(1), width: 1, method: 2, paddingRows });
    expect(decodeDeepmap2(image(maxPaddingRows), 1, 1)).toEqual(white(1));
    expect(() => decodeDeepmap2(image(maxPaddingRows + 1), 1, 1)).toThrow('decompresses to more');
  });

  it('maxStreams: apply to deepmap2 streams', () => {
    const empty = lzfseRaw(Buffer.alloc(0));
    const full = lzfseRaw(white(1));
    const image = (count: number) => {
      const streams = [...Array.from({ length: count - 1 }, () => empty), full];
      const content = streams.flatMap((stream) => [uint32s(stream.length), stream]);
      return Buffer.concat([Buffer.from('dmp2'), Buffer.from([3, 0, 0, 4]), uint16s(1, 1), ...content]);
    };
    expect(decodeDeepmapImage(image(maxStreams), 1, 1)).toEqual(white(1));
    expect(() => decodeDeepmapImage(image(maxStreams + 1), 1, 1)).toThrow();
  });

  it('maxTiles: apply to deepmap2 tiles', () => {
    const pixel = encodeDeepmap2({ rgba: white(1), width: 1, method: 1 }).subarray(16);
    const image = (count: number) => {
      const tiles = Buffer.concat(Array.from({ length: count }, (_, row) => tile(0, row, pixel)));
      return Buffer.concat([uint32s(1, 4, tiles.length, 0), tiles]);
    };
    expect(decodeDeepmap2(image(maxTiles), 1, maxTiles)).toEqual(white(maxTiles));
    expect(() => decodeDeepmap2(image(maxTiles + 1), 1, maxTiles + 1)).toThrow('a tile is malformed');
  });
});

describe('the LZFSE limits', () => {
  /** A block that states these counts of literals and matches but contains none. */
  function block(literals: number, matches: number): Buffer {
    const fields = Buffer.alloc(24);
    fields.writeBigUInt64LE(BigInt(literals) | (BigInt(matches) << 40n) | (7n << 60n), 0);
    fields.writeBigUInt64LE(7n << 60n, 8);
    fields.writeBigUInt64LE(32n, 16);
    return Buffer.concat([Buffer.from('bvx2'), uint32s(0), fields, Buffer.from('bvx$')]);
  }

  it('maxLiteralsPerBlock and maxMatchesPerBlock: apply to a block', () => {
    expect(decompressLzfse(block(0, 0), 0)).toEqual(Buffer.alloc(0));
    const invalidState = 'invalid state';
    expect(() => decompressLzfse(block(maxLiteralsPerBlock, 0), 0)).toThrow(invalidState);
    expect(() => decompressLzfse(block(0, maxMatchesPerBlock), 0)).toThrow(invalidState);
    expect(() => decompressLzfse(block(maxLiteralsPerBlock + 1, 0), 0)).toThrow('malformed block');
    expect(() => decompressLzfse(block(0, maxMatchesPerBlock + 1), 0)).toThrow('malformed block');
  });
});

it('maxPngSide: limits the stated width and height of a PNG', () => {
  const header = (width: number, height: number) => {
    const data = Buffer.alloc(13);
    data.writeUInt32BE(width, 0);
    data.writeUInt32BE(height, 4);
    return writePng([{ type: 'IHDR', data }]);
  };
  expect(readPngSize(header(maxPngSide, 1))).toEqual({ width: maxPngSide, height: 1 });
  expect(readPngSize(header(maxPngSide + 1, 1))).toBeNull();
  expect(readPngSize(header(1, maxPngSide + 1))).toBeNull();
});

it('maxPngSide: limits the width and height of a CgBI PNG', () => {
  const png = (width: number) => buildPng({ width, height: 1, colorType: 0, bitDepth: 1, cgbi: true });
  expect(readPngSize(decodeCgbiPng(png(maxPngSide)))).toEqual({ width: maxPngSide, height: 1 });
  expect(() => decodeCgbiPng(png(maxPngSide + 1))).toThrow('wider or higher');
});
