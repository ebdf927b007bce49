/**
 * XML property lists, based on Apple's PropertyList-1.0.dtd and CoreFoundation. Skips comments, processing instructions and a
 * document type, supports CDATA and only the five predefined and numeric entities, and reads nothing outside of the file.
 */
import {
  newDictionary,
  type PropertyListDictionary,
  type PropertyListLimits,
  type PropertyListValue,
} from './property-list-value.ts';

interface XmlReader {
  text: string;
  position: number;
  limits: PropertyListLimits;
}

interface Tag {
  name: string;
  closing: boolean;
  empty: boolean;
}

const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Throws `Error` with a reason, which `parsePropertyList` converts to `UnreadablePackage`. */
export function parseXmlPropertyList(text: string, limits: PropertyListLimits): PropertyListValue {
  const reader: XmlReader = { text, position: 0, limits };
  const root = readTag(reader);
  if (root.name !== 'plist') return readValue(reader, root, 0);
  if (root.closing || root.empty) throw new Error('it contains no value');
  const first = readTag(reader);
  if (first.closing) throw new Error('it contains no value');
  const value = readValue(reader, first, 0);
  expectClosing(readTag(reader), 'plist');
  return value;
}

function readValue(reader: XmlReader, tag: Tag, depth: number): PropertyListValue {
  if (depth > reader.limits.maxDepth)
    throw new Error(`it is nested deeper than ${reader.limits.maxDepth} levels`);
  if (tag.closing) throw new Error(`</${tag.name}> is an unexpected closing tag`);
  if (tag.name === 'dict') return tag.empty ? newDictionary() : readDictionary(reader, depth);
  if (tag.name === 'array') return tag.empty ? [] : readArray(reader, depth);
  const text = tag.empty ? '' : readText(reader, tag.name);
  if (tag.name === 'string' || tag.name === 'ustring') return text;
  if (tag.name === 'integer') return readInteger(text.trim());
  if (tag.name === 'real') return readReal(text.trim());
  if (tag.name === 'true') return true;
  if (tag.name === 'false') return false;
  if (tag.name === 'date') return readDate(text.trim());
  if (tag.name === 'data') return readData(text);
  throw new Error(`<${tag.name}> is unknown`);
}

function readDictionary(reader: XmlReader, depth: number): PropertyListDictionary {
  const dictionary = newDictionary();
  for (;;) {
    const tag = readTag(reader);
    if (tag.closing) {
      expectClosing(tag, 'dict');
      return dictionary;
    }
    if (tag.name !== 'key') throw new Error(`<${tag.name}> was found instead of a key`);
    const key = tag.empty ? '' : readText(reader, 'key');
    const valueTag = readTag(reader);
    if (valueTag.closing || valueTag.name === 'key') throw new Error(`the key ${key} has no value`);
    dictionary[key] = readValue(reader, valueTag, depth + 1);
  }
}

function readArray(reader: XmlReader, depth: number): PropertyListValue[] {
  const values: PropertyListValue[] = [];
  for (;;) {
    const tag = readTag(reader);
    if (tag.closing) {
      expectClosing(tag, 'array');
      return values;
    }
    values.push(readValue(reader, tag, depth + 1));
  }
}

function expectClosing(tag: Tag, name: string): void {
  if (!tag.closing || tag.name !== name) throw new Error(`</${name}> is missing`);
}

/** Returns the next tag after white space, comments, processing instructions and a document type. */
function readTag(reader: XmlReader): Tag {
  for (;;) {
    skipWhiteSpace(reader);
    const { text, position } = reader;
    if (text[position] !== '<') {
      throw new Error(position >= text.length ? 'it ends too early' : 'text was found instead of a tag');
    }
    if (text.startsWith('<!--', position)) skipPast(reader, '-->');
    else if (text.startsWith('<?', position)) skipPast(reader, '?>');
    else if (text.startsWith('<!DOCTYPE', position)) skipDocumentType(reader);
    else return readTagHere(reader);
  }
}

function readTagHere(reader: XmlReader): Tag {
  const pattern = /<(\/?)([A-Za-z]+)((?:\s[^<>]*?)?)(\/?)>/y;
  pattern.lastIndex = reader.position;
  const match = pattern.exec(reader.text);
  if (!match?.[2]) throw new Error('a tag is malformed');
  reader.position = pattern.lastIndex;
  return { name: match[2], closing: match[1] === '/', empty: match[4] === '/' };
}

function skipWhiteSpace(reader: XmlReader): void {
  const pattern = /\s*/y;
  pattern.lastIndex = reader.position;
  pattern.exec(reader.text);
  reader.position = pattern.lastIndex;
}

function skipPast(reader: XmlReader, end: string): void {
  const found = reader.text.indexOf(end, reader.position);
  if (found < 0) throw new Error(`${end} is missing`);
  reader.position = found + end.length;
}

/** Rejects a document type with declarations, which could define entities that expand endlessly. */
function skipDocumentType(reader: XmlReader): void {
  const end = reader.text.indexOf('>', reader.position);
  if (end < 0) throw new Error('the document type does not end');
  if (reader.text.slice(reader.position, end).includes('[')) {
    throw new Error('its document type contains declarations');
  }
  reader.position = end + 1;
}

function readText(reader: XmlReader, name: string): string {
  let content = '';
  for (;;) {
    const next = reader.text.indexOf('<', reader.position);
    if (next < 0) throw new Error('it ends too early');
    content += decodeEntities(reader.text.slice(reader.position, next));
    reader.position = next;
    if (reader.text.startsWith('<![CDATA[', next)) {
      skipPast(reader, ']]>');
      content += reader.text.slice(next + '<![CDATA['.length, reader.position - ']]>'.length);
    } else if (reader.text.startsWith('<!--', next)) {
      skipPast(reader, '-->');
    } else {
      expectClosing(readTagHere(reader), name);
      return content;
    }
  }
}

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  if (/&(?![^;&]{0,10};)/.test(text)) throw new Error('an entity does not end');
  return text.replace(/&([^;&]{0,10});/g, (whole, name: string) => {
    const known = entities[name];
    if (known !== undefined) return known;
    const digits = /^#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}))$/.exec(name);
    const codePoint = digits
      ? Number.parseInt(digits[1] ?? digits[2] ?? '', digits[1] ? 16 : 10)
      : Number.NaN;
    if (!(codePoint <= 0x10ffff)) throw new Error(`the entity ${whole} is unknown`);
    return String.fromCodePoint(codePoint);
  });
}

function readInteger(text: string): number | bigint {
  const match = /^([+-]?)(0[xX][0-9a-fA-F]{1,32}|[0-9]{1,40})$/.exec(text);
  if (!match?.[2]) throw new Error('an integer is malformed');
  const magnitude = BigInt(match[2]);
  const value = match[1] === '-' ? -magnitude : magnitude;
  const asNumber = Number(value);
  return Number.isSafeInteger(asNumber) ? asNumber : value;
}

function readReal(text: string): number {
  const special = /^([+-]?)(nan|inf|infinity)$/i.exec(text);
  if (special?.[2]?.toLowerCase() === 'nan') return Number.NaN;
  if (special) return special[1] === '-' ? -Infinity : Infinity;
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text))
    throw new Error('a real number is malformed');
  return Number.parseFloat(text);
}

function readDate(text: string): Date {
  const date = /^-?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) ? new Date(text) : null;
  if (date === null || Number.isNaN(date.getTime())) throw new Error('a date is malformed');
  return date;
}

/** Like other readers, skips characters that are not Base64, because tools replace certificates with placeholders. */
function readData(text: string): Buffer {
  const digits = text.replace(/[^A-Za-z0-9+/]/g, '');
  if (digits.length % 4 === 1) throw new Error('its data is not Base64');
  return Buffer.from(digits, 'base64');
}
