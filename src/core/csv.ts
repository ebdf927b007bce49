/** Lines of CSV for spreadsheets. */

export const csvContentType = 'text/csv; charset=utf-8; header=present';

/** Formats a line as in RFC 4180. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => `"${withoutFormula(cell).replaceAll('"', '""')}"`).join(',')}\r\n`;
}

/** Prevents spreadsheets from evaluating a cell as a formula, which they do even after white space: a leading apostrophe makes it text. */
function withoutFormula(cell: string): string {
  return /^\s*[=+\-@|%＝＋－＠]|^[\t\r\n]/.test(cell) ? `'${cell}` : cell;
}
