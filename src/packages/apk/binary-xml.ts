/**
 * Compiled XML (AXML), read like `ResourceTypes.cpp` of Android. Own code, because no library agrees with the platform on damaged
 * files.
 */

import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import { damaged, type ResourceChunk, readChunk, readChunks } from './resource-chunk.ts';
import { openStringPool, type StringPool } from './string-pool.ts';
import { type TypedValue, typeValue } from './typed-value.ts';

export interface XmlElement {
  namespace: string | null;
  name: string;
  attributes: XmlAttribute[];
  children: XmlElement[];
  /** The first text in it; absent if it has none. */
  text?: string;
}

export interface XmlAttribute {
  namespace: string | null;
  /** May be empty, because shrinkers strip the names of attributes that have an id. */
  name: string;
  /** Id of the attribute in the platform or a library; 0 if it has none. The platform uses the id, not the name. */
  resourceId: number;
  value: TypedValue;
}

/** The ids of attributes by index of their name, and the texts. */
interface Names {
  strings: StringPool;
  resourceId: (nameIndex: number) => number;
}

const stringPoolType = 0x0001;
const startElementType = 0x0102;
const endElementType = 0x0103;
const textType = 0x0104;
const resourceMapType = 0x0180;
const firstNodeType = 0x0100;
const lastNodeType = 0x017f;
const nodeHeaderBytes = 16;
const attributeBytes = 20;
const none = 0xffffffff;
/** Real files are not nested as deeply. Limits recursion over the tree. */
export const maxDepth = 256;

/**
 * Parses Android's binary XML into a tree of its first element. Follows the platform's own reader:
 * ignores the type in the file's header, skips chunks of unknown type, takes the position and size of attributes from their
 * element, and ignores everything after the first element.
 * @throws UnreadablePackage if the bytes are not binary XML, are truncated, or are nested deeper than 256 elements
 * @see `ResXMLTree` in Android's ResourceTypes.h and ResourceTypes.cpp
 */
export function parseBinaryXml(bytes: Buffer): XmlElement {
  const file = readChunk(bytes, 0, bytes.length);
  const names: Names = { strings: () => null, resourceId: () => 0 };
  const open: XmlElement[] = [];
  let root: XmlElement | null = null;
  for (const chunk of readChunks(bytes, file.bodyStart, file.end)) {
    if (chunk.type === stringPoolType) names.strings = openStringPool(chunk);
    else if (chunk.type === resourceMapType) names.resourceId = openResourceMap(chunk);
    else if (chunk.type === startElementType) {
      const element = readElement(chunk, names);
      root ??= element;
      open.at(-1)?.children.push(element);
      if (open.push(element) > maxDepth) throw new UnreadablePackage(say('manifest-too-deep'));
    } else if (chunk.type === endElementType) {
      open.pop();
      if (open.length === 0) break;
    } else {
      checkNode(chunk);
      if (chunk.type === textType) addText(chunk, names, open.at(-1));
    }
  }
  if (!root) throw damaged();
  return root;
}

function checkNode(chunk: ResourceChunk): void {
  const isNode = chunk.type >= firstNodeType && chunk.type <= lastNodeType;
  if (isNode && chunk.bodyStart - chunk.start < nodeHeaderBytes) throw damaged();
}

/** ResXMLTree_cdataExt: text 4, then a Res_value. */
function addText(chunk: ResourceChunk, names: Names, element: XmlElement | undefined): void {
  if (!element || element.text !== undefined || chunk.bodyStart + 4 > chunk.end) return;
  const found = text(names, chunk.bytes.readUInt32LE(chunk.bodyStart));
  if (found !== null && found.trim() !== '') element.text = found;
}

function openResourceMap(chunk: ResourceChunk): Names['resourceId'] {
  const count = Math.floor((chunk.end - chunk.bodyStart) / 4);
  return (index) => (index < count ? chunk.bytes.readUInt32LE(chunk.bodyStart + index * 4) : 0);
}

/** ResXMLTree_attrExt after the header: namespace 4, name 4, start of attributes 2, their size 2, their count 2. */
function readElement(chunk: ResourceChunk, names: Names): XmlElement {
  const { bytes, bodyStart, end } = chunk;
  if (bodyStart - chunk.start < nodeHeaderBytes || bodyStart + 14 > end) throw damaged();
  const start = bodyStart + bytes.readUInt16LE(bodyStart + 8);
  const size = bytes.readUInt16LE(bodyStart + 10);
  const count = bytes.readUInt16LE(bodyStart + 12);
  if (count > 0 && (size < attributeBytes || start + size * count > end)) throw damaged();
  return {
    namespace: text(names, bytes.readUInt32LE(bodyStart)),
    name: text(names, bytes.readUInt32LE(bodyStart + 4)) ?? '',
    attributes: Array.from({ length: count }, (_, index) =>
      readAttribute(bytes, start + index * size, names),
    ),
    children: [],
  };
}

/** ResXMLTree_attribute: namespace 4, name 4, raw text 4, then Res_value: size 2, zero 1, type 1, data 4. */
function readAttribute(bytes: Buffer, at: number, names: Names): XmlAttribute {
  const nameIndex = bytes.readUInt32LE(at + 4);
  return {
    namespace: text(names, bytes.readUInt32LE(at)),
    name: text(names, nameIndex) ?? '',
    resourceId: names.resourceId(nameIndex),
    value: typeValue(bytes.readUInt8(at + 15), bytes.readUInt32LE(at + 16), names.strings),
  };
}

function text(names: Names, index: number): string | null {
  return index === none ? null : names.strings(index);
}

/** Returns the value of the attribute with this id; null if absent. */
export function attributeById(element: XmlElement, resourceId: number): TypedValue | null {
  return element.attributes.find((attribute) => attribute.resourceId === resourceId)?.value ?? null;
}

/** Returns the value of an attribute without a namespace, such as `package` and `split`. */
export function plainAttribute(element: XmlElement, name: string): TypedValue | null {
  const found = element.attributes.find(
    (attribute) => attribute.name === name && attribute.namespace === null,
  );
  return found?.value ?? null;
}
