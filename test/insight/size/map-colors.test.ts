/** The colors of maps of contents, as the stylesheet states them. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sizeTexts } from '../../../src/insight/size/size-texts.ts';
import { contrast, leastTextContrast } from '../../../src/web/components/brand-colors.ts';
import { ciede2000, differenceOf, visions } from '../../support/color-vision.ts';

const css = readFileSync('src/web/static/styles/console/size.css', 'utf8');
const base = readFileSync('src/web/static/styles/elements.css', 'utf8');
const schemes = { light: colorsOf(0), dark: colorsOf(1) };
const groups = Object.keys(sizeTexts.groups);
/** A difference that nobody overlooks between two rectangles; about 1 is just noticeable. */
const leastDifference = 10;

/** The tokens of the first `:root` for the light scheme, of the second for the dark one. */
function colorsOf(scheme: number): Map<string, string> {
  const roots = [css, base].map((text) => text.split(':root {')[scheme + 1]?.split('}')[0] ?? '');
  return new Map(
    roots
      .join('')
      .matchAll(/--([\w-]+): (#[0-9a-f]{3,6});/g)
      .map(([, name = '', color = '']) => [name, color.length === 4 ? color.replace(/\w/g, '$&$&') : color]),
  );
}

function colorOf(scheme: keyof typeof schemes, token: string): string {
  const color = schemes[scheme].get(token);
  if (color === undefined) throw new Error(`no color --${token}`);
  return color;
}

describe('CIEDE2000', () => {
  it.each([
    [50, 2.6772, -79.7751, 50, 0, -82.7485, 2.0425],
    [50, 2.5, 0, 73, 25, -18, 27.1492],
    [50, -1, 2, 50, 0, 0, 2.3669],
    [60.2574, -34.0099, 36.2677, 60.4626, -34.1751, 39.4387, 1.2644],
    [2.0776, 0.0795, -1.135, 0.9033, -0.0636, -0.5514, 0.9082],
  ])('agrees with the published test data: %d %d %d and %d %d %d', (l1, a1, b1, l2, a2, b2, expected) => {
    expect(ciede2000([l1, a1, b1], [l2, a2, b2])).toBeCloseTo(expected, 4);
  });
});

describe.each(['light', 'dark'] as const)('a map of contents in the %s scheme', (scheme) => {
  const fills = groups.map((group) => ({ group, color: colorOf(scheme, `map-${group}`) }));

  it.each(visions)('has a color per group of categories that stays apart with %s vision', (vision) => {
    const pairs = fills.flatMap((one, at) =>
      fills
        .slice(at + 1)
        .map((other) => [one.group, other.group, differenceOf(vision, one.color, other.color)] as const),
    );
    expect(pairs).toHaveLength((groups.length * (groups.length - 1)) / 2);
    expect(pairs.filter(([, , difference]) => difference < leastDifference)).toEqual([]);
  });

  it('has readable text on every color', () => {
    const ink = colorOf(scheme, 'map-ink');
    const grounds = [...fills, { group: 'folder', color: colorOf(scheme, 'map-folder') }];
    expect(grounds.filter(({ color }) => contrast(ink, color) < leastTextContrast)).toEqual([]);
  });

  it('frames rectangles with the background, so that equal colors stay apart too', () => {
    expect(css).toMatch(/\.treemap rect \{[^}]*stroke: var\(--paper\);\s+stroke-width: 2;/);
    const equal = fills.filter(({ color }) => color === colorOf(scheme, 'paper'));
    expect(equal).toEqual([]);
  });
});
