/** The icon of an iOS app with one in its asset catalog, and usually another one as a file. */
import { describe, expect, it } from 'vitest';
import { drawIcon } from '../../../src/packages/icon/draw-icon.ts';
import { readIpa } from '../../../src/packages/ipa/read-ipa.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { buildIpa } from '../../support/build-ipa.ts';
import { fileInMemory } from '../../support/build-zip.ts';
import { bitmap, buildAssetCatalog } from '../ipa/build-asset-catalog.ts';
import { buildPng } from '../ipa/build-png.ts';
import { pixelsOf } from './build-icon-package.ts';

const infoPlist = { CFBundleIcons: { CFBundlePrimaryIcon: { CFBundleIconName: 'AppIcon' } } };
const otherIcon = 2;

/** An icon of the catalog, filled with one byte; `encoding` can be an unsupported one. */
function rendition(side: number, fill: number, encoding = 0, identifier = 1) {
  const payload = bitmap(encoding, Buffer.alloc(side * side * 4, fill), true);
  return { width: side, height: side, key: { 17: identifier, 2: 220, 12: 2 }, payload };
}

function catalog(...renditions: ReturnType<typeof rendition>[]): Buffer {
  return buildAssetCatalog({ facets: { AppIcon: 1, Other: otherIcon }, renditions });
}

/** Width, and the color in the middle. */
async function drawn(files: Record<string, Buffer>): Promise<[number, string] | null> {
  const archive = await openZip(fileInMemory(buildIpa({ infoPlist, files })));
  const { icon } = await readIpa(archive);
  if (icon?.kind !== 'asset-catalog') throw new Error('the catalog is what facts name');
  const png = await drawIcon(archive, icon);
  if (!png) return null;
  const pixels = await pixelsOf(png);
  return [pixels.width, pixels.at(0.5, 0.5)];
}

const file = (side: number) => buildPng({ width: side, height: side, pixel: () => [0x80, 0x80, 0x80, 0xff] });

describe('the icon of an app with an asset catalog', () => {
  const notRead = 9;

  it.each<[what: string, files: Record<string, Buffer>, width: number, color: string]>([
    ['the one in it', { 'Assets.car': catalog(rendition(16, 0xff)) }, 16, '#ffffffff'],
    [
      'the one in it, when it is larger',
      { 'Assets.car': catalog(rendition(16, 0xff)), 'Icon.png': file(8) },
      16,
      '#ffffffff',
    ],
    [
      'the one in it, when both are of one size',
      { 'Assets.car': catalog(rendition(8, 0xff)), 'Icon.png': file(8) },
      8,
      '#ffffffff',
    ],
    [
      'the one beside it, when that is larger',
      { 'Assets.car': catalog(rendition(8, 0xff)), 'Icon.png': file(16) },
      16,
      '#808080ff',
    ],
    [
      'the one beside it, when the catalog has only small ones that are read',
      { 'Assets.car': catalog(rendition(64, 0xff, notRead), rendition(8, 0xff)), 'Icon.png': file(16) },
      16,
      '#808080ff',
    ],
    [
      'the one beside it, before another icon of the catalog',
      {
        'Assets.car': catalog(rendition(64, 0xff, notRead), rendition(64, 0x20, 0, otherIcon)),
        'Icon.png': file(16),
      },
      16,
      '#808080ff',
    ],
    [
      'the one beside a catalog that is damaged',
      { 'Assets.car': Buffer.from('BOM'), 'Icon.png': file(16) },
      16,
      '#808080ff',
    ],
    [
      'the one in it, when the one beside it is damaged',
      { 'Assets.car': catalog(rendition(8, 0xff)), 'Icon.png': file(16).subarray(0, 40) },
      8,
      '#ffffffff',
    ],
    [
      'another icon of the catalog, when there is nothing else',
      { 'Assets.car': catalog(rendition(64, 0xff, notRead), rendition(12, 0x20, 0, otherIcon)) },
      12,
      '#202020ff',
    ],
  ])('is %s', async (_what, files, width, color) => {
    expect(await drawn(files)).toEqual([width, color]);
  });

  it('is absent when nothing can be read', async () => {
    expect(await drawn({ 'Assets.car': Buffer.from('BOM') })).toBeNull();
  });
});
