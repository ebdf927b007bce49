/** Signs APKs for Android versions before 7: JAR signing (v1), with PKCS #7 (RFC 2315). */
import { createHash, sign } from 'node:crypto';
import { der, derIdentifier, derSequence, derSet } from '../../certificate/der-writer.ts';
import type { SigningKey } from './signing-key.ts';

const dataType = '1.2.840.113549.1.7.1';
const signedDataType = '1.2.840.113549.1.7.2';
const digestTypes = { sha1: '1.3.14.3.2.26', sha256: '2.16.840.1.101.3.4.2.1' } as const;
const digestNames = { sha1: 'SHA1', sha256: 'SHA-256' } as const;
const keyTypes: Readonly<Record<string, { identifier: string; extension: string }>> = {
  rsa: { identifier: '1.2.840.113549.1.1.1', extension: 'RSA' },
  ec: { identifier: '1.2.840.10045.2.1', extension: 'EC' },
};
const derNull = Buffer.from([0x05, 0x00]);
/** Maximum length of a line without its line break. */
const lineBytes = 70;

/** Android versions before 4.3 only verify SHA-1. */
export const jarDigestFor = (minSdk: number) => (minSdk < 18 ? 'sha1' : 'sha256');

/** Whether a file is part of a JAR signature. The signature of a bundle is not included in its APK. */
export const isJarSignatureFile = (path: string) =>
  /^META-INF\/(MANIFEST\.MF|[^/]+\.(SF|RSA|DSA|EC)|SIG-[^/]+)$/i.test(path);

/**
 * @param digests of all files, in base64, by name
 * @returns the files that make up the signature
 */
export function writeJarSignature(
  digests: ReadonlyMap<string, string>,
  digestName: 'sha1' | 'sha256',
  key: SigningKey,
): { name: string; content: Buffer }[] {
  const keyType = keyTypes[key.privateKey.asymmetricKeyType ?? ''];
  if (!keyType) throw new Error('only RSA and EC keys sign JARs');
  const attribute = `${digestNames[digestName]}-Digest`;
  const hash = (bytes: Buffer) => createHash(digestName).update(bytes).digest('base64');
  const section = (name: string, digest: string) => lines(`Name: ${name}`, `${attribute}: ${digest}`);
  const sections = [...digests].map(([name, digest]) => ({ name, bytes: section(name, digest) }));
  const manifest = Buffer.concat([
    lines('Manifest-Version: 1.0', 'Created-By: 1.0 (Slipway)'),
    ...sections.map(({ bytes }) => bytes),
  ]);
  const signatureFile = Buffer.concat([
    lines(
      'Signature-Version: 1.0',
      'Created-By: 1.0 (Slipway)',
      `${attribute}-Manifest: ${hash(manifest)}`,
      'X-Android-APK-Signed: 2, 3',
    ),
    ...sections.map(({ name, bytes }) => section(name, hash(bytes))),
  ]);
  return [
    { name: 'META-INF/MANIFEST.MF', content: manifest },
    { name: 'META-INF/CERT.SF', content: signatureFile },
    { name: `META-INF/CERT.${keyType.extension}`, content: signedData(signatureFile) },
  ];

  function signedData(content: Buffer): Buffer {
    const digestAlgorithm = derSequence([derIdentifier(digestTypes[digestName]), derNull]);
    const parameters = keyType?.extension === 'RSA' ? [derNull] : [];
    const signer = derSequence([
      der(0x02, Buffer.of(1)),
      derSequence([key.issuer, der(0x02, key.serialNumber)]),
      digestAlgorithm,
      derSequence([derIdentifier(keyType?.identifier ?? ''), ...parameters]),
      der(0x04, sign(digestName, content, key.privateKey)),
    ]);
    const value = derSequence([
      der(0x02, Buffer.of(1)),
      derSet([digestAlgorithm]),
      derSequence([derIdentifier(dataType)]),
      der(0xa0, key.certificate),
      derSet([signer]),
    ]);
    return derSequence([derIdentifier(signedDataType), der(0xa0, value)]);
  }
}

/** Joins lines and adds an empty one. Long lines continue on the next line after a space (JAR File Specification, "Line length"). */
function lines(...texts: readonly string[]): Buffer {
  const parts: Buffer[] = [];
  for (const text of texts) {
    const bytes = Buffer.from(text);
    parts.push(bytes.subarray(0, lineBytes));
    for (let start = lineBytes; start < bytes.length; start += lineBytes - 1)
      parts.push(Buffer.from('\r\n '), bytes.subarray(start, start + lineBytes - 1));
    parts.push(Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('\r\n')]);
}
