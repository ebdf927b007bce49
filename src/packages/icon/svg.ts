/** SVG as a tree of values, so that all text is either escaped or numeric. */
import { UnreadablePackage } from '../package-info.ts';

export interface SvgNode {
  name: SvgName;
  attributes: Record<string, string | number>;
  children: readonly SvgNode[];
}

type SvgName =
  | 'svg'
  | 'g'
  | 'path'
  | 'rect'
  | 'ellipse'
  | 'image'
  | 'clipPath'
  | 'pattern'
  | 'linearGradient'
  | 'radialGradient'
  | 'stop'
  | 'filter'
  | 'feColorMatrix'
  | 'feFlood'
  | 'feComposite';

/** Maximum length of an icon including pictures. The SVG parser accepts ten million characters. */
export const maxSvgCharacters = 9_500_000;

/** The limit of the rasterizer's fixed-point coordinates. */
const maxCoordinate = 1e6;

export function svg(
  name: SvgName,
  attributes: SvgNode['attributes'],
  children: readonly SvgNode[] = [],
): SvgNode {
  return { name, attributes, children };
}

/** @throws UnreadablePackage above `maxSvgCharacters` */
export function svgText(root: SvgNode): string {
  const parts: string[] = [];
  let characters = 0;
  const add = (text: string) => {
    characters += text.length;
    if (characters > maxSvgCharacters) throw new UnreadablePackage('the icon is too complex to draw');
    parts.push(text);
  };
  const write = (node: SvgNode) => {
    add(`<${node.name}`);
    for (const [name, value] of Object.entries(node.attributes)) {
      add(` ${name}="${typeof value === 'number' ? svgNumber(value) : escapeText(value)}"`);
    }
    if (node.children.length === 0) return add('/>');
    add('>');
    for (const child of node.children) write(child);
    add(`</${node.name}>`);
  };
  write(root);
  return parts.join('');
}

/** Formats up to seven digits. Replaces NaN with 0, and clamps to the coordinate limit. */
export function svgNumber(value: number): string {
  if (Number.isNaN(value) || Math.abs(value) < 1e-6) return '0';
  const bounded = Math.max(-maxCoordinate, Math.min(maxCoordinate, value));
  return String(Number(bounded.toPrecision(7)));
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');
}
