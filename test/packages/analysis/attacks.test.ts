/** Files made to exhaust or mislead the analyzer: each is refused, or a part of it is not analyzed. */
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { AnalysisGap } from '../../../src/packages/analysis/analysis.ts';
import { analyzeFile } from '../../../src/packages/analysis/analyze-package.ts';
import { maxDistinctPackages } from '../../../src/packages/analysis/android/analyze-android.ts';
import { maxMappedLetters, readClassNames } from '../../../src/packages/analysis/android/class-names.ts';
import { readDex } from '../../../src/packages/analysis/android/dex.ts';
import { buildIdOf, maxNotes, readElf } from '../../../src/packages/analysis/android/elf.ts';
import {
  findEvidence,
  maxEvidenceFiles,
  readDeclaredLibraries,
} from '../../../src/packages/analysis/android/libraries.ts';
import { readMachOFacts } from '../../../src/packages/analysis/ios/mach-o-facts.ts';
import { maxTocMessages, openSplitApks } from '../../../src/packages/analysis/split-apks.ts';
import { parseBinaryXml } from '../../../src/packages/apk/binary-xml.ts';
import { parseResourceTable } from '../../../src/packages/apk/resource-table.ts';
import { readResourceTables } from '../../../src/packages/bundle/resource-table-message.ts';
import { UnreadablePackage } from '../../../src/packages/package-info.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import type { ZipEntry } from '../../../src/packages/zip/zip-archive.ts';
import { apkEntries, buildApk } from '../../support/build-apk.ts';
import { buildDex } from '../../support/build-dex.ts';
import { buildZip, fileInMemory, type ZipEntrySpec } from '../../support/build-zip.ts';
import { encode, type Field, tableMessage } from '../bundle/bundle-messages.ts';
import { fat, machO, uuid } from '../symbol-fixtures.ts';
import { buildElf } from './android-fixtures.ts';
import { eachWord, largest } from './each-word.ts';
import { buildMachO } from './ios-fixtures.ts';
import { alias, baseApk, module, setFiles, split, stored, variant } from './split-fixtures.ts';

const refusal = { name: 'UnreadablePackage' };
const analyze = (files: readonly ZipEntrySpec[]) => analyzeFile(fileInMemory(buildZip(files)));

describe('a set of APKs', () => {
  it('is not searched for sets within sets', async () => {
    let inner = baseApk;
    for (let depth = 0; depth < 200; depth++)
      inner = buildZip([stored('toc.pb', ''), stored('universal.apk', inner)]);
    await expect(analyzeFile(fileInMemory(inner))).rejects.toMatchObject(refusal);
  });

  const tocOf = (...fields: Field[]): ZipEntrySpec => ({
    name: 'toc.pb',
    content: encode(...fields),
    method: 8,
  });

  it('is refused if its table has more than maxTocMessages', async () => {
    const apks = Buffer.concat(Array(maxTocMessages).fill(encode([2, encode([2, ''])])));
    const withApks = encode([2, Buffer.concat([encode([1, encode([6, 1])]), apks])]);
    const abis = Buffer.concat(Array(maxTocMessages).fill(encode([1, encode([1, 3])])));
    const withAbis = encode([1, encode([2, abis])], [2, encode([2, encode([2, 'a'], [4, ''])])]);
    for (const content of [withApks, withAbis])
      await expect(analyze([tocOf([1, content])])).rejects.toThrow('too much metadata');
  });

  it('is ranked by as many ABIs as its table may name', async () => {
    const complete = (path: string): Field => [
      1,
      encode(
        [1, encode([2, Buffer.concat(Array<Buffer>(90_000).fill(alias(3)))])],
        [2, encode([1, encode([1, 'base'])], [2, encode([2, path], [4, ''])])],
      ),
    ];
    const { android } = await analyze([
      tocOf(complete('a.apk'), complete('b.apk')),
      stored('a.apk', baseApk),
    ]);
    expect(android?.dex).toHaveLength(1);
  });

  it('is refused if a table is nested deeply, or a length or number is not one', async () => {
    let deep = encode([1, 1]);
    for (let depth = 0; depth < 5_000; depth++) deep = encode([1, deep]);
    const long = Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]);
    const endless = Buffer.concat([Buffer.from([0x08]), Buffer.alloc(11, 0xff)]);
    for (const content of [deep, long, endless])
      await expect(analyze([{ name: 'toc.pb', content, method: 8 }])).rejects.toMatchObject(refusal);
  });

  it('may have no more files in all its APKs than one archive', async () => {
    const set = await openZip(fileInMemory(buildZip(setFiles)));
    const { archive } = await openSplitApks(set, {});
    const count = archive.entries.length;
    expect((await openSplitApks(set, { maxEntries: count })).archive.entries).toHaveLength(count);
    await expect(openSplitApks(set, { maxEntries: count - 1 })).rejects.toMatchObject(refusal);
  });

  it('has parts that are not analyzed if they inflate to more than they may have', async () => {
    const bomb = Buffer.alloc(64 * 1024 * 1024);
    const apk = buildZip([
      ...apkEntries({ packageName: 'com.example.bomb' }).filter(({ name }) => name !== 'classes.dex'),
      { name: 'classes.dex', content: bomb, method: 8 },
      { name: 'lib/x86/liba.so', content: bomb.subarray(0, 20_000_000), method: 8 },
    ]);
    const toc = tocOf(variant(21, module('base', 1, split('base-master.apk', true))));
    const { gaps, android } = await analyze([toc, stored('base-master.apk', apk)]);
    expect(gaps).toEqual([
      { part: 'dex', path: 'classes.dex', reason: 'too_large' },
      { part: 'native', path: 'lib/x86/liba.so', reason: 'unreadable' },
    ]);
    expect(android?.dex).toEqual([]);
  });

  it('is refused if an APK overlaps the table, or states the size of another', async () => {
    for (const change of [
      { localHeaderPosition: 0 },
      { compressedBytes: largest, uncompressedBytes: largest },
    ]) {
      const files = setFiles.map((one) =>
        one.name === 'splits/base-master_2.apk' ? { ...one, ...change } : one,
      );
      await expect(analyze(files)).rejects.toMatchObject(refusal);
    }
  });
});

describe('code', () => {
  it('answers or is refused whatever a count or position says', async () => {
    const dex = buildDex([{ name: 'a.b.C', units: 3 }]);
    const read = (bytes: Buffer) => readDex(bytes, (name) => name);
    expect(
      await eachWord(dex, { values: [0, 1, dex.length - 1, 0x7fffffff, largest], read }),
    ).toBeGreaterThan(50);
  });

  it('is refused with a number that does not end, and with more packages than maxDistinctPackages', () => {
    const dex = buildDex([{ name: 'a.b.C', units: 3 }]);
    const endless = Buffer.concat([dex, Buffer.alloc(64, 0xff)]);
    // class_data_off of the first class.
    endless.writeUInt32LE(dex.length, dex.readUInt32LE(100) + 24);
    expect(() => readDex(endless, (name) => name)).toThrow('not a DEX file');
    const three = buildDex(['a.A', 'b.B', 'c.C'].map((name) => ({ name, units: 1 })));
    expect(readDex(three, (name) => name, 3).classes).toBe(3);
    expect(() => readDex(three, (name) => name, 2)).toThrow();
    expect(maxDistinctPackages).toBe(50_000);
  });

  it('has no original names if its map has more than maxMappedLetters', async () => {
    const block = Array.from({ length: 1_000 }, (_, at) => `p.C -> ${String(at).padEnd(990, 'x')}:\n`).join(
      '',
    );
    async function* chunks() {
      for (let letters = 0; letters <= maxMappedLetters; letters += 990_000) yield Buffer.from(block);
    }
    await expect(readClassNames(chunks())).rejects.toMatchObject({ reason: 'too_large' });
  });
});

describe('a native library', () => {
  const read = (bytes: Buffer) =>
    readElf(async (start, length) => fileInMemory(bytes).read(start, length), bytes.length);

  it('answers or is refused whatever a count, size or position says', async () => {
    const elf = buildElf();
    expect(
      await eachWord(elf, { values: [0, 1, elf.length - 1, 0x7fffffff, largest], read }),
    ).toBeGreaterThan(20);
  });

  it('is refused with entries that are wider than those of its kind', async () => {
    const wide = Buffer.concat([buildElf(), Buffer.alloc(100_000)]);
    wide.writeUInt16LE(65, 58);
    await expect(read(wide)).rejects.toMatchObject(refusal);
  });

  it('has a build ID only within maxNotes, which segments may share', () => {
    const withNotes = (notes: number) => {
      const bytes = Buffer.alloc(64 + 56 + notes * 12 + 20);
      bytes.write('7f454c46020101', 0, 'hex');
      bytes.writeBigUInt64LE(64n, 32);
      bytes.writeUInt16LE(56, 54);
      bytes.writeUInt16LE(1, 56);
      bytes.writeUInt32LE(4, 64);
      bytes.writeBigUInt64LE(120n, 72);
      bytes.writeBigUInt64LE(BigInt(bytes.length - 120), 96);
      const at = bytes.length - 20;
      for (const [index, word] of [4, 4, 3].entries()) bytes.writeUInt32LE(word, at + index * 4);
      bytes.write('GNU\0abcd', at + 12, 'latin1');
      return bytes;
    };
    expect(buildIdOf(withNotes(maxNotes - 1))).toBe('61626364');
    expect(buildIdOf(withNotes(maxNotes))).toBeNull();
  });
});

describe('a Mach-O file', () => {
  const read = (bytes: Buffer) =>
    readMachOFacts({ read: async () => bytes, stream: () => Readable.from([bytes]) }, {
      name: 'a',
      uncompressedBytes: bytes.length,
      compressedBytes: bytes.length,
    } as ZipEntry);
  const thin = buildMachO({
    selectors: ['systemUptime'],
    imports: ['_stat'],
    symbols: ['_local', '_fstat'],
    signature: Buffer.alloc(16, 7),
  });

  it('counts each local name once, and every import', async () => {
    const { symbolBytes, requiredReasonApis } = (await read(thin)) ?? {};
    expect([symbolBytes, requiredReasonApis]).toEqual([
      16 + '_local'.length + 1,
      ['fstat', 'stat', 'systemUptime'],
    ]);
  });

  it('answers or is refused whatever a size, count or position says', async () => {
    const refused = await eachWord(thin.subarray(0, 32 + 600), {
      values: [0, 7, thin.length - 1, 0x7fffffff, largest],
      read: (head) => read(Buffer.concat([head, thin.subarray(head.length)])),
    });
    expect(refused).toBeGreaterThan(100);
  });

  it('is refused with load commands without a size, and with more commands than bytes', async () => {
    for (const [at, value] of [
      [32 + 4, 0],
      [16, largest],
      [20, largest],
    ] as const) {
      const changed = Buffer.from(thin);
      changed.writeUInt32LE(value, at);
      await expect(read(changed)).rejects.toMatchObject(refusal);
    }
  });

  it('is refused if its slices overlap or contain their own header, and is none with a million slices', async () => {
    const both = fat(machO(uuid), machO(uuid));
    const changed = (at: number, value: number) => {
      const bytes = Buffer.from(both);
      bytes.writeUInt32BE(value, at);
      return bytes;
    };
    expect(await read(changed(4, 1_000_000))).toBeNull();
    // Position and size of the second slice.
    await expect(read(changed(36, 0))).resolves.toMatchObject({ uuid });
    await expect(read(changed(16, 0))).resolves.toMatchObject({ uuid });
    await expect(read(changed(40, largest))).rejects.toMatchObject(refusal);
    const itself = changed(16, 0);
    itself.writeUInt32BE(0, 36);
    await expect(read(itself)).rejects.toMatchObject(refusal);
  });
});

describe('messages, tables and binary XML', () => {
  it('answer or are refused whatever a count, size or position says', async () => {
    const content = (name: string) =>
      Buffer.from(apkEntries({ label: { '': 'a' } }).find((one) => one.name === name)?.content ?? '');
    const values = [0, 1, 8, 0x7fffffff, largest];
    expect(await eachWord(content('resources.arsc'), { values, read: parseResourceTable })).toBeGreaterThan(
      50,
    );
    expect(
      await eachWord(content('AndroidManifest.xml'), { values, read: (bytes) => parseBinaryXml(bytes) }),
    ).toBeGreaterThan(50);
  });

  it('are refused at the first nested message too many', () => {
    let deep = tableMessage;
    for (let depth = 0; depth < 3_000; depth++) deep = encode([2, deep]);
    expect(() => readResourceTables([deep], () => true)).toThrow(UnreadablePackage);
    let libraries = encode([1, '']);
    for (let depth = 0; depth < 3_000; depth++) libraries = encode([1, libraries]);
    expect(() => readDeclaredLibraries(libraries)).toThrow(UnreadablePackage);
  });
});

describe('an archive', () => {
  it('is searched for libraries in maxEvidenceFiles', async () => {
    const files = Array.from({ length: maxEvidenceFiles + 1 }, (_, at) => ({
      name: `META-INF/${at}.version`,
      content: '1',
    }));
    const gaps: AnalysisGap[] = [];
    await findEvidence(await openZip(fileInMemory(buildZip(files))), gaps);
    expect(gaps).toEqual([{ part: 'metadata', path: null, reason: 'too_many' }]);
    gaps.length = 0;
    await findEvidence(await openZip(fileInMemory(buildZip(files.slice(1)))), gaps);
    expect(gaps).toEqual([]);
  });

  it('has the sizes of its frameworks, also of those within others', async () => {
    const infoPlist = '<plist><dict></dict></plist>';
    const file = (path: string, content: string) => ({ name: `Payload/A.app/${path}`, content });
    const { ios } = await analyze([
      file('Info.plist', infoPlist),
      file('Frameworks/B.framework/Info.plist', infoPlist),
      file('Frameworks/B.framework/Frameworks/C.framework/Info.plist', infoPlist),
      file('Frameworks/B.framework/Frameworks/C.framework/data', 'x'.repeat(50)),
      file(`${'a.framework/'.repeat(300)}b`, 'x'),
    ]);
    const { length } = infoPlist;
    expect(ios?.frameworks.map(({ bytes }) => bytes)).toEqual([length * 2 + 50, length + 50]);
  });
});

it('an APK with an unreadable manifest is analyzed', async () => {
  const { gaps } = await analyzeFile(fileInMemory(buildApk({ manifest: Buffer.alloc(8, 0xff) })));
  expect(gaps.map(({ part }) => part)).toContain('manifest');
});

/** Found by fuzzing: the server refused the whole analysis. */
it('an APK may state a negative level', async () => {
  const { android } = await analyzeFile(fileInMemory(buildApk({ minSdk: -7, targetSdk: -1 })));
  expect(android?.manifest).toMatchObject({ minSdk: 0, targetSdk: 0 });
});
