/** Small packages that expand or take long, one per expandable part of a format. */
import { deflateRawSync } from 'node:zlib';
import { writePng } from '../src/packages/ipa/png-chunks.ts';
import {
  bitmap,
  buildAssetCatalog,
  type RenditionSpec,
  uint16s,
  uint32s,
  zip,
} from '../test/packages/ipa/build-asset-catalog.ts';
import { tile } from '../test/packages/ipa/encode-deepmap2.ts';
import { buildCms, der } from '../test/packages/ipa/signing-identity.ts';
import { buildApk } from '../test/support/build-apk.ts';
import { buildBinaryXml, buildStringPool, chunk } from '../test/support/build-binary-xml.ts';
import { buildIpa, createSigningIdentity } from '../test/support/build-ipa.ts';
import { buildZip } from '../test/support/build-zip.ts';
import type { RandomSource } from './random.ts';

export function createExpandingGrower(): (random: RandomSource) => Buffer {
  const identity = createSigningIdentity();
  const inCatalog = (spec: RenditionSpec) =>
    buildIpa({ files: { 'Assets.car': buildAssetCatalog({ facets: { AppIcon: 1 }, renditions: [spec] }) } });
  const kinds: ((random: RandomSource) => Buffer)[] = [
    (random) => inCatalog(expandingRendition(random)),
    (random) =>
      buildIpa({ infoPlist: { CFBundleIconFiles: ['A'] }, files: { 'A.png': expandingPng(random) } }),
    (random) => buildIpa({ infoPlistFile: sharedPropertyList(random) }),
    (random) => buildIpa({ profile: sharedPropertyList(random) }),
    (random) => {
      let value: Buffer = der(0x04, Buffer.alloc(random.below(200_000)));
      for (let level = random.below(3_000); level > 0; level--) value = der(0x30, value);
      const content = Buffer.from('<plist><dict/></plist>');
      return buildIpa({ profile: buildCms({ content, identity, attributes: [['1.2.3', [value]]] }) });
    },
    (random) => buildZip(Array.from({ length: random.below(65_535) }, (_, index) => ({ name: `${index}` }))),
    (random) => buildApk({ manifest: repetitiveManifest(random) }),
    (random) => buildApk({ label: { '': 'a' }, resourceTable: repetitiveTable(random) }),
  ];
  return (random) => random.pick(kinds)(random);
}

/** LZVN of ten bytes, then matches of 271 bytes in two bytes each. */
function expandingStream(matches: number): Buffer {
  const start = Buffer.concat([Buffer.from([0xea]), Buffer.alloc(10), Buffer.from([0x00, 1])]);
  const end = Buffer.from([6, 0, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([start, Buffer.alloc(matches * 2, Buffer.from([0xf0, 0xff])), end]);
}

function expandingRendition(random: RandomSource): RenditionSpec {
  const side = random.pick([64, 512, 4096]);
  const stream = expandingStream(random.below(200_000));
  const parts = Array.from({ length: 1 + random.below(40) }, () => [uint32s(stream.length), stream]).flat();
  const method = random.pick([2, 3, 4]);
  const palette = method === 4 ? [uint16s(1, 4), uint32s(0)] : [];
  const head = [Buffer.from('dmp2'), Buffer.from([method, 0, 0, 4]), uint16s(side, side)];
  const image = Buffer.concat([...head, ...palette, ...parts]);
  const tiles = Buffer.concat(Array.from({ length: 1 + random.below(4) }, () => tile(0, 0, image)));
  const pieces = Array.from({ length: 1 + random.below(9) }, () => ({
    rows: random.below(2),
    bytes: stream,
  }));
  const payload = random.pick<() => Buffer>([
    () => bitmap(11, Buffer.concat([uint32s(1, 4, 0, 0), image])),
    () => bitmap(11, Buffer.concat([uint32s(1, 4, 0, 0), tiles])),
    () => bitmap(3, random.chance(0.5) ? stream : pieces),
    () => bitmap(2, zip(Buffer.alloc(random.below(30_000_000)))),
  ])();
  return { width: side, height: side, key: { 17: 1, 2: 220 }, payload };
}

function expandingPng(random: RandomSource): Buffer {
  const header = Buffer.alloc(13);
  const [width, height] = random.pick([
    [4096, 4096],
    [1, 16_000_000],
    [65_535, 256],
    [256, 65_535],
  ]);
  header.writeUInt32BE(width ?? 0, 0);
  header.writeUInt32BE(height ?? 0, 4);
  header.set([random.pick([1, 8, 16]), random.pick([0, 2, 3, 4, 6]), 0, 0, random.below(2)], 8);
  const data = deflateRawSync(Buffer.alloc(random.below(70_000_000)), { level: 1 });
  return writePng([
    { type: 'CgBI', data: Buffer.from([0x50, 0, 0x20, 2]) },
    { type: 'IHDR', data: header },
    { type: 'IDAT', data },
  ]);
}

/** Nested lists that share their elements, in a file of a few kilobytes. */
function sharedPropertyList(random: RandomSource): Buffer {
  const width = 2 + random.below(200);
  const levels = 1 + random.below(60);
  const text = Buffer.alloc(random.below(50_000), 'x');
  const length = Buffer.alloc(5);
  length.writeUInt32BE(text.length, 1);
  length.writeUInt8(0x12, 0);
  const objects = [Buffer.concat([Buffer.of(0x5f), length, text])];
  for (let level = 0; level < levels; level++)
    objects.push(Buffer.concat([Buffer.from([0xaf, 0x10, width]), Buffer.alloc(width, level)]));
  const key = Buffer.from('Entitlements');
  objects.push(Buffer.concat([Buffer.of(0x5c), key]), Buffer.from([0xd1, levels + 1, levels]));
  let position = 8;
  const offsets = objects.map((object) => {
    const offset = Buffer.alloc(4);
    offset.writeUInt32BE(position);
    position += object.length;
    return offset;
  });
  const trailer = Buffer.alloc(32);
  trailer.set([4, 1], 6);
  trailer.writeBigUInt64BE(BigInt(objects.length), 8);
  trailer.writeBigUInt64BE(BigInt(objects.length - 1), 16);
  trailer.writeBigUInt64BE(BigInt(position), 24);
  return Buffer.concat([Buffer.from('bplist00'), ...objects, ...offsets, trailer]);
}

/** Thousands of elements that share a long text. */
function repetitiveManifest(random: RandomSource): Buffer {
  const text = 'x'.repeat(random.below(30_000));
  const name = random.pick(['uses-permission', 'uses-feature', 'application', 'activity']);
  const children = Array.from({ length: random.below(3_000) }, () => ({
    name,
    attributes: [{ name: 'name', value: text }],
  }));
  const attributes = [{ name: 'package', value: 'com.example.many', resourceId: 0 }];
  return buildBinaryXml({ name: 'manifest', attributes, children });
}

/** A pool of empty texts, then thousands of tables of types. */
function repetitiveTable(random: RandomSource): Buffer {
  const strings = buildStringPool(Array.from({ length: random.below(20_000) }, () => ''));
  const type = chunk(0x0201, uint32s(1, random.below(1_000), 24, 4), random.bytes(random.below(64)));
  const body = Buffer.concat(Array.from({ length: random.below(20_000) }, () => type));
  return chunk(0x0002, uint32s(1), Buffer.concat([strings, chunk(0x0200, Buffer.alloc(280), body)]));
}
