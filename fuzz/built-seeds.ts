import {
  encode,
  manifestWith,
  moduleManifest,
  tableMessage,
} from '../test/packages/bundle/bundle-messages.ts';
import { type ApkSpec, apkEntries, buildApk } from '../test/support/build-apk.ts';
import { buildBinaryXml } from '../test/support/build-binary-xml.ts';
import { createSigningIdentity, type IpaSpec, ipaEntries } from '../test/support/build-ipa.ts';
import { buildZip, type ZipEntrySpec } from '../test/support/build-zip.ts';
import { signApk } from '../test/support/sign-apk.ts';
import { signJar } from '../test/support/sign-jar.ts';
import { createTestKey, type TestKey } from '../test/support/test-key.ts';
import { mutateBytes } from './mutate-bytes.ts';
import type { Seed } from './mutate-package.ts';
import { createRandom, type RandomSource } from './random.ts';
import { randomDrawable } from './random-drawable.ts';
import { randomCatalog, randomPng } from './random-picture.ts';

export function builtSeeds(): Seed[] {
  const random = createRandom(1);
  return [...apkSeeds(random), ...ipaSeeds(random), ...simulatorSeeds(), ...bundleSeeds(random)];
}

function apkSeeds(random: RandomSource): Seed[] {
  const key = createTestKey();
  const label = { '': 'Fuzz', ja: 'ファズ', 'pt-rBR': 'Fuz 😀', 'zh-rTW': '模糊' };
  const icons = [
    { path: 'res/icon.png', content: randomPng(random), config: { density: 320 } },
    {
      path: 'res/icon.xml',
      content: buildBinaryXml(randomDrawable(random, [0x7f020000], 'adaptive-icon')),
      config: { density: 0xfffe, sdkVersion: 26 },
    },
  ];
  const spec: ApkSpec = {
    label,
    icons,
    permissions: ['a.b', 'c.d'],
    features: [{ name: 'f' }],
    nativeAbis: ['x86'],
  };
  const layouts = ['plain', 'sparse', 'offset16', 'compact'] as const;
  const plain = layouts.map((tableLayout) => {
    const entries = apkEntries({ ...spec, tableLayout, utf16: tableLayout === 'sparse' });
    return { ...seed(`apk ${tableLayout}`, entries), finish: signAgainWith(key) };
  });
  return [...plain, ...signedSeeds(spec, key)];
}

const schemesWith = (key: TestKey) => ({ v2: [{ key }], v3: [{ key }], v31: [{ key, minSdk: 33 }] });

/** Modified content with valid signatures, so that digests do not hide other errors. */
function signAgainWith(key: TestKey): NonNullable<Seed['finish']> {
  return (entries, random) => {
    const signed = signApk(buildZip(entries), schemesWith(key));
    if (random.chance(0.6)) return signed;
    // Within the signing block and the directory.
    const from = Math.floor(signed.length * 0.6);
    return Buffer.concat([signed.subarray(0, from), mutateBytes(signed.subarray(from), random)]);
  };
}

function signedSeeds(spec: ApkSpec, key: TestKey): Seed[] {
  const plain = buildApk(spec);
  const block: Seed = {
    name: 'apk v2 v3 v3.1',
    entries: [],
    bytes: signApk(plain, schemesWith(key)),
    sealedBytes: plain.readUInt32LE(plain.length - 6),
  };
  const jar = seed('apk v1', signJar(apkEntries({ ...spec, minSdk: 16, targetSdk: 28 }), { keys: [key] }));
  return [block, { ...jar, seals: (name) => !name.startsWith('META-INF/') }];
}

function ipaSeeds(random: RandomSource): Seed[] {
  const identity = createSigningIdentity({ commonName: 'Fuzz' });
  const specs: IpaSpec[] = [
    { plistForm: 'xml', labels: { ja: 'ファズ' }, identity, profile: {} },
    { plistForm: 'binary', cpus: ['arm64'], identity: null },
    { plistForm: 'openstep', executable: null, profile: { type: 'enterprise' } },
    {
      plistForm: 'binary',
      identity,
      cpus: ['armv7', 'arm64'],
      infoPlist: { CFBundleIcons: { CFBundlePrimaryIcon: { CFBundleIconName: 'AppIcon' } } },
      files: { 'Assets.car': randomCatalog(random), 'Icon.png': randomPng(random) },
    },
  ];
  const sealed = /\.app\/(?!Test$)./;
  return specs.map((spec) => ({
    ...seed(`ipa ${spec.plistForm}`, ipaEntries(spec)),
    ...(spec.identity ? { seals: (name: string) => sealed.test(name) } : {}),
  }));
}

function bundleSeeds(random: RandomSource): Seed[] {
  const config = encode(
    [1, encode([2, '1.15.6'])],
    [2, encode([1, encode([1, encode([1, 4], [3, encode([1, 1], [2, 'astc'])])])])],
    [3, encode([1, '**.bin'])],
  );
  const base = (minSdk: number) => [
    { name: 'BundleConfig.pb', content: config },
    { name: 'base/manifest/AndroidManifest.xml', content: manifestWith(minSdk) },
    { name: 'base/resources.pb', content: tableMessage },
    { name: 'base/dex/classes.dex', content: random.bytes(300) },
    { name: 'base/lib/x86/liba.so', content: random.bytes(300) },
    { name: 'base/assets/a#tcf_astc/b.bin', content: random.bytes(90) },
    { name: 'base/root/c.txt', content: 'text '.repeat(90) },
  ];
  const feature = [
    {
      name: 'chat/manifest/AndroidManifest.xml',
      content: moduleManifest({ isFused: true, activity: 'a.B' }),
    },
    { name: 'chat/dex/classes.dex', content: random.bytes(200) },
  ];
  const pack = [
    {
      name: 'pack/manifest/AndroidManifest.xml',
      content: moduleManifest({ isFused: true, type: 'asset-pack' }),
    },
    { name: 'pack/assets/d', content: random.bytes(200) },
  ];
  const set = [
    { name: 'toc.pb', content: encode([2, encode([2, '1.15.6'])]), method: 0 },
    { name: 'universal.apk', content: buildApk(), method: 0 },
  ];
  return [
    seed('bundle', base(24)),
    seed('bundle for Android 4', [...base(16), ...feature]),
    seed('bundle of modules', [...base(21), ...feature, ...pack]),
    seed('set of APKs', set),
  ];
}

function simulatorSeeds(): Seed[] {
  const entries = ipaEntries({ simulator: true }).flatMap((entry) => {
    const name = String(entry.name).replace(/^Payload\//, '');
    return name === '' ? [] : [{ ...entry, name }];
  });
  return [seed('simulator zip', entries)];
}

function seed(name: string, entries: readonly ZipEntrySpec[]): Seed {
  return { name, entries, bytes: buildZip(entries) };
}
