/** What symbol files are, by their content. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { analyzePackage } from '../../src/packages/analysis/analyze-package.ts';
import { readSymbolFile } from '../../src/packages/symbols/read-symbol-file.ts';
import { maxSymbolBinaries } from '../../src/packages/symbols/symbol-file.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildZip, type ZipEntrySpec } from '../support/build-zip.ts';
import { sharedFixturePath, sharedFixturesPresent } from '../support/shared-fixtures.ts';
import {
  buildId,
  dsymZip,
  fat,
  machO,
  mapId,
  mapping,
  nativeZip,
  otherUuid,
  uuid,
} from './symbol-fixtures.ts';

describe('the kind of a symbol file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-symbols-'));
  });
  afterAll(() => rm(folder, { recursive: true }));
  const read = async (bytes: Buffer) => {
    const path = join(folder, 'file');
    await writeFile(path, bytes);
    return readSymbolFile(path);
  };

  it('is that of dSYMs with their UUIDs, of one processor or several', async () => {
    expect(await read(dsymZip(uuid, otherUuid))).toEqual({
      kind: 'dsym',
      binaries: [
        { name: 'Tide0', architecture: 'arm64', id: uuid },
        { name: 'Tide1', architecture: 'arm64', id: otherUuid },
      ],
    });
    const path = 'Tide.framework.dSYM/Contents/Resources/DWARF/Tide';
    const both = await read(
      buildZip([{ name: path, content: fat(machO(uuid), machO(otherUuid)), method: 8 }]),
    );
    expect(both?.binaries.map(({ id }) => id)).toEqual([uuid, otherUuid]);
  });

  it('is that of native libraries with their build IDs', async () => {
    const binary = { name: 'libtide.so.dbg', architecture: 'arm64-v8a', id: buildId };
    expect(await read(nativeZip())).toEqual({ kind: 'native', binaries: [binary] });
  });

  it('is that of a mapping with its id, of R8 or of ProGuard', async () => {
    const binary = { name: 'mapping', architecture: null, id: mapId };
    expect(await read(mapping())).toEqual({ kind: 'mapping', binaries: [binary] });
    expect(await read(Buffer.from('com.example.Tide -> a.a:\r\n'))).toEqual({
      kind: 'mapping',
      binaries: [{ ...binary, id: null }],
    });
  });

  it.each<[string, Buffer]>([
    ['an app', buildApk()],
    ['text', Buffer.from('a -> b\n# pg_map_id: 1234567\n')],
    ['bytes', Buffer.alloc(70_000)],
    ['nothing', Buffer.alloc(0)],
    [
      'an executable in a dSYM',
      buildZip([{ name: 'A.dSYM/Contents/Resources/DWARF/A', content: machO(uuid, 2) }]),
    ],
    [
      'damaged Mach-O in a dSYM',
      buildZip([{ name: 'A.dSYM/Contents/Resources/DWARF/A', content: machO(uuid).subarray(0, 40) }]),
    ],
    ['a library that is no ELF file', buildZip([{ name: 'x86/liba.so', content: 'text' }])],
  ])('is unknown for %s', async (_what, bytes) => {
    expect(await read(bytes)).toBeNull();
  });

  it('is not determined for archives that are damaged or say too much', async () => {
    await expect(read(dsymZip(uuid).subarray(0, 200))).rejects.toMatchObject({ name: 'UnreadablePackage' });
    const entries: ZipEntrySpec[] = Array.from({ length: maxSymbolBinaries + 1 }, (_, index) => ({
      name: `${index}.dSYM/Contents/Resources/DWARF/A`,
      content: machO(uuid),
    }));
    await expect(read(buildZip(entries))).rejects.toMatchObject({ name: 'UnreadablePackage' });
  });

  it('costs no more than the headers of a zip bomb', async () => {
    const bomb = Buffer.concat([machO(uuid), Buffer.alloc(96 * 1024 * 1024)]);
    const bytes = buildZip([
      { name: 'A.dSYM/Contents/Resources/DWARF/A', content: bomb, method: 8 },
      { name: 'B.dSYM/Contents/Resources/DWARF/B', content: machO(uuid), method: 8, uncompressedBytes: 5e8 },
    ]);
    await expect(read(bytes)).rejects.toMatchObject({ name: 'UnreadablePackage' });
    const alone = buildZip([{ name: 'A.dSYM/Contents/Resources/DWARF/A', content: bomb, method: 8 }]);
    const before = process.memoryUsage().arrayBuffers;
    const first = await read(alone);
    expect(first?.binaries).toHaveLength(1);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 * 1024);
  });
});

it.skipIf(!sharedFixturesPresent)('the mapping of a real bundle has the id that its code names', async () => {
  const { android } = await analyzePackage(sharedFixturePath('aab/real/asavan__mastermind__99021684.aab'));
  expect(android?.dex.map(({ mapId: id }) => id)).toContain(
    'afddbb1a5bdcdeef4ba11091e16b9812b6177bd446b92ecb293270939deddf36',
  );
  expect(android?.mapping).toMatchObject({ isDeflated: true });
});
