/** A small strict HTML parser for the rendered pages: throws if tags do not nest or text is not escaped. */

export interface Element {
  tag: string;
  attributes: ReadonlyMap<string, string>;
  /** From the root down. */
  ancestors: readonly string[];
  /** All text inside, entities decoded. */
  text: string;
}

const voidTags = new Set(['meta', 'link', 'input', 'img', 'br', 'hr']);
const token =
  /<!doctype html>|<(\/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s+[a-zA-Z:-]+(?:="[^"<]*")?)*)\s*(\/?)>|([^<]+)/gy;

export function readElements(html: string): Element[] {
  const elements: { -readonly [K in keyof Element]: Element[K] }[] = [];
  const open: (typeof elements)[number][] = [];
  let position = 0;
  for (const match of html.matchAll(token)) {
    if (match.index !== position) break;
    position += match[0].length;
    const [, closing, tag, attributes, selfClosing, text] = match;
    if (text !== undefined) {
      const decoded = decode(text);
      for (const element of open) element.text += decoded;
    } else if (closing && tag) {
      const last = open.pop();
      if (last?.tag !== tag) throw new Error(`</${tag}> closes <${last?.tag}>`);
    } else if (tag) {
      const ancestors = open.map((element) => element.tag);
      const element = { tag, attributes: readAttributes(attributes ?? ''), ancestors, text: '' };
      elements.push(element);
      if (!voidTags.has(tag) && !selfClosing) open.push(element);
    }
  }
  if (position !== html.length) throw new Error(`cannot read: ${html.slice(position, position + 120)}`);
  if (open.length > 0) throw new Error(`<${open.at(-1)?.tag}> is never closed`);
  return elements;
}

function readAttributes(source: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name, value] of source.matchAll(/([a-zA-Z:-]+)(?:="([^"]*)")?/g)) {
    if (name) attributes.set(name, decode(value ?? ''));
  }
  return attributes;
}

function decode(text: string): string {
  if (!text.includes('&')) return text;
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
