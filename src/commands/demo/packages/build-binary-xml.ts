/** Builds Android's binary XML. */

export type XmlValueSpec =
  | string
  | number
  | boolean
  | { reference: number }
  | { type: number; data: number; raw?: string };

export interface XmlAttributeSpec {
  name: string;
  value: XmlValueSpec;
  /** Absent for the id of the framework attribute of that name, if there is one. Zero for neither namespace nor id. */
  resourceId?: number;
}

export interface XmlElementSpec {
  name: string;
  attributes?: readonly XmlAttributeSpec[];
  children?: readonly XmlElementSpec[];
}

export interface BinaryXmlOptions {
  /** UTF-16 string pool instead of UTF-8. */
  utf16?: boolean;
  /** Leaves the names of attributes with an id empty, as some shrinkers do. */
  stripAttributeNames?: boolean;
}

export const androidNamespace = 'http://schemas.android.com/apk/res/android';

/** From the platform's public resources: `android.R.attr`. */
export const frameworkAttributes: Readonly<Record<string, number>> = {
  theme: 0x01010000,
  label: 0x01010001,
  icon: 0x01010002,
  name: 0x01010003,
  debuggable: 0x0101000f,
  targetPackage: 0x01010021,
  drawable: 0x01010199,
  minSdkVersion: 0x0101020c,
  versionCode: 0x0101021b,
  versionName: 0x0101021c,
  targetSdkVersion: 0x01010270,
  maxSdkVersion: 0x01010271,
  testOnly: 0x01010272,
  glEsVersion: 0x01010281,
  required: 0x0101028e,
  hasCode: 0x0101000c,
  roundIcon: 0x0101052c,
  isFeatureSplit: 0x0101055b,
  compileSdkVersion: 0x01010572,
  compileSdkVersionCodename: 0x01010573,
  versionCodeMajor: 0x01010576,
};

export function buildBinaryXml(root: XmlElementSpec, options: BinaryXmlOptions = {}): Buffer {
  const names = collectAttributeNames(root);
  const ids = names.map((name) => name.resourceId);
  const pool: string[] = names.map((name) => (options.stripAttributeNames ? '' : name.name));
  const attributeIndex = (name: string, id: number) =>
    id === 0 ? string(name) : names.findIndex((known) => known.name === name && known.resourceId === id);
  function string(text: string): number {
    const known = pool.indexOf(text, names.length);
    return known >= 0 ? known : pool.push(text) - 1;
  }

  const nodes: Buffer[] = [];
  const [prefix, uri] = [string('android'), string(androidNamespace)];
  nodes.push(node(0x0100, uint32s(prefix, uri)));
  writeElement(root);
  nodes.push(node(0x0101, uint32s(prefix, uri)));

  function writeElement(element: XmlElementSpec): void {
    const attributes = element.attributes ?? [];
    const head = Buffer.alloc(20);
    head.writeUInt32LE(0xffffffff, 0);
    head.writeUInt32LE(string(element.name), 4);
    head.writeUInt16LE(20, 8);
    head.writeUInt16LE(20, 10);
    head.writeUInt16LE(attributes.length, 12);
    nodes.push(node(0x0102, Buffer.concat([head, ...attributes.map(writeAttribute)])));
    for (const child of element.children ?? []) writeElement(child);
    nodes.push(node(0x0103, uint32s(0xffffffff, string(element.name))));
  }

  function writeAttribute(attribute: XmlAttributeSpec): Buffer {
    const id = idOf(attribute);
    const { raw, type, data } = submitted(attribute.value, string);
    const bytes = Buffer.alloc(20);
    bytes.writeUInt32LE(id === 0 ? 0xffffffff : uri, 0);
    bytes.writeUInt32LE(attributeIndex(attribute.name, id), 4);
    bytes.writeUInt32LE(raw, 8);
    bytes.writeUInt16LE(8, 12);
    bytes.writeUInt8(type, 15);
    bytes.writeUInt32LE(data >>> 0, 16);
    return bytes;
  }

  const body = Buffer.concat([
    buildStringPool(pool, options),
    chunk(0x0180, Buffer.alloc(0), uint32s(...ids)),
    ...nodes,
  ]);
  return chunk(0x0003, Buffer.alloc(0), body);
}

function idOf(attribute: XmlAttributeSpec): number {
  return attribute.resourceId ?? frameworkAttributes[attribute.name] ?? 0;
}

function collectAttributeNames(root: XmlElementSpec): { name: string; resourceId: number }[] {
  const found = new Map<string, { name: string; resourceId: number }>();
  const visit = (element: XmlElementSpec) => {
    for (const attribute of element.attributes ?? []) {
      const resourceId = idOf(attribute);
      if (resourceId !== 0)
        found.set(`${attribute.name} ${resourceId}`, { name: attribute.name, resourceId });
    }
    for (const child of element.children ?? []) visit(child);
  };
  visit(root);
  return [...found.values()].toSorted((a, b) => a.resourceId - b.resourceId);
}

function submitted(value: XmlValueSpec, string: (text: string) => number) {
  const none = 0xffffffff;
  if (typeof value === 'string') return { raw: string(value), type: 0x03, data: string(value) };
  if (typeof value === 'number') return { raw: none, type: 0x10, data: value };
  if (typeof value === 'boolean') return { raw: none, type: 0x12, data: value ? none : 0 };
  if ('reference' in value) return { raw: none, type: 0x01, data: value.reference };
  return { raw: value.raw === undefined ? none : string(value.raw), type: value.type, data: value.data };
}

/** A string pool chunk: ResStringPool_header and what follows it. */
export function buildStringPool(strings: readonly string[], options: { utf16?: boolean } = {}): Buffer {
  const encoded = strings.map(options.utf16 ? encodeUtf16 : encodeUtf8);
  const offsets = Buffer.alloc(strings.length * 4);
  let offset = 0;
  for (const [index, bytes] of encoded.entries()) {
    offsets.writeUInt32LE(offset, index * 4);
    offset += bytes.length;
  }
  const data = padded(Buffer.concat(encoded));
  const head = Buffer.alloc(20);
  head.writeUInt32LE(strings.length, 0);
  head.writeUInt32LE(options.utf16 ? 0 : 0x100, 8);
  head.writeUInt32LE(28 + offsets.length, 12);
  return chunk(0x0001, head, Buffer.concat([offsets, data]));
}

function encodeUtf8(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([lengthUtf8(text.length), lengthUtf8(bytes.length), bytes, Buffer.alloc(1)]);
}

function lengthUtf8(length: number): Buffer {
  return length < 0x80 ? Buffer.from([length]) : Buffer.from([0x80 | (length >> 8), length & 0xff]);
}

function encodeUtf16(text: string): Buffer {
  const length = Buffer.alloc(text.length < 0x8000 ? 2 : 4);
  if (text.length < 0x8000) length.writeUInt16LE(text.length, 0);
  else {
    length.writeUInt16LE(0x8000 | (text.length >> 16), 0);
    length.writeUInt16LE(text.length & 0xffff, 2);
  }
  return Buffer.concat([length, Buffer.from(text, 'utf16le'), Buffer.alloc(2)]);
}

function node(type: number, body: Buffer): Buffer {
  return chunk(type, uint32s(1, 0xffffffff), body);
}

/** ResChunk_header (type, header size, size), the rest of the header, the body. */
export function chunk(type: number, header: Buffer, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16LE(type, 0);
  head.writeUInt16LE(8 + header.length, 2);
  head.writeUInt32LE(8 + header.length + body.length, 4);
  return Buffer.concat([head, header, body]);
}

export function uint32s(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value >>> 0, index * 4);
  return bytes;
}

/** Pads to a multiple of four bytes. */
export function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}
