import type { XmlElement } from '../../apk/binary-xml.ts';
import { drawingWork } from '../drawing-cost.ts';
import { paintWork, svgPaint } from '../paint-svg.ts';
import { type SvgNode, svg } from '../svg.ts';
import type { Box, Drawable, DrawableReader } from './drawable.ts';
import { noPadding } from './drawable.ts';
import { attributesOf, dpOf } from './drawable-attributes.ts';
import { hexOf, opacityOf, type Paint, readColor, readPaint } from './paint.ts';
import { readShapeGradient, type ShapeGradient } from './shape-gradient.ts';
import { type Corners, drawOutline, readRing } from './shape-outline.ts';

interface ShapeStroke {
  width: number;
  argb: number;
  dashWidth: number;
  dashGap: number;
}

/** Shorter dashes would be invisible and slow to draw. */
const minDash = 0.5;

/**
 * Reads a `<shape>`: rectangle, oval, line and ring with corners, solid, gradient, stroke, size and padding.
 *
 * @see `GradientDrawable.java` of the platform
 */
export async function readShape(reader: DrawableReader, element: XmlElement): Promise<Drawable | null> {
  const { files } = reader;
  const attributes = attributesOf(files, element);
  const form = (['rectangle', 'oval', 'line', 'ring'] as const)[await attributes.integer('shape', 0)];
  if (!form) return null;
  const child = (name: string) => element.children.find((candidate) => candidate.name === name) ?? null;
  const size = attributesOf(files, child('size') ?? element);
  const solid = child('solid');
  const solidPaint = solid && (await readPaint(files, attributesOf(files, solid).raw('color')));
  const gradientElement = child('gradient');
  const gradient = gradientElement && (await readShapeGradient(files, gradientElement));
  const stroke = await readStroke(reader, child('stroke'));
  const corners = await readCorners(reader, child('corners'));
  const ring = form === 'ring' ? await readRing(attributes) : null;
  const padding = await readPadding(reader, child('padding'));
  const known = async (name: 'width' | 'height') =>
    child('size') ? positive(await size.number(name, -1)) : null;

  return {
    width: await known('width'),
    height: await known('height'),
    padding,
    draw(box, canvas) {
      const half = (stroke?.width ?? 0) / 2;
      const inner = {
        ...box,
        x: box.x + half,
        y: box.y + half,
        width: box.width - half * 2,
        height: box.height - half * 2,
      };
      if (inner.width <= 0 || inner.height <= 0) return [];
      const outline = drawOutline(form, inner, corners, ring);
      if (!outline) return [];
      const fill = form === 'line' ? null : fillOf(gradient, solidPaint, inner);
      canvas.spend(drawingWork.shape + paintWork(fill) + dashWork(stroke, inner));
      return paintOutline(reader, outline, fill, stroke, inner);
    },
  };
}

/** A gradient takes precedence over a solid color. */
function fillOf(gradient: ShapeGradient | null, solid: Paint | null, box: Box): Paint | null {
  return gradient ? { kind: 'gradient', gradient: gradient(box) } : solid;
}

function paintOutline(
  reader: DrawableReader,
  outline: SvgNode,
  fill: Paint | null,
  stroke: ShapeStroke | null,
  box: Box,
): SvgNode[] {
  const used = fill && svgPaint(fill, 1, Math.hypot(box.width, box.height), reader.newId);
  const attributes: SvgNode['attributes'] = { ...outline.attributes, fill: used?.paint ?? 'none' };
  if (used) attributes['fill-opacity'] = used.opacity;
  if (stroke) {
    attributes.stroke = hexOf(stroke.argb);
    attributes['stroke-opacity'] = opacityOf(stroke.argb);
    attributes['stroke-width'] = stroke.width;
    if (stroke.dashWidth >= minDash) {
      attributes['stroke-dasharray'] = `${stroke.dashWidth} ${Math.max(0, stroke.dashGap)}`;
    }
  }
  return [...(used?.definitions ?? []), svg(outline.name, attributes)];
}

function dashWork(stroke: ShapeStroke | null, box: Box): number {
  if (!stroke || stroke.dashWidth < minDash) return 0;
  const dashes = (2 * (box.width + box.height)) / (stroke.dashWidth + Math.max(0, stroke.dashGap));
  return dashes * drawingWork.dash;
}

async function readStroke(reader: DrawableReader, element: XmlElement | null): Promise<ShapeStroke | null> {
  if (!element) return null;
  const attributes = attributesOf(reader.files, element);
  const width = await attributes.number('width', 0);
  const argb = await readColor(reader.files, attributes.raw('color'));
  if (argb === null || width <= 0) return null;
  return {
    width,
    argb,
    dashWidth: await attributes.number('dashWidth', 0),
    dashGap: await attributes.number('dashGap', 0),
  };
}

async function readCorners(reader: DrawableReader, element: XmlElement | null): Promise<Corners> {
  if (!element) return { topLeft: 0, topRight: 0, bottomRight: 0, bottomLeft: 0 };
  const attributes = attributesOf(reader.files, element);
  const radius = await attributes.number('radius', 0);
  return {
    topLeft: await attributes.number('topLeftRadius', radius),
    topRight: await attributes.number('topRightRadius', radius),
    bottomRight: await attributes.number('bottomRightRadius', radius),
    bottomLeft: await attributes.number('bottomLeftRadius', radius),
  };
}

async function readPadding(reader: DrawableReader, element: XmlElement | null) {
  if (!element) return noPadding;
  const attributes = attributesOf(reader.files, element);
  return {
    left: dpOf(await attributes.length('left'), 0, 0),
    top: dpOf(await attributes.length('top'), 0, 0),
    right: dpOf(await attributes.length('right'), 0, 0),
    bottom: dpOf(await attributes.length('bottom'), 0, 0),
  };
}

function positive(size: number): number | null {
  return size > 0 ? size : null;
}
