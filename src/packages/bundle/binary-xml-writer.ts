/** Writes binary XML from `aapt.pb.XmlNode` byte for byte like aapt2 (XmlFlattener.cpp). */
import { writeChunk } from './chunk-writer.ts';
import { valueWords } from './resource-value-writer.ts';
import { words, writeTexts } from './string-pool-writer.ts';
import { isElement, type XmlAttribute, type XmlElement, type XmlText } from './xml-message.ts';

const xmlType = 0x0003;
const resourceMapType = 0x0180;
const startNamespaceType = 0x0100;
const endNamespaceType = 0x0101;
const startElementType = 0x0102;
const endElementType = 0x0103;
const textType = 0x0104;
const stringValueType = 0x03;
const none = 0xffffffff;
const toolsNamespace = 'http://schemas.android.com/tools';
const idAttribute = 0x010100d0;

/** A string in the pool. Its index is only known when the pool is complete. */
interface PoolString {
  text: string;
  index: number;
}

/** A word, or the index of a string. */
type Word = number | PoolString | null;
interface Node {
  type: number;
  line: number;
  words: (Word | Buffer)[];
}

interface Writer {
  nodes: Node[];
  /** All strings except names of attributes with an id. */
  strings: Map<string, PoolString>;
  /** Names of attributes with an id, by id and name. */
  names: Map<string, PoolString & { id: number }>;
}

export function writeBinaryXml(root: XmlElement, encoding: 'utf-8' | 'utf-16'): Buffer {
  const writer: Writer = { nodes: [], strings: new Map(), names: new Map() };
  addElement(writer, root);
  const { texts, ids } = orderStrings(writer);
  const strings = writeTexts(texts, encoding);
  const map = writeChunk(resourceMapType, Buffer.alloc(0), words(ids));
  return writeChunk(xmlType, Buffer.alloc(0), Buffer.concat([strings, map, ...writer.nodes.map(writeNode)]));
}

/** Sorts names of attributes first, by id, and then all other strings by their bytes. */
function orderStrings({ strings, names }: Writer): { texts: string[]; ids: number[] } {
  const named = [...names.values()].sort(
    (one, other) => one.id - other.id || Buffer.compare(Buffer.from(one.text), Buffer.from(other.text)),
  );
  const others = [...strings.values()].sort((one, other) =>
    Buffer.compare(Buffer.from(one.text), Buffer.from(other.text)),
  );
  const ordered: PoolString[] = [...named, ...others];
  for (const [index, one] of ordered.entries()) one.index = index;
  return { texts: ordered.map(({ text }) => text), ids: named.map(({ id }) => id) };
}

function addElement(writer: Writer, element: XmlElement): void {
  const { line } = element;
  const namespaces = element.namespaces.filter((one) => one.uri !== toolsNamespace);
  for (const one of namespaces) addNamespace(writer, one, startNamespaceType);
  const name: Word[] = [stringOrNone(writer, element.namespace), stringOrNone(writer, element.name)];
  writer.nodes.push({ type: startElementType, line, words: [...name, ...attributesOf(writer, element)] });
  for (const child of element.children) {
    if (isElement(child)) addElement(writer, child);
    else addText(writer, child);
  }
  const endName = [stringOrNone(writer, element.namespace), string(writer, element.name)];
  writer.nodes.push({ type: endElementType, line, words: endName });
  for (const one of namespaces.toReversed()) addNamespace(writer, one, endNamespaceType);
}

function addNamespace(writer: Writer, { prefix, uri, line }: XmlElement['namespaces'][number], type: number) {
  writer.nodes.push({ type, line, words: [string(writer, prefix), string(writer, uri)] });
}

/** Drops text that consists of whitespace. Other text keeps one space at each end that had whitespace. */
function addText(writer: Writer, { text, line }: XmlText): void {
  let [start, end] = [0, text.length];
  while (isSpace(text[start])) start++;
  if (start === end) return;
  while (isSpace(text[end - 1])) end--;
  const trimmed = `${start > 0 ? ' ' : ''}${text.slice(start, end)}${end < text.length ? ' ' : ''}`;
  const value = Buffer.alloc(8);
  writer.nodes.push({
    type: textType,
    line,
    words: [string(writer, trimmed), value],
  });
}

/** Whether it is whitespace as in C's `isspace`. JavaScript has more. */
const isSpace = (letter: string | undefined) => letter !== undefined && ' \t\n\v\f\r'.includes(letter);

/** ResXMLTree_attrExt after the names: start 2, size 2, count 2, and the one-based positions of `id`, `class` and `style`. */
function attributesOf(writer: Writer, element: XmlElement): (Word | Buffer)[] {
  const attributes = element.attributes.filter((one) => one.namespace !== toolsNamespace);
  attributes.sort(compareAttributes);
  const placeOf = (isIt: (one: XmlAttribute) => boolean) => attributes.findLastIndex(isIt) + 1;
  const plain = (name: string) =>
    placeOf((one) => one.id !== idAttribute && one.namespace === '' && one.name === name);
  const head = Buffer.alloc(12);
  const places = [placeOf(({ id }) => id === idAttribute), plain('class'), plain('style')];
  for (const [at, value] of [20, 20, attributes.length, ...places].entries())
    head.writeUInt16LE(value, 2 * at);
  return [
    head,
    ...attributes.flatMap(({ namespace, name, id, value, compiled }) => [
      stringOrNone(writer, namespace),
      id === 0 ? string(writer, name) : attributeName(writer, name, id),
      ...(compiled ? [null, ...valueWords(compiled)] : attributeText(writer, value)),
    ]),
  ];
}

/** Sorts attributes with an id first, by id, and the others by namespace and name. */
function compareAttributes(one: XmlAttribute, other: XmlAttribute): number {
  if (one.id !== 0 || other.id !== 0) return one.id === 0 ? 1 : other.id === 0 ? -1 : one.id - other.id;
  return compare(one.namespace, other.namespace) || compare(one.name, other.name);
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

/** Raw text and Res_value. */
function attributeText(writer: Writer, value: string): (Word | Buffer)[] {
  const text = string(writer, processEscapes(value));
  return [text, Buffer.from([8, 0, 0, stringValueType]), text];
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t' };
const processEscapes = (text: string) =>
  text.replace(/\\(?:u([0-9a-fA-F]{4})|([\s\S])|$)/g, (_, code?: string, character?: string) =>
    code === undefined
      ? (escapes[character ?? ''] ?? character ?? '')
      : String.fromCharCode(Number.parseInt(code, 16)),
  );

const stringOrNone = (writer: Writer, text: string) => (text === '' ? null : string(writer, text));

function string({ strings }: Writer, text: string): PoolString {
  let known = strings.get(text);
  if (!known) {
    known = newString(text);
    strings.set(text, known);
  }
  return known;
}

function attributeName({ names }: Writer, name: string, id: number): PoolString {
  const key = `${id} ${name}`;
  let known = names.get(key);
  if (!known) {
    known = { ...newString(name), id };
    names.set(key, known);
  }
  return known;
}

const newString = (text: string): PoolString => ({ text, index: -1 });

/** ResXMLTree_node: line 4, comment 4. */
function writeNode({ type, line, words: content }: Node): Buffer {
  const body = content.map((word) =>
    Buffer.isBuffer(word)
      ? word
      : words([word === null ? none : typeof word === 'number' ? word : word.index]),
  );
  return writeChunk(type, words([line, none]), Buffer.concat(body));
}
