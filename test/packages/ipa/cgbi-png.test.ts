import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { decodeCgbiPng } from '../../../src/packages/ipa/cgbi-png.ts';
import { maxPngChunks, readPngChunks, writePng } from '../../../src/packages/ipa/png-chunks.ts';
import { UnreadablePackage } from '../../../src/packages/package-info.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { fileInMemory } from '../../support/build-zip.ts';
import { fixturesOfRun, sharedFixturePath, sharedFixturesPresent } from '../../support/shared-fixtures.ts';
import { buildPng, type PngSpec } from './build-png.ts';

const size = { width: 13, height: 11 };

async function pixels(png: Buffer): Promise<Buffer> {
  return sharp(png).toColorspace('rgb16').raw({ depth: 'ushort' }).toBuffer();
}

/** Opaque, so that multiplying by alpha loses nothing. */
function sampleAt(colorType: number, bitDepth: number): NonNullable<PngSpec['pixel']> {
  const full = 2 ** bitDepth - 1;
  return (x, y) => {
    const colors = [(x * 977 + y * 13) % (full + 1), (y * 331) % (full + 1), ((x + y) * 57) % (full + 1)];
    if (colorType === 0 || colorType === 3) return colors.slice(0, 1);
    if (colorType === 4) return [colors[0] ?? 0, full];
    return colorType === 2 ? colors : [...colors, full];
  };
}

const palette = {
  type: 'PLTE',
  data: Buffer.from(Array.from({ length: 768 }, (_, index) => (index * 31) % 256)),
};

describe('Apple\u2019s CgBI PNG format', () => {
  const kinds: [number, number][] = [
    [0, 1],
    [0, 2],
    [0, 4],
    [0, 8],
    [0, 16],
    [2, 8],
    [2, 16],
    [3, 1],
    [3, 2],
    [3, 4],
    [3, 8],
    [4, 8],
    [4, 16],
    [6, 8],
    [6, 16],
  ];
  const cases = kinds.flatMap(([colorType, bitDepth]) =>
    [false, true].map((interlaced) => [colorType, bitDepth, interlaced] as const),
  );

  it.each(cases)(
    'has the same pixels: color type %i, %i bits, interlaced %s',
    async (colorType, bitDepth, interlaced) => {
      const chunks =
        colorType === 3 ? [{ ...palette, data: palette.data.subarray(0, 3 * 2 ** bitDepth) }] : [];
      const spec = {
        ...size,
        colorType,
        bitDepth,
        interlaced,
        chunks,
        pixel: sampleAt(colorType, bitDepth),
        filter: (line: number) => line % 5,
      };
      const decoded = decodeCgbiPng(buildPng({ ...spec, cgbi: true }));
      expect(await pixels(decoded)).toEqual(await pixels(buildPng(spec)));
      expect(await sharp(decoded).metadata()).toMatchObject(size);
    },
  );

  it('is un-premultiplied', async () => {
    const spec = {
      ...size,
      pixel: (x: number, y: number) => [200, 100, 50, Math.min(255, 20 + x * 15 + y * 5)],
    };
    const decoded = await sharp(decodeCgbiPng(buildPng({ ...spec, cgbi: true })))
      .raw()
      .toBuffer();
    const expected = await sharp(buildPng(spec)).raw().toBuffer();
    const largest = Math.max(...decoded.map((value, index) => Math.abs(value - (expected[index] ?? 0))));
    expect(largest).toBeLessThanOrEqual(Math.ceil(255 / 20 / 2));
    expect(decoded.filter((_, index) => index % 4 === 3)).toEqual(
      expected.filter((_, index) => index % 4 === 3),
    );
  });

  it('yields transparent pixels for zero alpha and never exceeds full color', async () => {
    const raw = {
      ...size,
      cgbi: true,
      alphaInfo: 5,
      pixel: (x: number) => [10, 255, 30, x % 2 === 0 ? 0 : 128],
    };
    const bytes = buildPng(raw);
    bytes[8 + 8 + 3] = 2;
    const decoded = await sharp(decodeCgbiPng(bytes)).raw().toBuffer();
    expect([...decoded.subarray(0, 8)]).toEqual([0, 0, 0, 0, 20, 255, 60, 128]);
  });

  it('is opaque when the chunk says that alpha is unused', async () => {
    const spec = { ...size, cgbi: true, alphaInfo: 6, pixel: () => [1, 2, 3, 0] };
    const decoded = await sharp(decodeCgbiPng(buildPng(spec)))
      .raw()
      .toBuffer();
    expect([...decoded.subarray(0, 4)]).toEqual([1, 2, 3, 255]);
  });

  it('can contain image data in many chunks, and loses chunks that point into them', () => {
    const chunks = readPngChunks(buildPng({ ...size, cgbi: true })).flatMap((chunk) =>
      chunk.type === 'IDAT'
        ? [
            { type: 'iDOT', data: Buffer.alloc(28) },
            ...[...chunk.data].map((byte) => ({ type: 'IDAT', data: Buffer.from([byte]) })),
          ]
        : [chunk],
    );
    const decoded = decodeCgbiPng(writePng(chunks));
    expect(readPngChunks(decoded).map(({ type }) => type)).toEqual(['IHDR', 'IDAT']);
  });

  it('does not affect a standard PNG', () => {
    const standard = buildPng(size);
    expect(decodeCgbiPng(standard)).toBe(standard);
  });

  it.each([
    ['what is no PNG', Buffer.from('GIF89a'), 'is not a PNG'],
    ['no header', writePng([{ type: 'CgBI', data: Buffer.alloc(4) }]), 'its header is malformed'],
    ['no pixels', headed(0, 5, 6, 8), 'it has no pixels'],
    ['too many pixels', headed(60_000, 60_000, 6, 8), 'more than 16777216 pixels'],
    ['an unknown color type', headed(5, 5, 5, 8), 'its header is malformed'],
    ['cut image data', cut(buildPng({ ...size, cgbi: true }), 40), 'not readable'],
    ['too much image data', withHeight(buildPng({ ...size, cgbi: true }), 3), 'not readable'],
    ['too little image data', withHeight(buildPng({ ...size, cgbi: true }), 90), 'is truncated'],
    ['an unknown filter', buildPng({ ...size, cgbi: true, filter: () => 9 }), 'an unknown filter'],
    ['too many chunks', manyChunks(), `more than ${maxPngChunks} chunks`],
  ])('is rejected for %s', (_name, bytes, words) => {
    expect(() => decodeCgbiPng(bytes)).toThrow(UnreadablePackage);
    expect(() => decodeCgbiPng(bytes)).toThrow(words);
  });

  it('is rejected or decoded without other errors when any byte changes', () => {
    const bytes = buildPng({ ...size, cgbi: true, filter: (line) => line % 5 });
    for (let position = 8; position < bytes.length; position++) {
      const changed = Buffer.from(bytes);
      changed[position] = (changed[position] ?? 0) ^ 0x2b;
      try {
        decodeCgbiPng(changed);
      } catch (error) {
        expect(error).toBeInstanceOf(UnreadablePackage);
      }
    }
  });
});

function headed(width: number, height: number, colorType: number, bitDepth: number): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([bitDepth, colorType], 8);
  return writePng([
    { type: 'CgBI', data: Buffer.alloc(4) },
    { type: 'IHDR', data },
    { type: 'IDAT', data: Buffer.alloc(4) },
  ]);
}

function cut(bytes: Buffer, missing: number): Buffer {
  return bytes.subarray(0, bytes.length - missing);
}

function withHeight(bytes: Buffer, height: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt32BE(height, changed.indexOf('IHDR') + 8);
  return changed;
}

function manyChunks(): Buffer {
  const head = { type: 'CgBI', data: Buffer.alloc(4) };
  return writePng([
    head,
    ...Array.from({ length: maxPngChunks }, () => ({ type: 'IDAT', data: Buffer.alloc(0) })),
  ]);
}

describe.skipIf(!sharedFixturesPresent)('images of real packages (needs ../shared/fixtures)', () => {
  const paths = fixturesOfRun()
    .map(({ path }) => path)
    .filter((path) => path.startsWith('ipa/') && !path.includes('ContainsWatchApp'));

  it.each(paths)('%s', async (path) => {
    const archive = await openZip(fileInMemory(readFileSync(sharedFixturePath(path))));
    for (const entry of archive.entries) {
      if (!entry.name.endsWith('.png') || entry.name.startsWith('__MACOSX/')) continue;
      const decoded = decodeCgbiPng(await archive.read(entry, 1_000_000));
      await expect(sharp(decoded, { failOn: 'warning' }).stats()).resolves.toBeDefined();
    }
  });
});
