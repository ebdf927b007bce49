import { expect, it } from 'vitest';
import { readCatalogIcon } from '../../../src/packages/ipa/asset-catalog/catalog-icon.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import type { ZipArchive } from '../../../src/packages/zip/zip-archive.ts';
import { buildIpa, type IpaSpec } from '../../support/build-ipa.ts';
import { fileInMemory } from '../../support/build-zip.ts';
import { bitmap, buildAssetCatalog } from './build-asset-catalog.ts';

const source = 'Payload/Test.app/Assets.car';

/** Two icons: `AppIcon` of 8 pixels, `Beta` of 16. */
const catalog = buildAssetCatalog({
  facets: { AppIcon: 1, Beta: 2 },
  renditions: [8, 16].map((side, index) => ({
    width: side,
    height: side,
    key: { 17: index + 1, 2: 220, 12: 2 },
    payload: bitmap(0, Buffer.alloc(side * side * 4, 0xff)),
  })),
});

function open(spec: IpaSpec): Promise<ZipArchive> {
  return openZip(fileInMemory(buildIpa({ files: { 'Assets.car': catalog }, ...spec })));
}

async function widthFor(infoPlist: IpaSpec['infoPlist']): Promise<number | undefined> {
  return (await readCatalogIcon(await open({ infoPlist }), source))?.width;
}

it('the catalog icon is the one named by CFBundleIconName', async () => {
  expect(await widthFor({ CFBundleIcons: { CFBundlePrimaryIcon: { CFBundleIconName: 'Beta' } } })).toBe(16);
  expect(
    await widthFor({ 'CFBundleIcons~ipad': { CFBundlePrimaryIcon: { CFBundleIconName: 'Beta' } } }),
  ).toBe(16);
  expect(await widthFor({ CFBundleIconName: 'Beta' })).toBe(16);
});

it('the catalog icon is AppIcon when the named one is missing or none is named', async () => {
  expect(await widthFor({})).toBe(8);
  expect(await widthFor({ CFBundleIconName: 'Gamma' })).toBe(8);
  expect((await readCatalogIcon(await open({ infoPlistFile: null }), source))?.width).toBe(8);
});

it('the catalog icon is absent without a catalog', async () => {
  expect(await readCatalogIcon(await open({ files: {} }), source)).toBeNull();
});
