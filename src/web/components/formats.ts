/** Numbers and times as people read them. */
import { language } from '../shell/texts.ts';

// Created once: each formatter holds about 30 KB of native memory, which V8 frees only in a full collection.
const counts = new Intl.NumberFormat(language);
const shares = new Intl.NumberFormat(language, { style: 'percent' });
const moments = new Intl.DateTimeFormat(language, {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
});
const days = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
const distances = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });

export function formatCount(count: number): string {
  return counts.format(count);
}

/** `38%`. */
export function formatShare(share: number): string {
  return shares.format(share);
}

/** `21 Nov 2026, 09:32 UTC`. */
export function formatTimestamp(epochMilliseconds: number): string {
  return `${moments.format(epochMilliseconds)} UTC`;
}

/** `21 Nov 2026`. */
export function formatDay(epochMilliseconds: number): string {
  return days.format(epochMilliseconds);
}

const spans: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** `3 hours ago`, `yesterday`, `in 2 months`; `now` within a minute. Rounds towards now. */
export function formatDistance(epochMilliseconds: number, now: number): string {
  const distance = epochMilliseconds - now;
  for (const [unit, span] of spans) {
    if (Math.abs(distance) >= span) return distances.format(Math.trunc(distance / span), unit);
  }
  return distances.format(0, 'second');
}

/** Truncates a text, at most `maxCharacters`, so that lists of long texts stay small. */
export function excerpt(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const beginning = [...text.slice(0, maxCharacters * 2)].slice(0, maxCharacters - 1);
  return `${beginning.join('').trimEnd()}…`;
}
