import { say } from '../../messages/package-messages.ts';
import type { RandomAccessFile, ZipArchive } from '../../zip/zip-archive.ts';

/** Identifiers of values in the APK Signing Block. */
export const SigningBlockId = {
  v2: 0x7109871a,
  v3: 0xf05368c0,
  v31: 0x1b93ad61,
  sourceStampV1: 0x2b09189e,
  sourceStampV2: 0x6dff800d,
} as const;

/** Maximum size of the whole block. Real ones have a few kilobytes, rounded up to 4096 bytes. */
export const maxSigningBlockBytes = 16 * 1024 * 1024;
export const maxSigningBlockValues = 4096;

export interface SigningBlock {
  /** The start of the block and the end of the zip entries that it protects. */
  readonly position: number;
  /** Size up to the central directory. */
  readonly sizeBytes: number;
  /** The first value of each identifier, as in Android. */
  readonly values: ReadonlyMap<number, Buffer>;
}

export interface SigningBlockSearch {
  block: SigningBlock | null;
  /** Why an apparent block is unusable or incomplete, as a full sentence. */
  problem: string | null;
}

const magic = Buffer.from('APK Sig Block 42', 'latin1');
/** uint64 size and magic after the values; another uint64 size precedes them. */
const footerBytes = 24;
const headerBytes = 8;

/**
 * Finds the APK Signing Block, which ends where the central directory starts: uint64 size (without this field), pairs of
 * uint64 length, uint32 identifier and value, uint64 size again, 16 bytes of magic. Returns null, not an
 * error, for a block that Android ignores.
 *
 * @see https://source.android.com/docs/security/features/apksigning/v2#apk-signing-block
 */
export async function findSigningBlock(archive: ZipArchive): Promise<SigningBlockSearch> {
  const { file, centralDirectoryPosition: end } = archive;
  if (end < footerBytes + headerBytes) return { block: null, problem: null };
  const footer = await file.read(end - footerBytes, footerBytes);
  if (!footer.subarray(8).equals(magic)) return { block: null, problem: null };
  if (end + archive.centralDirectoryBytes !== archive.endOfCentralDirectoryPosition) {
    return missing(say('signing-block-ignored'));
  }
  const declaredBytes = footer.readBigUInt64LE(0);
  const sizeBytes = Number(declaredBytes) + headerBytes;
  if (declaredBytes < BigInt(footerBytes) || sizeBytes > end)
    return missing(say('signing-block-impossible-size'));
  if (sizeBytes > maxSigningBlockBytes) {
    return missing(say('signing-block-too-large', { bytes: maxSigningBlockBytes }));
  }
  return readBlock(file, end - sizeBytes, sizeBytes, declaredBytes);
}

async function readBlock(
  file: RandomAccessFile,
  position: number,
  sizeBytes: number,
  declaredBytes: bigint,
): Promise<SigningBlockSearch> {
  const bytes = await file.read(position, sizeBytes);
  if (bytes.readBigUInt64LE(0) !== declaredBytes) return missing(say('signing-block-two-sizes'));
  const { values, problem } = readValues(bytes.subarray(headerBytes, sizeBytes - footerBytes));
  return { block: { position, sizeBytes, values }, problem };
}

/** Keeps values before a malformed one, because Android stops searching at the value it needs. */
function readValues(bytes: Buffer): { values: Map<number, Buffer>; problem: string | null } {
  const values = new Map<number, Buffer>();
  let count = 0;
  for (let position = 0; position < bytes.length; count++) {
    if (count === maxSigningBlockValues) {
      return { values, problem: say('signing-block-too-many-values', { count: maxSigningBlockValues }) };
    }
    const length = bytes.length - position < 12 ? 0n : bytes.readBigUInt64LE(position);
    const end = position + 8 + Number(length);
    if (length < 4n || end > bytes.length) {
      return { values, problem: say('signing-block-value-truncated', { number: count + 1 }) };
    }
    const id = bytes.readUInt32LE(position + 8);
    if (!values.has(id)) values.set(id, bytes.subarray(position + 12, end));
    position = end;
  }
  return { values, problem: null };
}

function missing(problem: string): SigningBlockSearch {
  return { block: null, problem };
}
