import { createHash } from 'node:crypto';
import { cornerShare } from './icon-shape.ts';
import { glyphs, marks } from './monogram-glyphs.ts';
import { renderSvg } from './render-svg.ts';
import { type SvgNode, svg } from './svg.ts';

/** How many characters of a name are used. */
export const maxMonogramNameLength = 200;
const side = 512;
const strokeShare = 0.165;
const oneLetterHeight = 236;
const twoLettersHeight = 182;
const lettersWidthLimit = 330;
const symbolSide = 230;

/**
 * Draws the placeholder for a missing icon: a rounded square in a color derived from the seed, with the initials of the name's
 * first two words, or with a simple symbol if these are not Latin letters or digits.
 * @param seed the same for every build of an app, for example the package name; equal seeds and names produce equal pictures
 * @returns a PNG of 512 by 512 pixels
 */
export async function drawMonogram(name: string, seed: string): Promise<Buffer> {
  const hash = createHash('sha256').update(seed).digest();
  const colors = monogramPalette[(hash[0] ?? 0) % monogramPalette.length] ?? {
    top: '#444444',
    bottom: '#333333',
  };
  const letters = initialsOf(name);
  return renderSvg({ x: 0, y: 0, width: side, height: side }, [
    svg('linearGradient', { id: 'shade', x1: 0, y1: 0, x2: 0, y2: 1 }, [
      svg('stop', { offset: 0, 'stop-color': colors.top }),
      svg('stop', { offset: 1, 'stop-color': colors.bottom }),
    ]),
    svg('rect', { width: side, height: side, rx: side * cornerShare, fill: 'url(#shade)' }),
    letters.length > 0 ? drawLetters(letters) : drawSymbol(hash[1] ?? 0),
  ]);
}

/**
 * Returns one or two characters of A–Z and 0–9: the initials of the first two words (`Contact Manager`, `ApiDemos`, `my-app`) or
 * of the only word. Empty if the first word starts with another character.
 */
export function initialsOf(name: string): string[] {
  const plain = name
    .slice(0, maxMonogramNameLength)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '');
  const words = plain
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const [first, second] = words.slice(0, 2).map((word) => (word[0] ?? '').toUpperCase());
  if (first === undefined || !(first in glyphs)) return [];
  return second !== undefined && second in glyphs ? [first, second] : [first];
}

function drawLetters(letters: readonly string[]): SvgNode {
  const chosen = letters.flatMap((letter) => glyphs[letter] ?? []);
  const gap = 38;
  const width = chosen.reduce((sum, glyph) => sum + glyph.width, 0) + gap * (chosen.length - 1);
  const wanted = (chosen.length === 1 ? oneLetterHeight : twoLettersHeight) / 100;
  const scale = Math.min(wanted, lettersWidthLimit / width);
  let left = 0;
  const paths = chosen.map((glyph) => {
    const path = svg('path', { d: glyph.path, transform: `translate(${left} 0)` });
    left += glyph.width + gap;
    return path;
  });
  return strokes(paths, { width, height: 100, scale, strokeWidth: strokeShare * 100 });
}

function drawSymbol(choice: number): SvgNode {
  const mark = marks[choice % marks.length] ?? '';
  const scale = symbolSide / 100;
  return strokes([svg('path', { d: mark })], { width: 100, height: 100, scale, strokeWidth: 9 });
}

function strokes(
  paths: readonly SvgNode[],
  size: { width: number; height: number; scale: number; strokeWidth: number },
): SvgNode {
  const x = (side - size.width * size.scale) / 2;
  const y = (side - size.height * size.scale) / 2;
  return svg(
    'g',
    {
      transform: `translate(${x} ${y}) scale(${size.scale})`,
      fill: 'none',
      stroke: '#ffffff',
      'stroke-width': size.strokeWidth,
      'stroke-linecap': 'round',
      'stroke-linejoin': 'round',
    },
    paths,
  );
}

/** Top and bottom colors of a background. White has a contrast of at least 4.5 on the lighter one (WCAG 2.2, 1.4.3). */
export interface MonogramColors {
  top: string;
  bottom: string;
}

export const monogramPalette: readonly MonogramColors[] = [
  { top: '#3b6fd4', bottom: '#2a52a8' },
  { top: '#5661d6', bottom: '#3f48ac' },
  { top: '#7554cf', bottom: '#573ca5' },
  { top: '#9048bd', bottom: '#6d3393' },
  { top: '#ad3f9f', bottom: '#85307b' },
  { top: '#c23a77', bottom: '#972b5c' },
  { top: '#c93f4d', bottom: '#9c2e3b' },
  { top: '#bf4d27', bottom: '#95391b' },
  { top: '#a3600f', bottom: '#7e4909' },
  { top: '#847014', bottom: '#65550c' },
  { top: '#617a1c', bottom: '#495d13' },
  { top: '#3a8035', bottom: '#2a6228' },
  { top: '#1f8160', bottom: '#14634a' },
  { top: '#137f80', bottom: '#0b6163' },
  { top: '#1c7aa0', bottom: '#125d7c' },
  { top: '#5a6b80', bottom: '#434f61' },
];
