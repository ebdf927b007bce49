/** Side of what is drawn from shapes, in pixels. */
export const drawnSidePixels = 512;

/**
 * Corner radius of a drawn icon as a share of its side. Launchers differ in the shape that they cut icons to (Pixel a circle, others a
 * squircle or a rounded square); this rounded square is the one that phones of both platforms have in common, and an adaptive icon
 * must look right in each of them.
 */
export const cornerShare = 0.225;
