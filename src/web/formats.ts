/** Numbers and times as people read them. */
import { language } from './texts.ts';

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Three digits in decimal units, as app shops print sizes: `843 byte`, `14.2 MB`, `1.07 GB`. */
export function formatBytes(bytes: number): string {
  let unit = 0;
  let amount = bytes;
  while (amount >= 999.5 && unit < byteUnits.length - 1) {
    amount /= 1000;
    unit += 1;
  }
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: byteUnits[unit] ?? 'byte',
    unitDisplay: unit === 0 ? 'long' : 'short',
    maximumSignificantDigits: 3,
  }).format(amount);
}

/** A unit of storage in which a limit may have been set. */
interface SizeUnit {
  name: string;
  bytes: number;
}

const binaryUnits = unitsOf(1024, ['TiB', 'GiB', 'MiB', 'KiB']);
const decimalUnits = unitsOf(1000, ['TB', 'GB', 'MB', 'kB']);

function unitsOf(base: number, names: readonly string[]): readonly SizeUnit[] {
  return names.map((name, index) => ({ name, bytes: base ** (names.length - index) }));
}

/**
 * A limit as somebody would have typed it: with at most two decimals in the unit, binary or decimal, that says it exactly
 * with the fewest digits. `4 GiB`, `500 MB`, `1.5 GiB`.
 */
export function sizeAsTyped(bytes: number): { amount: number; unit: string } {
  let shortest = { amount: bytes, unit: 'B' };
  for (const { name, bytes: each } of [...binaryUnits, ...decimalUnits]) {
    const amount = bytes / each;
    const exact = amount >= 1 && Math.round(amount * 100) / 100 === amount;
    if (exact && String(amount).length < String(shortest.amount).length) shortest = { amount, unit: name };
  }
  return shortest;
}

/** `4 GiB`, `500 MB`: a limit that somebody has set, in the units in which it was set. All other sizes are decimal. */
export function formatLimit(bytes: number): string {
  const { amount, unit } = sizeAsTyped(bytes);
  if (unit === 'B') return formatBytes(bytes);
  return `${new Intl.NumberFormat(language).format(amount)} ${unit}`;
}

/** What stands beside a limit, in the same system as that, so that the two can be compared: `11.6 GiB` of `50 GiB`. */
export function formatBeside(limitBytes: number, bytes: number): string {
  const isBinary = sizeAsTyped(limitBytes).unit.endsWith('iB');
  const unit = isBinary && binaryUnits.find((one) => bytes >= one.bytes * 0.9995);
  if (!unit) return formatBytes(bytes);
  const format = new Intl.NumberFormat(language, {
    maximumSignificantDigits: bytes / unit.bytes >= 999.5 ? 4 : 3,
  });
  return `${format.format(bytes / unit.bytes)} ${unit.name}`;
}

export function formatCount(count: number): string {
  return new Intl.NumberFormat(language).format(count);
}

/** `38%`. */
export function formatShare(share: number): string {
  return new Intl.NumberFormat(language, { style: 'percent' }).format(share);
}

/** `14 hours`. */
export function formatHours(count: number): string {
  return new Intl.NumberFormat(language, { style: 'unit', unit: 'hour', unitDisplay: 'long' }).format(count);
}

/** `21 Nov 2026, 09:32 UTC`. */
export function formatMoment(epochMilliseconds: number): string {
  const text = new Intl.DateTimeFormat(language, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(epochMilliseconds);
  return `${text} UTC`;
}

/** `21 Nov 2026`. */
export function formatDay(epochMilliseconds: number): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' }).format(
    epochMilliseconds,
  );
}

const spans: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** `3 hours ago`, `yesterday`, `in 2 months`; within a minute `now`. Rounds towards now. */
export function formatDistance(epochMilliseconds: number, now: number): string {
  const distance = epochMilliseconds - now;
  const formatter = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  for (const [unit, span] of spans) {
    if (Math.abs(distance) >= span) return formatter.format(Math.trunc(distance / span), unit);
  }
  return formatter.format(0, 'second');
}

/** The beginning of a text, at most `maxCharacters` of it, so that a list of long texts stays small on the wire. */
export function excerpt(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const beginning = [...text.slice(0, maxCharacters * 2)].slice(0, maxCharacters - 1);
  return `${beginning.join('').trimEnd()}…`;
}
