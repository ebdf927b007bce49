/** Lays out a terminal page with names in one column and values in another, within the width of the terminal. */
import { printable } from '../terminal-text.ts';

export interface TerminalStyle {
  /** Characters per line. Longer texts continue on the next line with the same indentation. */
  columns: number;
  color: boolean;
}

/** A name and its value. Several values are listed one below the other. */
export type Fact = [name: string, value: string | null | readonly string[], tone?: Tone];

export type Tone = 'strong' | 'faint' | 'good' | 'warning' | 'bad';

/** How many values of one name are shown. The others are counted. */
export const maxListedValues = 30;

const nameColumns = 14;
const minColumns = 40;
const indent = '  ';
/** Select Graphic Rendition codes of ECMA-48: start and end. */
const tones: Readonly<Record<Tone, [number, number]>> = {
  strong: [1, 22],
  faint: [2, 22],
  good: [32, 39],
  warning: [33, 39],
  bad: [31, 39],
};

export function toned(text: string, tone: Tone, { color }: TerminalStyle): string {
  const [begin, end] = tones[tone];
  return color && text !== '' ? `\x1b[${begin}m${text}\x1b[${end}m` : text;
}

/** Returns unindented lines; empty for an empty text. */
export function paragraph(text: string, style: TerminalStyle, tone?: Tone): string {
  const lines = wrapped(printable(text), style.columns).filter((line) => line !== '');
  return lines.map((line) => `${tone ? toned(line, tone, style) : line}\n`).join('');
}

/** Returns an empty string without facts. */
export function section(title: string | null, facts: readonly Fact[], style: TerminalStyle): string {
  const lines = facts.flatMap(([name, stated, tone]) => {
    const values = (typeof stated === 'string' ? [stated] : (stated ?? [])).map(printable).filter(Boolean);
    const below = shortList(values).flatMap((value) =>
      wrapped(value, style.columns - indent.length - nameColumns),
    );
    return below.map((text, index) => {
      const label = toned((index === 0 ? name : '').padEnd(nameColumns), 'faint', style);
      return `${indent}${label}${tone ? toned(text, tone, style) : text}\n`;
    });
  });
  if (lines.length === 0) return '';
  return `\n${title === null ? '' : `${toned(title, 'strong', style)}\n`}${lines.join('')}`;
}

/** Returns one marked paragraph per sentence; empty without sentences. */
export function notes(sentences: readonly string[], style: TerminalStyle, tone: Tone): string {
  const lines = sentences.flatMap((sentence) => {
    const [first = '', ...rest] = wrapped(printable(sentence), style.columns - 4);
    return [`${indent}${toned('!', tone, style)} ${first}\n`, ...rest.map((text) => `${indent}  ${text}\n`)];
  });
  return lines.length === 0 ? '' : `\n${lines.join('')}`;
}

function shortList(values: readonly string[]): readonly string[] {
  const more = values.length - maxListedValues;
  return more <= 1 ? values : [...values.slice(0, maxListedValues), `… and ${more} more`];
}

/** Breaks text into lines of at most `columns`, at spaces or, within a long word, after punctuation. */
export function wrapped(text: string, columns: number): string[] {
  const width = Math.max(minColumns, columns);
  const lines: string[] = [];
  let rest = [...text];
  for (;;) {
    const fitting = countFitting(rest, width);
    if (fitting === rest.length) return [...lines, rest.join('')];
    const space = rest.lastIndexOf(' ', fitting);
    const end = space > 0 ? space : endOfPart(rest, fitting);
    lines.push(rest.slice(0, end).join(''));
    rest = rest.slice(space > 0 ? end + 1 : end);
  }
}

/** Returns how many characters fit into `columns`; at least one. */
function countFitting(characters: readonly string[], columns: number): number {
  let used = 0;
  for (const [index, character] of characters.entries()) {
    used += columnsOf(character);
    if (used > columns) return Math.max(1, index);
  }
  return characters.length;
}

/** Returns the position after the last punctuation in the second half; otherwise the number of characters that fit. */
function endOfPart(characters: readonly string[], fitting: number): number {
  for (let end = fitting; end > fitting / 2; end--)
    if (/[./_,:-]/.test(characters[end - 1] ?? '')) return end;
  return fitting;
}

const twoColumns =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const noColumn = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** Returns the width by Unicode's East Asian Width, as terminals render it. */
export function columnsOf(character: string): number {
  if (noColumn.test(character)) return 0;
  return twoColumns.test(character) ? 2 : 1;
}
