/** Keys with self-signed certificates. */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { certificateFacts, certificateSha256, readCertificate } from '../../certificate/certificate.ts';
import { der, derIdentifier, derName, derSequence, utcTime } from '../../certificate/der-writer.ts';
import type { EncodedSigningKey, PackageInfo, SigningScheme } from '../../package-info.ts';

export interface SigningKey {
  privateKey: KeyObject;
  /** Encoded SubjectPublicKeyInfo. */
  publicKey: Buffer;
  /** Encoded, self-signed. */
  certificate: Buffer;
  /** Encoded as in the certificate. */
  issuer: Buffer;
  serialNumber: Buffer;
}

export const firstSdkWithoutJarSignature = 24;

/**
 * Returns the facts of an APK that `writeUniversalApk` signs with these keys.
 * @param keys the current key last
 */
export function signingFactsOf(
  keys: readonly Pick<SigningKey, 'certificate'>[],
  minSdk: number,
): Pick<PackageInfo, 'signing' | 'signature'> {
  const current = keys.at(-1);
  if (!current) throw new Error('no key');
  const facts = certificateFacts(current.certificate);
  const lineage = keys.length > 1 ? keys.map(({ certificate }) => certificateSha256(certificate)) : [];
  const schemes: SigningScheme[] = minSdk < firstSdkWithoutJarSignature ? ['v1', 'v2', 'v3'] : ['v2', 'v3'];
  return {
    signing: { schemes, certificates: [facts], lineage, sourceStamp: false },
    signature: facts.sha1,
  };
}

export const encodeSigningKey = ({ privateKey, certificate }: SigningKey): EncodedSigningKey => ({
  privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
  certificate: certificate.toString('base64'),
});

export const decodeSigningKey = ({ privateKey, certificate }: EncodedSigningKey): SigningKey =>
  signingKeyOf(
    createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' }),
    Buffer.from(certificate, 'base64'),
  );

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

/**
 * @param certificate X.509 in DER
 * @throws MalformedBer if the certificate cannot be read
 * @throws Error if the certificate belongs to another key
 */
export function signingKeyOf(privateKey: KeyObject, certificate: Buffer): SigningKey {
  const { encoded, publicKey, issuer, serialNumberBytes } = readCertificate(certificate);
  if (!createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).equals(publicKey))
    throw new Error('the certificate is that of another key');
  return { privateKey, publicKey, certificate: encoded, issuer, serialNumber: serialNumberBytes };
}

/** Generating RSA and DSA keys is slow, so tests should share them. */
export function createSigningKey(
  kind: 'ec' | 'ec-384' | 'rsa-2048' | 'rsa-1024' | 'dsa-1024' = 'ec',
  spec: CertificateSpec = {},
): SigningKey {
  const { privateKey, publicKey } = generate(kind);
  return certify(privateKey, publicKey.export({ format: 'der', type: 'spki' }), spec);
}

/** Creates another certificate for the same key. */
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
