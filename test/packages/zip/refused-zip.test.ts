import { buffer } from 'node:stream/consumers';
import { constants, deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { UnreadablePackage } from '../../../src/packages/package-info.ts';
import { maxNameBytes } from '../../../src/packages/zip/central-directory.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { maxDeflateRatio } from '../../../src/packages/zip/read-entry.ts';
import type { ZipArchive, ZipEntry, ZipLimits } from '../../../src/packages/zip/zip-archive.ts';
import { buildZip, fileInMemory, type ZipEntrySpec, type ZipOptions } from '../../support/build-zip.ts';
import { startProcessorTime } from '../processor-time.ts';

const content = 'some content that is long enough to be deflated, deflated, deflated';

async function openAndRead(
  bytes: Buffer,
  limits: Partial<ZipLimits> = {},
  maxBytes = 1_000_000,
): Promise<void> {
  const archive = await openZip(fileInMemory(bytes), limits);
  for (const entry of archive.entries) await archive.read(entry, maxBytes);
}

function only(archive: ZipArchive): ZipEntry {
  const [entry] = archive.entries;
  if (!entry) throw new Error('the archive has no entry');
  return entry;
}

async function expectRefused(bytes: Buffer, message: string, limits: Partial<ZipLimits> = {}): Promise<void> {
  const error = await openAndRead(bytes, limits).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(UnreadablePackage);
  expect(error).toHaveProperty('message', expect.stringContaining(message));
}

describe('opening an archive rejects', () => {
  const entry: ZipEntrySpec = { name: 'a', content };
  const cases: [what: string, bytes: Buffer, message: string][] = [
    ['no bytes at all', Buffer.alloc(0), 'no end record'],
    ['text', Buffer.from('not a zip archive, although it is longer than an end record'), 'no end record'],
    ['cut off at the end', buildZip([entry]).subarray(0, -1), 'no end record'],
    ['bytes after its end', buildZip([entry], { suffix: Buffer.from('x') }), 'does not end at'],
    ['one disk of several', buildZip([entry], { disk: 1 }), 'split over several disks'],
    ['an entry on another disk', buildZip([{ ...entry, disk: 1 }]), 'another disk'],
    [
      'a directory after the end record',
      buildZip([entry], { directoryPosition: 90_000 }),
      'directory is truncated',
    ],
    ['a directory that is too long', buildZip([entry], { directoryBytes: 48 }), 'directory is truncated'],
    ['a directory that is too short', buildZip([entry], { directoryBytes: 46 }), 'directory is truncated'],
    [
      'an entry fewer than stated',
      buildZip([entry], { entryCount: 2 }),
      'different number of entries than stated',
    ],
    [
      'an entry more than stated',
      buildZip([entry, { name: 'b' }], { entryCount: 1 }),
      'different number of entries than stated',
    ],
    ['data after the directory', buildZip([{ ...entry, compressedBytes: 5_000 }]), 'out of bounds'],
    ['a header after the directory', buildZip([{ ...entry, localHeaderPosition: 5_000 }]), 'out of bounds'],
    ['two entries over the same bytes', buildZip([entry, { ...entry, localHeaderPosition: 0 }]), 'overlap'],
    [
      'one entry inside another',
      buildZip([
        { name: 'a', content, compressedBytes: 99 },
        { name: 'b', content },
      ]),
      'overlap',
    ],
    ['a zip64 end without its record', withoutZip64Record(), 'zip64 records are invalid'],
    ['a zip64 size of more than 2^53', hugeZip64(), 'zip64 records are invalid'],
    ['a zip64 field that is truncated', cutZip64Field(), 'zip64 field is truncated'],
  ];
  test.each(cases)('%s', (_, bytes, message) => expectRefused(bytes, message));

  function withoutZip64Record(): Buffer {
    const bytes = buildZip([entry], { zip64: true });
    bytes.fill(0, bytes.length - 98, bytes.length - 94);
    return bytes;
  }

  function hugeZip64(): Buffer {
    const bytes = buildZip([entry], { zip64: true });
    bytes.writeBigUInt64LE(2n ** 60n, bytes.length - 98 + 48);
    return bytes;
  }

  function cutZip64Field(): Buffer {
    const bytes = buildZip([{ ...entry, zip64: true }]);
    bytes.writeUInt16LE(8, bytes.length - 22 - 28 + 2);
    return bytes;
  }
});

describe('reading an entry rejects', () => {
  const deflated: ZipEntrySpec = { name: 'a', content, method: 8 };
  const cases: [what: string, spec: ZipEntrySpec, message: string][] = [
    ['encrypted', { ...deflated, flags: 0x0801 }, 'is encrypted'],
    ['strongly encrypted', { ...deflated, flags: 0x0841 }, 'is encrypted'],
    ['encrypted directory', { ...deflated, flags: 0x2800 }, 'is encrypted'],
    ['encrypted by its local header alone', { ...deflated, local: { flags: 0x0801 } }, 'is encrypted'],
    ['an unknown compression method', { ...deflated, method: 12 }, 'the compression method 12'],
    ['another name in the local header', { ...deflated, local: { name: 'b' } }, 'does not match'],
    ['a longer name in the local header', { ...deflated, local: { name: 'ab' } }, 'does not match'],
    ['another method in the local header', { ...deflated, local: { method: 0 } }, 'does not match'],
    ['another size in the local header', { ...deflated, local: { uncompressedBytes: 5 } }, 'does not match'],
    [
      'another packed size in the local header',
      { ...deflated, local: { compressedBytes: 5 } },
      'does not match',
    ],
    ['another checksum in the local header', { ...deflated, local: { crc32: 5 } }, 'does not match'],
    ['no local header', { ...deflated, local: { signature: 0x12345678 } }, 'does not match'],
    ['a wrong checksum', { ...deflated, crc32: 5 }, 'checksum is wrong'],
    ['a size that is too small', { ...deflated, uncompressedBytes: 5 }, 'the size that it states'],
    ['a size that is too large', { ...deflated, uncompressedBytes: 500 }, 'the size that it states'],
    ['a size of zero', { ...deflated, uncompressedBytes: 0 }, 'the size that it states'],
    [
      'a size that no deflated data has',
      { ...deflated, uncompressedBytes: 100 * maxDeflateRatio },
      'no deflated data can have',
    ],
    ['stored in two sizes', { name: 'a', content, uncompressedBytes: 5 }, 'states two sizes'],
    ['data that is not deflated', { ...deflated, packed: Buffer.from('garbage') }, 'cannot be inflated'],
    [
      'data that is truncated',
      { ...deflated, packed: deflateRawSync(content).subarray(0, -4) },
      'cannot be inflated',
    ],
  ];
  test.each(cases)('%s', async (_, spec, message) => {
    await expectRefused(buildZip([spec]), message);
    const archive = await openZip(fileInMemory(buildZip([spec])));
    const error = await buffer(archive.stream(only(archive))).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(UnreadablePackage);
    expect(error).toHaveProperty('message', expect.stringContaining(message));
  });

  test('an extra field that moves the data over the next entry', async () => {
    const bytes = buildZip([
      { name: 'a', content, local: { extra: Buffer.alloc(4) } },
      { name: 'b', content },
    ]);
    bytes.writeUInt16LE(9, 28);
    await expectRefused(bytes, 'overlaps what follows it');
  });

  test('no unknown method if the caller reads it as stored', async () => {
    const archive = await openZip(fileInMemory(buildZip([{ name: 'a', content, method: 12 }])));
    expect((await archive.readAsStored(only(archive), 1_000)).toString()).toBe(content);
  });
});

describe('archive limits', () => {
  test('maxNameBytes limits names', async () => {
    await openAndRead(buildZip([{ name: 'n'.repeat(maxNameBytes) }]));
    await expectRefused(buildZip([{ name: 'n'.repeat(maxNameBytes + 1) }]), 'a file name that is too long');
  });

  const entries = [1, 2, 3].map((number) => ({ name: `${number}`, content: '0123456789' }));
  const open = (limits: Partial<ZipLimits>) => openZip(fileInMemory(buildZip(entries)), limits);

  test('maxEntries limits the entry count', async () => {
    expect((await open({ maxEntries: 3 })).entries).toHaveLength(3);
    await expect(open({ maxEntries: 2 })).rejects.toThrow('more than 2 entries');
  });

  test('maxDirectoryBytes limits the directory', async () => {
    const { centralDirectoryBytes } = await open({});
    await open({ maxDirectoryBytes: centralDirectoryBytes });
    await expect(open({ maxDirectoryBytes: centralDirectoryBytes - 1 })).rejects.toThrow('too large');
  });

  test('maxInflatedBytes limits the total of all reads', async () => {
    await openAndRead(buildZip(entries), { maxInflatedBytes: 30 });
    await expectRefused(buildZip(entries), 'inflates to too much', { maxInflatedBytes: 29 });
  });

  test('maxStreamedBytes limits the total of all streams', async () => {
    const archive = await open({ maxStreamedBytes: 25 });
    const [first, second, third] = archive.entries.map((entry) => () => buffer(archive.stream(entry)));
    await first?.();
    await second?.();
    expect(() => third?.()).toThrow('inflates to too much');
  });

  test('maxBytes limits one read', async () => {
    await openAndRead(buildZip(entries), {}, 10);
    await expect(openAndRead(buildZip(entries), {}, 9)).rejects.toThrow('too large');
  });
});

describe('one megabyte that inflates to one gibibyte', () => {
  const mebibyte = deflateRawSync(Buffer.alloc(1024 * 1024), { finishFlush: constants.Z_FULL_FLUSH });
  const packed = Buffer.concat([...Array.from({ length: 1024 }, () => mebibyte), deflateRawSync('')]);
  const bomb = (uncompressedBytes: number, options: ZipOptions = {}) =>
    fileInMemory(buildZip([{ name: 'bomb', method: 8, packed, crc32: 0, uncompressedBytes }], options));
  const cap = 8 * 1024 * 1024;

  test.each([
    ['states the truth', 1024 ** 3, 'too large'],
    ['states 1,000 bytes', 1_000, 'the size that it states'],
    ['states as much as the cap', cap, 'the size that it states'],
  ])('is rejected early, with flat memory, if it %s', async (_, stated, message) => {
    const takesAtMost = startProcessorTime();
    const before = process.memoryUsage.rss();
    const archive = await openZip(bomb(stated));
    await expect(archive.read(only(archive), cap)).rejects.toThrow(message);
    takesAtMost(200);
    expect(process.memoryUsage.rss() - before).toBeLessThan(96 * 1024 * 1024);
  });

  test('is rejected as a stream after at most a few hundred kilobytes if it states 1,000 bytes', async () => {
    const archive = await openZip(bomb(1_000));
    let bytes = 0;
    const reading = (async () => {
      for await (const chunk of archive.stream(only(archive))) bytes += chunk.length;
    })();
    await expect(reading).rejects.toThrow('the size that it states');
    expect(bytes).toBeLessThan(1_000_000);
  });
});
