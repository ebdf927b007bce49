/**
 * The text format of OpenStep property lists and `.strings` files, based on CFOldStylePList.c in Apple's CoreFoundation: `{ key =
 * value; }`, `( a, b )`, `<0fbd77>`, quoted or bare text, comments as in C. The braces of the outermost dictionary are optional,
 * and so is a value, which defaults to the key.
 */
import {
  newDictionary,
  type PropertyListDictionary,
  type PropertyListLimits,
  type PropertyListValue,
} from './property-list-value.ts';

interface TextReader {
  text: string;
  position: number;
  limits: PropertyListLimits;
}

const bareCharacters = /[A-Za-z0-9_$/:.-]+/y;
const escapes: Record<string, string> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** Throws `Error` with a reason, which `parsePropertyList` converts to `UnreadablePackage`. A blank text is an empty dictionary. */
export function parseOpenStepPropertyList(text: string, limits: PropertyListLimits): PropertyListValue {
  const reader: TextReader = { text, position: 0, limits };
  skipBlanks(reader);
  if (reader.text[reader.position] === '{' || reader.text[reader.position] === '(') {
    const value = readValue(reader, 0);
    skipBlanks(reader);
    if (reader.position < reader.text.length) throw new Error('there is data after its end');
    return value;
  }
  return readPairs(reader, 0, null);
}

function readValue(reader: TextReader, depth: number): PropertyListValue {
  if (depth > reader.limits.maxDepth)
    throw new Error(`it is nested deeper than ${reader.limits.maxDepth} levels`);
  skipBlanks(reader);
  const first = reader.text[reader.position];
  if (first === '{') {
    reader.position++;
    return readPairs(reader, depth, '}');
  }
  if (first === '(') return readArray(reader, depth);
  if (first === '<') return readData(reader);
  return readString(reader);
}

/** Reads pairs up to `end`; if that is null, up to the end of the text. */
function readPairs(reader: TextReader, depth: number, end: '}' | null): PropertyListDictionary {
  const dictionary = newDictionary();
  for (;;) {
    skipBlanks(reader);
    if (reader.position >= reader.text.length) {
      if (end === null) return dictionary;
      throw new Error('it ends too early');
    }
    if (end !== null && reader.text[reader.position] === end) {
      reader.position++;
      return dictionary;
    }
    const key = readString(reader);
    dictionary[key] = takeIf(reader, '=') ? readValue(reader, depth + 1) : key;
    const isLast = end !== null && peek(reader) === end;
    if (!takeIf(reader, ';') && !isLast) throw new Error(`a semicolon is missing after ${key}`);
  }
}

function readArray(reader: TextReader, depth: number): PropertyListValue[] {
  reader.position++;
  const values: PropertyListValue[] = [];
  for (;;) {
    if (takeIf(reader, ')')) return values;
    values.push(readValue(reader, depth + 1));
    if (!takeIf(reader, ',') && peek(reader) !== ')') throw new Error('a comma is missing in an array');
  }
}

function readData(reader: TextReader): Buffer {
  const end = reader.text.indexOf('>', reader.position);
  if (end < 0) throw new Error('it ends too early');
  const digits = reader.text.slice(reader.position + 1, end).replace(/\s+/g, '');
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(digits)) throw new Error('its data is not hexadecimal');
  reader.position = end + 1;
  return Buffer.from(digits, 'hex');
}

function readString(reader: TextReader): string {
  const quote = reader.text[reader.position];
  if (quote === '"' || quote === "'") return readQuoted(reader, quote);
  bareCharacters.lastIndex = reader.position;
  const match = bareCharacters.exec(reader.text);
  if (!match) throw new Error(quote === undefined ? 'it ends too early' : 'a value is missing');
  reader.position = bareCharacters.lastIndex;
  return match[0];
}

function readQuoted(reader: TextReader, quote: string): string {
  let content = '';
  let position = reader.position + 1;
  for (;;) {
    const start = position;
    while (position < reader.text.length && reader.text[position] !== quote && reader.text[position] !== '\\')
      position++;
    content += reader.text.slice(start, position);
    if (position >= reader.text.length) throw new Error('it ends within a quoted text');
    if (reader.text[position] === quote) {
      reader.position = position + 1;
      return content;
    }
    const escaped = readEscape(reader.text, position + 1);
    content += escaped.character;
    position = escaped.end;
  }
}

/** `\Uxxxx` and `\uxxxx` are UTF-16 units, up to three octal digits are a code, and a line end is skipped. */
function readEscape(text: string, position: number): { character: string; end: number } {
  const rest = text.slice(position, position + 5);
  const unit = /^[Uu]([0-9a-fA-F]{1,4})/.exec(rest);
  if (unit?.[1])
    return { character: String.fromCharCode(Number.parseInt(unit[1], 16)), end: position + unit[0].length };
  const octal = /^[0-7]{1,3}/.exec(rest);
  if (octal)
    return { character: String.fromCharCode(Number.parseInt(octal[0], 8)), end: position + octal[0].length };
  const character = rest[0];
  if (character === undefined) throw new Error('it ends within a quoted text');
  if (character === '\n') return { character: '', end: position + 1 };
  return { character: escapes[character] ?? character, end: position + 1 };
}

function peek(reader: TextReader): string | undefined {
  skipBlanks(reader);
  return reader.text[reader.position];
}

function takeIf(reader: TextReader, character: string): boolean {
  if (peek(reader) !== character) return false;
  reader.position++;
  return true;
}

function skipBlanks(reader: TextReader): void {
  const blanks = /(?:\s|\/\/[^\r\n]*(?:[\r\n]|$))+/y;
  for (;;) {
    blanks.lastIndex = reader.position;
    if (blanks.exec(reader.text)) reader.position = blanks.lastIndex;
    if (!reader.text.startsWith('/*', reader.position)) return;
    const end = reader.text.indexOf('*/', reader.position + 2);
    if (end < 0) throw new Error('a comment does not end');
    reader.position = end + 2;
  }
}
