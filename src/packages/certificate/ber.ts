/**
 * Reads ASN.1 values in BER (X.690, 8.1), of which DER is a subset. Lengths need not be minimal and may be indefinite, because
 * real certificates and signatures are not always DER.
 */

/** The bytes are not a BER value, or exceed the limits below. */
export class MalformedBer extends Error {
  override name = 'MalformedBer';
}

export interface BerValue {
  /** The identifier octet: class, constructed bit and tag number together, e.g. 0x30 for SEQUENCE. */
  readonly tag: number;
  /** The encoded identifier, length and content. */
  readonly encoded: Buffer;
  readonly content: Buffer;
}

export const BerTag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

const constructedBit = 0x20;
/** Maximum nesting of a value. A certificate has about ten levels. */
export const maxBerDepth = 32;
/** Values directly inside one value. */
export const maxBerChildren = 65_536;
/** Maximum number of octets of an object identifier. The longest ones in use have about twenty. */
export const maxObjectIdentifierBytes = 64;

/** Reads the value at the start of `bytes` and ignores what follows. Throws `MalformedBer`. */
export function readBer(bytes: Buffer): BerValue {
  return valueAt(bytes, 0, 0);
}

/** Returns the values inside a constructed value. Throws `MalformedBer`. */
export function berChildren(value: BerValue): BerValue[] {
  if ((value.tag & constructedBit) === 0) throw new MalformedBer('a structure was expected');
  const children: BerValue[] = [];
  for (let position = 0; position < value.content.length; ) {
    if (children.length === maxBerChildren) throw new MalformedBer('too many values in one structure');
    const child = valueAt(value.content, position, 0);
    children.push(child);
    position += child.encoded.length;
  }
  return children;
}

/** Returns `value` if it has the tag, otherwise throws `MalformedBer`. */
export function expectBer(value: BerValue | undefined, tag: number): BerValue {
  if (value?.tag !== tag) throw new MalformedBer(`a value with tag 0x${tag.toString(16)} was expected`);
  return value;
}

/** Returns dotted decimal, e.g. `2.5.4.3` (X.690, 8.19). */
export function berObjectIdentifier(value: BerValue | undefined): string {
  const { content } = expectBer(value, BerTag.objectIdentifier);
  if (content.length === 0 || content.length > maxObjectIdentifierBytes) {
    throw new MalformedBer('an object identifier has an invalid length');
  }
  const arcs: bigint[] = [];
  let arc = 0n;
  for (const octet of content) {
    arc = (arc << 7n) | BigInt(octet & 0x7f);
    if ((octet & 0x80) !== 0) continue;
    arcs.push(arc);
    arc = 0n;
  }
  if (((content.at(-1) ?? 0) & 0x80) !== 0) throw new MalformedBer('an object identifier is truncated');
  const [first = 0n, ...rest] = arcs;
  const root = first < 80n ? first / 40n : 2n;
  return [root, first - root * 40n, ...rest].join('.');
}

/** Returns the octets of an OCTET STRING, which may be fragmented (X.690, 8.7.3). */
export function berOctets(value: BerValue | undefined): Buffer {
  if (value?.tag === BerTag.octetString) return value.content;
  const pieces = berChildren(expectBer(value, BerTag.octetString | constructedBit));
  return Buffer.concat(pieces.map((piece) => expectBer(piece, BerTag.octetString).content));
}

/** Returns an INTEGER as lowercase hexadecimal without leading zero octets, so that different encodings compare equal. */
export function berIntegerHex(value: BerValue | undefined): string {
  const hex = expectBer(value, BerTag.integer).content.toString('hex');
  return hex.replace(/^(00)+(?=..)/, '');
}

function valueAt(bytes: Buffer, start: number, depth: number): BerValue {
  if (depth > maxBerDepth) throw new MalformedBer('values are nested too deep');
  const tag = octetAt(bytes, start);
  if ((tag & 0x1f) === 0x1f) throw new MalformedBer('a tag number above 30 is not supported');
  const first = octetAt(bytes, start + 1);
  if (first === 0x80) return indefiniteValueAt(bytes, start, tag, depth);
  const lengthOctets = first < 0x80 ? 0 : first & 0x7f;
  if (lengthOctets > 4) throw new MalformedBer('a length is out of range');
  let length = lengthOctets === 0 ? first : 0;
  for (let index = 0; index < lengthOctets; index++)
    length = length * 256 + octetAt(bytes, start + 2 + index);
  const contentStart = start + 2 + lengthOctets;
  const end = contentStart + length;
  if (end > bytes.length) throw new MalformedBer('a value is truncated');
  return { tag, encoded: bytes.subarray(start, end), content: bytes.subarray(contentStart, end) };
}

/** The content ends with an end-of-contents value, two zero octets (X.690, 8.1.5). */
function indefiniteValueAt(bytes: Buffer, start: number, tag: number, depth: number): BerValue {
  if ((tag & constructedBit) === 0) throw new MalformedBer('only a structure can have an indefinite length');
  let position = start + 2;
  while (octetAt(bytes, position) !== 0 || octetAt(bytes, position + 1) !== 0) {
    position += valueAt(bytes, position, depth + 1).encoded.length;
  }
  return { tag, encoded: bytes.subarray(start, position + 2), content: bytes.subarray(start + 2, position) };
}

function octetAt(bytes: Buffer, position: number): number {
  const octet = bytes[position];
  if (octet === undefined) throw new MalformedBer('a value is truncated');
  return octet;
}
