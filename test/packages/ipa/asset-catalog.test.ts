import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import {
  maxAssetCatalogBytes,
  maxIconAttempts,
  readAssetCatalogIcon,
} from '../../../src/packages/ipa/asset-catalog/asset-catalog.ts';
import {
  maxBomBlocks,
  maxBomEntries,
  maxBomVariables,
  openBomStore,
  readBomTree,
} from '../../../src/packages/ipa/asset-catalog/bom-store.ts';
import { maxRenditionPieces } from '../../../src/packages/ipa/asset-catalog/rendition-pixels.ts';
import { decodeCgbiPng } from '../../../src/packages/ipa/cgbi-png.ts';
import { UnreadablePackage } from '../../../src/packages/package-info.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { fileInMemory } from '../../support/build-zip.ts';
import { sharedFixturePath, sharedFixtures, sharedFixturesPresent } from '../../support/shared-fixtures.ts';
import {
  bitmap,
  buildAssetCatalog,
  buildBomStore,
  buildPage,
  encodeLzvn,
  encodeRuns,
  lzfseLzvn,
  lzfseRaw,
  type RenditionSpec,
  rawFile,
  uint16s,
  uint32s,
  zip,
} from './build-asset-catalog.ts';
import { encodeDeepmap2, tile } from './encode-deepmap2.ts';

const side = 12;
const icon = { 17: 1, 2: 220, 12: 2 };

/** Straight RGBA with distinct pixels that are opaque or fully transparent, so that premultiplying is exact. */
function picture(width: number, height: number): Buffer {
  const data = Buffer.alloc(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const visible = (x + y) % 7 !== 0;
      if (visible) data.set([(x * 20) % 256, (y * 19) % 256, (x * y * 3) % 256, 255], (y * width + x) * 4);
    }
  }
  return data;
}

function toBgra(rgba: Buffer): Buffer {
  const data = Buffer.from(rgba);
  for (let pixel = 0; pixel < data.length; pixel += 4)
    data.set([rgba[pixel + 2] ?? 0, rgba[pixel + 1] ?? 0, rgba[pixel] ?? 0], pixel);
  return data;
}

function rows(data: Buffer, rowBytes: number): Buffer[] {
  return Array.from({ length: data.length / rowBytes }, (_, row) =>
    data.subarray(row * rowBytes, (row + 1) * rowBytes),
  );
}

async function iconPixels(renditions: RenditionSpec[], facets: Record<string, number> = { AppIcon: 1 }) {
  const image = readAssetCatalogIcon(buildAssetCatalog({ facets, renditions }));
  if (!image) return null;
  const { data, info } = await sharp(image.bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  expect({ width: info.width, height: info.height }).toEqual({ width: image.width, height: image.height });
  return data;
}

const expected = picture(side, side);
const bgra = toBgra(expected);
const halves = [
  { rows: 5, bytes: bgra.subarray(0, 5 * side * 4) },
  { rows: 7, bytes: bgra.subarray(5 * side * 4) },
];

function paletteImage(): Buffer {
  const colors = [...new Set(rows(expected, 4).map((pixel) => pixel.toString('hex')))];
  const entries = colors.map((color) => Buffer.from(color.slice(6) + color.slice(0, 6), 'hex'));
  const words = rows(expected, side * 4).map((row) =>
    uint16s(...packBytes(rows(row, 4).map((pixel) => colors.indexOf(pixel.toString('hex'))))),
  );
  return Buffer.concat([uint32s(0xcafef00d, 1), uint16s(colors.length), ...entries, ...words]);
}

/** Two indices of 8 bits to a word, the first above. */
function packBytes(indices: number[]): number[] {
  return Array.from(
    { length: indices.length / 2 },
    (_, word) => ((indices[word * 2] ?? 0) << 8) | (indices[word * 2 + 1] ?? 0),
  );
}

describe('an icon in an asset catalog', () => {
  const padded = Buffer.concat(rows(bgra, side * 4).map((row) => Buffer.concat([row, Buffer.alloc(16)])));

  it.each([
    ['plain', bitmap(0, bgra)],
    ['plain in pieces', bitmap(0, halves)],
    ['runs', bitmap(1, encodeRuns(rows(bgra, side * 4), 4))],
    ['zlib', bitmap(2, zip(bgra))],
    ['LZVN', bitmap(3, encodeLzvn(bgra))],
    [
      'LZVN in pieces',
      bitmap(
        3,
        halves.map((piece) => ({ ...piece, bytes: encodeLzvn(piece.bytes) })),
      ),
    ],
    ['LZFSE', bitmap(4, lzfseRaw(bgra))],
    ['LZFSE of LZVN', bitmap(4, lzfseLzvn(bgra))],
    ['palette', bitmap(8, paletteImage())],
    ['palette in LZFSE', bitmap(8, lzfseRaw(paletteImage()))],
    ['deepmap2, plain', bitmap(11, encodeDeepmap2({ rgba: expected, width: side, method: 1 }))],
    ['deepmap2, compressed', bitmap(11, encodeDeepmap2({ rgba: expected, width: side, method: 3 }))],
    ['deepmap2, palette', bitmap(11, encodeDeepmap2({ rgba: expected, width: side, method: 4 }))],
    [
      'deepmap2, palette and alpha',
      bitmap(11, encodeDeepmap2({ rgba: expected, width: side, method: 4, alphaPlane: true })),
    ],
    ...[0, 1, 2, 3, 4].map((predictor): [string, Buffer] => [
      `deepmap2, predictor ${predictor}`,
      bitmap(11, encodeDeepmap2({ rgba: expected, width: side, method: 2, predictor })),
    ]),
    [
      'deepmap2, two streams',
      bitmap(11, encodeDeepmap2({ rgba: expected, width: side, method: 2, predictor: 3, rowsOfStream: 5 })),
    ],
    [
      'deepmap2, padded rows',
      bitmap(11, encodeDeepmap2({ rgba: expected, width: side, method: 2, predictor: 2, paddingRows: 4 })),
    ],
    [
      'deepmap2 in pieces',
      bitmap(11, [
        {
          rows: 5,
          bytes: encodeDeepmap2({
            rgba: expected.subarray(0, 5 * side * 4),
            width: side,
            method: 2,
            predictor: 1,
          }),
        },
        {
          rows: 7,
          bytes: encodeDeepmap2({
            rgba: expected.subarray(5 * side * 4),
            width: side,
            method: 2,
            predictor: 1,
          }),
        },
      ]),
    ],
    ['deepmap2 in tiles', bitmap(11, tiles(expected))],
  ])('is drawn: %s', async (_name, payload) => {
    expect(await iconPixels([{ width: side, height: side, key: icon, payload }])).toEqual(expected);
  });

  it('is drawn without its row padding', async () => {
    const rendition = {
      width: side,
      height: side,
      key: icon,
      rowBytes: side * 4 + 16,
      payload: bitmap(0, padded),
    };
    expect(await iconPixels([rendition])).toEqual(expected);
  });

  it('is drawn from gray and 16-bit samples', async () => {
    const gray = {
      width: 2,
      height: 1,
      key: icon,
      pixelFormat: 'GA8 ',
      payload: bitmap(0, Buffer.from([50, 100, 7, 255])),
    };
    expect([...((await iconPixels([gray])) ?? [])]).toEqual([128, 128, 128, 100, 7, 7, 7, 255]);
    const wide = {
      width: 1,
      height: 1,
      key: icon,
      pixelFormat: 'RGBW',
      payload: bitmap(0, uint16s(0x1234, 0x5678, 0x9abc, 0xffff)),
    };
    expect([...((await iconPixels([wide])) ?? [])]).toEqual([0x12, 0x56, 0x9a, 255]);
  });

  it('is un-premultiplied, or opaque when marked so', async () => {
    const pixel = Buffer.from([10, 20, 30, 100]);
    const rendition = (opaque: boolean) => [
      { width: 1, height: 1, key: icon, payload: bitmap(0, pixel, opaque) },
    ];
    expect([...((await iconPixels(rendition(false))) ?? [])]).toEqual([77, 51, 26, 100]);
    expect([...((await iconPixels(rendition(true))) ?? [])]).toEqual([30, 20, 10, 255]);
  });

  it('can be a whole file in the catalog', () => {
    const file = Buffer.from('ffd8ffe0000000', 'hex');
    for (const payload of [rawFile(file), rawFile(lzfseRaw(file))]) {
      const catalog = buildAssetCatalog({
        facets: { AppIcon: 1 },
        renditions: [{ width: 9, height: 9, key: icon, layout: 1000, payload }],
      });
      expect(readAssetCatalogIcon(catalog)).toEqual({ bytes: file, width: 9, height: 9, isAppIcon: true });
    }
  });

  it('can be cropped from a shared image', async () => {
    const sheet = picture(30, 20);
    const key = { 17: 0, 2: 181, 12: 2 };
    const size = { width: 8, height: 6 };
    const packed = { width: 30, height: 20, key, layout: 1004, payload: bitmap(0, toBgra(sheet)) };
    const data = await iconPixels([packed, { ...size, key: icon, link: { left: 3, bottom: 2, key } }]);
    const wanted = rows(sheet, 30 * 4)
      .slice(20 - 2 - 6, 20 - 2)
      .map((row) => row.subarray(3 * 4, 11 * 4));
    expect(data).toEqual(Buffer.concat(wanted));
    expect(await iconPixels([packed, { ...size, key: icon, link: { left: 25, bottom: 2, key } }])).toBeNull();
    expect(await iconPixels([{ ...size, key: icon, link: { left: 3, bottom: 2, key } }])).toBeNull();
  });
});

function tiles(rgba: Buffer): Buffer {
  const part = (left: number, top: number, width: number, height: number) => {
    const data = rows(rgba, side * 4)
      .slice(top, top + height)
      .map((row) => row.subarray(left * 4, (left + width) * 4));
    return encodeDeepmap2({ rgba: Buffer.concat(data), width, method: 2, predictor: 4 });
  };
  const parts = [
    tile(0, 0, part(0, 0, 8, 7)),
    tile(1, 0, part(8, 0, 4, 7)),
    tile(0, 1, part(0, 7, 8, 5).subarray(16)),
    tile(1, 1, part(8, 7, 4, 5)),
  ];
  return Buffer.concat([uint32s(1, 0, 0, 0), ...parts]);
}

describe('the icon choice', () => {
  const plain = (width: number, key: Record<number, number>): RenditionSpec => ({
    width,
    height: width,
    key,
    payload: bitmap(0, toBgra(picture(width, width))),
  });
  const widthOf = (renditions: RenditionSpec[], facets: Record<string, number>, name: string | null = null) =>
    readAssetCatalogIcon(buildAssetCatalog({ facets, renditions, entriesOfPage: 2 }), name)?.width ?? null;

  it('prefers the named asset, then AppIcon, then any icon, and the largest size', () => {
    const facets = { Other: 3, AppIcon: 1, Beta: 2 };
    const all = [
      plain(20, icon),
      plain(60, icon),
      plain(40, icon),
      plain(80, { 17: 2, 2: 220 }),
      plain(90, { 17: 3, 2: 181 }),
    ];
    expect(widthOf(all, facets, 'Beta')).toBe(80);
    expect(widthOf(all, facets)).toBe(60);
    expect(widthOf(all, facets, 'Missing')).toBe(60);
    expect(widthOf(all, { Other: 3, Beta: 2 })).toBe(80);
    expect(widthOf([plain(90, { 17: 3, 2: 181 })], { Other: 3 })).toBeNull();
  });

  it('prefers the regular icon to the dark one', () => {
    expect(widthOf([plain(60, { ...icon, 7: 1 }), plain(40, icon)], { AppIcon: 1 })).toBe(40);
  });

  it('falls back to the next smaller icon when the largest cannot be decoded', () => {
    const astc = { ...plain(100, icon), payload: bitmap(7, Buffer.alloc(40)) };
    const broken = { ...plain(90, icon), payload: bitmap(4, Buffer.from('bvx2')) };
    const pdf = { ...plain(80, icon), layout: 1000, payload: rawFile(Buffer.from('%PDF-1.4')) };
    expect(widthOf([astc, broken, pdf, plain(40, icon)], { AppIcon: 1 })).toBe(40);
    expect(widthOf([astc, broken, pdf], { AppIcon: 1 })).toBeNull();
  });

  it('stops after a limited number of attempts', () => {
    const astc = (width: number) => ({
      ...plain(1, icon),
      width,
      height: width,
      payload: bitmap(7, Buffer.alloc(4)),
    });
    const many = Array.from({ length: maxIconAttempts }, (_, index) => astc(200 + index));
    expect(widthOf([...many.slice(1), plain(40, icon)], { AppIcon: 1 })).toBe(40);
    expect(widthOf([...many, plain(40, { 17: 1, 2: 0 })], { AppIcon: 1 })).toBeNull();
  });

  it('finds nothing in an empty catalog', () => {
    expect(widthOf([], {})).toBeNull();
  });
});

describe('hostile catalogs', () => {
  it.each([
    ['another file', Buffer.from('not a catalog at all'), 'it is not a BOM store'],
    ['no key format', buildBomStore([Buffer.alloc(0)], []), 'it has no key format'],
    ['too many blocks', withUint32(16, maxBomBlocks + 1), `more than ${maxBomBlocks} blocks`],
    ['too many variables', withUint32(24, maxBomVariables + 1), `more than ${maxBomVariables} variables`],
    ['a tree that is none', store([Buffer.from('leaf')]), 'RENDITIONS is not a tree'],
    ['pages in a circle', circle(), 'form a cycle'],
    ['a tree without leaves', store([tree(3), buildPage(false, [[3, 0]])]), 'a tree is too deep'],
    ['entries without end', manyEntries(), `RENDITIONS has more than ${maxBomEntries} entries`],
    [
      'keys without end',
      store([], Buffer.concat([Buffer.from('tmfk'), uint32s(0, 1_000_000)])),
      'more than 64 attributes',
    ],
  ])('are rejected: %s', (_name, catalog, words) => {
    expect(() => readAssetCatalogIcon(catalog)).toThrow(UnreadablePackage);
    expect(() => readAssetCatalogIcon(catalog)).toThrow(words);
  });

  it('are rejected before they are read when they are too large', () => {
    expect(() => readAssetCatalogIcon(Buffer.alloc(maxAssetCatalogBytes + 1))).toThrow(
      `larger than ${maxAssetCatalogBytes} bytes`,
    );
  });

  it('do not create images beyond the limits', async () => {
    const bomb = Buffer.concat([
      Buffer.from([0xe1, 97, 0x00, 1]),
      Buffer.alloc(200_000, Buffer.from([0xf0, 0xff])),
    ]);
    const renditions = [
      { width: 5000, height: 5000, key: icon, payload: bitmap(0, Buffer.alloc(16)) },
      { width: 10, height: 10, key: icon, payload: bitmap(3, bomb) },
      { width: 9, height: 9, key: icon, payload: bitmap(2, zip(Buffer.alloc(1_000_000))) },
      { width: 8, height: 8, key: icon, rowBytes: 0x7fffffff, payload: bitmap(0, Buffer.alloc(16)) },
      {
        width: 7,
        height: 7,
        key: icon,
        payload: bitmap(
          0,
          Array.from({ length: maxRenditionPieces + 1 }, () => ({ rows: 0, bytes: Buffer.alloc(0) })),
        ),
      },
      { width: 6, height: 6, key: icon, payload: bitmap(0, [{ rows: 7, bytes: Buffer.alloc(6 * 7 * 4) }]) },
      { width: 5, height: 5, key: icon, payload: bitmap(0, Buffer.alloc(5 * 4 * 4)) },
    ];
    expect(await iconPixels(renditions)).toBeNull();
  });

  it('are read or rejected without other errors when any byte changes', () => {
    const renditions = [1, 2, 3, 4].map((predictor) => ({
      width: side,
      height: side,
      key: icon,
      payload: bitmap(11, encodeDeepmap2({ rgba: expected, width: side, method: 2, predictor })),
    }));
    const catalog = buildAssetCatalog({ facets: { AppIcon: 1 }, renditions, entriesOfPage: 2 });
    for (let position = 0; position < catalog.length; position += 5) {
      const changed = Buffer.from(catalog);
      changed[position] = (changed[position] ?? 0) ^ 0x81;
      try {
        readAssetCatalogIcon(changed);
      } catch (error) {
        expect(error).toBeInstanceOf(UnreadablePackage);
      }
    }
  });
});

/** Blocks from number 2 on; RENDITIONS is the first of them. */
function store(blocks: Buffer[], keyFormat = Buffer.concat([Buffer.from('tmfk'), uint32s(0, 0)])): Buffer {
  return buildBomStore(
    [Buffer.alloc(0), keyFormat, ...blocks],
    [['KEYFORMAT', 1], ...(blocks.length > 0 ? [['RENDITIONS', 2] as [string, number]] : [])],
  );
}

function tree(root: number): Buffer {
  return Buffer.concat([Buffer.from('tree'), uint32s(1, root, 4096, 1).swap32()]);
}

/** Pages that refer to the same blocks repeatedly. */
function manyEntries(): Buffer {
  const full = Array.from({ length: 0xffff }, () => [0, 0]);
  const pages = Array.from({ length: Math.ceil(maxBomEntries / full.length) }, () => buildPage(true, full));
  for (const [index, page] of pages.slice(0, -1).entries()) page.writeUInt32BE(4 + index, 4);
  return store([tree(3), ...pages]);
}

function circle(): Buffer {
  const page = buildPage(true, []);
  page.writeUInt32BE(3, 4);
  return store([tree(3), page]);
}

/** The count at the position in the header. */
function withUint32(pointer: number, value: number): Buffer {
  const catalog = buildAssetCatalog({ renditions: [] });
  catalog.writeUInt32BE(value, catalog.readUInt32BE(pointer));
  return catalog;
}

describe.skipIf(!sharedFixturesPresent)('catalogs of real packages (needs ../shared/fixtures)', () => {
  async function bundleFiles(path: string) {
    const archive = await openZip(fileInMemory(readFileSync(sharedFixturePath(path))));
    const read = async (ending: string) => {
      const entry = archive.entries.find(({ name }) => name.startsWith('Payload/') && name.endsWith(ending));
      if (!entry) throw new Error(`${path} has no ${ending}`);
      return archive.read(entry, 10_000_000);
    };
    return { catalog: await read('.app/Assets.car'), read };
  }

  it('contain exactly the pixels of the PNG files next to them', async () => {
    const { catalog, read } = await bundleFiles('ipa/Permissions.ipa');
    const image = readAssetCatalogIcon(catalog);
    const [found, beside] = await Promise.all(
      [image?.bytes ?? '', decodeCgbiPng(await read('AppIcon60x60@3x.png'))].map((png) =>
        sharp(png).ensureAlpha().raw().toBuffer(),
      ),
    );
    expect(image).toMatchObject({ width: 180, height: 180 });
    expect(found).toEqual(beside);
  });

  it.each([
    ['ipa/AppStub.ipa', 1024],
    ['ipa/test_no_versionNumber.ipa', 180],
    ['ipa/deploygate-cli_sample.ipa', null],
  ])('include %s with an icon of %s pixels', async (path, width) => {
    const { catalog } = await bundleFiles(path);
    expect(readAssetCatalogIcon(catalog)?.width ?? null).toBe(width);
  });

  it('are read up to their names', async () => {
    const names = await Promise.all(
      sharedFixtures()
        .filter(({ path, truth }) => path.startsWith('ipa/') && truth.bundles?.[0]?.assets_car)
        .map(async ({ path }) => {
          const { catalog } = await bundleFiles(path);
          return readBomTree(openBomStore(catalog), 'FACETKEYS').map(({ key }) =>
            key.toString().replace(/\0+$/, ''),
          );
        }),
    );
    expect(names.flat().toSorted()).toEqual(['AppIcon', 'AppIcon', 'AppStubIcon']);
  });
});
