/** Messages of the palette, except its results. The header contains them as JSON in `data-words`. */
import { isRecord } from '../json.ts';

const names = [
  'title',
  'hint',
  'results',
  'closeKey',
  'close',
  'toMove',
  'toOpen',
  'enterKey',
  'offline',
  'tooMany',
] as const;

export type PaletteTexts = Readonly<Record<(typeof names)[number], string>>;

/** Throws if a text is missing. */
export function readPaletteTexts(json: string): PaletteTexts {
  const texts: unknown = JSON.parse(json);
  if (!hasEveryText(texts)) throw new Error('the page is missing messages of the search');
  return texts;
}

function hasEveryText(texts: unknown): texts is PaletteTexts {
  return isRecord(texts) && names.every((name) => typeof texts[name] === 'string');
}
