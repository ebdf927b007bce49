import type { XmlElement } from '../../apk/binary-xml.ts';
import type { Box } from './drawable.ts';
import { attributesOf, dpOf } from './drawable-attributes.ts';
import type { DrawableFiles } from './drawable-files.ts';
import { type Gradient, gradientTypes, readStartToEnd } from './gradient.ts';
import { readColor } from './paint.ts';

/** A gradient with coordinates that depend on the filled box. */
export type ShapeGradient = (box: Box) => Gradient;

/** Start and end of a linear gradient as shares of the box, for each counterclockwise eighth of a turn. */
const directions = [
  [0, 0, 1, 0],
  [0, 1, 1, 0],
  [0, 1, 0, 0],
  [1, 1, 0, 0],
  [1, 0, 0, 0],
  [1, 0, 0, 1],
  [0, 0, 0, 1],
  [0, 0, 1, 1],
] as const;

/**
 * Reads the `<gradient>` in a `<shape>`. Returns null without colors.
 *
 * @see `GradientDrawable.updateGradientDrawableGradient` and `ensureValidRect` of the platform
 */
export async function readShapeGradient(
  files: DrawableFiles,
  element: XmlElement,
): Promise<ShapeGradient | null> {
  const attributes = attributesOf(files, element);
  const type = gradientTypes[await attributes.integer('type', 0)] ?? 'linear';
  const [centerX, centerY] = [await attributes.length('centerX'), await attributes.length('centerY')];
  // Returns a share of the box, whether it is written as 0.3 or 30%.
  const shareOf = (length: typeof centerX) => (length ? ('dp' in length ? length.dp : length.share) : 0.5);
  const [shareX, shareY] = [shareOf(centerX), shareOf(centerY)];
  const centerOffset = type === 'linear' ? (shareX !== 0.5 ? shareX : shareY) : 0.5;
  const stops = await readStartToEnd(files, element, centerOffset, (color) => readColor(files, color));
  if (stops.length === 0) return null;
  const radius = await attributes.length('gradientRadius');
  const angle = await attributes.number('angle', 0);
  const eighth = ((Math.round(angle / 45) % 8) + 8) % 8;
  const [startX, startY, endX, endY] = directions[eighth] ?? directions[0];

  return ({ x, y, width, height }) => ({
    type,
    stops,
    spread: 'pad',
    startX: x + width * startX,
    startY: y + height * startY,
    endX: x + width * endX,
    endY: y + height * endY,
    centerX: x + width * shareX,
    centerY: y + height * shareY,
    // The platform uses a tiny radius if there is none, so that everything has the last color.
    radius: Math.max(0.001, dpOf(radius, Math.min(width, height), 0)),
  });
}
