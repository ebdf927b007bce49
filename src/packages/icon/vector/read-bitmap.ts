import type { XmlElement } from '../../apk/binary-xml.ts';
import { type DrawingCanvas, drawingWork } from '../drawing-cost.ts';
import { type SvgNode, svg } from '../svg.ts';
import { type Box, type Drawable, type DrawableReader, noPadding } from './drawable.ts';
import { attributesOf } from './drawable-attributes.ts';
import type { Picture } from './drawable-files.ts';
import { fillGravity, placeByGravity } from './gravity.ts';
import { readColor } from './paint.ts';
import { defaultTintMode, tinted } from './tint.ts';

/** Values of `android:tileMode` (`Shader.TileMode`). Mirroring is drawn as repeating. */
const repeatingTileModes = [1, 2];
/** Smaller tiles are stretched, because drawing a million of them is too slow. */
const minTileDp = 4;

/** Creates a drawable that fills its box with a picture. */
export function pictureDrawable(picture: Picture): Drawable {
  return {
    width: picture.width,
    height: picture.height,
    padding: noPadding,
    draw(box, canvas) {
      spendPicture(picture, canvas);
      return [imageNode(picture.address, box)];
    },
  };
}

function spendPicture(picture: Picture, canvas: DrawingCanvas): void {
  canvas.spend(drawingWork.picture + picture.pixels * drawingWork.picturePixel);
}

/**
 * Reads a `<bitmap>` or `<nine-patch>`, the latter as a plain picture. Returns null if the picture cannot be read.
 * @see `BitmapDrawable.java` of the platform
 */
export async function readBitmap(reader: DrawableReader, element: XmlElement): Promise<Drawable | null> {
  const { files } = reader;
  const attributes = attributesOf(files, element);
  const resolved = await files.resolve(attributes.raw('src'));
  if (resolved?.value.kind !== 'string') return null;
  const picture = await files.openPicture(resolved.value.text, resolved.density);
  if (!picture) return null;
  const gravity = await attributes.integer('gravity', fillGravity);
  const tileMode = await attributes.integer('tileMode', -1);
  const tileX = await attributes.integer('tileModeX', tileMode);
  const tileY = await attributes.integer('tileModeY', tileMode);
  const repeats = repeatingTileModes.includes(tileX) || repeatingTileModes.includes(tileY);
  const alpha = Math.max(0, await attributes.number('alpha', 1));
  const tint = await readColor(files, attributes.raw('tint'));
  const tintMode = await attributes.integer('tintMode', defaultTintMode);
  const [patternId, tintId] = [reader.newId(), reader.newId()];

  return {
    width: picture.width,
    height: picture.height,
    padding: noPadding,
    draw(box, canvas) {
      spendPicture(picture, canvas);
      canvas.spend((tint === null ? 0 : drawingWork.tint) + (alpha < 1 ? drawingWork.alpha : 0));
      const place = placeByGravity(gravity, picture.width, picture.height, box);
      const isTiled = repeats && picture.width >= minTileDp && picture.height >= minTileDp;
      const plain = isTiled ? tile(picture, box, patternId) : [imageNode(picture.address, place)];
      const drawn = tint === null ? plain : tinted(plain, tint, tintMode, box, tintId);
      return alpha < 1 ? [svg('g', { opacity: alpha }, drawn)] : drawn;
    },
  };
}

function imageNode(address: string, box: Box): SvgNode {
  return svg('image', { ...box, preserveAspectRatio: 'none', href: address });
}

function tile({ address, width, height }: Picture, box: Box, id: string): SvgNode[] {
  const image = imageNode(address, { x: 0, y: 0, width, height });
  const pattern = { id, patternUnits: 'userSpaceOnUse', x: box.x, y: box.y, width, height };
  return [svg('pattern', pattern, [image]), svg('rect', { ...box, fill: `url(#${id})` })];
}
