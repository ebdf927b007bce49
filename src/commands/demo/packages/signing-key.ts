/** Keys with self-signed certificates. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface SigningKey {
  privateKey: KeyObject;
  /** Encoded SubjectPublicKeyInfo. */
  publicKey: Buffer;
  /** Encoded, self-signed. */
  certificate: Buffer;
  /** Encoded, as the certificate has them. */
  issuer: Buffer;
  serialNumber: Buffer;
}

export interface CertificateSpec {
  /** Relative distinguished names in the order of the encoding: [object identifier, value]. */
  name?: readonly (readonly [string, string | Buffer])[];
  serialNumber?: Buffer;
  validFrom?: Buffer;
  validUntil?: Buffer;
  /** Encoded Extension values. */
  extensions?: readonly Buffer[];
  /** Replaces the key's own SubjectPublicKeyInfo. */
  publicKey?: Buffer;
}

export const commonName = '2.5.4.3';

/** `rsa-2048` and `dsa-1024` take a while to generate: share them between tests. */
export function createSigningKey(
  kind: 'ec' | 'ec-384' | 'rsa-2048' | 'rsa-1024' | 'dsa-1024' = 'ec',
  spec: CertificateSpec = {},
): SigningKey {
  const { privateKey, publicKey } = generate(kind);
  return certify(privateKey, publicKey.export({ format: 'der', type: 'spki' }), spec);
}

/** Another certificate for the same key. */
export function certify(privateKey: KeyObject, publicKey: Buffer, spec: CertificateSpec = {}): SigningKey {
  const issuer = derName(spec.name ?? [[commonName, 'Test']]);
  const serialNumber = spec.serialNumber ?? Buffer.concat([Buffer.of(1), randomBytes(8)]);
  const algorithm = derSequence(
    privateKey.asymmetricKeyType === 'ec'
      ? [derIdentifier('1.2.840.10045.4.3.2')]
      : [derIdentifier('1.2.840.113549.1.1.11'), der(0x05, Buffer.alloc(0))],
  );
  const body = derSequence([
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, serialNumber),
    algorithm,
    issuer,
    derSequence([spec.validFrom ?? utcTime('200101000000Z'), spec.validUntil ?? utcTime('491231235959Z')]),
    issuer,
    spec.publicKey ?? publicKey,
    ...(spec.extensions ? [der(0xa3, derSequence(spec.extensions))] : []),
  ]);
  const signature = sign('sha256', body, privateKey);
  const certificate = derSequence([body, algorithm, der(0x03, Buffer.concat([Buffer.of(0), signature]))]);
  return { privateKey, publicKey, certificate, issuer, serialNumber };
}

function generate(kind: string): { privateKey: KeyObject; publicKey: KeyObject } {
  if (kind === 'rsa-2048') return generateKeyPairSync('rsa', { modulusLength: 2048 });
  if (kind === 'rsa-1024') return generateKeyPairSync('rsa', { modulusLength: 1024 });
  if (kind === 'dsa-1024') return generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 });
  return generateKeyPairSync('ec', { namedCurve: kind === 'ec-384' ? 'P-384' : 'P-256' });
}

export const utcTime = (text: string) => der(0x17, Buffer.from(text));
export const generalizedTime = (text: string) => der(0x18, Buffer.from(text));

export function derName(parts: readonly (readonly [string, string | Buffer])[]): Buffer {
  return derSequence(
    parts.map(([type, value]) =>
      der(
        0x31,
        derSequence([derIdentifier(type), typeof value === 'string' ? der(0x0c, Buffer.from(value)) : value]),
      ),
    ),
  );
}

export function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const octets: number[] = [];
  for (let left = length; left > 0; left >>= 8) octets.unshift(left & 0xff);
  const head = length < 0x80 ? [tag, length] : [tag, 0x80 | octets.length, ...octets];
  return Buffer.concat([Buffer.from(head), content]);
}

export function derSequence(parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

export function derSet(parts: readonly Buffer[]): Buffer {
  return der(0x31, Buffer.concat(parts));
}

export function derIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const octets = [first * 40 + second, ...rest].flatMap((arc) => {
    const base128 = [arc & 0x7f];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128))
      base128.unshift((left & 0x7f) | 0x80);
    return base128;
  });
  return der(0x06, Buffer.from(octets));
}
