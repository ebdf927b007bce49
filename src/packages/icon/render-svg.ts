import { UnreadablePackage } from '../package-info.ts';
import { drawnSidePixels } from './icon-shape.ts';
import { openPicture } from './image-library.ts';
import { type SvgNode, svg, svgText } from './svg.ts';

/** The visible part of the plane, in its own units. */
export interface View {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * Draws a square PNG of `drawnSidePixels`. A view that is not square is centered.
 * @throws UnreadablePackage if the rasterizer rejects it
 */
export async function renderSvg(view: View, children: readonly SvgNode[]): Promise<Buffer> {
  const root = svg(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width: drawnSidePixels,
      height: drawnSidePixels,
      viewBox: [view.x, view.y, view.width, view.height].join(' '),
    },
    children,
  );
  const text = svgText(root);
  try {
    return await openPicture(Buffer.from(text)).png({ compressionLevel: 7 }).toBuffer();
  } catch (cause) {
    throw new UnreadablePackage('the icon cannot be drawn', { cause });
  }
}
