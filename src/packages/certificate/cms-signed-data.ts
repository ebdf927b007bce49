/** Signed data of the Cryptographic Message Syntax (RFC 5652, section 5), used by provisioning profiles and code signatures. */
import { constants, createPublicKey, hash, verify } from 'node:crypto';
import {
  BerTag,
  type BerValue,
  berChildren,
  berIntegerHex,
  berObjectIdentifier,
  berOctets,
  expectBer,
  maxBerDepth,
  readBer,
} from './ber.ts';
import { type Certificate, readCertificate } from './certificate.ts';

export interface CmsSignedData {
  /** The signed bytes; null for a detached signature. */
  content: Buffer | null;
  /** All included certificates. */
  certificates: Certificate[];
  signers: CmsSigner[];
}

export interface CmsSigner {
  /** The signer's certificate; null when not included. */
  certificate: Certificate | null;
  /** The name in `crypto.hash`; null when unknown. */
  digest: string | null;
  signatureAlgorithm: string;
  signature: Buffer;
  /** The encoded signed attributes; null when the content was signed directly. */
  signedAttributes: Buffer | null;
  /** Values of the signed attributes by object identifier. */
  attributes: ReadonlyMap<string, BerValue[]>;
}

/** Limits on certificates and signers. */
export const maxCmsCertificates = 64;
export const maxCmsSigners = 8;

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

/** Null: the signer's digest algorithm applies (RFC 3370, 3.2; RFC 5753, 2.1.1). */
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

/** Returns the `crypto.hash` name of a digest by object identifier; null when unknown. */
export function digestName(identifier: string): string | null {
  return digestNames.get(identifier) ?? null;
}

/** Reads DER or BER. Throws `MalformedBer` or `Error` when `bytes` are not signed data. */
export function readCmsSignedData(bytes: Buffer): CmsSignedData {
  const [contentType, explicitSignedData] = berChildren(expectBer(readBer(bytes), BerTag.sequence));
  if (berObjectIdentifier(contentType) !== signedDataIdentifier) throw new Error('it is not CMS signed data');
  const [signedData] = berChildren(expectBer(explicitSignedData, explicit0));
  const fields = berChildren(expectBer(signedData, BerTag.sequence));
  const [, explicitContent] = berChildren(expectBer(fields[2], BerTag.sequence));
  const certificateSet = fields.find(({ tag }) => tag === explicit0);
  const certificates = (certificateSet ? berChildren(certificateSet) : []).filter(
    ({ tag }) => tag === BerTag.sequence,
  );
  const signers = berChildren(expectBer(fields.at(-1), BerTag.set));
  if (certificates.length > maxCmsCertificates)
    throw new Error(`CMS has more than ${maxCmsCertificates} certificates`);
  if (signers.length > maxCmsSigners) throw new Error(`CMS has more than ${maxCmsSigners} signers`);
  const known = certificates.map(({ encoded }) => readCertificate(encoded));
  return {
    content: explicitContent ? berOctets(berChildren(expectBer(explicitContent, explicit0))[0]) : null,
    certificates: known,
    signers: signers.map((signer) => readSigner(signer, known)),
  };
}

/** SignerInfo: version, identity, digest, [0] signed attributes or not, signature algorithm, signature. */
function readSigner(signer: BerValue, certificates: Certificate[]): CmsSigner {
  const fields = berChildren(expectBer(signer, BerTag.sequence));
  const [, identity, digestAlgorithm] = fields;
  const attributeSet = fields[3]?.tag === explicit0 ? fields[3] : null;
  const [signatureAlgorithm, signature] = fields.slice(attributeSet ? 4 : 3);
  return {
    certificate: certificates.find((certificate) => isIdentifiedBy(certificate, identity)) ?? null,
    digest: digestName(algorithmOf(digestAlgorithm)),
    signatureAlgorithm: algorithmOf(signatureAlgorithm),
    signature: berOctets(signature),
    signedAttributes: attributeSet && encodeDer(attributeSet, BerTag.set),
    attributes: new Map(attributeSet ? berChildren(attributeSet).map(readAttribute) : []),
  };
}

function readAttribute(attribute: BerValue): [string, BerValue[]] {
  const [identifier, values] = berChildren(expectBer(attribute, BerTag.sequence));
  return [berObjectIdentifier(identifier), berChildren(expectBer(values, BerTag.set))];
}

function algorithmOf(algorithm: BerValue | undefined): string {
  return berObjectIdentifier(berChildren(expectBer(algorithm, BerTag.sequence))[0]);
}

/** Matches by issuer and serial number, or by the certificate's subject key identifier. */
function isIdentifiedBy(certificate: Certificate, identity: BerValue | undefined): boolean {
  if (identity?.tag === context0) {
    const stated = certificate.extensions.get(subjectKeyIdentifier);
    return stated !== undefined && berOctets(readBer(stated.value)).equals(identity.content);
  }
  const [issuer, serialNumber] = berChildren(expectBer(identity, BerTag.sequence));
  const isIssuer = issuer !== undefined && certificate.issuer.equals(issuer.encoded);
  return isIssuer && certificate.serialNumber === berIntegerHex(serialNumber);
}

/** Encodes a value in DER, as required for signed attributes; `tag` replaces an IMPLICIT one. */
function encodeDer(value: BerValue, tag = value.tag, depth = 0): Buffer {
  if (depth > maxBerDepth) throw new Error('CMS attributes are nested too deep');
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

/** Returns the signer's certificate, its issuer, and so on, as far as included. */
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
 * Returns why the signature over `content` is invalid, as the rest of "the signature …"; null when valid. Does not check
 * whether the certificate is trusted.
 */
export function problemWithSigner(signer: CmsSigner, content: Buffer): string | null {
  if (signer.certificate === null) return 'lacks the certificate of its signer';
  if (signer.digest === null) return 'uses an unknown digest';
  const ownDigest = signatureDigests.get(signer.signatureAlgorithm);
  if (ownDigest === undefined) return `uses the unknown algorithm ${signer.signatureAlgorithm}`;
  if (signer.signedAttributes !== null) {
    const stated = signer.attributes.get(messageDigestIdentifier)?.[0];
    const digest = hash(signer.digest, content, 'buffer');
    if (!stated || !berOctets(stated).equals(digest)) return 'is over other content';
  }
  const signed = signer.signedAttributes ?? content;
  const holds = isSignedBy(signer.certificate, signer, signed, ownDigest ?? signer.digest);
  return holds ? null : 'does not match its certificate';
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
