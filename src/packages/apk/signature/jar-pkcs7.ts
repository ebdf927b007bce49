/** Reads the PKCS #7 SignedData (RFC 2315, 9.1; RFC 5652, 5.1) of a JAR signature block file. */
import {
  BerTag,
  type BerValue,
  berChildren,
  berIntegerHex,
  berObjectIdentifier,
  berOctets,
  expectBer,
  MalformedBer,
  readBer,
} from '../../certificate/ber.ts';
import { type Certificate, readCertificate } from '../../certificate/certificate.ts';
import { comparableName } from '../../certificate/certificate-name.ts';

export const maxPkcs7Certificates = 64;
export const maxPkcs7Signers = 16;
const signedDataType = '1.2.840.113549.1.7.2';

export interface Pkcs7SignedData {
  /** Object identifier of the signed content, which is the .SF file. */
  contentType: string;
  certificates: Certificate[];
  signers: Pkcs7Signer[];
}

export interface Pkcs7Signer {
  /** Identifies the certificate; null for a kind of identifier that Android does not support. */
  certificateId: { issuer: Buffer; serialNumber: string } | null;
  digestAlgorithm: string;
  signatureAlgorithm: string;
  /** Encoded `[0] IMPLICIT SET OF Attribute`, or null when the signature is over the file itself. */
  signedAttributes: Buffer | null;
  signature: Buffer;
}

/** Throws `MalformedBer`, also when there is no signer. */
export function readPkcs7(block: Buffer): Pkcs7SignedData {
  const [type, content] = berChildren(expectBer(readBer(block), BerTag.sequence));
  if (berObjectIdentifier(type) !== signedDataType) throw new MalformedBer('it is not PKCS #7 signed data');
  const [signedData] = berChildren(expectBer(content, 0xa0));
  // version, digestAlgorithms, encapsulated content, [0] certificates, [1] revocation lists, signers
  const fields = berChildren(expectBer(signedData, BerTag.sequence));
  const [contentType] = berChildren(expectBer(fields[2], BerTag.sequence));
  const certificates = fields.find(({ tag }, index) => index > 2 && tag === 0xa0);
  const encodedCertificates = certificates === undefined ? [] : berChildren(certificates);
  const signers = berChildren(expectBer(fields.at(-1), BerTag.set));
  if (encodedCertificates.length > maxPkcs7Certificates)
    throw new MalformedBer('it has too many certificates');
  if (signers.length > maxPkcs7Signers) throw new MalformedBer('it has too many signers');
  if (signers.length === 0) throw new MalformedBer('it has no signer');
  return {
    contentType: berObjectIdentifier(contentType),
    certificates: encodedCertificates.map(({ encoded }) => readCertificate(encoded)),
    signers: signers.map(readSigner),
  };
}

/** Returns the certificate that the signer identifies, not necessarily the first; null when missing. */
export function findSignerCertificate(signedData: Pkcs7SignedData, signer: Pkcs7Signer): Certificate | null {
  const wanted = signer.certificateId;
  if (wanted === null) return null;
  const sameNumber = signedData.certificates.filter(
    ({ serialNumber }) => serialNumber === wanted.serialNumber,
  );
  const issuer = comparableName(wanted.issuer);
  return sameNumber.find((certificate) => comparableName(certificate.issuer) === issuer) ?? null;
}

/** SignerInfo: version, identifier, digest algorithm, [0] signed attributes, signature algorithm, signature, [1] unsigned. */
function readSigner(value: BerValue): Pkcs7Signer {
  const [, identifier, digestAlgorithm, ...rest] = berChildren(expectBer(value, BerTag.sequence));
  const signedAttributes = rest[0]?.tag === 0xa0 ? rest[0].encoded : null;
  const [signatureAlgorithm, signature] = signedAttributes === null ? rest : rest.slice(1);
  return {
    certificateId: readCertificateId(identifier),
    digestAlgorithm: readAlgorithm(digestAlgorithm),
    signatureAlgorithm: readAlgorithm(signatureAlgorithm),
    signedAttributes,
    signature: berOctets(signature),
  };
}

function readCertificateId(value: BerValue | undefined): Pkcs7Signer['certificateId'] {
  if (value?.tag !== BerTag.sequence) return null;
  const [issuer, serialNumber] = berChildren(value);
  return { issuer: expectBer(issuer, BerTag.sequence).encoded, serialNumber: berIntegerHex(serialNumber) };
}

function readAlgorithm(value: BerValue | undefined): string {
  return berObjectIdentifier(berChildren(expectBer(value, BerTag.sequence))[0]);
}

/** Returns the single value of each signed attribute by object identifier. Throws `MalformedBer` on a second or missing value. */
export function readSignedAttributes(encoded: Buffer): Map<string, BerValue> {
  const attributes = new Map<string, BerValue>();
  for (const attribute of berChildren(readBer(encoded))) {
    const [type, values] = berChildren(attribute);
    const name = berObjectIdentifier(type);
    const [value, ...more] = berChildren(expectBer(values, BerTag.set));
    if (value === undefined || more.length > 0 || attributes.has(name)) {
      throw new MalformedBer(`the signed attribute ${name} does not have exactly one value`);
    }
    attributes.set(name, value);
  }
  return attributes;
}
