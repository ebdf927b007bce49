import { type SvgNode, svg } from '../svg.ts';
import type { Box } from './drawable.ts';
import { hexOf, opacityOf } from './paint.ts';

/** Values of `android:tintMode` (`PorterDuff.Mode`). */
const tintModes = { sourceOver: 3, sourceIn: 5, sourceAtop: 9, multiply: 14 };

export const defaultTintMode = tintModes.sourceIn;

/**
 * Applies `android:tint` and `android:tintMode` to nodes. Ignores screen and add, which no icon uses.
 *
 * @param argb 0xAARRGGBB
 */
export function tinted(
  nodes: readonly SvgNode[],
  argb: number,
  mode: number,
  box: Box,
  id: string,
): SvgNode[] {
  const effects = effectsOf(argb, mode);
  if (effects.length === 0) return [...nodes];
  const filter = svg(
    'filter',
    { id, filterUnits: 'userSpaceOnUse', ...box, 'color-interpolation-filters': 'sRGB' },
    effects,
  );
  return [filter, svg('g', { filter: `url(#${id})` }, nodes)];
}

function effectsOf(argb: number, mode: number): SvgNode[] {
  const [alpha, red, green, blue] = [24, 16, 8, 0].map((shift) => ((argb >>> shift) & 0xff) / 255);
  const flood = svg('feFlood', {
    'flood-color': hexOf(argb),
    'flood-opacity': opacityOf(argb),
    result: 'tint',
  });
  switch (mode) {
    case tintModes.sourceIn:
      return [matrix([`0 0 0 0 ${red}`, `0 0 0 0 ${green}`, `0 0 0 0 ${blue}`, `0 0 0 ${alpha} 0`])];
    case tintModes.multiply:
      return [matrix([`${red} 0 0 0 0`, `0 ${green} 0 0 0`, `0 0 ${blue} 0 0`, `0 0 0 ${alpha} 0`])];
    case tintModes.sourceAtop:
      return [flood, svg('feComposite', { in: 'tint', in2: 'SourceGraphic', operator: 'atop' })];
    case tintModes.sourceOver:
      return [flood, svg('feComposite', { in: 'tint', in2: 'SourceGraphic', operator: 'over' })];
    default:
      return [];
  }
}

function matrix(rows: readonly string[]): SvgNode {
  return svg('feColorMatrix', { type: 'matrix', values: rows.join(' ') });
}
