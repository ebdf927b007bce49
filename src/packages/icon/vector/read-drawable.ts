import type { XmlElement } from '../../apk/binary-xml.ts';
import { integerOf, type TypedValue } from '../../apk/typed-value.ts';
import { drawingWork } from '../drawing-cost.ts';
import { svg } from '../svg.ts';
import { type Drawable, type DrawableReader, noPadding } from './drawable.ts';
import { attributesOf } from './drawable-attributes.ts';
import type { DrawableFiles } from './drawable-files.ts';
import { hasState, hexOf, opacityOf, readPaint } from './paint.ts';
import { readAdaptive } from './read-adaptive.ts';
import { pictureDrawable, readBitmap } from './read-bitmap.ts';
import { readChild } from './read-child.ts';
import { readLayers } from './read-layers.ts';
import { readShape } from './read-shape.ts';
import { readVector } from './read-vector.ts';
import { readInset, readRotate } from './read-wrapped.ts';

/** Nesting depth of drawables. */
export const maxDrawableDepth = 12;

type ReadDrawable = (reader: DrawableReader, element: XmlElement) => Promise<Drawable | null>;

/** Other elements are not drawn: `<scale>` and `<clip>` are empty at level 0, and classes of apps are code. */
const readers: Readonly<Record<string, ReadDrawable>> = {
  'adaptive-icon': readAdaptive,
  'animated-rotate': readRotate,
  'animated-selector': readStates,
  'animated-vector': readChild,
  'animation-list': readFirstItem,
  bitmap: readBitmap,
  color: readColorElement,
  inset: readInset,
  'layer-list': readLayers,
  'level-list': readLevels,
  'maskable-icon': readAdaptive,
  'nine-patch': readBitmap,
  ripple: readLayers,
  rotate: readRotate,
  selector: readStates,
  shape: readShape,
  transition: readFirstItem,
  vector: readVector,
};

/** Reads drawables with everything they refer to, up to `maxDrawableDepth`. */
export function createDrawableReader(files: DrawableFiles): DrawableReader {
  let ids = 0;
  const newId = () => `i${ids++}`;

  function readerAtDepth(depth: number): DrawableReader {
    return {
      files,
      newId,
      async readElement(element) {
        const read = Object.hasOwn(readers, element.name) ? readers[element.name] : null;
        return read && depth < maxDrawableDepth ? read(readerAtDepth(depth + 1), element) : null;
      },
      async readValue(value) {
        const resolved = await files.resolve(value);
        if (resolved?.value.kind === 'color') return colorDrawable(resolved.value.argb);
        if (resolved?.value.kind !== 'string') return null;
        const path = resolved.value.text;
        const picture = path.endsWith('.xml') ? null : await files.openPicture(path, resolved.density);
        if (picture) return pictureDrawable(picture);
        const root = await files.openXml(path);
        return root && readRoot(readerAtDepth(depth), root, value);
      },
    };
  }
  return readerAtDepth(0);
}

/** A color can also be a file with a `<selector>` of colors, or a gradient. */
async function readRoot(
  reader: DrawableReader,
  root: XmlElement,
  value: TypedValue | null,
): Promise<Drawable | null> {
  const isColors =
    root.name === 'selector' && root.children.some((item) => attributesOf(reader.files, item).has('color'));
  if (!isColors) return reader.readElement(root);
  const paint = await readPaint(reader.files, value);
  return paint?.kind === 'color' ? colorDrawable(paint.argb) : null;
}

function colorDrawable(argb: number): Drawable {
  return {
    width: null,
    height: null,
    padding: noPadding,
    draw(box, canvas) {
      canvas.spend(drawingWork.shape);
      return [svg('rect', { ...box, fill: hexOf(argb), 'fill-opacity': opacityOf(argb) })];
    },
  };
}

async function readColorElement(reader: DrawableReader, element: XmlElement): Promise<Drawable | null> {
  const paint = await readPaint(reader.files, attributesOf(reader.files, element).raw('color'));
  return paint?.kind === 'color' ? colorDrawable(paint.argb) : null;
}

/** Reads the first item that does not require a state. */
async function readStates(reader: DrawableReader, element: XmlElement): Promise<Drawable | null> {
  const item = element.children.find((child) => child.name === 'item' && !hasState(child));
  return item ? readChild(reader, item) : null;
}

async function readFirstItem(reader: DrawableReader, element: XmlElement): Promise<Drawable | null> {
  const item = element.children.find((child) => child.name === 'item');
  return item ? readChild(reader, item) : null;
}

/** Reads the item for level 0. */
async function readLevels(reader: DrawableReader, element: XmlElement): Promise<Drawable | null> {
  for (const item of element.children) {
    const attributes = attributesOf(reader.files, item);
    const level = (name: 'minLevel' | 'maxLevel') =>
      integerOf(attributes.raw(name) ?? { kind: 'null', empty: true });
    if ((level('minLevel') ?? 0) <= 0 && (level('maxLevel') ?? 0) >= 0) return readChild(reader, item);
  }
  return null;
}
