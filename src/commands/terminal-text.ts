/** Formats terminal text. This is the only file that writes it, because texts come from servers, packages and other people. */

/** Formats `7 s`, `1 min 05 s`, `2 h 03 min`: rounded to whole units. */
export function formatSeconds(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${twoDigits(whole % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min`;
}

export interface TextSink {
  write(text: string): unknown;
}

/**
 * Control characters, which could move the cursor, change colors or imitate user input, and characters that reorder text
 * or are invisible. Joiners are kept, because they are part of emoji and words.
 */
const unsafe = /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

/** The runners of GitHub (`##[set-output …]`) and Azure (`##vso[…]`) read commands anywhere in a line of the log. */
const logCommand = /##(?=\w*\[)/g;

/** Makes untrusted text safe to print on one line, and collapses white space. */
export function printable(text: string): string {
  return text.replace(unsafe, ' ').replace(logCommand, '# #').replace(/\s+/g, ' ').trim();
}

/** Writes lines of text. A line contains neither line breaks nor control characters other than tabs. */
export function writeLines(sink: TextSink, ...lines: readonly string[]): void {
  const safe = lines.map((line) =>
    line.replace(unsafe, (mark) => (mark === '\t' ? mark : ' ')).replace(logCommand, '# #'),
  );
  sink.write(safe.map((line) => `${line}\n`).join(''));
}

/** Writes JSON on one line. Characters that could affect a terminal or a CI system are escaped; the JSON parses to the same value. */
export function writeJson(sink: TextSink, value: unknown): void {
  const escaped = (mark: string) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const text = JSON.stringify(value)
    .replace(unsafe, escaped)
    .replace(logCommand, `#${escaped('#')}`);
  sink.write(`${text}\n`);
}

/** Writes text composed by this program, including escape sequences. Texts from elsewhere must have passed through `printable`. */
export function draw(sink: TextSink, text: string): void {
  sink.write(text);
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
