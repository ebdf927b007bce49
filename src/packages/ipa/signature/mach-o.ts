/**
 * Mach-O executables, thin and fat, 32 and 64 bit, in both byte orders, based on Apple's `<mach-o/fat.h>` and
 * `<mach-o/loader.h>`. `readCommands` reads what code signing and
 * encryption need; `loadCommands` yields every command.
 */

export interface MachOSlice {
  /** For example `arm64`. */
  cpu: string;
  is64Bit: boolean;
  /** Position within the file. */
  position: number;
  sizeBytes: number;
}

interface MachOCommands {
  /** LC_ENCRYPTION_INFO with cryptid ≠ 0, because the App Store encrypts executables. */
  encrypted: boolean;
  /** Range of the embedded signature, relative to the slice; null if unsigned. */
  signature: { position: number; sizeBytes: number } | null;
}

/** Limits of one executable. */
export const maxSlices = 16;
export const maxLoadCommandBytes = 1024 * 1024;
export const maxLoadCommands = 20_000;

/** How many bytes at the start of a file `readSlices` needs: a fat header with `maxSlices` entries. */
export const fatHeaderBytes = 8 + maxSlices * 32;
export const machHeaderBytes = 32;

const fatMagic = 0xcafebabe;
const fatMagic64 = 0xcafebabf;
const machMagics = new Map([
  [0xfeedface, { littleEndian: false, is64Bit: false }],
  [0xfeedfacf, { littleEndian: false, is64Bit: true }],
  [0xcefaedfe, { littleEndian: true, is64Bit: false }],
  [0xcffaedfe, { littleEndian: true, is64Bit: true }],
]);

const codeSignatureCommand = 0x1d;
const uuidCommand = 0x1b;
const encryptionCommands = [0x21, 0x2c];

const cpuNames = new Map([
  [7, 'i386'],
  [0x01000007, 'x86_64'],
  [12, 'armv7'],
  [0x0100000c, 'arm64'],
  [0x0200000c, 'arm64_32'],
]);
const arm64Cpu = 0x0100000c;
const arm64eSubtype = 2;

/**
 * Returns the slices in file order, which is a single one for a thin file; null if `head` is not Mach-O. Throws `Error` for a
 * malformed slice.
 */
export function readSlices(head: Buffer, fileBytes: number): MachOSlice[] | null {
  if (head.length < 8) return null;
  const magic = head.readUInt32BE(0);
  if (magic === fatMagic || magic === fatMagic64) return readFatHeader(head, magic === fatMagic64, fileBytes);
  const format = machMagics.get(magic);
  if (!format || head.length < machHeaderBytes) return null;
  const view = wordReader(head, format.littleEndian);
  return [{ cpu: cpuName(view(4), view(8)), is64Bit: format.is64Bit, position: 0, sizeBytes: fileBytes }];
}

/** fat_arch is cputype, cpusubtype, offset, size, align; in fat_arch_64 offset and size are 64 bits wide. Big-endian. */
function readFatHeader(head: Buffer, isWide: boolean, fileBytes: number): MachOSlice[] | null {
  const count = head.readUInt32BE(4);
  const entryBytes = isWide ? 32 : 20;
  if (count > maxSlices || head.length < 8 + count * entryBytes) return null;
  const slices: MachOSlice[] = [];
  for (let index = 0; index < count; index++) {
    const entry = head.subarray(8 + index * entryBytes);
    const cpuType = entry.readUInt32BE(0);
    const position = isWide ? Number(entry.readBigUInt64BE(8)) : entry.readUInt32BE(8);
    const sizeBytes = isWide ? Number(entry.readBigUInt64BE(16)) : entry.readUInt32BE(12);
    if (position + sizeBytes > fileBytes) throw new Error('a slice exceeds its container');
    const is64Bit = (cpuType & 0x01000000) !== 0;
    slices.push({ cpu: cpuName(cpuType, entry.readUInt32BE(4)), is64Bit, position, sizeBytes });
  }
  return slices.sort((a, b) => a.position - b.position);
}

/** Returns the size of header and load commands from the first `machHeaderBytes` of a slice. Throws `Error` if it is not Mach-O. */
export function commandBytes(header: Buffer): number {
  const { view, format } = openHeader(header);
  const bytes = view(20);
  if (bytes > maxLoadCommandBytes)
    throw new Error(`it has more than ${maxLoadCommandBytes} bytes of load commands`);
  return (format.is64Bit ? 32 : 28) + bytes;
}

/** Reads the load commands of a slice from its first `commandBytes`. Throws `Error` if malformed. */
export function readCommands(bytes: Buffer, sliceBytes: number): MachOCommands {
  const commands: MachOCommands = { encrypted: false, signature: null };
  for (const { type, content, word } of loadCommands(bytes)) {
    if (type === codeSignatureCommand && content.length >= 16) {
      commands.signature = { position: word(8), sizeBytes: word(12) };
    }
    if (encryptionCommands.includes(type) && content.length >= 20) commands.encrypted ||= word(16) !== 0;
  }
  const { signature } = commands;
  if (signature && signature.position + signature.sizeBytes > sliceBytes) {
    throw new Error('its signature exceeds its container');
  }
  return commands;
}

export interface LoadCommand {
  type: number;
  /** The command, including its type and size, each of 4 bytes. */
  content: Buffer;
  /** Reads a number of 4 bytes of `content`. */
  word: (position: number) => number;
}

/** Yields the load commands of a slice from its first `commandBytes`. Throws `Error` if malformed. */
export function* loadCommands(bytes: Buffer): Generator<LoadCommand> {
  const { view, format } = openHeader(bytes);
  const commandCount = view(16);
  if (commandCount > maxLoadCommands) throw new Error(`it has more than ${maxLoadCommands} load commands`);
  let position = format.is64Bit ? 32 : 28;
  for (let index = 0; index < commandCount; index++) {
    if (position + 8 > bytes.length) throw new Error('its load commands end too early');
    const size = view(position + 4);
    if (size < 8 || position + size > bytes.length) throw new Error('a load command is malformed');
    const content = bytes.subarray(position, position + size);
    yield { type: view(position), content, word: wordReader(content, format.littleEndian) };
    position += size;
  }
}

/** MH_EXECUTE, MH_DYLIB, MH_DSYM and others, from the header of a slice. */
export const fileTypeOf = (bytes: Buffer): number => openHeader(bytes).view(12);

/** Returns LC_UUID in hexadecimal, which the debug information of the file has too; null without it. */
export function uuidOf(bytes: Buffer): string | null {
  for (const { type, content } of loadCommands(bytes))
    if (type === uuidCommand && content.length >= 24) return content.toString('hex', 8, 24);
  return null;
}

function openHeader(bytes: Buffer) {
  const format = bytes.length >= 28 ? machMagics.get(bytes.readUInt32BE(0)) : undefined;
  if (!format) throw new Error('a slice is not Mach-O');
  return { format, view: wordReader(bytes, format.littleEndian) };
}

function wordReader(bytes: Buffer, littleEndian: boolean): (position: number) => number {
  return (position) => (littleEndian ? bytes.readUInt32LE(position) : bytes.readUInt32BE(position));
}

function cpuName(cpuType: number, cpuSubtype: number): string {
  if (cpuType === arm64Cpu && (cpuSubtype & 0xffffff) === arm64eSubtype) return 'arm64e';
  return cpuNames.get(cpuType) ?? `cpu ${cpuType}`;
}
