/** Colors and gradients of drawables: a color, a `<selector>` of colors, or a `<gradient>`. */
import type { XmlElement } from '../../apk/binary-xml.ts';
import type { TypedValue } from '../../apk/typed-value.ts';
import { attributesOf } from './drawable-attributes.ts';
import type { DrawableFiles } from './drawable-files.ts';
import { type Gradient, readGradient } from './gradient.ts';

export type Paint = { kind: 'color'; argb: number } | { kind: 'gradient'; gradient: Gradient };

/** Maximum length of a chain of colors that refer to colors. */
export const maxColorDepth = 8;

/** Returns null if the value is not a paint, or is a theme attribute. */
export async function readPaint(
  files: DrawableFiles,
  value: TypedValue | null,
  depth = 0,
): Promise<Paint | null> {
  const resolved = (await files.resolve(value))?.value;
  if (resolved?.kind === 'color') return { kind: 'color', argb: resolved.argb };
  if (resolved?.kind !== 'string' || depth >= maxColorDepth) return null;
  const root = await files.openXml(resolved.text);
  if (root?.name === 'gradient') return readGradientPaint(files, root);
  return root?.name === 'selector' ? readColorList(files, root, depth) : null;
}

/** Returns a color as 0xAARRGGBB; null for a gradient. */
export async function readColor(files: DrawableFiles, value: TypedValue | null): Promise<number | null> {
  const paint = await readPaint(files, value);
  return paint?.kind === 'color' ? paint.argb : null;
}

async function readGradientPaint(files: DrawableFiles, root: XmlElement): Promise<Paint | null> {
  const gradient = await readGradient(files, root, (color) => readColor(files, color));
  const only = gradient?.stops.length === 1 ? gradient.stops[0] : null;
  if (only) return { kind: 'color', argb: only.argb };
  return gradient && { kind: 'gradient', gradient };
}

/** Uses the first item that does not require a state, because an icon has no state. */
async function readColorList(files: DrawableFiles, root: XmlElement, depth: number): Promise<Paint | null> {
  const item = root.children.find((child) => child.name === 'item' && !hasState(child));
  if (!item) return null;
  const attributes = attributesOf(files, item);
  const paint = await readPaint(files, attributes.raw('color'), depth + 1);
  if (paint?.kind !== 'color') return null;
  return { kind: 'color', argb: withAlpha(paint.argb, await attributes.number('alpha', 1)) };
}

/** Returns whether a `<selector>` item requires a state. Names of states may be stripped, but their type is not. */
export function hasState(item: XmlElement): boolean {
  return item.attributes.some((attribute) => attribute.value.kind === 'boolean' && attribute.value.truth);
}

export function withAlpha(argb: number, alpha: number): number {
  const opaque = Math.round((argb >>> 24) * Math.max(0, Math.min(1, alpha)));
  return ((opaque << 24) | (argb & 0xffffff)) >>> 0;
}

export function hexOf(argb: number): string {
  return `#${(argb & 0xffffff).toString(16).padStart(6, '0')}`;
}

export function opacityOf(argb: number): number {
  return (argb >>> 24) / 255;
}
