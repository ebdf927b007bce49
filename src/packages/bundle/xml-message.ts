/** Reads `aapt.pb.XmlNode`. */
import { bitsOf, damagedBundle, messageType, type ProtobufMessage, readProtobuf } from './protobuf.ts';
import { hasValue, isText, itemType, type ResourceValue, readPlainValue } from './resource-value-writer.ts';

export interface XmlElement {
  namespaces: { prefix: string; uri: string; line: number }[];
  namespace: string;
  name: string;
  attributes: XmlAttribute[];
  children: (XmlElement | XmlText)[];
  /** Line in the source; 0 if unknown. */
  line: number;
}

export interface XmlText {
  text: string;
  line: number;
}

export interface XmlAttribute {
  namespace: string;
  name: string;
  /** Resource id of the attribute; 0 if it has none. */
  id: number;
  value: string;
  /** Null if the value is text. */
  compiled: ResourceValue | null;
}

/** Either an element or text. */
const kinds = bitsOf([1, 2]);
const nodeType = messageType('XmlNode', [1, 2, 3]);
const elementType = messageType('XmlElement', [2, 3], [1, 4, 5]);
const namespaceType = messageType('XmlNamespace', [1, 2, 3]);
const attributeType = messageType('XmlAttribute', [1, 2, 3, 4, 5, 6]);
const positionType = messageType('SourcePosition', [1, 2]);

/** @throws UnreadablePackage if the message is damaged */
export const readXml = (message: Buffer): XmlElement => readElement(readProtobuf(message, nodeType));

function readElement(node: ProtobufMessage): XmlElement {
  const element = node.which(kinds) === 1 ? node.message(1, elementType) : null;
  if (!element) throw damagedBundle();
  return {
    namespaces: Array.from(element.messages(1, namespaceType), (one) => ({
      prefix: one.text(1),
      uri: one.text(2),
      line: lineOf(one),
    })),
    namespace: element.text(2),
    name: element.text(3),
    attributes: Array.from(element.messages(4, attributeType), readAttribute),
    children: Array.from(element.messages(5, nodeType), (child) =>
      child.which(kinds) === 1 ? readElement(child) : { text: child.text(2), line: lineOf(child) },
    ),
    line: lineOf(node),
  };
}

function readAttribute(attribute: ProtobufMessage): XmlAttribute {
  const compiled = attribute.message(6, itemType);
  return {
    namespace: attribute.text(1),
    name: attribute.text(2),
    id: attribute.number(5),
    value: attribute.text(3),
    compiled: compiled && hasValue(compiled) && !isText(compiled) ? readPlainValue(compiled) : null,
  };
}

/** For messages with their position in the third field. */
const lineOf = (message: ProtobufMessage) => message.message(3, positionType)?.number(1) ?? 0;

export const isElement = (node: XmlElement | XmlText): node is XmlElement => 'name' in node;

/** Returns the children with this name. */
export const childrenOf = (element: XmlElement, name: string) =>
  element.children.filter(isElement).filter((child) => child.name === name);

export const newElement = (
  name: string,
  attributes: XmlAttribute[],
  children: XmlElement['children'] = [],
): XmlElement => ({ namespaces: [], namespace: '', name, attributes, children, line: 0 });
