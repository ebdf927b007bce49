/**
 * Signs APKs with the schemes v2 and v3.
 *
 * @see https://source.android.com/docs/security/features/apksigning/v3
 */
import { type KeyObject, sign } from 'node:crypto';
import type { SigningKey } from './signing-key.ts';

const [v2Id, v3Id] = [0x7109871a, 0xf05368c0];
/** An attribute of v2 signers: devices that support v3 must find a v3 signature. */
const strippingProtection = { id: 0xbeeff00d, value: 3 } as const;
const lineageId = 0x3ba06f8c;
const [firstV3Sdk, lastSdk] = [28, 0x7fffffff];

export interface SignatureAlgorithm {
  id: number;
  digestName: 'sha256' | 'sha512';
}

/** Chooses the algorithm like apksigner: SHA-512 for keys that are stronger than SHA-256. */
export function algorithmOf(key: KeyObject): SignatureAlgorithm {
  const { modulusLength, namedCurve } = key.asymmetricKeyDetails ?? {};
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return (modulusLength ?? 0) <= 3072
        ? { id: 0x0103, digestName: 'sha256' }
        : { id: 0x0104, digestName: 'sha512' };
    case 'ec':
      return namedCurve === 'prime256v1'
        ? { id: 0x0201, digestName: 'sha256' }
        : { id: 0x0202, digestName: 'sha512' };
    default:
      throw new Error(`keys of type ${key.asymmetricKeyType} cannot sign APKs`);
  }
}

/**
 * @param keys the current key last; keys before it signed earlier versions, oldest first. Devices before Android 9 do not support
 * rotation, so the oldest key signs v2.
 * @param digest by the algorithm, of the parts of the file
 */
export function writeSigningBlock(keys: readonly SigningKey[], digest: Buffer): Buffer {
  const [oldest, current] = [keys[0], keys.at(-1)];
  if (!oldest || !current) throw new Error('no key');
  const protection = Buffer.concat([uint32(strippingProtection.id), uint32(strippingProtection.value)]);
  const lineage = Buffer.concat([uint32(lineageId), keys.length > 1 ? writeLineage(keys) : Buffer.alloc(0)]);
  const pairs = [
    pair(v2Id, signerBlock(oldest, digest, prefixed(protection), Buffer.alloc(0))),
    pair(
      v3Id,
      signerBlock(
        current,
        digest,
        keys.length > 1 ? prefixed(lineage) : Buffer.alloc(0),
        Buffer.concat([uint32(firstV3Sdk), uint32(lastSdk)]),
      ),
    ),
  ];
  const content = Buffer.concat(pairs);
  const size = uint64(content.length + 24);
  return Buffer.concat([size, content, size, Buffer.from('APK Sig Block 42')]);
}

/** Encodes a sequence with one signer: signed data, SDKs, signatures, public key. */
function signerBlock(key: SigningKey, digest: Buffer, attributes: Buffer, sdks: Buffer): Buffer {
  const { id, digestName } = algorithmOf(key.privateKey);
  const signedData = Buffer.concat([
    prefixed(prefixed(Buffer.concat([uint32(id), prefixed(digest)]))),
    prefixed(prefixed(key.certificate)),
    sdks,
    prefixed(attributes),
  ]);
  const signature = sign(digestName, signedData, key.privateKey);
  const signer = Buffer.concat([
    prefixed(signedData),
    sdks,
    prefixed(prefixed(Buffer.concat([uint32(id), prefixed(signature)]))),
    prefixed(key.publicKey),
  ]);
  return prefixed(prefixed(signer));
}

/** Capabilities of a former key: installed data, shared user id, permissions, and authenticator, but no rollback to it. */
const formerKeyFlags = 0x17;

/** Each node: signed data (certificate and algorithm of its signature), flags, algorithm for the next node, signature. */
function writeLineage(keys: readonly SigningKey[]): Buffer {
  const nodes = keys.map((key, at) => {
    const previous = keys[at - 1];
    const next = at < keys.length - 1;
    const by = previous ? algorithmOf(previous.privateKey) : null;
    const signedData = Buffer.concat([prefixed(key.certificate), uint32(by?.id ?? 0)]);
    const signature = previous && by ? sign(by.digestName, signedData, previous.privateKey) : Buffer.alloc(0);
    return prefixed(
      Buffer.concat([
        prefixed(signedData),
        uint32(formerKeyFlags),
        uint32(next ? algorithmOf(key.privateKey).id : 0),
        prefixed(signature),
      ]),
    );
  });
  return Buffer.concat([uint32(1), ...nodes]);
}

const pair = (id: number, value: Buffer) => Buffer.concat([uint64(value.length + 4), uint32(id), value]);
const prefixed = (bytes: Buffer) => Buffer.concat([uint32(bytes.length), bytes]);

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
