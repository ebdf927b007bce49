import { buildZip } from '../support/build-zip.ts';

export const uuid = 'c0ffee00c0ffee00c0ffee00c0ffee00';
export const otherUuid = 'beefbeefbeefbeefbeefbeefbeefbeef';
export const mapId = '7fd82e29578c3bc4d43796fb4609d9da617b22365cb31a9df1000c2f6e57fba4';

/** A file for arm64 with LC_UUID alone. Type 2 is an executable, 10 the debug information of a dSYM. */
export function machO(id: string, type = 10): Buffer {
  const bytes = Buffer.alloc(32 + 24);
  for (const [index, word] of [0xfeedfacf, 0x0100000c, 0, type, 1, 24, 0, 0, 0x1b, 24].entries())
    bytes.writeUInt32LE(word, index * 4);
  bytes.write(id, 40, 'hex');
  return bytes;
}

/** Two files for different processors in one. */
export function fat(...slices: Buffer[]): Buffer {
  const head = Buffer.alloc(4096);
  head.writeUInt32BE(0xcafebabe, 0);
  head.writeUInt32BE(slices.length, 4);
  for (const [index, slice] of slices.entries()) {
    head.writeUInt32BE(0x0100000c, 8 + index * 20);
    head.writeUInt32BE(head.length + index * 8192, 16 + index * 20);
    head.writeUInt32BE(slice.length, 20 + index * 20);
  }
  return Buffer.concat([head, ...slices.map((one) => Buffer.concat([one], 8192))]);
}

/** A library with one segment, which has a note. */
export function elf(id: string): Buffer {
  const bytes = Buffer.alloc(64 + 56 + 16 + 20);
  bytes.write('7f454c46020101', 0, 'hex');
  bytes.writeBigUInt64LE(64n, 32);
  bytes.writeUInt16LE(56, 54);
  bytes.writeUInt16LE(1, 56);
  bytes.writeUInt32LE(4, 64);
  bytes.writeBigUInt64LE(120n, 72);
  bytes.writeBigUInt64LE(36n, 96);
  for (const [index, word] of [4, 20, 3].entries()) bytes.writeUInt32LE(word, 120 + index * 4);
  bytes.write('GNU\0', 132, 'latin1');
  bytes.write(id, 136, 'hex');
  return bytes;
}

export const buildId = '0123456789abcdef0123456789abcdef01234567';
export const dsymZip = (...ids: string[]) =>
  buildZip([
    { name: '__MACOSX/Tide.app.dSYM/Contents/Resources/DWARF/._Tide', content: 'attributes' },
    ...ids.map((id, index) => ({
      name: `dSYMs/Tide${index}.app.dSYM/Contents/Resources/DWARF/Tide${index}`,
      content: machO(id),
      method: 8,
    })),
  ]);
export const mapping = (id = mapId) =>
  Buffer.from(`# compiler: R8\n# pg_map_id: ${id}\ncom.example.Tide -> a.a:\n    int level -> a\n`);
export const nativeZip = (id = buildId) => buildZip([{ name: 'arm64-v8a/libtide.so.dbg', content: elf(id) }]);
