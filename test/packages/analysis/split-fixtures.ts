/** The set of split APKs that bundletool generates for a bundle, reduced to a few files. */
import { apkEntries } from '../../support/build-apk.ts';
import { buildDex } from '../../support/build-dex.ts';
import { buildZip, type ZipEntrySpec } from '../../support/build-zip.ts';
import { encode, type Field } from '../bundle/bundle-messages.ts';
import { buildElf } from './android-fixtures.ts';

/** `ApkDescription` of a split; `targeting` has the number of the dimension in `ApkTargeting` and the encoded values. */
export const split = (path: string, isMaster: boolean, ...targeting: Field[]): Field => [
  2,
  encode([1, encode(...targeting)], [2, path], [3, encode([1, ''], [2, isMaster ? 1 : 0])]),
];
export const alias = (...values: number[]) =>
  encode(...values.map((value): Field => [1, encode([1, value])]));
const [abi, language, density, texture] = [1, 3, 4, 6];
/** Delivery of modules: 1 with the app, 2 on demand. */
export const module = (name: string, delivery: number, ...apks: Field[]): Field => [
  2,
  encode([1, encode([1, name], [6, delivery])], ...apks),
];
export const variant = (minSdk: number, ...modules: Field[]): Field => [
  1,
  encode([1, encode([1, encode([1, encode([1, encode([1, minSdk])])])])], ...modules),
];

const dex = buildDex([{ name: 'a.b.C', units: 9 }]);
const apk = (...files: ZipEntrySpec[]) => buildZip(files);
export const stored = (name: string, content: string | Buffer): ZipEntrySpec => ({
  name,
  content,
  method: 0,
});
export const baseApk = buildZip([
  ...apkEntries({ packageName: 'com.example.set' }).filter(({ name }) => name !== 'classes.dex'),
  stored('classes.dex', dex),
]);

const toc = encode(
  variant(21, module('base', 1, split('splits/base-master.apk', true))),
  variant(
    24,
    module(
      'base',
      1,
      split('splits/base-arm.apk', false, [abi, alias(2)]),
      split('splits/base-arm64.apk', false, [abi, alias(3)]),
      split('splits/base-xhdpi.apk', false, [density, alias(6)]),
      split('splits/base-xxhdpi.apk', false, [density, alias(7)]),
      split('splits/base-en.apk', false, [language, encode([1, 'en'])]),
      split('splits/base-ja.apk', false, [language, encode([1, 'ja'])]),
      split('splits/base-astc.apk', false, [texture, alias(4)]),
      split('splits/base-master_2.apk', true),
    ),
    module('camera', 1, split('splits/camera-master.apk', true)),
    module('later', 2, split('splits/later-master.apk', true)),
  ),
  [
    3,
    encode(
      [1, encode([1, 'pack'], [4, 1])],
      [2, encode([2, 'asset-slices/pack-master.apk'], [7, encode([2, 1])])],
    ),
  ],
);
export const setFiles: ZipEntrySpec[] = [
  { name: 'toc.pb', content: toc, method: 8 },
  stored('splits/base-master.apk', 'of an older variant'),
  stored('splits/base-master_2.apk', baseApk),
  stored('splits/base-arm64.apk', apk(stored('lib/arm64-v8a/liba.so', buildElf()))),
  stored('splits/base-arm.apk', 'not read'),
  stored('splits/base-xxhdpi.apk', apk(stored('res/drawable-xxhdpi/a.png', 'picture'))),
  stored('splits/base-xhdpi.apk', 'not read'),
  stored('splits/base-en.apk', apk(stored('resources.arsc', 'words'))),
  stored('splits/base-ja.apk', 'not read'),
  stored('splits/base-astc.apk', 'not read'),
  stored(
    'splits/camera-master.apk',
    apk(stored('classes.dex', dex), stored('META-INF/a.b_c.version', '1.2')),
  ),
  stored('splits/later-master.apk', 'not read'),
  stored('asset-slices/pack-master.apk', apk(stored('assets/level.bin', 'level'))),
];
