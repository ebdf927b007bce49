/** Distinguished names of certificates, formatted like apksigner and keytool. */
import { type BerValue, berChildren, berObjectIdentifier, readBer } from './ber.ts';

/** Names of attribute types (RFC 4519, RFC 2985) in the spelling of apksigner; others are printed as `OID.1.2.3`. */
const attributeKeywords: ReadonlyMap<string, string> = new Map([
  ['2.5.4.3', 'CN'],
  ['2.5.4.4', 'SURNAME'],
  ['2.5.4.5', 'SERIALNUMBER'],
  ['2.5.4.6', 'C'],
  ['2.5.4.7', 'L'],
  ['2.5.4.8', 'ST'],
  ['2.5.4.9', 'STREET'],
  ['2.5.4.10', 'O'],
  ['2.5.4.11', 'OU'],
  ['2.5.4.12', 'T'],
  ['2.5.4.42', 'GIVENNAME'],
  ['2.5.4.43', 'INITIALS'],
  ['2.5.4.44', 'GENERATION'],
  ['2.5.4.46', 'DNQ'],
  ['0.9.2342.19200300.100.1.1', 'UID'],
  ['0.9.2342.19200300.100.1.25', 'DC'],
  ['1.2.840.113549.1.9.1', 'EMAILADDRESS'],
]);

/** Maximum length of a displayed name. Real names have a few dozen characters, certificates allow 65,000. */
export const maxDistinguishedNameLength = 1_000;

const utf8String = 0x0c;
const bmpString = 0x1e;
const universalString = 0x1c;
/** NumericString, PrintableString, TeletexString, VideotexString, IA5String, GraphicString, VisibleString, GeneralString. */
const singleByteStrings: ReadonlySet<number> = new Set([0x12, 0x13, 0x14, 0x15, 0x16, 0x19, 0x1a, 0x1b]);

/**
 * Formats a name with its last component first, as in RFC 4514, e.g. `CN=Android Debug, O=Android, C=US`. Like apksigner, quotes
 * values with special characters. Throws `MalformedBer`.
 */
export function distinguishedName(encodedName: Buffer): string {
  const name = relativeNames(encodedName).reverse().join(', ');
  return name.length > maxDistinguishedNameLength
    ? `${name.slice(0, maxDistinguishedNameLength - 1)}…`
    : name;
}

/** Returns equal texts for names that differ only in case, spaces or string type (RFC 5280, 7.1). */
export function comparableName(encodedName: Buffer): string {
  return relativeNames(encodedName).join(', ').toLowerCase().replace(/\s+/g, ' ');
}

/** Name ::= SEQUENCE OF SET OF SEQUENCE { type, value } (RFC 5280, 4.1.2.4). */
function relativeNames(encodedName: Buffer): string[] {
  return berChildren(readBer(encodedName)).map((relativeName) =>
    berChildren(relativeName).map(attributeText).join(' + '),
  );
}

function attributeText(attribute: BerValue): string {
  const [type, value] = berChildren(attribute);
  const identifier = berObjectIdentifier(type);
  const keyword = attributeKeywords.get(identifier) ?? `OID.${identifier}`;
  const text = value === undefined ? '' : directoryString(value);
  return `${keyword}=${text === null ? `#${value?.encoded.toString('hex')}` : quoted(text)}`;
}

/** Returns null if the value is not a string. */
function directoryString({ tag, content }: BerValue): string | null {
  if (tag === utf8String) return content.toString('utf8');
  if (singleByteStrings.has(tag)) return content.toString('latin1');
  if (tag === bmpString && content.length % 2 === 0) return Buffer.from(content).swap16().toString('utf16le');
  if (tag === universalString && content.length % 4 === 0) return universalText(content);
  return null;
}

function universalText(content: Buffer): string {
  let text = '';
  for (let position = 0; position < content.length; position += 4) {
    const codePoint = content.readUInt32BE(position);
    text += codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : '\ufffd';
  }
  return text;
}

function quoted(text: string): string {
  return /^ | $| {2}|[,+=<>#;"\\\n]/.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text;
}
