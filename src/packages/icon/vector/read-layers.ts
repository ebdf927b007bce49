import type { XmlElement } from '../../apk/binary-xml.ts';
import type { DrawingCanvas } from '../drawing-cost.ts';
import {
  addInsets,
  type Box,
  type Drawable,
  type DrawableReader,
  type Insets,
  inset,
  noPadding,
} from './drawable.ts';
import { attributesOf } from './drawable-attributes.ts';
import { layerGravity, placeByGravity } from './gravity.ts';
import { readChild } from './read-child.ts';

interface Layer {
  drawable: Drawable;
  insets: Insets;
  /** The stated size; null if absent. */
  width: number | null;
  height: number | null;
  gravity: number;
}

/** Each layer is placed within the padding of those below it, unless the list stacks them. */
const stackPadding = 1;
/** `android.R.id.mask`: the invisible layer of a `<ripple>`. */
const maskId = 0x0102002e;

/**
 * Reads a `<layer-list>`, or elements that are drawn like it. Skips unreadable layers; returns null if none is left.
 * @see `LayerDrawable.java` of the platform
 */
export async function readLayers(reader: DrawableReader, element: XmlElement): Promise<Drawable | null> {
  const layers: Layer[] = [];
  for (const item of element.children) {
    const layer = item.name === 'item' ? await readLayer(reader, item) : null;
    if (layer) layers.push(layer);
  }
  if (layers.length === 0) return null;
  const paddingMode = await attributesOf(reader.files, element).integer('paddingMode', 0);
  const nests = paddingMode !== stackPadding;
  return {
    width: largest(layers.map((layer) => outerSize(layer, 'width'))),
    height: largest(layers.map((layer) => outerSize(layer, 'height'))),
    padding: nests ? layers.map(({ drawable }) => drawable.padding).reduce(addInsets, noPadding) : noPadding,
    draw: (box, canvas) => drawLayers(layers, box, canvas, nests),
  };
}

function drawLayers(layers: readonly Layer[], box: Box, canvas: DrawingCanvas, nests: boolean) {
  let padding = noPadding;
  return layers.flatMap(({ drawable, insets, width, height, gravity }) => {
    const container = inset(box, addInsets(insets, padding));
    if (nests) padding = addInsets(padding, drawable.padding);
    const used = layerGravity(gravity, width !== null, height !== null);
    const place = placeByGravity(used, width ?? drawable.width, height ?? drawable.height, container);
    return drawable.draw(place, canvas);
  });
}

async function readLayer(reader: DrawableReader, item: XmlElement): Promise<Layer | null> {
  const attributes = attributesOf(reader.files, item);
  const id = attributes.raw('id');
  if (id?.kind === 'reference' && id.id === maskId) return null;
  const drawable = await readChild(reader, item);
  if (!drawable) return null;
  const size = async (name: 'width' | 'height') => {
    const stated = await attributes.number(name, -1);
    return stated >= 0 ? stated : null;
  };
  const left = await attributes.number('left', 0);
  const right = await attributes.number('right', 0);
  return {
    drawable,
    insets: {
      left: await attributes.number('start', left),
      top: await attributes.number('top', 0),
      right: await attributes.number('end', right),
      bottom: await attributes.number('bottom', 0),
    },
    width: await size('width'),
    height: await size('height'),
    gravity: await attributes.integer('gravity', 0),
  };
}

function outerSize(layer: Layer, side: 'width' | 'height'): number | null {
  const own = layer[side] ?? layer.drawable[side];
  if (own === null) return null;
  const { left, top, right, bottom } = layer.insets;
  return own + (side === 'width' ? left + right : top + bottom);
}

function largest(sizes: readonly (number | null)[]): number | null {
  const known = sizes.filter((size) => size !== null);
  return known.length > 0 ? Math.max(...known) : null;
}
