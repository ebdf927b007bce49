import { drawingWork } from './drawing-cost.ts';
import { type SvgNode, svg } from './svg.ts';
import type { Gradient, GradientStop } from './vector/gradient.ts';
import { hexOf, opacityOf, type Paint } from './vector/paint.ts';

export interface SvgPaint {
  /** The definition of the paint, which must come before the shape. */
  definitions: SvgNode[];
  /** The value of `fill` or `stroke`. */
  paint: string;
  opacity: number;
}

/** Returns the cost of the paint, in addition to that of the shape. */
export function paintWork(paint: Paint | null): number {
  if (paint?.kind !== 'gradient') return 0;
  return {
    linear: drawingWork.linearGradient,
    radial: drawingWork.radialGradient,
    sweep: drawingWork.sweepGradient,
  }[paint.gradient.type];
}

/** Number of slices of a sweep gradient. */
const sweepSlices = 180;

/**
 * @param reach radius of a sweep gradient
 * @param id returns the id of the definition
 */
export function svgPaint(paint: Paint, alpha: number, reach: number, id: () => string): SvgPaint {
  const opacity = Math.max(0, Math.min(1, alpha));
  if (paint.kind === 'color') {
    return { definitions: [], paint: hexOf(paint.argb), opacity: opacity * opacityOf(paint.argb) };
  }
  const name = id();
  return { definitions: [gradientNode(paint.gradient, name, reach)], paint: `url(#${name})`, opacity };
}

function gradientNode(gradient: Gradient, id: string, reach: number): SvgNode {
  const { startX, startY, endX, endY, centerX, centerY, radius, spread, stops } = gradient;
  const common = { id, gradientUnits: 'userSpaceOnUse', spreadMethod: spread };
  if (gradient.type === 'sweep') return sweepNode(gradient, id, reach);
  if (gradient.type === 'radial') {
    return svg('radialGradient', { ...common, cx: centerX, cy: centerY, r: radius }, stopNodes(stops));
  }
  return svg('linearGradient', { ...common, x1: startX, y1: startY, x2: endX, y2: endY }, stopNodes(stops));
}

function stopNodes(stops: readonly GradientStop[]): SvgNode[] {
  return stops.map(({ offset, argb }) =>
    svg('stop', { offset, 'stop-color': hexOf(argb), 'stop-opacity': opacityOf(argb) }),
  );
}

/** SVG has no sweep gradient, so this draws slices of a circle, clockwise from three o'clock, which overlap slightly. */
function sweepNode({ centerX, centerY, stops }: Gradient, id: string, reach: number): SvgNode {
  const side = reach * 2;
  const slices = Array.from({ length: sweepSlices }, (_, index) => {
    const start = (index / sweepSlices) * 2 * Math.PI;
    const end = ((index + 1.2) / sweepSlices) * 2 * Math.PI;
    const argb = colorAt(stops, (index + 0.5) / sweepSlices);
    const at = (angle: number) => `${reach + Math.cos(angle) * side} ${reach + Math.sin(angle) * side}`;
    return svg('path', {
      d: `M${reach} ${reach}L${at(start)}L${at(end)}Z`,
      fill: hexOf(argb),
      'fill-opacity': opacityOf(argb),
    });
  });
  return svg(
    'pattern',
    { id, patternUnits: 'userSpaceOnUse', x: centerX - reach, y: centerY - reach, width: side, height: side },
    slices,
  );
}

export function colorAt(stops: readonly GradientStop[], offset: number): number {
  const after = stops.findIndex((stop) => stop.offset > offset);
  const high = stops[after < 0 ? stops.length - 1 : after];
  const low = stops[after < 0 ? stops.length - 1 : Math.max(0, after - 1)];
  if (!low || !high) return 0;
  const share = high.offset > low.offset ? (offset - low.offset) / (high.offset - low.offset) : 0;
  return [24, 16, 8, 0].reduce((argb, shift) => {
    const from = (low.argb >>> shift) & 0xff;
    const to = (high.argb >>> shift) & 0xff;
    const part = Math.round(from + (to - from) * Math.max(0, Math.min(1, share)));
    return (argb | (part << shift)) >>> 0;
  }, 0);
}
