/** Signs packages with the APK Signature Schemes v2, v3 and v3.1. Any detail can be made invalid. */
import { constants, createHash, type KeyObject, sign } from 'node:crypto';
import type { SigningKey } from '../../../packages/apk/signing/signing-key.ts';

interface BlockSignerSpec {
  key: SigningKey;
  /** Signature algorithm identifiers; ECDSA with SHA-256 by default. */
  algorithms?: readonly number[];
  /** For v3 and v3.1; 28 and later by default. */
  minSdk?: number;
  maxSdk?: number;
  /** The signed value, if it should differ. */
  signedMinSdk?: number;
  attributes?: readonly (readonly [number, Buffer])[];
  /** The key and its predecessors, oldest first, each with the key that signs the next one. */
  lineage?: readonly SigningKey[];
  /** Replaces the key's own certificate. */
  certificates?: readonly Buffer[];
  /** Changes the block after signing. */
  publicKey?: Buffer;
  tamperSignature?: (signature: Buffer) => Buffer;
  tamperDigest?: (digest: Buffer) => Buffer;
  /** Omits signatures after signing. */
  dropSignatures?: readonly number[];
}

export interface SigningSpec {
  v2?: readonly BlockSignerSpec[];
  v3?: readonly BlockSignerSpec[];
  v31?: readonly BlockSignerSpec[];
  /** Additional values of the block. */
  values?: readonly (readonly [number, Buffer])[];
  /** Pads the entries and the block to 4096 bytes for fs-verity. */
  aligned?: boolean;
}

export const ecdsaSha256 = 0x0201;
export const blockIds = { v2: 0x7109871a, v3: 0xf05368c0, v31: 0x1b93ad61, padding: 0x42726577 } as const;
const allLaterSdks = 0x7fffffff;

/** Adds an APK Signing Block before the central directory. `zip` must have neither a comment nor zip64 records. */
export function signApk(zip: Buffer, spec: SigningSpec): Buffer {
  const parts = split(zip, spec.aligned === true);
  const values: [number, Buffer][] = [];
  if (spec.v2) values.push([blockIds.v2, schemeValue(parts, spec.v2, 2)]);
  if (spec.v3) values.push([blockIds.v3, schemeValue(parts, spec.v3, 3)]);
  if (spec.v31) values.push([blockIds.v31, schemeValue(parts, spec.v31, 3)]);
  for (const [id, value] of spec.values ?? []) values.push([id, value]);
  if (spec.aligned) values.push([blockIds.padding, Buffer.alloc(paddingFor(values))]);
  return insertSigningBlock(parts.contents, buildSigningBlock(values), parts.directory, parts.end);
}

/** uint64 size, pairs of uint64 length, uint32 identifier and value, uint64 size, magic. */
export function buildSigningBlock(values: readonly (readonly [number, Buffer])[]): Buffer {
  const pairs = Buffer.concat(
    values.map(([id, value]) => Buffer.concat([uint64(value.length + 4), uint32(id), value])),
  );
  const size = uint64(pairs.length + 24);
  return Buffer.concat([size, pairs, size, Buffer.from('APK Sig Block 42')]);
}

/** Inserts arbitrary bytes in place of a signing block. */
export function withSigningBlock(zip: Buffer, block: Buffer): Buffer {
  const { contents, directory, end } = split(zip, false);
  return insertSigningBlock(contents, block, directory, end);
}

function insertSigningBlock(contents: Buffer, block: Buffer, directory: Buffer, end: Buffer): Buffer {
  const moved = Buffer.from(end);
  moved.writeUInt32LE(contents.length + block.length, 16);
  return Buffer.concat([contents, block, directory, moved]);
}

function paddingFor(values: readonly (readonly [number, Buffer])[]): number {
  const bytes = buildSigningBlock([...values, [blockIds.padding, Buffer.alloc(0)]]).length;
  return (4096 - (bytes % 4096)) % 4096;
}

interface ZipDeps {
  contents: Buffer;
  directory: Buffer;
  /** With the directory's position as if there were no block. */
  end: Buffer;
}

function split(zip: Buffer, aligned: boolean): ZipDeps {
  const end = Buffer.from(zip.subarray(zip.length - 22));
  const directoryStart = end.readUInt32LE(16);
  const entries = zip.subarray(0, directoryStart);
  const padding = aligned ? (4096 - (directoryStart % 4096)) % 4096 : 0;
  const contents = Buffer.concat([entries, Buffer.alloc(padding)]);
  end.writeUInt32LE(contents.length, 16);
  return { contents, directory: zip.subarray(directoryStart, zip.length - 22), end };
}

function schemeValue(parts: ZipDeps, signers: readonly BlockSignerSpec[], version: 2 | 3): Buffer {
  return prefixed(Buffer.concat(signers.map((signer) => prefixed(signerValue(parts, signer, version)))));
}

function signerValue(parts: ZipDeps, spec: BlockSignerSpec, version: 2 | 3): Buffer {
  const algorithms = spec.algorithms ?? [ecdsaSha256];
  const [minSdk, maxSdk] = [spec.minSdk ?? 28, spec.maxSdk ?? allLaterSdks];
  const attributes = [...(spec.attributes ?? [])];
  if (spec.lineage) attributes.push([0x3ba06f8c, lineageValue(spec.lineage)]);
  const digests = algorithms.map((id) => {
    const digest = contentDigest(parts, id);
    return prefixed(Buffer.concat([uint32(id), prefixed(spec.tamperDigest?.(digest) ?? digest)]));
  });
  const signedData = Buffer.concat([
    prefixed(Buffer.concat(digests)),
    prefixed(Buffer.concat((spec.certificates ?? [spec.key.certificate]).map(prefixed))),
    ...(version === 3 ? [uint32(spec.signedMinSdk ?? minSdk), uint32(maxSdk)] : []),
    prefixed(Buffer.concat(attributes.map(([id, value]) => prefixed(Buffer.concat([uint32(id), value]))))),
    // apksigner writes four zero bytes after the attributes of v2, which readers skip.
    ...(version === 2 ? [uint32(0)] : []),
  ]);
  const signatures = algorithms
    .filter((id) => !spec.dropSignatures?.includes(id))
    .map((id) => {
      const signature = signBytes(spec.key.privateKey, id, signedData);
      return prefixed(Buffer.concat([uint32(id), prefixed(spec.tamperSignature?.(signature) ?? signature)]));
    });
  return Buffer.concat([
    prefixed(signedData),
    ...(version === 3 ? [uint32(minSdk), uint32(maxSdk)] : []),
    prefixed(Buffer.concat(signatures)),
    prefixed(spec.publicKey ?? spec.key.publicKey),
  ]);
}

/** Each key signs the certificate of the next with ECDSA and SHA-256. */
function lineageValue(keys: readonly SigningKey[]): Buffer {
  const nodes = keys.map((key, index) => {
    const previous = keys[index - 1];
    const signedData = Buffer.concat([prefixed(key.certificate), uint32(previous ? ecdsaSha256 : 0)]);
    const signature = previous ? signBytes(previous.privateKey, ecdsaSha256, signedData) : Buffer.alloc(0);
    const isLast = index === keys.length - 1;
    return Buffer.concat([
      prefixed(signedData),
      uint32(0),
      uint32(isLast ? 0 : ecdsaSha256),
      prefixed(signature),
    ]);
  });
  return Buffer.concat([uint32(1), ...nodes.map(prefixed)]);
}

function signBytes(key: KeyObject, algorithm: number, bytes: Buffer): Buffer {
  const hash = (algorithm & 0x0f) === 2 || algorithm === 0x0104 ? 'sha512' : 'sha256';
  const pss = algorithm === 0x0101 || algorithm === 0x0102;
  if (!pss) return sign(hash, bytes, key);
  const saltLength = hash === 'sha256' ? 32 : 64;
  return sign(hash, bytes, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength });
}

function contentDigest(parts: ZipDeps, algorithm: number): Buffer {
  if (algorithm >= 0x0421) return verityDigest(Buffer.concat([parts.contents, parts.directory, parts.end]));
  const hash = algorithm === 0x0102 || algorithm === 0x0104 || algorithm === 0x0202 ? 'sha512' : 'sha256';
  const chunks: Buffer[] = [];
  for (const section of [parts.contents, parts.directory, parts.end]) {
    for (let start = 0; start < section.length; start += 1 << 20) {
      const chunk = section.subarray(start, start + (1 << 20));
      chunks.push(
        createHash(hash).update(Buffer.of(0xa5)).update(uint32(chunk.length)).update(chunk).digest(),
      );
    }
  }
  return createHash(hash)
    .update(Buffer.of(0x5a))
    .update(uint32(chunks.length))
    .update(Buffer.concat(chunks))
    .digest();
}

/** Builds the tree level by level in memory, as specified. */
export function verityDigest(bytes: Buffer): Buffer {
  let level = bytes;
  do {
    const digests: Buffer[] = [];
    for (let start = 0; start < level.length; start += 4096)
      digests.push(hashPage(level.subarray(start, start + 4096)));
    level = Buffer.concat(digests);
  } while (level.length > 4096);
  return Buffer.concat([hashPage(level), uint64(bytes.length)]);
}

function hashPage(page: Buffer): Buffer {
  return createHash('sha256')
    .update(Buffer.alloc(8))
    .update(page)
    .update(Buffer.alloc(4096 - page.length))
    .digest();
}

export function prefixed(bytes: Buffer): Buffer {
  return Buffer.concat([uint32(bytes.length), bytes]);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
