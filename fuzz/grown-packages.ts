/** Packages of random parts. */

import { buildCms } from '../test/packages/ipa/signing-identity.ts';
import { type ApkSpec, apkEntries, buildApk } from '../test/support/build-apk.ts';
import { buildBinaryXml } from '../test/support/build-binary-xml.ts';
import { buildIpa, buildProfile, createSigningIdentity } from '../test/support/build-ipa.ts';
import { buildResourceTable } from '../test/support/build-resource-table.ts';
import { buildZip } from '../test/support/build-zip.ts';
import { type SigningSpec, signApk } from '../test/support/sign-apk.ts';
import { signJar } from '../test/support/sign-jar.ts';
import { certify, createTestKey } from '../test/support/test-key.ts';
import { createExpandingGrower } from './expanding-packages.ts';
import { mutateBytes } from './mutate-bytes.ts';
import { mutateText } from './mutate-content.ts';
import type { Seed } from './mutate-package.ts';
import type { RandomSource } from './random.ts';
import { randomDrawable } from './random-drawable.ts';
import { randomCatalog, randomPng } from './random-picture.ts';
import { createSealedListGrower } from './sealed-lists.ts';

export function growingSeeds(): Seed[] {
  const grown: Record<string, (random: RandomSource) => Buffer> = {
    'drawables, grown': growDrawables,
    'drawables, grown again': growDrawables,
    'asset catalog, grown': (random) =>
      buildIpa({
        infoPlist: { CFBundleIcons: { CFBundlePrimaryIcon: { CFBundleIconName: 'AppIcon' } } },
        files: {
          'Assets.car': randomCatalog(random),
          ...(random.chance(0.5) ? { 'Icon.png': randomPng(random) } : {}),
        },
      }),
    'Apple PNG, grown': (random) =>
      buildIpa({ infoPlist: { CFBundleIconFiles: ['Icon'] }, files: { 'Icon@2x.png': randomPng(random) } }),
    'APK signatures, grown': createSignatureGrower(),
    'JAR signatures, grown': createJarGrower(),
    'code signatures, grown': createCodeGrower(),
    'sealed lists, grown': createSealedListGrower(),
    'what expands': createExpandingGrower(),
  };
  return Object.entries(grown).map(([name, grow]) => ({ name, entries: [], bytes: Buffer.alloc(0), grow }));
}

const iconId = 0x7f010000;
const references = [iconId, iconId + 1, iconId + 2, iconId + 3, 0x7f020000, 0x7f020001, 0x0106000b];

function growDrawables(random: RandomSource): Buffer {
  const files = ['res/icon.xml', 'res/a.xml', 'res/b.xml', 'res/c.png'];
  const resources = files.map((file, index) => ({
    name: `icon${index}`,
    values: [{ config: index === 0 ? { density: 0xfffe, sdkVersion: 26 } : { density: 320 }, value: file }],
  }));
  const colors = [0xff336699, 0x80ffffff].map((data, index) => ({
    name: `color${index}`,
    values: [{ value: { type: 0x1c, data } }],
  }));
  const roots = [random.pick(['adaptive-icon', 'vector', 'layer-list', 'shape']), undefined, 'vector'];
  const xml = roots.map((root, index) => ({
    name: files[index] ?? '',
    content: buildBinaryXml(randomDrawable(random, references, root), { utf16: random.chance(0.3) }),
    method: 8,
  }));
  return buildApk({
    applicationAttributes: [{ name: 'icon', value: { reference: iconId } }],
    resourceTable: buildResourceTable([
      {
        types: [
          { name: 'drawable', resources },
          { name: 'color', resources: colors },
        ],
      },
    ]),
    extraEntries: [...xml, { name: 'res/c.png', content: randomPng(random) }],
  });
}

/** Valid signatures over invalid certificates, keys and attributes. */
function createSignatureGrower(): (random: RandomSource) => Buffer {
  const [older, key] = [createTestKey(), createTestKey()];
  const apk = buildApk();
  return (random) => {
    const sometimes = (bytes: Buffer) => (random.chance(0.4) ? mutateBytes(bytes, random) : bytes);
    const signer = () => ({
      key,
      certificates: [
        sometimes(key.certificate),
        ...(random.chance(0.2) ? [sometimes(older.certificate)] : []),
      ],
      publicKey: sometimes(key.publicKey),
      ...(random.chance(0.5)
        ? { lineage: [{ ...older, certificate: sometimes(older.certificate) }, key] }
        : {}),
      attributes: Array.from({ length: random.below(3) }, (): [number, Buffer] => [
        random.pick([0x3ba06f8c, 0x559f8b02, 0xbeeff00d, random.below(2 ** 32)]),
        random.bytes(random.below(60)),
      ]),
      tamperDigest: sometimes,
      minSdk: random.pick([0, 24, 28, 33, 0x7fffffff]),
    });
    const signers = () => Array.from({ length: 1 + random.below(random.chance(0.05) ? 40 : 2) }, signer);
    const spec: SigningSpec = {
      ...(random.chance(0.7) ? { v2: signers() } : {}),
      ...(random.chance(0.7) ? { v3: signers() } : {}),
      ...(random.chance(0.3) ? { v31: signers() } : {}),
      values: [[random.pick([0x6dff800d, 0x2b09189e, 0x7109871a]), random.bytes(random.below(200))]],
      aligned: random.chance(0.2),
    };
    return signApk(apk, spec);
  };
}

function createJarGrower(): (random: RandomSource) => Buffer {
  const keys = [createTestKey(), createTestKey('ec-384')];
  const spec: ApkSpec = { minSdk: 16, targetSdk: 28 };
  return (random) => {
    const sometimes = (text: string) =>
      random.chance(0.4) ? mutateText(Buffer.from(text), random).toString('latin1') : text;
    const signing = keys.slice(0, 1 + random.below(2)).map((key) => {
      if (random.chance(0.5)) return key;
      return { ...certify(key.privateKey, key.publicKey), certificate: mutateBytes(key.certificate, random) };
    });
    const entries = signJar(apkEntries(spec), {
      keys: signing,
      digest: random.pick(['sha1', 'sha256', 'sha512']),
      signatureHash: random.pick(['sha1', 'sha256']),
      editManifest: sometimes,
      editSignatureFile: sometimes,
      headLines: random.chance(0.2) ? ['X-Android-APK-Signed: 2, 3', `Created-By: ${'x'.repeat(80)}`] : [],
      ...(random.chance(0.3) ? { signedAttributes: 'right' } : {}),
      brokenSigners: random.below(3),
    });
    const changed = entries.map((entry) =>
      /\.EC$/.test(String(entry.name)) && random.chance(0.5)
        ? { ...entry, content: mutateBytes(Buffer.from(entry.content ?? ''), random) }
        : entry,
    );
    return buildZip(changed);
  };
}

function createCodeGrower(): (random: RandomSource) => Buffer {
  const identity = createSigningIdentity({ commonName: 'Grown' });
  const profile = buildProfile({ identity });
  const list = Buffer.from(
    '<plist><dict><key>Name</key><string>a</string><key>UUID</key><string>b</string></dict></plist>',
  );
  return (random) =>
    buildIpa({
      identity: random.chance(0.8) ? identity : null,
      cpus: random.chance(0.3) ? ['armv7', 'arm64'] : ['arm64'],
      signature: {
        digests: random.pick([['sha1'], ['sha256'], ['sha1', 'sha256']]),
        pageShift: random.pick([12, 12, 14, 0, 31]),
        alterDirectory: (directory) => {
          if (random.chance(0.6)) mutateBytes(directory, random).copy(directory);
        },
      },
      profile: random.chance(0.5)
        ? mutateBytes(profile, random)
        : buildCms({
            content: mutateText(list, random),
            identity,
            indefiniteLengths: random.chance(0.5),
          }),
    });
}
