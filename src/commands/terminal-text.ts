/** Formatting of terminal text. */

/** `7 s`, `1 min 05 s`, `2 h 03 min`; whole units, rounded. */
export function formatSeconds(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${twoDigits(whole % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min`;
}

/**
 * Makes untrusted text safe to print on one line: replaces control characters, which could move the cursor or change
 * colors, and bidirectional marks with spaces, and collapses white space.
 */
export function printable(text: string): string {
  return text.replace(/[\s\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu, ' ').trim();
}

/** Truncates to `maxLength` characters, including an ellipsis. */
export function truncate(text: string, maxLength: number): string {
  const characters = [...text];
  return characters.length <= maxLength ? text : `${characters.slice(0, maxLength - 1).join('')}…`;
}

/** Returns whether to use colors on this terminal: see https://no-color.org. */
export function wantsColor(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  return isTerminal && !env.NO_COLOR && env.TERM !== 'dumb';
}
