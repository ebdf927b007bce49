/** Resource tables of app bundles: large ones, and the limits of hostile ones. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { maxResourceTableBytes } from '../../../src/packages/apk/read-apk.ts';
import { maxTypeChunks, parseResourceTable } from '../../../src/packages/apk/resource-table.ts';
import { maxTableMessageBytes, openBundle } from '../../../src/packages/bundle/open-bundle.ts';
import { maxMessageFields, messageType, readProtobuf } from '../../../src/packages/bundle/protobuf.ts';
import { maxItems } from '../../../src/packages/bundle/resource-entry-message.ts';
import {
  maxMarkedEntries,
  maxOverlayables,
  maxTypeMessages,
  readResourceTables,
} from '../../../src/packages/bundle/resource-table-message.ts';
import { writeResourceTable } from '../../../src/packages/bundle/resource-table-writer.ts';
import { maxConfigurations } from '../../../src/packages/bundle/table-configs.ts';
import { maxSpans } from '../../../src/packages/bundle/value-pool.ts';
import { UnreadablePackage } from '../../../src/packages/package-info.ts';
import { createPackageReader } from '../../../src/packages/package-reader.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { buildZip, fileInMemory } from '../../support/build-zip.ts';
import { encode, type Field, manifestMessage } from './bundle-messages.ts';

const convertTable = (message: Buffer) => writeResourceTable(readResourceTables([message]));

/** A list of equal messages that are much shorter than their number. */
const repeat = (field: Field, count: number) => Buffer.alloc(encode(field).length * count, encode(field));
const idOf = (id: number): Field => [1, encode([1, id])];
const packageOf = (...types: Buffer[]) =>
  encode([2, encode(idOf(0x7f), [2, 'com.example.bundle'], ...types.map((type): Field => [3, type]))]);
const typeOf = (id: number, name: string, entries: readonly Buffer[]) =>
  encode(idOf(id), [2, name], ...entries.map((entry): Field => [3, entry]));
const entryOf = (id: number, ...fields: Field[]) => encode(idOf(id), [2, `e${id}`], ...fields);
const withValue = (value: Field, config: Buffer = Buffer.alloc(0)): Field => [
  6,
  encode([1, config], [2, encode(value)]),
];
const textOf = (value: string): Field => [4, encode([2, encode([1, value])])];
const anId: Field = [4, encode([6, ''])];
/** Different configurations. */
const configOf = (index: number) => encode([1, index + 1]);
const single = (...fields: Field[]) => packageOf(typeOf(1, 'any', [entryOf(0, ...fields)]));

describe('resource tables', () => {
  it('with many strings in many languages and any order keep each of them', () => {
    const shared = 'x'.repeat(40);
    const texts = ['', 'a', 'a\0', 'ab', `${shared}a`, `${shared}b`, 'é', '漢字', '\u{1f30a}', '\u{1f30b} y'];
    const languages = ['', 'de', 'fr', 'ja', 'pt-BR'];
    const textAt = (id: number, language: number) =>
      (id * language) % 7 === 0
        ? (texts[id % texts.length] ?? '')
        : `${texts[id % texts.length]}${id % 500} ${language}`;
    const ids = Array.from({ length: 2000 }, (_, at) => (at * 1237) % 2000);
    const entries = ids.map((id) =>
      entryOf(
        id,
        ...languages.map((language, at) =>
          withValue(textOf(textAt(id, at)), language === '' ? undefined : encode([3, language])),
        ),
      ),
    );
    const table = parseResourceTable(convertTable(packageOf(typeOf(3, 'string', entries))));
    for (const id of ids) {
      const values = table
        .resolveAll(0x7f030000 + id)
        .map(({ config, value }) => [config.language, value?.kind === 'string' && value.text]);
      const expected = languages.map((language, at) => [language.slice(0, 2), textAt(id, at)]);
      expect(values.sort()).toEqual(expected.sort());
    }
  });

  it('order strings by configuration and bytes, and names by their first use', () => {
    const long = 'x'.repeat(40);
    const arsc = convertTable(
      packageOf(
        typeOf(1, 'string', [
          entryOf(3, withValue(textOf('\uffff')), withValue(textOf('b'), encode([3, 'de']))),
          entryOf(2, withValue(textOf('\u{10000}')), withValue(textOf('a'), encode([3, 'fr']))),
          entryOf(1, withValue(textOf(`${long}b`))),
          entryOf(0, withValue(textOf(`${long}a`))),
        ]),
      ),
    );
    // As UTF-8, U+FFFF comes before U+10000; aapt2 writes the latter as surrogates.
    const surrogates = Buffer.from([0xed, 0xa0, 0x80, 0xed, 0xb0, 0x80]);
    const inOrder = [
      `${long}a`,
      `${long}b`,
      '\uffff',
      surrogates,
      '\x01b\0',
      '\x01a\0',
      'e0\0',
      'e1\0',
      'e2\0',
      'e3\0',
    ];
    const pool = arsc.subarray(12 + 28 + 4 * 6);
    const places = inOrder.map((one) => pool.indexOf(one));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  it('are converted with a heap that is smaller than they are', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-resource-tables-'));
    const packages = createPackageReader({
      folder: join(folder, 'reading'),
      limits: { maxHeapMebibytes: 20 },
    });
    try {
      const types = Array.from({ length: 5 }, (_, type) =>
        typeOf(
          type + 1,
          `type${type}`,
          Array.from({ length: 60_000 }, (_, id) =>
            entryOf(id, withValue(textOf(`${type} ${id} `.padEnd(50, 'text')))),
          ),
        ),
      );
      const table = packageOf(...types);
      expect(table.length).toBeGreaterThan(20 * 1024 * 1024);
      const path = join(folder, 'large.aab');
      await writeFile(
        path,
        buildZip([
          { name: 'base/manifest/AndroidManifest.xml', content: manifestMessage },
          { name: 'base/resources.pb', content: table, method: 8 },
        ]),
      );
      expect((await packages.read(path, 'ann')).info.name).toContain('0 0 text');
    } finally {
      await packages.close();
      await rm(folder, { recursive: true });
    }
  });

  const damaged = 'the Android App Bundle is damaged';
  const tooLarge =
    'the resource table of the APK would have more than 64 MiB, or values for more than 100000 pairs of resource type and configuration';
  const highId = (configs: number) =>
    packageOf(
      typeOf(1, 'id', [
        entryOf(0xffff, ...Array.from({ length: configs }, (_, at) => withValue(anId, configOf(at)))),
      ]),
    );
  /** A specification of 65,536 masks, and for each configuration as many offsets and an entry. */
  const highIdConfigs = Math.floor((maxResourceTableBytes - 1024) / (4 * 0x10000 + 100)) - 1;
  const pairs = (count: number) =>
    packageOf(
      ...Array.from({ length: Math.ceil(count / 5000) }, (_, type) =>
        typeOf(type + 1, 'id', [
          entryOf(
            0,
            ...Array.from({ length: Math.min(5000, count - 5000 * type) }, (_, at) =>
              withValue(anId, configOf(at)),
            ),
          ),
        ]),
      ),
    );
  const marked = (count: number) =>
    packageOf(
      ...[1, 2].map((type) =>
        typeOf(
          type,
          'id',
          Array.from({ length: count / 2 }, (_, id) => encode(idOf(id), [7, encode([2, id])])),
        ),
      ),
    );
  const compound = (kind: number, content: Buffer) => single(withValue([5, encode([kind, content])]));

  it.each<[name: string, limit: number, build: (count: number) => Buffer, reason: string, step?: number]>([
    ['maxResourceTableBytes', highIdConfigs, highId, tooLarge],
    ['maxTypeChunks', maxTypeChunks, pairs, tooLarge],
    [
      'maxConfigurations',
      maxConfigurations,
      (count) => single(...Array.from({ length: count }, (_, at) => withValue(anId, configOf(at)))),
      damaged,
    ],
    [
      'maxItems of an array',
      maxItems,
      (count) => compound(4, repeat([1, encode([3, encode([6, ''])])], count)),
      damaged,
    ],
    [
      'maxItems of a style',
      maxItems,
      (count) => compound(2, repeat([3, encode([4, encode([6, ''])])], count)),
      damaged,
    ],
    ['maxItems of an attribute', maxItems, (count) => compound(1, repeat([4, ''], count)), damaged],
    [
      'maxSpans',
      maxSpans,
      (count) =>
        single(withValue([4, encode([4, Buffer.concat([encode([1, 'a']), repeat([2, ''], count)])])])),
      damaged,
    ],
    ['maxOverlayables', maxOverlayables, (count) => repeat([3, ''], count), damaged],
    ['maxMarkedEntries', maxMarkedEntries, marked, damaged, 2],
    ['maxTypeMessages', maxTypeMessages, (count) => encode([2, repeat([3, ''], count)]), damaged],
  ])('are refused above %s', (_, limit, build, reason, step = 1) => {
    expect(convertTable(build(limit)).length).toBeLessThanOrEqual(maxResourceTableBytes);
    expect(() => convertTable(build(limit + step))).toThrow(new UnreadablePackage(reason));
  });

  it('are read up to maxTableMessageBytes; larger ones are refused before that', async () => {
    const open = async (bytes: number) => {
      const file = fileInMemory(
        buildZip([
          { name: 'base/manifest/AndroidManifest.xml', content: manifestMessage },
          { name: 'base/resources.pb', content: encode([4, Buffer.alloc(bytes - 5)]) },
        ]),
      );
      return openBundle(await openZip(file));
    };
    const { archive } = await open(maxTableMessageBytes);
    expect(archive.find('resources.arsc')?.uncompressedBytes).toBeLessThan(1024);
    await expect(open(maxTableMessageBytes + 1)).rejects.toThrow(
      'base/resources.pb in the archive is too large',
    );
  });

  it('read the policies of an overlayable, packed or not, in whatever number', () => {
    const policies = (...fields: Field[]) => {
      const table = readResourceTables([single([5, encode([4, 0], ...fields)], withValue(anId))]);
      return table.packages[0]?.types[0]?.marked.map(({ overlayable }) => overlayable?.policies);
    };
    expect(policies([3, 1], [3, 0], [3, Buffer.from([2, 9])], [3, 4])).toEqual([0b1_0000_1011]);
    expect(policies([3, Buffer.alloc(0)])).toEqual([0]);
    expect(policies([3, Buffer.alloc(1_000_000, 3)])).toEqual([0b100]);
    for (const bad of [Buffer.from([10]), Buffer.from([1, 0x80])])
      expect(() => policies([3, bad], [3, 1])).toThrow(UnreadablePackage);
  });

  it('with more than maxMessageFields fields are refused', () => {
    const fields = Buffer.alloc(2 * (maxMessageFields + 1));
    for (let at = 0; at < fields.length; at += 2) fields[at] = 0x08;
    const type = messageType('Any', [], [1]);
    expect(() => readProtobuf(fields.subarray(2), type)).not.toThrow();
    expect(() => readProtobuf(fields, type)).toThrow(UnreadablePackage);
  });
});
