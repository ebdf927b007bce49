/** Builds self-signed certificates and CMS signed data in DER. */
import { generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';

export interface SigningIdentity {
  /** DER. */
  certificate: Buffer;
  /** The certificate and its issuers. */
  chain: Buffer[];
  privateKey: KeyObject;
  issuer: Buffer;
  serial: Buffer;
}

export interface IdentitySpec {
  commonName?: string;
  keyType?: 'ec' | 'rsa';
  issuedBy?: SigningIdentity & { subject: Buffer };
}

const identifiers = {
  signedData: '1.2.840.113549.1.7.2',
  data: '1.2.840.113549.1.7.1',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  sha1: '1.3.14.3.2.26',
  sha256: '2.16.840.1.101.3.4.2.1',
  rsa: '1.2.840.113549.1.1.1',
  rsaSha256: '1.2.840.113549.1.1.11',
  ecdsaSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
};

export function der(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  if (content.length < 0x80) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const octets = length.subarray(length.findIndex((octet) => octet !== 0));
  return Buffer.concat([Buffer.from([tag, 0x80 | octets.length]), octets, content]);
}

/** Encodes an indefinite length, which only BER allows. */
export function indefinite(tag: number, ...contents: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from([tag, 0x80]), ...contents, Buffer.alloc(2)]);
}

export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der(0x06, ...[first * 40 + second, ...rest].map(base128));
}

function base128(arc: number): Buffer {
  const octets = [arc & 0x7f];
  for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128))
    octets.unshift((left & 0x7f) | 0x80);
  return Buffer.from(octets);
}

function algorithm(dotted: string): Buffer {
  return der(0x30, objectIdentifier(dotted), der(0x05));
}

/** Builds a self-signed certificate, or one issued by another. */
export function createSigningIdentity(spec: IdentitySpec = {}): SigningIdentity & { subject: Buffer } {
  const { publicKey, privateKey } =
    spec.keyType === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const isRsa = (spec.issuedBy?.privateKey ?? privateKey).asymmetricKeyType === 'rsa';
  const signatureAlgorithm = isRsa
    ? algorithm(identifiers.rsaSha256)
    : der(0x30, objectIdentifier(identifiers.ecdsaSha256));
  const name = der(0x0c, Buffer.from(spec.commonName ?? 'iPhone Developer: Test'));
  const subject = der(0x30, der(0x31, der(0x30, objectIdentifier(identifiers.commonName), name)));
  const issuer = spec.issuedBy?.subject ?? subject;
  const publicKeyInfo = publicKey.export({ format: 'der', type: 'spki' });
  const serial = der(
    0x02,
    Buffer.concat([Buffer.from([0x01]), hash('sha256', publicKeyInfo, 'buffer').subarray(0, 7)]),
  );
  const toBeSigned = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    serial,
    signatureAlgorithm,
    issuer,
    der(0x30, der(0x17, Buffer.from('240101000000Z')), der(0x17, Buffer.from('440101000000Z'))),
    subject,
    publicKeyInfo,
  );
  const signature = sign('sha256', toBeSigned, spec.issuedBy?.privateKey ?? privateKey);
  const certificate = der(0x30, toBeSigned, signatureAlgorithm, der(0x03, Buffer.alloc(1), signature));
  return {
    certificate,
    chain: [certificate, ...(spec.issuedBy?.chain ?? [])],
    privateKey,
    issuer,
    serial,
    subject,
  };
}

export interface CmsSpec {
  content: Buffer;
  identity: SigningIdentity;
  /** Whether the signature is detached. */
  detached?: boolean;
  /** Whether to use indefinite lengths and fragmented content. */
  indefiniteLengths?: boolean;
  /** Signed attributes other than content type and digest: identifier and values. */
  attributes?: [string, Buffer[]][];
  /** Whether the content is signed directly. */
  withoutAttributes?: boolean;
  digest?: 'sha1' | 'sha256';
  /** Number of copies of the signer information. */
  signerCount?: number;
}

export function buildCms(spec: CmsSpec): Buffer {
  const { identity, content } = spec;
  const wrap = spec.indefiniteLengths ? indefinite : der;
  const digest = spec.digest ?? 'sha256';
  const isRsa = identity.privateKey.asymmetricKeyType === 'rsa';
  const attributes: [string, Buffer[]][] = [
    [identifiers.contentType, [objectIdentifier(identifiers.data)]],
    [identifiers.messageDigest, [der(0x04, hash(digest, content, 'buffer'))]],
    ...(spec.attributes ?? []),
  ];
  const encoded = attributes
    .map(([identifier, values]) => der(0x30, objectIdentifier(identifier), der(0x31, ...values)))
    .toSorted(Buffer.compare);
  const signed = spec.withoutAttributes ? content : der(0x31, ...encoded);
  const ecdsa = digest === 'sha1' ? '1.2.840.10045.4.1' : identifiers.ecdsaSha256;
  const signerInfo = wrap(
    0x30,
    der(0x02, Buffer.from([1])),
    der(0x30, identity.issuer, identity.serial),
    algorithm(identifiers[digest]),
    ...(spec.withoutAttributes ? [] : [wrap(0xa0, ...encoded)]),
    isRsa ? algorithm(identifiers.rsa) : der(0x30, objectIdentifier(ecdsa)),
    der(0x04, sign(digest, signed, identity.privateKey)),
  );
  const octets = spec.indefiniteLengths
    ? indefinite(0x24, der(0x04, content.subarray(0, 9)), der(0x04, content.subarray(9)))
    : der(0x04, content);
  return wrap(
    0x30,
    objectIdentifier(identifiers.signedData),
    wrap(
      0xa0,
      wrap(
        0x30,
        der(0x02, Buffer.from([1])),
        der(0x31, algorithm(identifiers[digest])),
        wrap(0x30, objectIdentifier(identifiers.data), ...(spec.detached ? [] : [wrap(0xa0, octets)])),
        wrap(0xa0, ...identity.chain.toReversed()),
        der(0x31, ...Array.from({ length: spec.signerCount ?? 1 }, () => signerInfo)),
      ),
    ),
  );
}
