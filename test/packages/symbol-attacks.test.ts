/** Files made to exhaust or mislead the reader of symbol files: each is refused or has no binaries. */
import { describe, expect, it } from 'vitest';
import { readSymbols } from '../../src/packages/symbols/read-symbol-file.ts';
import { buildZip, fileInMemory } from '../support/build-zip.ts';
import { buildElf } from './analysis/android-fixtures.ts';
import { eachWord, largest } from './analysis/each-word.ts';
import { fat, machO, uuid } from './symbol-fixtures.ts';

describe('a file of symbols', () => {
  const read = (bytes: Buffer) => readSymbols(fileInMemory(bytes));
  const dwarf = (name: string) => `${name}.dSYM/Contents/Resources/DWARF/${name}`;

  it('is refused with a hundred thousand members', async () => {
    const members = Array.from({ length: 100_000 }, (_, at) => ({ name: dwarf(String(at)), content: '' }));
    await expect(read(buildZip(members))).rejects.toMatchObject({ name: 'UnreadablePackage' });
  });

  it('has no binaries with a million slices, overlapping ones or load commands without a size', async () => {
    const both = fat(machO(uuid), machO(uuid));
    const changes: ((bytes: Buffer) => void)[] = [
      (bytes) => bytes.writeUInt32BE(1_000_000, 4),
      (bytes) => bytes.writeUInt32BE(0, 16),
      (bytes) => bytes.writeUInt32BE(largest, 40),
      (bytes) => bytes.writeUInt32LE(0, bytes.readUInt32BE(16) + 36),
      (bytes) => bytes.writeUInt32LE(largest, bytes.readUInt32BE(16) + 20),
    ];
    for (const change of changes) {
      const bytes = Buffer.from(both);
      change(bytes);
      expect(await read(buildZip([{ name: dwarf('A'), content: bytes, method: 8 }]))).toBeNull();
    }
  });

  it('answers or is refused whatever a library says about its tables', async () => {
    const library = buildElf().subarray(0, 64 + 2 * 56);
    const inArchive = (content: Buffer) => read(buildZip([{ name: 'x86/liba.so', content, method: 0 }]));
    await expect(
      eachWord(library, { values: [0, 1, 0x7fffffff, largest], read: inArchive }),
    ).resolves.toBeGreaterThanOrEqual(0);
  });
});
