import type { XmlElement } from '../../apk/binary-xml.ts';
import { type DrawingCanvas, drawingWork } from '../drawing-cost.ts';
import { type SvgNode, svg } from '../svg.ts';
import type { Box, Drawable, DrawableReader } from './drawable.ts';
import { noPadding } from './drawable.ts';
import { attributesOf } from './drawable-attributes.ts';
import { readColor } from './paint.ts';
import { defaultTintMode, tinted } from './tint.ts';
import { type Place, readClip, readPath, type Vector } from './vector-path.ts';

/** Nesting depth of groups and clips; deeper elements are skipped. */
export const maxVectorDepth = 64;

/**
 * Reads a `<vector>`: groups, paths with colors, gradients, strokes and trims, clips, alpha and tint.
 *
 * Returns null without a size, which the platform also rejects.
 *
 * @see `VectorDrawable.java` and `VectorDrawable.cpp` of the platform
 */
export async function readVector(reader: DrawableReader, element: XmlElement): Promise<Drawable | null> {
  const attributes = attributesOf(reader.files, element);
  const [width, height] = [await attributes.number('width', 0), await attributes.number('height', 0)];
  const viewportWidth = await attributes.number('viewportWidth', 0);
  const viewportHeight = await attributes.number('viewportHeight', 0);
  if (!(width > 0 && height > 0 && viewportWidth > 0 && viewportHeight > 0)) return null;
  const vector: Vector = { reader, reach: Math.hypot(viewportWidth, viewportHeight), works: [] };
  const content = await readChildren(vector, element, { depth: 0, scale: 1, clips: null });
  const alpha = await attributes.number('alpha', 1);
  const tint = await readColor(reader.files, attributes.raw('tint'));
  const tintMode = await attributes.integer('tintMode', defaultTintMode);
  const tintId = reader.newId();

  return {
    width,
    height,
    padding: noPadding,
    draw(box: Box, canvas: DrawingCanvas) {
      const scale = Math.max(box.width / viewportWidth, box.height / viewportHeight) / canvas.side;
      for (const work of vector.works) canvas.spend(work(scale));
      canvas.spend((tint === null ? 0 : drawingWork.tint) + (alpha < 1 ? drawingWork.alpha : 0));
      const viewport = svg(
        'svg',
        { ...box, viewBox: `0 0 ${viewportWidth} ${viewportHeight}`, preserveAspectRatio: 'none' },
        content,
      );
      const picture = tint === null ? [viewport] : tinted([viewport], tint, tintMode, box, tintId);
      return alpha < 1 ? [svg('g', { opacity: Math.max(0, alpha) }, picture)] : picture;
    },
  };
}

/** A clip applies to the following siblings in its group. */
async function readChildren(vector: Vector, parent: XmlElement, place: Place): Promise<SvgNode[]> {
  const nodes: SvgNode[] = [];
  if (place.depth > maxVectorDepth) return nodes;
  for (const [index, child] of parent.children.entries()) {
    if (child.name === 'group') nodes.push(await readGroup(vector, child, place));
    else if (child.name === 'path') nodes.push(...(await readPath(vector, child, place)));
    else if (child.name === 'clip-path') {
      const id = vector.reader.newId();
      const clip = await readClip(vector, child, place, id);
      const clips = (scale: number) => (place.clips?.(scale) ?? 0) + clip.work(scale);
      const rest = { ...parent, children: parent.children.slice(index + 1) };
      const clipped = await readChildren(vector, rest, { ...place, depth: place.depth + 1, clips });
      return [...nodes, clip.node, svg('g', { 'clip-path': `url(#${id})` }, clipped)];
    }
  }
  return nodes;
}

/** Scales and rotates about the pivot, then translates. */
async function readGroup(vector: Vector, element: XmlElement, place: Place): Promise<SvgNode> {
  const attributes = attributesOf(vector.reader.files, element);
  const [pivotX, pivotY] = [await attributes.number('pivotX', 0), await attributes.number('pivotY', 0)];
  const [scaleX, scaleY] = [await attributes.number('scaleX', 1), await attributes.number('scaleY', 1)];
  const x = pivotX + (await attributes.number('translateX', 0));
  const y = pivotY + (await attributes.number('translateY', 0));
  const rotation = await attributes.number('rotation', 0);
  const scale = place.scale * Math.max(Math.abs(scaleX), Math.abs(scaleY));
  const children = await readChildren(vector, element, { ...place, depth: place.depth + 1, scale });
  if (scaleX === 0 || scaleY === 0) return svg('g', {});
  const transform = `translate(${x} ${y}) rotate(${rotation}) scale(${scaleX} ${scaleY}) translate(${-pivotX} ${-pivotY})`;
  return svg('g', { transform }, children);
}
