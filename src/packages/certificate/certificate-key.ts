/** Public keys of certificates: SubjectPublicKeyInfo ::= SEQUENCE { algorithm, BIT STRING } (RFC 3279, 2.3; RFC 5480). */
import {
  BerTag,
  type BerValue,
  berChildren,
  berIntegerHex,
  berObjectIdentifier,
  expectBer,
  readBer,
} from './ber.ts';

const rsaKeys: ReadonlySet<string> = new Set(['1.2.840.113549.1.1.1', '1.2.840.113549.1.1.10']);

const curveBits: ReadonlyMap<string, number> = new Map([
  ['1.2.840.10045.3.1.1', 192],
  ['1.3.132.0.33', 224],
  ['1.2.840.10045.3.1.7', 256],
  ['1.3.132.0.10', 256],
  ['1.3.132.0.34', 384],
  ['1.3.132.0.35', 521],
]);

const otherKeys: ReadonlyMap<string, string> = new Map([
  ['1.3.101.112', 'Ed25519 256'],
  ['1.3.101.113', 'Ed448 456'],
]);

/** Returns for example `RSA 2048`. Throws `MalformedBer`. */
export function describePublicKey(publicKeyInfo: Buffer): string {
  const [algorithm, bits] = berChildren(readBer(publicKeyInfo));
  const [identifier, parameters] = berChildren(expectBer(algorithm, BerTag.sequence));
  const name = berObjectIdentifier(identifier);
  const key = expectBer(bits, BerTag.bitString).content.subarray(1);
  if (rsaKeys.has(name)) {
    return `RSA ${integerBits(berChildren(readBer(key))[0])}`;
  }
  if (name === '1.2.840.10040.4.1') {
    return parameters?.tag === BerTag.sequence ? `DSA ${integerBits(berChildren(parameters)[0])}` : 'DSA';
  }
  if (name === '1.2.840.10045.2.1') {
    const curve = parameters?.tag === BerTag.objectIdentifier ? berObjectIdentifier(parameters) : '';
    return `EC ${curveBits.get(curve) ?? ((key.length - 1) / 2) * 8}`;
  }
  return otherKeys.get(name) ?? name;
}

function integerBits(value: BerValue | undefined): number {
  const hex = berIntegerHex(value).replace(/^0+/, '');
  return hex === '' ? 0 : (hex.length - 1) * 4 + (32 - Math.clz32(Number.parseInt(hex.slice(0, 1), 16)));
}

/**
 * Returns the key with a positive RSA modulus. Some old tools omitted the leading zero octet, which makes it negative; Android
 * accepts this, OpenSSL does not. Throws `MalformedBer`.
 */
export function correctedPublicKey(publicKeyInfo: Buffer): Buffer {
  const [algorithm, bits] = berChildren(readBer(publicKeyInfo));
  const [identifier] = berChildren(expectBer(algorithm, BerTag.sequence));
  if (algorithm === undefined || !rsaKeys.has(berObjectIdentifier(identifier))) return publicKeyInfo;
  const key = expectBer(bits, BerTag.bitString).content.subarray(1);
  const [modulus, exponent] = berChildren(readBer(key));
  if (((expectBer(modulus, BerTag.integer).content[0] ?? 0) & 0x80) === 0) return publicKeyInfo;
  const positive = encode(BerTag.integer, [Buffer.of(0), modulus?.content ?? Buffer.alloc(0)]);
  const corrected = encode(BerTag.sequence, [positive, expectBer(exponent, BerTag.integer).encoded]);
  return encode(BerTag.sequence, [algorithm.encoded, encode(BerTag.bitString, [Buffer.of(0), corrected])]);
}

/** Encodes DER with at most three length octets, because a key is smaller than the certificate limit of 64 KiB. */
function encode(tag: number, parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}
