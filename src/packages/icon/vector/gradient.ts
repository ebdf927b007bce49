import type { XmlElement } from '../../apk/binary-xml.ts';
import type { TypedValue } from '../../apk/typed-value.ts';
import { attributesOf } from './drawable-attributes.ts';
import type { DrawableFiles } from './drawable-files.ts';

export interface GradientStop {
  /** 0 to 1, ascending. */
  offset: number;
  argb: number;
}

/** A gradient in the coordinates of the filled path. */
export interface Gradient {
  type: 'linear' | 'radial' | 'sweep';
  startX: number;
  startY: number;
  endX: number;
  endY: number;
  centerX: number;
  centerY: number;
  radius: number;
  spread: 'pad' | 'repeat' | 'reflect';
  /** Contains at least one. */
  stops: GradientStop[];
}

export const gradientTypes = ['linear', 'radial', 'sweep'] as const;
export const maxGradientStops = 256;
const spreads = ['pad', 'repeat', 'reflect'] as const;

export type ReadColor = (value: TypedValue | null) => Promise<number | null>;

/**
 * Reads the `<gradient>` of a color resource, in the coordinates of the path. Returns null without colors, or for a radial
 * gradient without a radius.
 *
 * @see `GradientColor` of the platform
 */
export async function readGradient(
  files: DrawableFiles,
  element: XmlElement,
  readColor: ReadColor,
): Promise<Gradient | null> {
  const attributes = attributesOf(files, element);
  const type = gradientTypes[await attributes.integer('type', 0)] ?? 'linear';
  const radius = await attributes.number('gradientRadius', 0);
  const items = await readItems(files, element, readColor);
  const stops = items.length > 0 ? items : await readStartToEnd(files, element, 0.5, readColor);
  if (stops.length === 0 || (type === 'radial' && radius <= 0)) return null;
  return {
    type,
    radius,
    stops,
    startX: await attributes.number('startX', 0),
    startY: await attributes.number('startY', 0),
    endX: await attributes.number('endX', 0),
    endY: await attributes.number('endY', 0),
    centerX: await attributes.number('centerX', 0),
    centerY: await attributes.number('centerY', 0),
    spread: spreads[await attributes.integer('tileMode', 0)] ?? 'pad',
  };
}

async function readItems(
  files: DrawableFiles,
  element: XmlElement,
  readColor: ReadColor,
): Promise<GradientStop[]> {
  const stops: GradientStop[] = [];
  let min = 0;
  for (const item of element.children.slice(0, maxGradientStops)) {
    if (item.name !== 'item') continue;
    const attributes = attributesOf(files, item);
    min = Math.max(min, Math.min(1, await attributes.number('offset', 0)));
    stops.push({ offset: min, argb: (await readColor(attributes.raw('color'))) ?? 0 });
  }
  return stops;
}

/** Reads startColor, an optional centerColor and endColor; a missing color is transparent. Empty when all are missing. */
export async function readStartToEnd(
  files: DrawableFiles,
  element: XmlElement,
  centerOffset: number,
  readColor: ReadColor,
): Promise<GradientStop[]> {
  const attributes = attributesOf(files, element);
  if (!attributes.has('startColor') && !attributes.has('centerColor') && !attributes.has('endColor'))
    return [];
  const color = async (name: 'startColor' | 'centerColor' | 'endColor') =>
    (await readColor(attributes.raw(name))) ?? 0;
  const center = attributes.has('centerColor')
    ? [{ offset: Math.max(0, Math.min(1, centerOffset)), argb: await color('centerColor') }]
    : [];
  return [
    { offset: 0, argb: await color('startColor') },
    ...center,
    { offset: 1, argb: await color('endColor') },
  ];
}
