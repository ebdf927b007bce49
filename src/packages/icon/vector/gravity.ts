import type { Box } from './drawable.ts';

/** `Gravity.FILL`, the default of bitmaps and layers. */
export const fillGravity = 0x77;
const relative = 0x00800000;
const [alongX, alongY] = [0x07, 0x70];
const [startX, fillX, topY, fillY] = [0x03, 0x07, 0x30, 0x70];

/**
 * Places an object in a container according to the bits of `android:gravity`: each axis is pulled to its start, its end, both or
 * neither. Without a size, it fills the container.
 * @see `Gravity.apply` of the platform
 */
export function placeByGravity(
  gravity: number,
  width: number | null,
  height: number | null,
  container: Box,
): Box {
  const [x, usedWidth] = placeOnAxis(gravity & 0x06, width, container.x, container.width);
  const [y, usedHeight] = placeOnAxis((gravity >> 4) & 0x06, height, container.y, container.height);
  return { x, y, width: usedWidth, height: usedHeight };
}

function placeOnAxis(pull: number, size: number | null, start: number, space: number): [number, number] {
  if (size === null || pull === 0x06) return [start, space];
  if (pull === 0x02) return [start, size];
  if (pull === 0x04) return [start + space - size, size];
  return [start + (space - size) / 2, size];
}

/**
 * Returns the gravity of a layer: an unspecified axis is filled, or pulled to its start if a size is stated.
 * @see `LayerDrawable.resolveGravity` of the platform
 */
export function layerGravity(gravity: number, statesWidth: boolean, statesHeight: boolean): number {
  let used = gravity;
  if ((gravity & (alongX | relative)) === 0) used |= statesWidth ? startX : fillX;
  if ((gravity & alongY) === 0) used |= statesHeight ? topY : fillY;
  return used;
}
