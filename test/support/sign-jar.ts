/** Signs packages with JAR signing (v1); every detail can be made wrong. */
import { createHash, sign } from 'node:crypto';
import type { ZipEntrySpec } from './build-zip.ts';
import { der, derIdentifier, derSequence, derSet, type TestKey } from './test-key.ts';

export interface JarSigningSpec {
  keys: readonly TestKey[];
  /** `sha256` (the default), `sha1`, `sha512`, … of manifest and files. */
  digest?: string;
  /** Hash of the signature itself. */
  signatureHash?: string;
  /** Header lines of the .SF file. */
  headLines?: readonly string[];
  /** Omits the digest of the whole manifest from the .SF file. */
  withoutWholeDigest?: boolean;
  /** Changes the files after they are hashed and signed. */
  tamperManifest?: (text: string) => string;
  tamperSignatureFile?: (text: string) => string;
  /** Changes the manifest before it is signed. */
  editManifest?: (text: string) => string;
  editSignatureFile?: (text: string) => string;
  signedAttributes?: 'right' | 'wrong-digest' | 'wrong-type';
  /** Certificates before the signer's. */
  otherCertificates?: readonly Buffer[];
  withoutCertificate?: boolean;
  /** Signers before the real one, with signatures of other bytes. */
  brokenSigners?: number;
  /** Only names the .SF files, to keep the blocks. */
  withoutSignatureFiles?: boolean;
}

const attributeNames: Readonly<Record<string, string>> = {
  md5: 'MD5',
  sha1: 'SHA1',
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  sha512: 'SHA-512',
};
const digestIdentifiers: Readonly<Record<string, string>> = {
  md5: '1.2.840.113549.2.5',
  sha1: '1.3.14.3.2.26',
  sha256: '2.16.840.1.101.3.4.2.1',
  sha512: '2.16.840.1.101.3.4.2.3',
};
const keyIdentifiers: Readonly<Record<string, string>> = {
  rsa: '1.2.840.113549.1.1.1',
  ec: '1.2.840.10045.2.1',
  dsa: '1.2.840.10040.4.1',
};

/** The entries and the META-INF files that sign them. */
export function signJar(entries: readonly ZipEntrySpec[], spec: JarSigningSpec): ZipEntrySpec[] {
  const digest = spec.digest ?? 'sha256';
  const attribute = `${attributeNames[digest]}-Digest`;
  const sections = entries.map(
    ({ name, content }) =>
      `Name: ${name}\r\n${attribute}: ${hashed(digest, Buffer.from(content ?? ''))}\r\n\r\n`,
  );
  const head = 'Manifest-Version: 1.0\r\n\r\n';
  const manifest = spec.editManifest?.(head + sections.join('')) ?? head + sections.join('');
  const signatureFileText = [
    'Signature-Version: 1.0\r\n',
    ...(spec.withoutWholeDigest
      ? []
      : [`${attribute}-Manifest: ${hashed(digest, Buffer.from(manifest))}\r\n`]),
    ...(spec.headLines ?? []).map((line) => `${line}\r\n`),
    '\r\n',
    ...sections.map(
      (section, index) =>
        `Name: ${entries[index]?.name}\r\n${attribute}: ${hashed(digest, Buffer.from(section))}\r\n\r\n`,
    ),
  ].join('');
  const signatureFile = Buffer.from(spec.editSignatureFile?.(signatureFileText) ?? signatureFileText);
  return [
    ...entries,
    ...spec.keys.flatMap((key, index) => [
      ...(spec.withoutSignatureFiles
        ? []
        : [
            {
              name: `META-INF/CERT${index}.SF`,
              content: spec.tamperSignatureFile?.(signatureFile.toString()) ?? signatureFile,
            },
          ]),
      {
        name: `META-INF/CERT${index}.${key.privateKey.asymmetricKeyType?.toUpperCase()}`,
        content: pkcs7(signatureFile, key, spec),
      },
    ]),
    { name: 'META-INF/MANIFEST.MF', content: spec.tamperManifest?.(manifest) ?? manifest },
  ];
}

function pkcs7(signatureFile: Buffer, key: TestKey, spec: JarSigningSpec): Buffer {
  const hash = spec.signatureHash ?? 'sha256';
  const digestAlgorithm = derSequence([derIdentifier(digestIdentifiers[hash] ?? '')]);
  const attributes = spec.signedAttributes
    ? signedAttributes(signatureFile, hash, spec.signedAttributes)
    : null;
  const signature = sign(hash, attributes === null ? signatureFile : derSet([attributes]), key.privateKey);
  const signerWith = (value: Buffer) =>
    derSequence([
      der(0x02, Buffer.of(1)),
      derSequence([key.issuer, der(0x02, key.serialNumber)]),
      digestAlgorithm,
      ...(attributes === null ? [] : [der(0xa0, attributes)]),
      derSequence([derIdentifier(keyIdentifiers[key.privateKey.asymmetricKeyType ?? ''] ?? '')]),
      der(0x04, value),
    ]);
  const broken = signerWith(sign(hash, Buffer.from('other'), key.privateKey));
  const signers = [...Array<Buffer>(spec.brokenSigners ?? 0).fill(broken), signerWith(signature)];
  const certificates = [
    ...(spec.otherCertificates ?? []),
    ...(spec.withoutCertificate ? [] : [key.certificate]),
  ];
  const signedData = derSequence([
    der(0x02, Buffer.of(1)),
    derSet([digestAlgorithm]),
    derSequence([derIdentifier('1.2.840.113549.1.7.1')]),
    der(0xa0, Buffer.concat(certificates)),
    derSet(signers),
  ]);
  return derSequence([derIdentifier('1.2.840.113549.1.7.2'), der(0xa0, signedData)]);
}

function signedAttributes(signatureFile: Buffer, hash: string, kind: string): Buffer {
  const digest = createHash(hash)
    .update(kind === 'wrong-digest' ? 'other' : signatureFile)
    .digest();
  const type = kind === 'wrong-type' ? '1.2.840.113549.1.7.2' : '1.2.840.113549.1.7.1';
  return Buffer.concat([
    derSequence([derIdentifier('1.2.840.113549.1.9.3'), derSet([derIdentifier(type)])]),
    derSequence([derIdentifier('1.2.840.113549.1.9.4'), derSet([der(0x04, digest)])]),
  ]);
}

function hashed(digest: string, bytes: Buffer): string {
  return createHash(digest).update(bytes).digest('base64');
}
