/** What R8 covered, from the report that it leaves in a package. */
import { UnreadablePackage } from '../../package-info.ts';
import type { AndroidAnalysis } from '../analysis.ts';

/** Real ones have a few kilobytes. */
export const maxReportBytes = 4 * 1024 * 1024;

/**
 * Reads `r8.json`, which states what R8 left out; the facts are what it covered.
 * @throws UnreadablePackage if it is not JSON
 */
export function readR8Report(bytes: Buffer): NonNullable<AndroidAnalysis['r8']> {
  const report = record(parseJson(bytes));
  const stats = record(report.stats);
  const { isShrinkingEnabled } = record(report.options);
  return {
    obfuscated: covered(stats.noObfuscationPercentage),
    optimized: covered(stats.noOptimizationPercentage),
    shrunk: covered(stats.noShrinkingPercentage),
    minified: typeof isShrinkingEnabled === 'boolean' ? isShrinkingEnabled : null,
  };
}

/** Rounded to the two decimal places of the report, which binary fractions do not have. */
const covered = (left: unknown) =>
  typeof left === 'number' && left >= 0 && left <= 100 ? Math.round((100 - left) * 100) / 100 : null;

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new UnreadablePackage('the report of R8 is not JSON', { cause });
  }
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
