/** Drawables that wrap another: `<inset>` and `<rotate>`. */
import type { XmlElement } from '../../apk/binary-xml.ts';
import type { DrawingCanvas } from '../drawing-cost.ts';
import { svg } from '../svg.ts';
import { type Box, type Drawable, type DrawableReader, type Insets, inset } from './drawable.ts';
import { attributesOf, dpOf, type Length } from './drawable-attributes.ts';
import { readChild } from './read-child.ts';

/** @see `InsetDrawable.java` of the platform */
export async function readInset(reader: DrawableReader, element: XmlElement): Promise<Drawable | null> {
  const child = await readChild(reader, element);
  if (!child) return null;
  const attributes = attributesOf(reader.files, element);
  const all = await attributes.length('inset');
  const lengths = {
    left: (await attributes.length('insetLeft')) ?? all,
    top: (await attributes.length('insetTop')) ?? all,
    right: (await attributes.length('insetRight')) ?? all,
    bottom: (await attributes.length('insetBottom')) ?? all,
  };
  const insetsIn = (width: number, height: number): Insets => ({
    left: dpOf(lengths.left, width, 0),
    top: dpOf(lengths.top, height, 0),
    right: dpOf(lengths.right, width, 0),
    bottom: dpOf(lengths.bottom, height, 0),
  });
  return {
    width: sizeAround(child.width, lengths.left, lengths.right),
    height: sizeAround(child.height, lengths.top, lengths.bottom),
    padding: insetsIn(0, 0),
    draw: (box, canvas) => child.draw(inset(box, insetsIn(box.width, box.height)), canvas),
  };
}

/** If insets are relative, computes the outer size from the inner one. */
function sizeAround(size: number | null, start: Length | null, end: Length | null): number | null {
  if (size === null) return null;
  const shares = [start, end].reduce(
    (sum, length) => sum + (length && 'share' in length ? length.share : 0),
    0,
  );
  if (shares >= 1) return null;
  return (size + dpOf(start, 0, 0) + dpOf(end, 0, 0)) / (1 - shares);
}

/** Rotates to the start angle, because icons have level 0. See `RotateDrawable.java` of the platform. */
export async function readRotate(reader: DrawableReader, element: XmlElement): Promise<Drawable | null> {
  const child = await readChild(reader, element);
  if (!child) return null;
  const attributes = attributesOf(reader.files, element);
  const degrees = await attributes.number('fromDegrees', 0);
  const [pivotX, pivotY] = [await attributes.length('pivotX'), await attributes.length('pivotY')];
  return {
    ...child,
    draw(box: Box, canvas: DrawingCanvas) {
      const x = box.x + dpOf(pivotX ?? { share: 0.5 }, box.width, 0);
      const y = box.y + dpOf(pivotY ?? { share: 0.5 }, box.height, 0);
      return [svg('g', { transform: `rotate(${degrees} ${x} ${y})` }, child.draw(box, canvas))];
    },
  };
}
