/** Prints lists for people and for scripts. */
import { type CommandIo, print } from '../command-io.ts';
import { printable, truncate, writeLines } from '../terminal-text.ts';
import type { Resource } from './api-client.ts';

/** Columns by heading. */
export type Columns = Readonly<Record<string, (item: Resource) => unknown>>;

const gap = 2;
const widest = 48;

/** Prints one object per line with `--json`, aligned columns on a terminal, and columns separated by tabs otherwise. */
export function printTable(io: CommandIo, json: boolean, items: readonly Resource[], columns: Columns): void {
  if (json) {
    for (const item of items) print(io, true, item, '');
    return;
  }
  const headings = Object.keys(columns);
  const rows = items.map((item) => Object.values(columns).map((cell) => printable(textOf(cell(item)))));
  if (!io.stdout.isTTY) {
    for (const row of rows) writeLines(io.stdout, row.join('\t'));
    return;
  }
  if (rows.length === 0) {
    writeLines(io.stderr, 'Nothing found.');
    return;
  }
  // Columns without values are left out, because they take space from the others.
  const shown = headings.map((_, at) => at).filter((at) => rows.some((row) => row[at] !== ''));
  const widthOf = (at: number) =>
    Math.min(widest, Math.max(...[headings, ...rows].map((row) => [...(row[at] ?? '')].length)));
  const columnsOfTerminal = io.stdout.columns ?? 80;
  for (const row of [headings.map((heading) => heading.toUpperCase()), ...rows]) {
    const cells = shown.map((at) => truncate(row[at] ?? '', widthOf(at)).padEnd(widthOf(at)));
    // An address is never truncated; the terminal wraps it.
    const address = headings.at(-1) === 'url' ? row.at(-1) : undefined;
    const line = [...(address === undefined ? cells : cells.slice(0, -1)), ...(address ? [address] : [])];
    const text = line.join(' '.repeat(gap)).trimEnd();
    writeLines(io.stdout, address === undefined ? truncate(text, columnsOfTerminal) : text);
  }
}

/** Prints one resource: as it is with `--json`, otherwise one line for each field with a value. */
export function printResource(io: CommandIo, json: boolean, item: Resource): void {
  if (json) {
    print(io, true, item, '');
    return;
  }
  const fields = Object.entries(item).filter(([, value]) => textOf(value) !== '');
  const width = Math.max(...fields.map(([name]) => name.length));
  for (const [name, value] of fields) {
    const label = name.replaceAll('_', ' ').padEnd(width + gap);
    writeLines(io.stdout, `${label}${printable(textOf(value))}`);
  }
}

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === false) return '';
  if (value === true) return 'yes';
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  if (typeof value === 'object') return Object.values(value).map(textOf).filter(Boolean).join(' ');
  return String(value);
}

/** Formats `2026-11-21 09:40`, in UTC as in the API. */
export const minuteOf = (time: unknown) =>
  typeof time === 'string' ? time.slice(0, 16).replace('T', ' ') : '';
