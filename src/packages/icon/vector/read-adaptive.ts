import type { XmlElement } from '../../apk/binary-xml.ts';
import type { DrawingCanvas } from '../drawing-cost.ts';
import { cornerShare } from '../icon-shape.ts';
import { svg } from '../svg.ts';
import { type Box, type Drawable, type DrawableReader, noPadding } from './drawable.ts';
import { readChild } from './read-child.ts';

/** Both layers are 108 dp wide, of which the central 72 dp are visible. */
const layerDp = 108;
export const adaptiveDp = 72;

/**
 * Reads an `<adaptive-icon>`: the foreground over the background, clipped to the rounded square of `cornerShare`. The monochrome
 * layer is only for themed icons. Skips an unreadable layer; returns null if both are unreadable. A transparent background is
 * black, as on a phone; an unreadable one is white, although a phone would reject the icon.
 * @see `AdaptiveIconDrawable.java` of the platform
 */
export async function readAdaptive(reader: DrawableReader, element: XmlElement): Promise<Drawable | null> {
  const layer = async (name: string) => {
    const found = element.children.find((child) => child.name === name);
    return found ? readChild(reader, found) : null;
  };
  const [background, foreground] = [await layer('background'), await layer('foreground')];
  if (!background && !foreground) return null;
  const clipId = reader.newId();
  return {
    width: adaptiveDp,
    height: adaptiveDp,
    padding: noPadding,
    draw(box: Box, canvas: DrawingCanvas) {
      const layerBox = grown(box);
      const shape = svg('rect', { ...box, rx: box.width * cornerShare, ry: box.height * cornerShare });
      return [
        svg('clipPath', { id: clipId }, [shape]),
        // Isolation composes the layers before clipping; otherwise the lowest one would show at the edge.
        svg('g', { 'clip-path': `url(#${clipId})`, style: 'isolation:isolate' }, [
          svg('rect', { ...layerBox, fill: background ? '#000000' : '#ffffff' }),
          ...(background?.draw(layerBox, canvas) ?? []),
          ...(foreground?.draw(layerBox, canvas) ?? []),
        ]),
      ];
    },
  };
}

function grown({ x, y, width, height }: Box): Box {
  const by = (layerDp / adaptiveDp - 1) / 2;
  return {
    x: x - width * by,
    y: y - height * by,
    width: width * (1 + by * 2),
    height: height * (1 + by * 2),
  };
}
