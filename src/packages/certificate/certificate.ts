/**
 * Reads the fields of X.509 certificates (RFC 5280, 4.1) that describe them and verify their signatures. Does not use
 * `crypto.X509Certificate`, because certificates in real packages are not always DER, and OpenSSL rejects those.
 */
import { hash } from 'node:crypto';
import type { CertificateFacts } from '../package-info.ts';
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
} from './ber.ts';
import { correctedPublicKey, describePublicKey } from './certificate-key.ts';
import { distinguishedName } from './certificate-name.ts';

/** Maximum size of a certificate. Real ones have one or two thousand bytes. */
export const maxCertificateBytes = 65_536;

export interface Certificate {
  /** The unmodified encoding. */
  readonly encoded: Buffer;
  /** Encoded Name. */
  readonly issuer: Buffer;
  readonly subject: Buffer;
  /** Hexadecimal, see berIntegerHex. */
  readonly serialNumber: string;
  /** The content of the INTEGER. */
  readonly serialNumberBytes: Buffer;
  readonly validFrom: Date;
  readonly validUntil: Date;
  /** Encoded SubjectPublicKeyInfo, see correctedPublicKey. */
  readonly publicKey: Buffer;
  /** By object identifier. */
  readonly extensions: ReadonlyMap<string, { critical: boolean; value: Buffer }>;
}

/** Reads the certificate at the start of `encoded`. Throws `MalformedBer`. */
export function readCertificate(encoded: Buffer): Certificate {
  const certificate = expectBer(readBer(encoded), BerTag.sequence);
  if (certificate.encoded.length > maxCertificateBytes)
    throw new MalformedBer('the certificate is too large');
  const fields = berChildren(expectBer(berChildren(certificate)[0], BerTag.sequence));
  // Version [0] is absent from certificates of version 1.
  const [serialNumber, , issuer, validity, subject, publicKey] =
    fields[0]?.tag === 0xa0 ? fields.slice(1) : fields;
  const [notBefore, notAfter] = berChildren(expectBer(validity, BerTag.sequence));
  return {
    encoded: certificate.encoded,
    serialNumber: berIntegerHex(serialNumber),
    serialNumberBytes: expectBer(serialNumber, BerTag.integer).content,
    issuer: expectBer(issuer, BerTag.sequence).encoded,
    subject: expectBer(subject, BerTag.sequence).encoded,
    validFrom: readTime(notBefore),
    validUntil: readTime(notAfter),
    publicKey: correctedPublicKey(expectBer(publicKey, BerTag.sequence).encoded),
    extensions: readExtensions(fields.find(({ tag }) => tag === 0xa3)),
  };
}

/** Returns the displayed facts of a certificate. Throws `MalformedBer`. */
export function certificateFacts(encoded: Buffer): CertificateFacts {
  const certificate = readCertificate(encoded);
  return {
    sha1: certificateSha1(certificate.encoded),
    sha256: certificateSha256(certificate.encoded),
    subject: distinguishedName(certificate.subject),
    issuer: distinguishedName(certificate.issuer),
    key: describePublicKey(certificate.publicKey),
    validFrom: certificate.validFrom.toISOString(),
    validUntil: certificate.validUntil.toISOString(),
  };
}

/** Lowercase hexadecimal. */
export function certificateSha1(encoded: Buffer): string {
  return hash('sha1', encoded);
}

/** Lowercase hexadecimal. */
export function certificateSha256(encoded: Buffer): string {
  return hash('sha256', encoded);
}

function readExtensions(tagged: BerValue | undefined): Certificate['extensions'] {
  const extensions = new Map<string, { critical: boolean; value: Buffer }>();
  const list = tagged === undefined ? [] : berChildren(expectBer(berChildren(tagged)[0], BerTag.sequence));
  for (const extension of list) {
    const parts = berChildren(extension);
    const critical = parts[1]?.tag === BerTag.boolean && parts[1].content[0] !== 0;
    extensions.set(berObjectIdentifier(parts[0]), { critical, value: berOctets(parts.at(-1)) });
  }
  return extensions;
}

/** UTCTime has a two-digit year from 1950 to 2049. Seconds are optional, and an offset can replace `Z`. */
function readTime(value: BerValue | undefined): Date {
  const digitsOfYear = value?.tag === BerTag.generalizedTime ? 4 : 2;
  const text = expectBer(
    value,
    digitsOfYear === 4 ? BerTag.generalizedTime : BerTag.utcTime,
  ).content.toString('latin1');
  const dayAndTime = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?(?:\.\d+)?(?:Z|([+-])(\d\d)(\d\d))?$/;
  const yearText = text.slice(0, digitsOfYear);
  const match = dayAndTime.exec(text.slice(digitsOfYear));
  if (match === null || !/^\d+$/.test(yearText))
    throw new MalformedBer('a certificate has an unreadable date');
  const [, month, day, hour, minute, second = '00', signText, offsetHours = '0', offsetMinutes = '0'] = match;
  const year =
    digitsOfYear === 4 ? Number(yearText) : Number(yearText) + (Number(yearText) < 50 ? 2000 : 1900);
  const offset = (signText === '-' ? -1 : 1) * (Number(offsetHours) * 60 + Number(offsetMinutes));
  const time = new Date(0);
  time.setUTCFullYear(year, Number(month) - 1, Number(day));
  time.setUTCHours(Number(hour), Number(minute) - offset, Number(second));
  return time;
}
