/** Limits within one file: what is above is cut, left out or refused, and what is below is read. */
import { describe, expect, it } from 'vitest';
import { maxMarkerBytes, readDex } from '../../../src/packages/analysis/android/dex.ts';
import {
  buildIdOf,
  maxBuildIdBytes,
  maxDynamicEntries,
  maxNeeded,
  maxSectionNamesBytes,
  readElf,
} from '../../../src/packages/analysis/android/elf.ts';
import { maxMappingHeadBytes, readSymbols } from '../../../src/packages/symbols/read-symbol-file.ts';
import { maxBinaryNameLength } from '../../../src/packages/symbols/symbol-file.ts';
import { buildDex } from '../../support/build-dex.ts';
import { buildZip, fileInMemory } from '../../support/build-zip.ts';
import { elf, machO, uuid } from '../symbol-fixtures.ts';
import { buildElf } from './android-fixtures.ts';

describe('a native library', () => {
  const read = (bytes: Buffer) =>
    readElf(async (start, length) => fileInMemory(bytes).read(start, length), bytes.length);

  it('names what it needs within maxDynamicEntries', async () => {
    // The position of the names is the entry after the libraries.
    expect((await read(buildElf({ needs: maxDynamicEntries - 1 }))).needed).toHaveLength(maxNeeded);
    expect((await read(buildElf({ needs: maxDynamicEntries }))).needed).toEqual([]);
  });

  it('has names of sections up to maxSectionNamesBytes', async () => {
    const withNames = (size: number) => {
      const bytes = Buffer.concat([buildElf(), Buffer.alloc(size)]);
      // The size of the second section.
      bytes.writeBigUInt64LE(BigInt(size), Number(bytes.readBigUInt64LE(40)) + 64 + 32);
      return bytes;
    };
    expect((await read(withNames(maxSectionNamesBytes))).symbolBytes).toBe(32);
    await expect(read(withNames(maxSectionNamesBytes + 1))).rejects.toMatchObject({ reason: 'too_large' });
  });

  it('has a build ID of up to maxBuildIdBytes', () => {
    const withId = (length: number) => {
      const bytes = Buffer.concat([elf('ab'.repeat(20)), Buffer.alloc(length, 0xab)]);
      bytes.writeBigUInt64LE(BigInt(16 + length), 96);
      bytes.writeUInt32LE(length, 124);
      return bytes;
    };
    expect(buildIdOf(withId(maxBuildIdBytes))).toBe('ab'.repeat(maxBuildIdBytes));
    expect(buildIdOf(withId(maxBuildIdBytes + 1))).toBeNull();
  });
});

it('code states the id of its mapping within maxMarkerBytes', () => {
  const idAfter = (letters: number) => {
    const marker = `~~R8{"a":"${'x'.repeat(letters)}","pg-map-id":"7fd82e2"}`;
    const bytes = Buffer.concat([buildDex([{ name: 'a.B', units: 1 }]), Buffer.from(`${marker}\0`)]);
    return readDex(bytes, (name) => name).mapId;
  };
  const overhead = '~~R8{"a":"","pg-map-id":"7fd82e2"'.length;
  expect(idAfter(maxMarkerBytes - overhead)).toBe('7fd82e2');
  expect(idAfter(maxMarkerBytes)).toBeNull();
});

describe('a file of symbols', () => {
  it('is a mapping if a class is within maxMappingHeadBytes', async () => {
    const line = 'com.example.Tide -> a.a:\n';
    const read = (bytes: number) =>
      readSymbols(fileInMemory(Buffer.from(`#${'x'.repeat(bytes - 2)}\n${line}`)));
    expect(await read(maxMappingHeadBytes - line.length)).toMatchObject({ kind: 'mapping' });
    expect(await read(maxMappingHeadBytes)).toBeNull();
  });

  it('has names of up to maxBinaryNameLength', async () => {
    const name = 'x'.repeat(maxBinaryNameLength + 1);
    const bytes = buildZip([{ name: `A.dSYM/Contents/Resources/DWARF/${name}`, content: machO(uuid) }]);
    const { binaries = [] } = (await readSymbols(fileInMemory(bytes))) ?? {};
    expect(binaries.map((one) => one.name.length)).toEqual([maxBinaryNameLength]);
  });
});
