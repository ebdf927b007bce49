/** Limits of drawing one icon, each reached and exceeded. */
import { describe, expect, test } from 'vitest';
import { parseBinaryXml } from '../../../src/packages/apk/binary-xml.ts';
import { maxRasterSide } from '../../../src/packages/icon/clean-raster.ts';
import { maxSiblings, siblingRasters } from '../../../src/packages/icon/draw-icon.ts';
import { maxPicturePixels } from '../../../src/packages/icon/image-library.ts';
import {
  type DrawableFiles,
  maxDrawableXmlBytes,
  maxPathSegments,
  maxPictureBytes,
  maxPictureSide,
  maxTableBytes,
  openDrawableFiles,
} from '../../../src/packages/icon/vector/drawable-files.ts';
import { maxGradientStops, readGradient } from '../../../src/packages/icon/vector/gradient.ts';
import { maxColorDepth, readColor } from '../../../src/packages/icon/vector/paint.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { buildBinaryXml, type XmlValueSpec } from '../../support/build-binary-xml.ts';
import { buildResourceTable } from '../../support/build-resource-table.ts';
import { buildZip, fileInMemory, type ZipEntrySpec } from '../../support/build-zip.ts';
import { buildPng } from '../ipa/build-png.ts';
import {
  color,
  drawPackage,
  element,
  float,
  path,
  pixelsOf,
  plainPng,
  vector,
} from './build-icon-package.ts';

const red = color(0xffff0000);
const open = (...entries: ZipEntrySpec[]) => openZip(fileInMemory(buildZip(entries)));
const filesOf = async (...entries: ZipEntrySpec[]): Promise<DrawableFiles> =>
  openDrawableFiles(await open(...entries));

describe('drawable file limits', () => {
  test('maxDrawableXmlBytes: limits compiled XML', async () => {
    const xml = buildBinaryXml({ name: 'vector' });
    const padded = (bytes: number) => ({
      name: 'a.xml',
      content: Buffer.concat([xml, Buffer.alloc(bytes - xml.length)]),
      method: 8,
    });
    expect((await (await filesOf(padded(maxDrawableXmlBytes))).openXml('a.xml'))?.name).toBe('vector');
    expect(await (await filesOf(padded(maxDrawableXmlBytes + 1))).openXml('a.xml')).toBeNull();
  });

  test('maxTableBytes: limits the resource table', async () => {
    const content = buildResourceTable([{ types: [] }]);
    for (const method of [8, 99]) {
      const files = await filesOf({
        name: 'resources.arsc',
        content,
        method,
        uncompressedBytes: maxTableBytes + 1,
      });
      await expect(files.resolve({ kind: 'reference', id: 0x7f010000, dynamic: false })).rejects.toThrow(
        'resources.arsc in the archive is too large',
      );
    }
  });

  test('maxPictureSide: scales pictures down', async () => {
    const content = buildPng({ width: maxPictureSide + 8, height: 8, colorType: 0, bitDepth: 1 });
    const files = await filesOf({ name: 'a.png', content });
    expect(await files.openPicture('a.png', 640)).toMatchObject({
      width: maxPictureSide / 4,
      pixels: maxPictureSide * 8,
    });
  });

  test('maxPicturePixels and maxRasterSide: rejects larger pictures', async () => {
    expect(maxPicturePixels).toBe(maxRasterSide * maxRasterSide);
    const content = buildPng({ width: maxRasterSide + 1, height: 1, colorType: 0, bitDepth: 1 });
    expect(await (await filesOf({ name: 'a.png', content })).openPicture('a.png', 640)).toBeNull();
  });

  test('maxPictureBytes: limits all pictures of an icon together', async () => {
    const noise = buildPng({
      width: 900,
      height: 900,
      pixel: (x, y) => [0, 8, 16, 24].map((shift) => (Math.imul(x * 8191 + y, 0x9e3779b1) >>> shift) & 0xff),
    });
    const names = ['a.png', 'b.png', 'c.png', 'd.png'];
    const files = await filesOf(...names.map((name) => ({ name, content: noise })));
    const open = async () => {
      let bytes = 0;
      for (const name of names) bytes += (await files.openPicture(name, 640))?.address.length ?? 0;
      return bytes;
    };
    expect(noise.length * 4).toBeGreaterThan(maxPictureBytes);
    await expect(open()).rejects.toThrow('too complex');
  });
});

describe('shape limits', () => {
  test('maxPathSegments: limits all paths together', async () => {
    const files = await filesOf({ name: 'a' });
    files.spend('pathSegments', maxPathSegments - 100);
    files.spend('pathSegments', 100);
    expect(() => files.spend('pathSegments', 1)).toThrow('too complex');
    const lines = (count: number) => path(`M0 0${'h1'.repeat(count)}v9z`, { fillColor: red });
    const draw = (count: number) =>
      drawPackage({ files: { 'icon.xml': vector(24, [lines(count), lines(count)]) } });
    expect(await draw(100)).not.toBeNull();
    expect(await draw(maxPathSegments / 2)).toBeNull();
  });

  test('maxColorDepth: limits colors that refer to colors', async () => {
    const list = (to: XmlValueSpec) =>
      buildBinaryXml(element('selector', {}, [element('item', { color: to })]));
    const color = async (depth: number) => {
      const files = Array.from({ length: depth }, (_, index) => ({
        name: `${index}.xml`,
        content: list(index === depth - 1 ? red : `${index + 1}.xml`),
      }));
      return readColor(await filesOf(...files), { kind: 'string', text: '0.xml' });
    };
    expect(await color(maxColorDepth)).toBe(0xffff0000);
    expect(await color(maxColorDepth + 1)).toBeNull();
  });

  test('maxGradientStops: skips further stops', async () => {
    const item = element('item', { offset: float(0.5), color: red });
    const gradient = element(
      'gradient',
      {},
      Array.from({ length: maxGradientStops + 1 }, () => item),
    );
    const files = await filesOf({ name: 'a' });
    const read = await readGradient(files, parseBinaryXml(buildBinaryXml(gradient)), (value) =>
      readColor(files, value),
    );
    expect(read?.stops).toHaveLength(maxGradientStops);
  });
});

describe('substitute pictures for a drawable that cannot be drawn', () => {
  test('have its name, the highest density first, up to maxSiblings', async () => {
    const names = [
      'res/mipmap-hdpi/icon.png',
      'res/mipmap-xxhdpi-v4/icon.webp',
      'res/mipmap/icon.png',
      'res/mipmap-xxhdpi/other.png',
      'res/layout/icon.png',
      'assets/icon.png',
    ];
    const archive = await open(...names.map((name) => ({ name })));
    expect(siblingRasters(archive, 'res/mipmap-anydpi-v26/icon.xml')).toEqual([
      'res/mipmap-xxhdpi-v4/icon.webp',
      'res/mipmap-hdpi/icon.png',
      'res/mipmap/icon.png',
    ]);
    expect(siblingRasters(archive, 'r/a.xml')).toEqual([]);
    const many = Array.from({ length: maxSiblings + 3 }, (_, index) => `res/drawable-v${index}/icon.png`);
    expect(siblingRasters(await open(...many.map((name) => ({ name }))), 'res/a/icon.xml')).toHaveLength(
      maxSiblings,
    );
  });

  test('are drawn', async () => {
    const png = await drawPackage(
      {
        files: {
          'res/drawable-anydpi/icon.xml': element('my.own.Drawable'),
          'res/drawable-hdpi/icon.png': await plainPng(5, 5, 0x00ff00ff),
        },
      },
      { source: 'res/drawable-anydpi/icon.xml' },
    );
    expect((await pixelsOf(png)).at(0.5, 0.5)).toBe('#00ff00ff');
  });
});
