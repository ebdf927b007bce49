/** Formats numbers and times for people. */
import { currentLanguage, perLanguage } from '../../core/language/current-language.ts';
import { texts } from '../shell/texts.ts';

// Formatters are created once per language, because each uses about 30 KB of native memory, which V8 only frees in a full
// collection.
const toTheMinute = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const;
const toTheDay = { dateStyle: 'medium', timeZone: 'UTC' } as const;
const toTheMonth = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
const counts = perLanguage((locale) => new Intl.NumberFormat(locale));
const shortCounts = perLanguage((locale) => new Intl.NumberFormat(locale, { notation: 'compact' }));
const shares = perLanguage((locale) => new Intl.NumberFormat(locale, { style: 'percent' }));
const moments = perLanguage((locale) => new Intl.DateTimeFormat(locale, toTheMinute));
const days = perLanguage((locale) => new Intl.DateTimeFormat(locale, toTheDay));
const months = perLanguage((locale) => new Intl.DateTimeFormat(locale, toTheMonth));
const inOrder = { type: 'conjunction', style: 'narrow' } as const;
const lists = perLanguage((locale) => new Intl.ListFormat(locale, inOrder));
/** Maximum number of names in a sentence. */
const maxNames = 3;
const distances = perLanguage((locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }));

export function formatCount(count: number): string {
  return counts().format(count);
}

/** Formats `1.6B`; counts below 10,000 stay exact. */
export function formatShortCount(count: number): string {
  return count < 10_000 ? formatCount(count) : shortCounts().format(count);
}

/** Formats `38%`. */
export function formatShare(share: number): string {
  return shares().format(share);
}

/** Formats the share of a part, `<1%` if it is too small for a whole percent. */
export function formatPart(part: number, whole: number): string {
  const share = whole === 0 ? 0 : part / whole;
  return share > 0 && share < 0.005 ? `<${formatShare(0.01)}` : formatShare(share);
}

/** Formats `21 Nov 2026, 09:32 UTC`. */
export function formatTimestamp(epochMilliseconds: number): string {
  return `${moments().format(epochMilliseconds)} UTC`;
}

/** Formats `a, b, c`. */
export function formatList(items: Iterable<string>): string {
  return lists().format(items);
}

/** Formats the first names, and the number of others: `a, b, c and 25 more`. */
export function formatNames(names: readonly string[]): string {
  const shown = formatList(names.slice(0, maxNames));
  const more = names.length - maxNames;
  return more > 0 ? texts.namesAndMore({ names: shown, count: more }) : shown;
}

/** Joins full sentences into a paragraph. */
export function joinSentences(sentences: readonly string[]): string {
  return sentences.join(currentLanguage() === 'ja' ? '' : ' ');
}

/** Formats `21 Nov 2026`. */
export function formatDay(epochMilliseconds: number): string {
  return days().format(epochMilliseconds);
}

/** Formats `November 2026`. */
export function formatMonth(epochMilliseconds: number): string {
  return months().format(epochMilliseconds);
}

const spans: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** Formats `3 hours ago`, `yesterday`, `in 2 months`; `now` within a minute. Rounds toward now. */
export function formatDistance(epochMilliseconds: number, now: number): string {
  const distance = epochMilliseconds - now;
  const [unit, span] =
    spans.find(([, span]) => Math.abs(distance) >= span) ?? (['second', Infinity] as const);
  const text = distances().format(Math.trunc(distance / span), unit);
  // Intl puts a space after the number, and returns 今, which cannot be used in a Japanese sentence.
  return currentLanguage() === 'ja' ? text.replace(' ', '').replace(/^今$/, 'たった今') : text;
}

/** Truncates a text to `maxCharacters`, so that lists of long texts stay small. */
export function excerpt(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const beginning = [...text.slice(0, maxCharacters * 2)].slice(0, maxCharacters - 1);
  return `${beginning.join('').trimEnd()}…`;
}
