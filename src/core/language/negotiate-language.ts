/** Chooses a language by the `Accept-Language` header (RFC 9110, section 12.5.4). */
import { isLanguage, type Language } from './languages.ts';

/** Browsers send less than 100 characters. */
const maxHeaderLength = 1000;

const rangePattern =
  /^(\*|[a-z]{1,8}(?:-[a-z0-9]{1,8})*)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i;

/** Returns `otherwise` for a header that is missing, malformed or too long, or that names no language of Slipway. */
export function negotiateLanguage(accepted: string | undefined, otherwise: Language): Language {
  if (accepted === undefined || accepted.length > maxHeaderLength) return otherwise;
  let best = otherwise;
  let bestQuality = 0;
  for (const part of accepted.split(',')) {
    const item = part.trim();
    if (item === '') continue;
    const [, range = '', weight = '1'] = rangePattern.exec(item) ?? [];
    if (range === '') return otherwise;
    const language = range === '*' ? otherwise : (range.toLowerCase().split('-', 1)[0] ?? '');
    if (!isLanguage(language) || Number(weight) <= bestQuality) continue;
    best = language;
    bestQuality = Number(weight);
  }
  return best;
}
