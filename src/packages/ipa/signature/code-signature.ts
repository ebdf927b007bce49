/**
 * Embedded code signatures, based on `cscdefs.h` and `kern/cs_blobs.h` of Apple's xnu. All numbers are big-endian.
 *
 *     SuperBlob      magic 0xfade0cc0, length, count, then per blob: slot, offset
 *     CodeDirectory  magic 0xfade0c02, length, version, flags, hashOffset, identOffset, nSpecialSlots, nCodeSlots, codeLimit,
 *                    then bytes: hashSize, hashType, platform, pageSize (log2); version ≥ 0x20300 has codeLimit64 at 56
 *     CMS            magic 0xfade0b01, length, then the signed data; empty in an ad hoc signature
 */
import type { Certificate } from '../../certificate/certificate.ts';
import {
  type CmsSignedData,
  certificateChain,
  readCmsSignedData,
} from '../../certificate/cms-signed-data.ts';

export interface CodeDirectory {
  slot: number;
  bytes: Buffer;
  /** Name for `createHash`; null if unknown. */
  digest: string | null;
  /** Length of each hash in bytes, possibly shorter than the digest. */
  hashBytes: number;
  /** 0 if the whole code is one page. */
  pageBytes: number;
  /** How many bytes from the start of the slice the pages cover. */
  codeLimit: number;
  codeSlotCount: number;
  specialSlotCount: number;
  hashesPosition: number;
}

export interface CodeSignature {
  /** The primary directory comes first; empty if there is none. */
  directories: CodeDirectory[];
  /** Blobs by slot, including their headers. */
  blobs: Map<number, Buffer>;
  /** Null for an ad hoc signature. */
  cms: CmsSignedData | null;
}

export const signatureSlot = {
  codeDirectory: 0,
  infoPlist: 1,
  requirements: 2,
  codeResources: 3,
  entitlements: 5,
  derEntitlements: 7,
  alternateDirectories: 0x1000,
  cms: 0x10000,
};

export const maxBlobs = 64;
export const maxAlternateDirectories = 5;
/** The kernel rejects pages below 4 KiB (`cs_validate_codedirectory`); smaller pages would make hashing very slow. */
export const minPageShift = 12;
export const maxPageShift = 30;

const superBlobMagic = 0xfade0cc0;
const codeDirectoryMagic = 0xfade0c02;
const wrapperMagic = 0xfade0b01;
const blobHeaderBytes = 8;
const codeDirectoryHeaderBytes = 44;
const versionWithWideLimit = 0x20300;

const digestByType = new Map([
  [1, 'sha1'],
  [2, 'sha256'],
  [3, 'sha256'],
  [4, 'sha384'],
]);

/** Throws `Error` if `bytes` are not a well-formed signature. */
export function readCodeSignature(bytes: Buffer): CodeSignature {
  const superBlob = readBlob(bytes, 0, superBlobMagic);
  const count = superBlob.length >= 12 ? superBlob.readUInt32BE(8) : 0;
  if (count > maxBlobs) throw new Error(`it has more than ${maxBlobs} blobs`);
  const blobs = new Map<number, Buffer>();
  for (let index = 0; index < count; index++) {
    const entry = 12 + index * 8;
    if (entry + 8 > superBlob.length) throw new Error('it ends too early');
    const slot = superBlob.readUInt32BE(entry);
    if (blobs.has(slot)) throw new Error(`it has two blobs for slot ${slot}`);
    blobs.set(slot, readBlob(superBlob, superBlob.readUInt32BE(entry + 4), null));
  }
  return { blobs, directories: readDirectories(blobs), cms: readCms(blobs.get(signatureSlot.cms)) };
}

function readBlob(bytes: Buffer, position: number, magic: number | null): Buffer {
  if (position + blobHeaderBytes > bytes.length) throw new Error('it ends too early');
  if (magic !== null && bytes.readUInt32BE(position) !== magic)
    throw new Error('a blob has an unknown magic number');
  const length = bytes.readUInt32BE(position + 4);
  if (length < blobHeaderBytes || position + length > bytes.length) throw new Error('a blob is malformed');
  return bytes.subarray(position, position + length);
}

function readDirectories(blobs: Map<number, Buffer>): CodeDirectory[] {
  const slots = [signatureSlot.codeDirectory];
  for (let index = 0; index < maxAlternateDirectories; index++)
    slots.push(signatureSlot.alternateDirectories + index);
  return slots.flatMap((slot) => {
    const blob = blobs.get(slot);
    return blob ? [readDirectory(slot, blob)] : [];
  });
}

function readDirectory(slot: number, bytes: Buffer): CodeDirectory {
  if (bytes.length < codeDirectoryHeaderBytes || bytes.readUInt32BE(0) !== codeDirectoryMagic) {
    throw new Error('a code directory is malformed');
  }
  const wideLimit =
    bytes.readUInt32BE(8) >= versionWithWideLimit && bytes.length >= 64
      ? Number(bytes.readBigUInt64BE(56))
      : 0;
  const pageShift = bytes.readUInt8(39);
  if (pageShift !== 0 && (pageShift < minPageShift || pageShift > maxPageShift))
    throw new Error('a code directory has invalid pages');
  const directory: CodeDirectory = {
    slot,
    bytes,
    hashesPosition: bytes.readUInt32BE(16),
    specialSlotCount: bytes.readUInt32BE(24),
    codeSlotCount: bytes.readUInt32BE(28),
    codeLimit: wideLimit || bytes.readUInt32BE(32),
    hashBytes: bytes.readUInt8(36),
    digest: digestByType.get(bytes.readUInt8(37)) ?? null,
    pageBytes: pageShift === 0 ? 0 : 2 ** pageShift,
  };
  const { hashesPosition, specialSlotCount, codeSlotCount, hashBytes } = directory;
  if (
    hashBytes === 0 ||
    hashesPosition < specialSlotCount * hashBytes ||
    hashesPosition + codeSlotCount * hashBytes > bytes.length
  ) {
    throw new Error('a code directory is malformed');
  }
  return directory;
}

function readCms(blob: Buffer | undefined): CmsSignedData | null {
  if (!blob || blob.length === blobHeaderBytes) return null;
  if (blob.readUInt32BE(0) !== wrapperMagic) throw new Error('its CMS blob has an unknown magic number');
  return readCmsSignedData(blob.subarray(blobHeaderBytes));
}

/** Returns the hash of a page or of special slot `-index`; null if missing or all zero. */
export function hashAt(directory: CodeDirectory, index: number): Buffer | null {
  if (index >= directory.codeSlotCount || index < -directory.specialSlotCount) return null;
  const start = directory.hashesPosition + index * directory.hashBytes;
  const hash = directory.bytes.subarray(start, start + directory.hashBytes);
  return index < 0 && hash.every((byte) => byte === 0) ? null : hash;
}

/** Returns the signer's certificate and its issuers; empty for an ad hoc signature. */
export function signingCertificates(signature: CodeSignature): Certificate[] {
  const signer = signature.cms?.signers[0];
  return signature.cms && signer ? certificateChain(signature.cms, signer) : [];
}
