import { type SvgNode, svg, svgNumber } from '../svg.ts';
import type { Box } from './drawable.ts';
import { type AttributeReader, dpOf, type Length } from './drawable-attributes.ts';

export interface Corners {
  topLeft: number;
  topRight: number;
  bottomRight: number;
  bottomLeft: number;
}

export interface Ring {
  innerRadius: Length | null;
  thickness: Length | null;
  innerRadiusRatio: number;
  thicknessRatio: number;
  /** Whether its length depends on the drawable's level, which is 0 for an icon. */
  useLevel: boolean;
}

export async function readRing(attributes: AttributeReader): Promise<Ring> {
  return {
    innerRadius: await attributes.length('innerRadius'),
    thickness: await attributes.length('thickness'),
    innerRadiusRatio: await attributes.number('innerRadiusRatio', 3),
    thicknessRatio: await attributes.number('thicknessRatio', 9),
    useLevel: await attributes.truth('useLevel', true),
  };
}

/** Returns the shape without paint; null if it is invisible. */
export function drawOutline(
  form: 'rectangle' | 'oval' | 'line' | 'ring',
  box: Box,
  corners: Corners,
  ring: Ring | null,
): SvgNode | null {
  const { x, y, width, height } = box;
  const [middleX, middleY] = [x + width / 2, y + height / 2];
  switch (form) {
    case 'oval':
      return svg('ellipse', { cx: middleX, cy: middleY, rx: width / 2, ry: height / 2 });
    case 'line':
      return svg('path', { d: `M${svgNumber(x)} ${svgNumber(middleY)}h${svgNumber(width)}` });
    case 'ring':
      return ring && drawRing(box, ring);
    case 'rectangle':
      return svg('path', { d: roundedRectangle(box, corners) });
  }
}

function roundedRectangle({ x, y, width, height }: Box, corners: Corners): string {
  const max = Math.min(width, height) / 2;
  const corner = (radius: number, toX: number, toY: number) => {
    const used = Math.max(0, Math.min(radius, max));
    const [side, across, down] = [used, used * toX, used * toY].map(svgNumber);
    return `a${side} ${side} 0 0 1 ${across} ${down}`;
  };
  const used = (radius: number) => Math.max(0, Math.min(radius, max));
  const { topLeft, topRight, bottomRight, bottomLeft } = corners;
  return [
    `M${svgNumber(x + used(topLeft))} ${svgNumber(y)}`,
    `H${svgNumber(x + width - used(topRight))}`,
    corner(topRight, 1, 1),
    `V${svgNumber(y + height - used(bottomRight))}`,
    corner(bottomRight, -1, 1),
    `H${svgNumber(x + used(bottomLeft))}`,
    corner(bottomLeft, -1, -1),
    `V${svgNumber(y + used(topLeft))}`,
    corner(topLeft, 1, -1),
    'Z',
  ].join('');
}

function drawRing({ x, y, width, height }: Box, ring: Ring): SvgNode | null {
  if (ring.useLevel || ring.innerRadiusRatio <= 0 || ring.thicknessRatio <= 0) return null;
  const inner = dpOf(ring.innerRadius, width, width / ring.innerRadiusRatio);
  const outer = inner + dpOf(ring.thickness, width, width / ring.thicknessRatio);
  if (inner < 0 || outer <= inner) return null;
  const circle = (radius: number, direction: 0 | 1) => {
    const [side, across] = [svgNumber(radius), svgNumber(radius * 2)];
    const start = `M${svgNumber(x + width / 2 - radius)} ${svgNumber(y + height / 2)}`;
    return `${start}a${side} ${side} 0 1 ${direction} ${across} 0a${side} ${side} 0 1 ${direction} -${across} 0Z`;
  };
  return svg('path', { d: inner > 0 ? circle(outer, 1) + circle(inner, 0) : circle(outer, 1) });
}
