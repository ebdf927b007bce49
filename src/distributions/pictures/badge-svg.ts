/** Draws a badge: a label, and next to it the version of a build. Every program that shows images must be able to show it. */
import { perLanguage } from '../../core/language/current-language.ts';
import { readable } from '../../packages/sentence.ts';
import { escapeXml } from '../install/install-manifest.ts';

export interface BadgeText {
  label: string;
  value: string;
}

const height = 20;
const fontSize = 11;
const padding = 6;
const mark = { width: 14, gap: 4 };
const maxLetters = { label: 40, value: 32 };

/** Text becomes one line, without marks that change the direction of the text next to it. `marked`: with the mark of Slipway. */
export function badgeSvg(text: BadgeText, marked: boolean): string {
  const label = shorten(text.label, maxLetters.label);
  const value = shorten(text.value, maxLetters.value);
  const textStart = padding + (marked ? mark.width + mark.gap : 0);
  const labelEnd = Math.ceil(textStart + widthOf(label) + padding);
  const width = labelEnd + Math.ceil(widthOf(value) + 2 * padding);
  const title = escapeXml(`${readable(text.label, 100)}: ${readable(text.value, 100)}`);
  // Presentation attributes only: its Content-Security-Policy and that of other sites may block styles.
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" role="img" aria-label="${title}">
<title>${title}</title>
<clipPath id="r"><rect width="${width}" height="${height}" rx="4"/></clipPath>
<g clip-path="url(#r)"><rect width="${width}" height="${height}" fill="#0b5f66"/><rect width="${labelEnd}" height="${height}" fill="#3d4b52"/></g>
${marked ? markOf(padding) : ''}<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="${fontSize}" text-rendering="geometricPrecision">
${textAt(label, textStart)}
${textAt(value, labelEnd + padding)}
</g>
</svg>
`;
}

const markOf = (x: number) =>
  `<g transform="translate(${x} 3) scale(.4375)" aria-hidden="true"><g transform="rotate(14 16 16)"><path d="M2 11.5h14.5V7H23v4.5h5.5l-1.2 8.2H9.6c-2.2 0-3.7-1-4.6-2.8Z" fill="#fff"/><path d="M1.5 24h29" stroke="#8fdcd5" stroke-width="3" stroke-linecap="round"/></g></g>\n`;

/** `textLength` gives the text its width in every font. It is centered, which does not depend on the direction of its script. */
function textAt(text: string, start: number): string {
  const width = widthOf(text);
  const length = Math.round(width * 10) / 10;
  const middle = Math.round((start + width / 2) * 10) / 10;
  return `<text x="${middle}" y="14" text-anchor="middle" textLength="${length}" lengthAdjust="spacingAndGlyphs">${escapeXml(text)}</text>`;
}

const letters = perLanguage(() => new Intl.Segmenter('und', { granularity: 'grapheme' }));

/** Shortens to a number of letters as readers count them. */
function shorten(text: string, limit: number): string {
  const line = readable(text, 400).replace(/[\u061c\u200e\u200f]/g, '');
  const parts = [...letters().segment(line)].map(({ segment }) => segment);
  return parts.length > limit ? `${parts.slice(0, limit - 1).join('')}…` : line || '–';
}

/** Advance widths of the characters from U+0020 to U+007E in Verdana, in thousandths of the font size. */
const asciiWidths = [
  352, 394, 459, 818, 636, 1076, 727, 269, 454, 454, 636, 818, 364, 454, 364, 454, 636, 636, 636, 636, 636,
  636, 636, 636, 636, 636, 454, 454, 818, 818, 818, 545, 1000, 684, 686, 698, 771, 632, 575, 775, 751, 421,
  455, 693, 557, 843, 748, 787, 603, 787, 695, 684, 616, 732, 684, 989, 685, 615, 685, 454, 454, 454, 818,
  636, 636, 601, 623, 521, 623, 596, 352, 623, 633, 274, 344, 592, 274, 973, 633, 607, 623, 623, 427, 521,
  394, 633, 592, 818, 592, 592, 525, 635, 454, 635, 818,
];
const otherWidth = 650;
const square =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{Extended_Pictographic}\u3000\uff01-\uff60]/u;
/** Their sound marks are letters of their own width. */
const halfWidth = /[\uff61-\uffdc]/g;

function widthOf(text: string): number {
  let thousandths = 0;
  for (const { segment } of letters().segment(text)) {
    // Marks above or below a letter have no width.
    const [base = ''] = segment.normalize('NFD');
    const halves = segment.match(halfWidth)?.length ?? 0;
    const other = square.test(base) ? 1000 : otherWidth;
    thousandths += halves > 0 ? halves * 500 : (asciiWidths[(base.codePointAt(0) ?? 0) - 0x20] ?? other);
  }
  return (thousandths * fontSize) / 1000;
}
