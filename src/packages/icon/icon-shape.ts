/** Side length of icons drawn from shapes, in pixels. */
export const drawnSidePixels = 512;

/**
 * Corner radius of a drawn icon as a share of its side. Launchers clip icons to different shapes (Pixel to a circle, others to a
 * squircle or rounded square). Slipway uses this rounded square for both platforms; an adaptive icon must look right in each of
 * these shapes.
 */
export const cornerShare = 0.225;
