/** Builds small Mach-O executables, thin or fat, signed with a self-signed certificate, ad hoc or unsigned. */
import { hash } from 'node:crypto';
import { buildCms, der, objectIdentifier, type SigningIdentity } from './signing-identity.ts';
import { writePropertyList } from './write-property-list.ts';

export type Cpu = 'armv7' | 'arm64';

export interface SignatureSpec {
  identifier: string;
  /** Null for an ad hoc signature. */
  identity: SigningIdentity | null;
  /** Hashed into the special slots; null leaves the slot empty. */
  infoPlist: Buffer | null;
  codeResources: Buffer | null;
  /** The first is the primary code directory. */
  digests?: ('sha1' | 'sha256')[];
  pageShift?: number;
  /** Changes a code directory after its hashes were computed and before it is signed. */
  alterDirectory?: (directory: Buffer) => void;
  /** Omits the attribute that lists every code directory. */
  withoutCodeDirectoryHashes?: boolean;
}

export interface SliceSpec {
  cpu?: Cpu;
  bigEndian?: boolean;
  encrypted?: boolean;
  codeBytes?: number;
  /** Null if unsigned. */
  signature?: SignatureSpec | null;
}

const cpuTypes: Record<Cpu, number> = { armv7: 12, arm64: 0x0100000c };
const specialSlots = 5;

export function buildSlice(spec: SliceSpec = {}): Buffer {
  const is64Bit = spec.cpu !== 'armv7';
  const codeBytes = Math.ceil((spec.codeBytes ?? 9000) / 16) * 16;
  const signature = spec.signature ?? null;
  const reserved = signature ? 16_384 + Math.ceil(codeBytes / 4096) * 64 : 0;
  const words = [
    is64Bit ? 0xfeedfacf : 0xfeedface,
    cpuTypes[spec.cpu ?? 'arm64'],
    is64Bit ? 0 : 9,
    2,
    signature ? 2 : 1,
    (is64Bit ? 24 : 20) + (signature ? 16 : 0),
    0,
    ...(is64Bit ? [0] : []),
    is64Bit ? 0x2c : 0x21,
    is64Bit ? 24 : 20,
    0,
    0,
    spec.encrypted ? 1 : 0,
    ...(is64Bit ? [0] : []),
    ...(signature ? [0x1d, 16, codeBytes, reserved] : []),
  ];
  const code = Buffer.alloc(codeBytes, 0x5a);
  for (const [index, word] of words.entries()) {
    if (spec.bigEndian) code.writeUInt32BE(word, index * 4);
    else code.writeUInt32LE(word, index * 4);
  }
  if (!signature) return code;
  return Buffer.concat([code, buildSignature(code, signature)], codeBytes + reserved);
}

/** Places slices at multiples of 16 KiB after a fat header. */
export function buildFat(slices: { cpu: Cpu; bytes: Buffer }[], wide = false): Buffer {
  const entryBytes = wide ? 32 : 20;
  const header = Buffer.alloc(16_384);
  header.writeUInt32BE(wide ? 0xcafebabf : 0xcafebabe, 0);
  header.writeUInt32BE(slices.length, 4);
  const parts: Buffer[] = [header];
  let position = header.length;
  for (const [index, { cpu, bytes }] of slices.entries()) {
    const entry = header.subarray(8 + index * entryBytes);
    entry.writeUInt32BE(cpuTypes[cpu], 0);
    entry.writeUInt32BE(wide ? 0 : position, 8);
    entry.writeUInt32BE(wide ? position : bytes.length, 12);
    if (wide) entry.writeUInt32BE(bytes.length, 20);
    const padding = Buffer.alloc((16_384 - (bytes.length % 16_384)) % 16_384);
    parts.push(bytes, padding);
    position += bytes.length + padding.length;
  }
  return Buffer.concat(parts);
}

/** The SuperBlob over `code`. */
export function buildSignature(code: Buffer, spec: SignatureSpec): Buffer {
  const requirements = blob(0xfade0c01, Buffer.alloc(4));
  const entitlements = blob(0xfade7171, writePropertyList({ 'get-task-allow': true }));
  const directories = (spec.digests ?? ['sha256']).map((digest) =>
    buildDirectory(code, digest, spec, {
      1: spec.infoPlist,
      2: requirements,
      3: spec.codeResources,
      5: entitlements,
    }),
  );
  const [primary = Buffer.alloc(0), ...alternates] = directories;
  const blobs: [number, Buffer][] = [
    [0, primary],
    [2, requirements],
    [5, entitlements],
    ...alternates.map((directory, index): [number, Buffer] => [0x1000 + index, directory]),
    [
      0x10000,
      blob(0xfade0b01, spec.identity ? signDirectories(directories, spec, spec.identity) : Buffer.alloc(0)),
    ],
  ];
  return superBlob(blobs);
}

export function superBlob(blobs: [number, Buffer][]): Buffer {
  const head = Buffer.alloc(4 + blobs.length * 8);
  head.writeUInt32BE(blobs.length, 0);
  let position = 8 + head.length;
  for (const [index, [slot, bytes]] of blobs.entries()) {
    head.writeUInt32BE(slot, 4 + index * 8);
    head.writeUInt32BE(position, 8 + index * 8);
    position += bytes.length;
  }
  return blob(0xfade0cc0, head, ...blobs.map(([, bytes]) => bytes));
}

export function blob(magic: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(magic, 0);
  head.writeUInt32BE(8 + content.length, 4);
  return Buffer.concat([head, content]);
}

function buildDirectory(
  code: Buffer,
  digest: 'sha1' | 'sha256',
  spec: SignatureSpec,
  special: Record<number, Buffer | null>,
): Buffer {
  const pageShift = spec.pageShift ?? 12;
  const pageBytes = pageShift === 0 ? code.length : 2 ** pageShift;
  const hashBytes = digest === 'sha1' ? 20 : 32;
  const hashes: Buffer[] = [];
  for (let slot = specialSlots; slot > 0; slot--) {
    const content = special[slot];
    hashes.push(content ? hash(digest, content, 'buffer') : Buffer.alloc(hashBytes));
  }
  let pages = 0;
  for (let start = 0; start < code.length; start += pageBytes, pages++) {
    hashes.push(hash(digest, code.subarray(start, start + pageBytes), 'buffer'));
  }
  const identifier = Buffer.from(`${spec.identifier}\0`);
  const head = Buffer.alloc(36);
  const hashesPosition = 8 + head.length + identifier.length + specialSlots * hashBytes;
  const words = [0x20001, spec.identity ? 0 : 2, hashesPosition, 44, specialSlots, pages, code.length];
  for (const [index, word] of words.entries()) head.writeUInt32BE(word, index * 4);
  head.set([hashBytes, digest === 'sha1' ? 1 : 2, 0, pageShift], 28);
  const directory = blob(0xfade0c02, head, identifier, ...hashes);
  spec.alterDirectory?.(directory);
  return directory;
}

function signDirectories(directories: Buffer[], spec: SignatureSpec, identity: SigningIdentity): Buffer {
  const digests = spec.digests ?? ['sha256'];
  const hashes = directories.map((directory, index) => hash(digests[index] ?? 'sha256', directory, 'buffer'));
  const list = writePropertyList({ cdhashes: hashes.map((full) => full.subarray(0, 20)) });
  const sha256Index = digests.indexOf('sha256');
  const full = hashes[sha256Index];
  const attributes: [string, Buffer[]][] = [['1.2.840.113635.100.9.1', [der(0x04, list)]]];
  if (full) {
    const named = der(0x30, objectIdentifier('2.16.840.1.101.3.4.2.1'), der(0x04, full));
    attributes.push(['1.2.840.113635.100.9.2', [named]]);
  }
  return buildCms({
    content: directories[0] ?? Buffer.alloc(0),
    identity,
    detached: true,
    attributes: spec.withoutCodeDirectoryHashes ? [] : attributes,
  });
}
