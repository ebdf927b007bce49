/**
 * Signed data of the Cryptographic Message Syntax (RFC 5652, section 5; PKCS #7, RFC 2315, section 9.1), as used in provisioning
 * profiles, code signatures of iOS and JAR signatures of Android. Own code, because libraries re-encode data that is not DER, and
 * signatures are only valid for the original bytes.
 */
import { constants, createPublicKey, hash, verify } from 'node:crypto';
import {
  BerTag,
  type BerValue,
  berChildren,
  berIntegerHex,
  berObjectIdentifier,
  berOctets,
  expectBer,
  MalformedBer,
  maxBerDepth,
  readBer,
} from './ber.ts';
import { type Certificate, readCertificate } from './certificate.ts';
import { comparableName } from './certificate-name.ts';

export interface CmsSignedData {
  /** Object identifier of the type of the signed content. */
  contentType: string;
  /** The signed bytes; null if they are stored elsewhere (a detached signature). */
  content: Buffer | null;
  /** Every included X.509 certificate. */
  certificates: Certificate[];
  /** Whether certificates in other formats, which are not read, are included. */
  hasOtherCertificates: boolean;
  signers: CmsSigner[];
}

export interface CmsSigner {
  /** How the signer's certificate is identified; null if in an unknown way. */
  identifiedBy: 'issuer' | 'key' | null;
  /** The signer's certificate, which need not be the first; null if it is not included. */
  certificate: Certificate | null;
  digestAlgorithm: string;
  /** Name for `crypto.hash`; null if unknown. */
  digest: string | null;
  signatureAlgorithm: string;
  signature: Buffer;
  /** `[0] IMPLICIT SET OF Attribute`; null if the content was signed directly. */
  signedAttributes: BerValue | null;
}

/** Limits on certificates and signers. */
export const maxCmsCertificates = 64;
export const maxCmsSigners = 16;

const constructedBit = 0x20;
/** Context-specific [0]: primitive, and constructed. */
const context0 = 0x80;
const explicit0 = context0 | constructedBit;

const signedDataIdentifier = '1.2.840.113549.1.7.2';
const messageDigestIdentifier = '1.2.840.113549.1.9.4';
const subjectKeyIdentifier = '2.5.29.14';
const rsaPssIdentifier = '1.2.840.113549.1.1.10';

const digestNames: ReadonlyMap<string, string> = new Map([
  ['1.3.14.3.2.26', 'sha1'],
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
  ['2.16.840.1.101.3.4.2.4', 'sha224'],
]);

/** Null if the signer's digest algorithm applies (RFC 3370, 3.2; RFC 5753, 2.1.1). */
const signatureDigests: ReadonlyMap<string, string | null> = new Map([
  ['1.2.840.113549.1.1.1', null],
  ['1.2.840.113549.1.1.5', 'sha1'],
  ['1.2.840.113549.1.1.11', 'sha256'],
  ['1.2.840.113549.1.1.12', 'sha384'],
  ['1.2.840.113549.1.1.13', 'sha512'],
  [rsaPssIdentifier, null],
  ['1.2.840.10045.2.1', null],
  ['1.2.840.10045.4.1', 'sha1'],
  ['1.2.840.10045.4.3.2', 'sha256'],
  ['1.2.840.10045.4.3.3', 'sha384'],
  ['1.2.840.10045.4.3.4', 'sha512'],
]);

/** Returns the `crypto.hash` name of a digest by object identifier; null if unknown. */
export function digestName(identifier: string): string | null {
  return digestNames.get(identifier) ?? null;
}

/** Reads DER or BER. Throws MalformedBer if `bytes` are not signed data. */
export function readCmsSignedData(bytes: Buffer): CmsSignedData {
  const [type, explicitSignedData] = berChildren(expectBer(readBer(bytes), BerTag.sequence));
  if (berObjectIdentifier(type) !== signedDataIdentifier) throw new MalformedBer('it is not CMS signed data');
  const [signedData] = berChildren(expectBer(explicitSignedData, explicit0));
  // Version, digest algorithms, encapsulated content, [0] certificates, [1] revocation lists, signers.
  const fields = berChildren(expectBer(signedData, BerTag.sequence));
  const [contentType, explicitContent] = berChildren(expectBer(fields[2], BerTag.sequence));
  const certificateSet = fields.find(({ tag }, index) => index > 2 && tag === explicit0);
  const every = certificateSet ? berChildren(certificateSet) : [];
  const signers = berChildren(expectBer(fields.at(-1), BerTag.set));
  if (every.length > maxCmsCertificates)
    throw new MalformedBer(`it has more than ${maxCmsCertificates} certificates`);
  if (signers.length > maxCmsSigners) throw new MalformedBer(`it has more than ${maxCmsSigners} signers`);
  const known = every.filter(({ tag }) => tag === BerTag.sequence);
  const certificates = known.map(({ encoded }) => readCertificate(encoded));
  return {
    contentType: berObjectIdentifier(contentType),
    content: explicitContent ? berOctets(berChildren(expectBer(explicitContent, explicit0))[0]) : null,
    certificates,
    hasOtherCertificates: known.length < every.length,
    signers: signers.map((signer) => readSigner(signer, certificates)),
  };
}

/** SignerInfo: version, identity, digest, optional [0] signed attributes, signature algorithm, signature, [1] unsigned attributes. */
function readSigner(signer: BerValue, certificates: Certificate[]): CmsSigner {
  const [, identity, digestAlgorithm, ...rest] = berChildren(expectBer(signer, BerTag.sequence));
  const signedAttributes = rest[0]?.tag === explicit0 ? rest[0] : null;
  const [signatureAlgorithm, signature] = rest.slice(signedAttributes ? 1 : 0);
  const algorithm = algorithmOf(digestAlgorithm);
  return {
    ...findCertificate(certificates, identity),
    digestAlgorithm: algorithm,
    digest: digestName(algorithm),
    signatureAlgorithm: algorithmOf(signatureAlgorithm),
    signature: berOctets(signature),
    signedAttributes,
  };
}

/** Returns every signed attribute in order: its object identifier and values. Throws MalformedBer. */
export function readSignedAttributes({ signedAttributes }: CmsSigner): [string, BerValue[]][] {
  return (signedAttributes ? berChildren(signedAttributes) : []).map((attribute) => {
    const [identifier, values] = berChildren(expectBer(attribute, BerTag.sequence));
    return [berObjectIdentifier(identifier), berChildren(expectBer(values, BerTag.set))];
  });
}

function algorithmOf(algorithm: BerValue | undefined): string {
  return berObjectIdentifier(berChildren(expectBer(algorithm, BerTag.sequence))[0]);
}

/** Finds it by issuer and serial number, or by the key identifier stated in the certificate. */
function findCertificate(
  certificates: readonly Certificate[],
  identity: BerValue | undefined,
): Pick<CmsSigner, 'identifiedBy' | 'certificate'> {
  if (identity?.tag === context0) {
    const certificate = certificates.find(({ extensions }) => {
      const stated = extensions.get(subjectKeyIdentifier);
      return stated !== undefined && berOctets(readBer(stated.value)).equals(identity.content);
    });
    return { identifiedBy: 'key', certificate: certificate ?? null };
  }
  if (identity?.tag !== BerTag.sequence) return { identifiedBy: null, certificate: null };
  const [issuer, number] = berChildren(identity);
  const { encoded } = expectBer(issuer, BerTag.sequence);
  const serialNumber = berIntegerHex(number);
  const numbered = certificates.filter((certificate) => certificate.serialNumber === serialNumber);
  const certificate = numbered.find((one) => comparableName(one.issuer) === comparableName(encoded));
  return { identifiedBy: 'issuer', certificate: certificate ?? null };
}

/** Encodes a value in DER, as required for signed attributes; `tag` replaces an IMPLICIT one. */
function encodeDer(value: BerValue, tag = value.tag, depth = 0): Buffer {
  if (depth > maxBerDepth) throw new MalformedBer('CMS attributes are nested too deep');
  const content = (value.tag & constructedBit) === 0 ? value.content : derContent(value, depth);
  const isPieced = value.tag === (BerTag.octetString | constructedBit);
  return Buffer.concat([
    Buffer.from([isPieced ? BerTag.octetString : tag]),
    encodeLength(content.length),
    content,
  ]);
}

function derContent(value: BerValue, depth: number): Buffer {
  if (value.tag === (BerTag.octetString | constructedBit)) return berOctets(value);
  return Buffer.concat(berChildren(value).map((child) => encodeDer(child, child.tag, depth + 1)));
}

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const hex = length.toString(16);
  const octets = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return Buffer.concat([Buffer.from([0x80 | octets.length]), octets]);
}

/** Returns the signer's certificate, its issuer, and so on, up to the last included one. */
export function certificateChain(data: CmsSignedData, signer: CmsSigner): Certificate[] {
  const chain: Certificate[] = [];
  let next = signer.certificate;
  while (next !== null && !chain.includes(next)) {
    const { issuer } = next;
    chain.push(next);
    next = data.certificates.find(({ subject }) => subject.equals(issuer)) ?? null;
  }
  return chain;
}

/**
 * Returns why the signature over `content` is invalid, to complete the sentence "the signature …"; null if it is valid. Does not
 * check whether the certificate is trusted.
 */
export function problemWithSigner(signer: CmsSigner, content: Buffer): string | null {
  if (signer.certificate === null) return 'lacks the certificate of its signer';
  if (signer.digest === null) return 'uses an unknown digest';
  const ownDigest = signatureDigests.get(signer.signatureAlgorithm);
  if (ownDigest === undefined) return `uses the unknown algorithm ${signer.signatureAlgorithm}`;
  try {
    const signed = signedBytes(signer, signer.digest, content);
    if (signed === null) return 'is over other content';
    const holds = isSignedBy(signer.certificate, signer, signed, ownDigest ?? signer.digest);
    return holds ? null : 'does not match its certificate';
  } catch (error) {
    if (!(error instanceof MalformedBer)) throw error;
    return 'cannot be read';
  }
}

/** Returns the content, or the signed attributes with its digest as SET OF in DER (RFC 5652, 5.4). Null if they contain another digest. */
function signedBytes(signer: CmsSigner, digest: string, content: Buffer): Buffer | null {
  if (signer.signedAttributes === null) return content;
  const [stated] = new Map(readSignedAttributes(signer)).get(messageDigestIdentifier) ?? [];
  if (!stated || !berOctets(stated).equals(hash(digest, content, 'buffer'))) return null;
  return encodeDer(signer.signedAttributes, BerTag.set);
}

function isSignedBy(certificate: Certificate, signer: CmsSigner, signed: Buffer, digest: string): boolean {
  try {
    const key = createPublicKey({ key: certificate.publicKey, format: 'der', type: 'spki' });
    const isPss = signer.signatureAlgorithm === rsaPssIdentifier;
    const padding = isPss
      ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO }
      : {};
    return verify(digest, signed, { key, ...padding }, signer.signature);
  } catch {
    return false;
  }
}
