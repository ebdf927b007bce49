/** Medians, and the result table. */

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

export interface Result {
  what: string;
  figure: string;
  limit: string;
  /** False when the limit is exceeded by more than half. */
  good: boolean;
}

/** `value` may be at most `limit`; only a large excess fails the run, because these machines are noisy. */
export function atMost(what: string, value: number, limit: number, unit: string, note = ''): Result {
  const figure = `${round(value)}${unit}${note ? ` (${note})` : ''}`;
  return { what, figure, limit: `≤ ${limit}${unit}`, good: value <= limit * 1.5 };
}

/** A figure without a limit: next to a program that does less. */
export function physicalLimit(what: string, value: number, unit: string, note = ''): Result {
  return { ...atMost(`${what} (physical limit)`, value, Number.POSITIVE_INFINITY, unit, note), limit: '' };
}

export function atLeast(what: string, value: number, limit: number, unit: string, note = ''): Result {
  const figure = `${round(value)}${unit}${note ? ` (${note})` : ''}`;
  return { what, figure, limit: `≥ ${limit}${unit}`, good: value >= limit / 1.5 };
}

export function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function printTable(results: readonly Result[]): void {
  printColumns(
    results.map((result) => [result.what, result.figure, result.limit, result.good ? '' : 'MISSED']),
  );
}

/** Every row has as many cells as the first. */
export function printColumns(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => [...(row[column] ?? '')].length)),
  );
  for (const row of rows) {
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
  }
}
