import { describe, expect, it } from 'vitest';
import { drawIcon } from '../../../src/packages/icon/draw-icon.ts';
import { readCatalogIcon } from '../../../src/packages/ipa/asset-catalog/catalog-icon.ts';
import { comparablePath, openFileTree } from '../../../src/packages/ipa/file-tree.ts';
import { verifyCodeSignature } from '../../../src/packages/ipa/signature/verify-code-signature.ts';
import type { IconChoice } from '../../../src/packages/package-info.ts';
import { readPackageFile } from '../../../src/packages/read-package.ts';
import { readSimulatorArchive } from '../../../src/packages/read-simulator-zip.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import {
  appEntries,
  buildInfoPlist,
  createSigningIdentity,
  type IpaSpec,
  ipaEntries,
} from '../../support/build-ipa.ts';
import { buildZip, fileInMemory, type ZipEntrySpec } from '../../support/build-zip.ts';
import { bitmap, buildAssetCatalog } from './build-asset-catalog.ts';
import { buildPng } from './build-png.ts';

const composed = 'ゲームé각';
const decomposed = composed.normalize('NFD');
const forms: [zip: 'NFC' | 'NFD', list: string][] = [
  ['NFD', composed],
  ['NFC', decomposed],
];
const identity = createSigningIdentity();
const png = (width: number) => buildPng({ width, height: width, colorType: 0 });
const open = (entries: readonly ZipEntrySpec[]) => openZip(fileInMemory(buildZip(entries)));
const renamed = (entries: readonly ZipEntrySpec[], rename: (name: string, at: number) => string) =>
  entries.map((entry, at) => ({ ...entry, name: rename(String(entry.name), at) }));

/** A signed app whose executable, icon, extension and resources are named `name`; `unicode` is the form of the archive. */
function namedApp(name: string, unicode: 'NFC' | 'NFD', spec: IpaSpec = {}): ZipEntrySpec[] {
  const entries = ipaEntries({
    identity,
    profile: {},
    appFolder: `${name}.app`,
    infoPlist: {
      CFBundleExecutable: name,
      CFBundleIcons: { CFBundlePrimaryIcon: { CFBundleIconFiles: [name] } },
    },
    files: {
      [`${name}60x60@2x.png`]: png(60),
      [`${name}@2x.png`]: png(120),
      [`Frameworks/${name}.framework/${name}`]: 'code',
      [`PlugIns/${name}.appex/Info.plist`]: buildInfoPlist({ bundleIdentifier: 'com.example.test.more' }),
      [`Watch/${name}.app/Info.plist`]: buildInfoPlist({ bundleIdentifier: 'com.example.test.watch' }),
    },
    labels: { ja: name },
    ...spec,
  });
  return renamed(entries, (path) => path.replace(/\/Test$/, `/${name}`).normalize(unicode));
}

describe('a name in another Unicode form than in the archive', () => {
  it.each(forms)('finds everything of a signed app: archive in %s', async (unicode, name) => {
    const archive = await open(namedApp(name, unicode));
    const info = await readPackageFile(archive.file);
    expect(info).toMatchObject({
      warnings: [],
      signing: { schemes: ['apple'] },
      icon: { kind: 'png', width: 120, height: 120 },
      labels: { ja: name },
      ios: { extensions: ['com.example.test.more'], watchApps: ['com.example.test.watch'] },
    });
    expect(info.ios?.profile?.intact).toBe(true);
    expect(await drawIcon(archive, info.icon as IconChoice)).not.toBeNull();
    expect(await verifyCodeSignature(archive)).toMatchObject({ verified: true, problems: [] });
  });

  it.each(forms)('does not hide a changed or added file: archive in %s', async (unicode, name) => {
    const entries = namedApp(name, unicode);
    const framework = `Frameworks/${name}.framework/${name}`.normalize(unicode);
    const changed = entries.map((entry) =>
      String(entry.name).endsWith(framework) ? { ...entry, content: 'other' } : entry,
    );
    const root = entries.find(({ name }) => String(name).endsWith('.app/'))?.name;
    const added = [...entries, { name: `${root}${name}2`, content: 'x' }];
    expect((await verifyCodeSignature(await open(changed))).problems).toEqual([
      expect.stringMatching(/was changed after signing/),
    ]);
    expect((await verifyCodeSignature(await open(added))).problems).toEqual([
      expect.stringMatching(/was added after signing/),
    ]);
  });

  it.each(forms)('finds the icon in an asset catalog: archive in %s', async (unicode, name) => {
    const key = { 17: 7, 2: 220, 12: 2 };
    const catalog = buildAssetCatalog({
      facets: { AppIcon: 1, [name.normalize(unicode)]: 7 },
      renditions: [{ width: 8, height: 8, key, payload: bitmap(0, Buffer.alloc(256, 0xff)) }],
    });
    const archive = await open([
      {
        name: 'Payload/A.app/Info.plist',
        content: buildInfoPlist({ infoPlist: { CFBundleIconName: name } }),
      },
      { name: 'Payload/A.app/Assets.car', content: catalog },
    ]);
    expect(await readCatalogIcon(archive, 'Payload/A.app/Assets.car')).toMatchObject({ isAppIcon: true });
  });

  it('makes one folder of its two forms, also in a simulator zip', async () => {
    const mixed = (path: string, at: number) => path.normalize(at % 2 === 0 ? 'NFC' : 'NFD');
    expect(await verifyCodeSignature(await open(renamed(namedApp(composed, 'NFC'), mixed)))).toMatchObject({
      problems: [],
    });
    const simulator = renamed(appEntries({ simulator: true }, `${composed}.app/`), mixed);
    expect((await readSimulatorArchive(await open(simulator))).appFolder).toBe(`${composed}.app`);
  });

  it('is refused when the archive has both forms of a file', async () => {
    const twice = [
      ...namedApp(composed, 'NFC'),
      { name: `Payload/${composed}.app/${decomposed}`, content: 'x' },
    ];
    const { file } = await open(twice);
    await expect(readPackageFile(file)).rejects.toThrow('which are the same file on Apple devices');
  });
});

describe('the paths of an archive', () => {
  it('leave out empty and `.` segments', async () => {
    const entries = namedApp(composed, 'NFD');
    for (const rename of [
      (path: string) => `./${path}`,
      (path: string) => path.replace('Payload/', 'Payload//'),
      (path: string) => path.replace('.app/', '.app/./'),
    ]) {
      const archive = await open(renamed(entries, rename));
      const info = await readPackageFile(archive.file);
      expect(info).toMatchObject({ warnings: [], icon: { width: 120 } });
      expect(await drawIcon(archive, info.icon as IconChoice)).not.toBeNull();
      expect(await verifyCodeSignature(archive)).toMatchObject({ problems: [] });
    }
    expect(['./a', '/a', 'a//b/', './', '../a', 'a/./../b', '.a/b.'].map(comparablePath)).toEqual([
      'a',
      '/a',
      'a/b/',
      '',
      '../a',
      'a/../b',
      '.a/b.',
    ]);
  });

  it('differ by case on devices, but not on a Mac', async () => {
    const archive = await open(appEntries({ simulator: true }, 'App.app/'));
    expect(openFileTree(archive, 'device').find('App.app/info.plist')).toBeNull();
    expect(openFileTree(archive, 'mac').find('app.app/info.PLIST')).not.toBeNull();
  });

  it('of a simulator zip are compared as a Mac compares them', async () => {
    const entries = appEntries({ simulator: true }, 'App.app/');
    const lower = renamed(entries, (path) => path.replace('Info.plist', 'info.plist'));
    expect((await readSimulatorArchive(await open(lower))).appFolder).toBe('App.app');
    const both = await open([...entries, { name: 'App.app/info.plist', content: 'x' }]);
    await expect(readSimulatorArchive(both)).rejects.toThrow('are the same file on Apple devices');
    const folders = renamed(entries, (path, at) => (at % 2 ? path.replace('App', 'APP') : path));
    expect((await readSimulatorArchive(await open(folders))).bundleIdentifier).toBe('com.example.test');
  });
});
