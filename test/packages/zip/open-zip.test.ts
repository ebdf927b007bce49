import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRandomAccessFile } from '../../../src/packages/zip/open-file.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { buildZip, fileInMemory, type ZipEntrySpec, type ZipOptions } from '../../support/build-zip.ts';
import { runsEverything } from '../../support/runs-everything.ts';
import { startProcessorTime } from '../processor-time.ts';

async function readAll(specs: readonly ZipEntrySpec[], options: ZipOptions = {}) {
  const archive = await openZip(fileInMemory(buildZip(specs, options)));
  const contents: Record<string, string> = {};
  for (const entry of archive.entries) {
    const bytes = await archive.read(entry, 1_000_000);
    expect(await buffer(archive.stream(entry))).toEqual(bytes);
    contents[entry.name] = bytes.toString();
  }
  return { archive, contents };
}

describe('a valid archive', () => {
  test('can contain stored and deflated entries', async () => {
    const { contents } = await readAll([
      { name: 'a', content: 'stored' },
      { name: 'b', content: 'deflated'.repeat(100), method: 8 },
      { name: 'empty', content: '', method: 8 },
      { name: 'folder/' },
    ]);
    expect(contents).toEqual({ a: 'stored', b: 'deflated'.repeat(100), empty: '', 'folder/': '' });
  });

  test('can contain data descriptors', async () => {
    const { contents } = await readAll([
      { name: 'a', content: 'later', dataDescriptor: true, method: 8 },
      { name: 'b', content: 'next', dataDescriptor: true },
    ]);
    expect(contents).toEqual({ a: 'later', b: 'next' });
  });

  test('can contain zip64 entries and zip64 end records', async () => {
    const { archive, contents } = await readAll(
      [
        { name: 'a', content: 'wide', zip64: true },
        { name: 'b', content: 'plain' },
      ],
      { zip64: true },
    );
    expect(contents).toEqual({ a: 'wide', b: 'plain' });
    expect(archive.strayDirectoryBytes).toBe(0);
  });

  test('can have a comment of 65,535 bytes that contains another end record', async () => {
    const comment = Buffer.concat([buildZip([]), Buffer.alloc(65_535 - 22, 'PK\x05\x06')]);
    const { contents } = await readAll([{ name: 'a', content: 'x' }], { comment });
    expect(contents).toEqual({ a: 'x' });
  });

  test('can have local extra fields, as written by zipalign, and bytes before the directory', async () => {
    const { archive, contents } = await readAll(
      [
        { name: 'a', content: 'x', local: { extra: Buffer.alloc(5) } },
        { name: 'b', content: 'y', extra: Buffer.alloc(9), comment: Buffer.from('about b') },
      ],
      { beforeDirectory: Buffer.alloc(4096) },
    );
    expect(contents).toEqual({ a: 'x', b: 'y' });
    expect(archive.file.sizeBytes).toBe(archive.endOfCentralDirectoryPosition + 22);
  });

  test('can contain names in UTF-8 without the flag, in Latin-1, and that lead out of a folder', async () => {
    const { contents } = await readAll([
      { name: 'résumé', content: '1', flags: 0 },
      { name: Buffer.from('caf\xe9', 'latin1'), content: '2', flags: 0 },
      { name: '../../etc/passwd', content: '3' },
    ]);
    expect(contents).toEqual({ résumé: '1', café: '2', '../../etc/passwd': '3' });
  });

  test('can be empty', async () => {
    const archive = await openZip(fileInMemory(buildZip([])));
    expect(archive.entries).toEqual([]);
    expect(archive.find('a')).toBeNull();
  });

  test('includes the count of bytes between the directory and the end record', async () => {
    const { archive } = await readAll([{ name: 'a' }], { betweenDirectoryAndEnd: Buffer.alloc(7) });
    expect(archive.strayDirectoryBytes).toBe(7);
  });

  test('exposes duplicate names and finds the first one', async () => {
    const { archive } = await readAll([
      { name: 'a', content: '1' },
      { name: 'b' },
      { name: 'a', content: '2' },
    ]);
    expect(archive.duplicateNames).toEqual(['a']);
    const entry = archive.find('a');
    expect(entry && (await archive.read(entry, 10)).toString()).toBe('1');
  });

  test('can have an entry count that wrapped at 16 bits, as written by ditto', async () => {
    const specs = Array.from({ length: 65_537 }, (_, index) => ({ name: `${index}` }));
    const archive = await openZip(fileInMemory(buildZip(specs)));
    expect(archive.entries).toHaveLength(65_537);
    expect(archive.declaredEntryCount).toBe(1);
  });

  test('throws a programming error for an entry of another archive', async () => {
    const [one, other] = await Promise.all([readAll([{ name: 'a' }]), readAll([{ name: 'a' }])]);
    const foreign = other.archive.entries[0];
    await expect(foreign && one.archive.read(foreign, 1)).rejects.toThrow('belongs to another archive');
  });
});

describe('the archive reader', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-zip-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test.runIf(runsEverything)('opens 70,001 entries with three reads, in half a second', async () => {
    const specs = Array.from({ length: 70_001 }, (_, index) => ({ name: `assets/folder/file-${index}.bin` }));
    const bytes = buildZip(specs, { zip64: true });
    const file = fileInMemory(bytes);
    const takesAtMost = startProcessorTime();
    expect((await openZip(file)).entries).toHaveLength(70_001);
    takesAtMost(500);
    expect(file.reads).toBe(3);
  });

  test('reads little of a 1 GiB archive', async () => {
    const gibibyte = 1024 ** 3;
    const filler = { name: 'filler', compressedBytes: gibibyte, uncompressedBytes: gibibyte };
    const start = 30 + 1 + 1 + (30 + 6);
    const bytes = buildZip([{ name: 'a', content: 'x' }, filler], { directoryPosition: start + gibibyte });
    const path = join(folder, 'large.zip');
    const handle = await open(path, 'w');
    await handle.write(bytes, 0, start, 0);
    await handle.write(bytes, start, bytes.length - start, start + gibibyte);
    await handle.close();
    const file = await openRandomAccessFile(path);
    let readBytes = 0;
    const read: typeof file.read = (position, length, into) => {
      readBytes += length;
      return file.read(position, length, into);
    };
    const archive = await openZip({ ...file, read });
    const entry = archive.find('a');
    expect(entry && (await archive.read(entry, 10)).toString()).toBe('x');
    expect(readBytes).toBeLessThan(100_000);
    await file.close();
  });

  test('reports a file that is truncated while it is read', async () => {
    const path = join(folder, 'cut.zip');
    await writeFile(path, Buffer.alloc(200_000));
    const file = await openRandomAccessFile(path);
    await writeFile(path, Buffer.alloc(10));
    await expect(file.read(0, 200_000)).rejects.toThrow('truncated');
    await expect(file.read(199_999, 2)).rejects.toThrow('truncated');
    await expect(file.read(-1, 1)).rejects.toThrow('truncated');
    await file.close();
  });

  test('returns the bytes of the file for reads of every size and position', async () => {
    const path = join(folder, 'bytes');
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) & 0xff));
    await writeFile(path, bytes);
    const file = await openRandomAccessFile(path);
    const places = [0, 1, 65_535, 65_536, 100_000, 234_463, 299_990, 299_999, 300_000];
    for (const position of [...places, ...places.toReversed()]) {
      for (const length of [0, 1, 30, 65_535, 65_536, 65_537, 200_000]) {
        const within = Math.min(length, bytes.length - position);
        expect((await file.read(position, within)).equals(bytes.subarray(position, position + within))).toBe(
          true,
        );
      }
    }
    await file.close();
  });
});
