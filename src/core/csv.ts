/** Lines of CSV for spreadsheets. */

export const csvContentType = 'text/csv; charset=utf-8; header=present';

/** RFC 4180. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => `"${withoutFormula(cell).replaceAll('"', '""')}"`).join(',')}\r\n`;
}

/**
 * Spreadsheets evaluate a cell that starts this way as a formula, even after white space; a leading apostrophe makes it
 * text.
 */
function withoutFormula(cell: string): string {
  return /^\s*[=+\-@|%＝＋－＠]|^[\t\r\n]/.test(cell) ? `'${cell}` : cell;
}
