/** Reads XML from identity providers: UTF-8 without declarations of types, comments, CDATA sections or processing instructions. */
import { DOMParser } from '@xmldom/xmldom';

export const xmlNamespaces = {
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
  encryption: 'http://www.w3.org/2001/04/xmlenc#',
} as const;
type NamespaceName = keyof typeof xmlNamespaces;

export const maxXmlBytes = 256 * 1024;
export const maxXmlDepth = 40;
export const maxXmlElements = 4000;

/** The message is for operators. */
export class XmlRefused extends Error {
  override name = 'XmlRefused';
}

/**
 * Checks the bytes before a parser reads them. Document types are where external entities and entity bombs are declared; comments
 * and CDATA sections split text that parsers then read differently.
 */
export function decodeXml(bytes: Uint8Array): string {
  if (bytes.length > maxXmlBytes) throw new XmlRefused(`the XML has more than ${maxXmlBytes} bytes`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new XmlRefused('the XML is not UTF-8');
  }
  const body = text.replace(/^<\?xml [^<>]{1,100}\?>/, (declaration) => {
    const encoding = /encoding\s*=\s*["']([^"']*)["']/.exec(declaration)?.[1] ?? 'utf-8';
    if (!/^utf-?8$/i.test(encoding)) throw new XmlRefused('the XML declares an encoding other than UTF-8');
    return '';
  });
  if (body.includes('\0')) throw new XmlRefused('the XML contains NUL: it may be UTF-16');
  if (/<!(?:DOCTYPE|ENTITY)/i.test(body))
    throw new XmlRefused('the XML declares a document type or entities');
  if (body.includes('<!'))
    throw new XmlRefused('the XML contains a comment, a CDATA section or a declaration');
  if (body.includes('<?')) throw new XmlRefused('the XML contains a processing instruction');
  return text;
}

/** Returns the root of a text from `decodeXml`. */
export function parseXml(text: string): Element {
  // What the parser says contains parts of the text, which do not belong in a log.
  const fail = () => {
    throw new XmlRefused('the XML is malformed');
  };
  const errorHandler = { warning: fail, error: fail, fatalError: fail };
  const root = new DOMParser({ locator: {}, errorHandler }).parseFromString(
    text,
    'text/xml',
  )?.documentElement;
  if (!root) throw new XmlRefused('the XML has no element');
  let elements = 0;
  for (
    let level: Element[] = [root];
    level.length > 0;
    elements += level.length, level = level.flatMap(childElements)
  ) {
    if (elements + level.length > maxXmlElements)
      throw new XmlRefused(`the XML has more than ${maxXmlElements} elements`);
    if (level.some((element) => depthOf(element) > maxXmlDepth))
      throw new XmlRefused(`the XML is nested more than ${maxXmlDepth} levels deep`);
  }
  return root;
}

function depthOf(element: Element): number {
  let depth = 0;
  for (let node: Node | null = element; node; node = node.parentNode) depth++;
  return depth;
}

export function childElements(element: Element): Element[] {
  return Array.from(element.childNodes).filter((node) => node.nodeType === 1) as Element[];
}

export function isElement(element: Element, namespace: NamespaceName, name: string): boolean {
  return element.localName === name && element.namespaceURI === xmlNamespaces[namespace];
}

/** Children with that name. */
export function childrenNamed(element: Element, namespace: NamespaceName, name: string): Element[] {
  return childElements(element).filter((child) => isElement(child, namespace, name));
}

/** Elements with that local name in any namespace, the element itself included. */
export function allNamed(element: Element, ...names: string[]): Element[] {
  const found = names.includes(element.localName) ? [element] : [];
  return [...found, ...childElements(element).flatMap((child) => allNamed(child, ...names))];
}

/** Null if there is none. Throws `XmlRefused` if there are several. */
export function onlyChild(element: Element, namespace: NamespaceName, name: string): Element | null {
  const [first = null, ...others] = childrenNamed(element, namespace, name);
  if (others.length > 0) throw new XmlRefused(`${element.localName} has several elements ${name}`);
  return first;
}

/** The text of an element without elements in it. */
export function textOf(element: Element): string {
  if (childElements(element).length > 0)
    throw new XmlRefused(`${element.localName} has elements in its text`);
  return (element.textContent ?? '').trim();
}

/** Null if the attribute is missing or empty. */
export function attributeOf(element: Element | null, name: string): string | null {
  return element?.getAttribute(name) || null;
}

/** Null if there is none; throws if it is not a point in time in UTC, which SAML requires (SAML Core 2.0, section 1.3.3). */
export function timeOf(element: Element | null, name: string): number | null {
  const text = attributeOf(element, name);
  if (text === null) return null;
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new XmlRefused(`${name} is not a time in UTC`);
  return time;
}
