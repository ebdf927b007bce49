/** Reports that the Android build tools leave in a package: what R8 covered, and the revision of the source. */
import { maxNameLength } from '../../apk/android-manifest.ts';
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

/**
 * Reads the first repository of `version-control-info.textproto` (Android Gradle plugin 8.3 and later). Null if the build found none,
 * which it then states as `generate_error_reason`.
 */
export function readVersionControl(bytes: Buffer): AndroidAnalysis['versionControl'] {
  const text = bytes.toString('utf8');
  const repository = /\brepositories\s*(?::\s*)?\{([^{}]*)\}/.exec(text)?.[1];
  if (repository === undefined) return null;
  const field = (name: string) => {
    const found = new RegExp(`(?:^|\\s)${name}\\s*:\\s*(?:"((?:[^"\\\\\\n]|\\\\.)*)"|(\\w+))`).exec(
      repository,
    );
    return (found?.[1]?.replace(/\\(["'\\])/g, '$1') ?? found?.[2])?.slice(0, maxNameLength) ?? null;
  };
  const revision = field('revision');
  if (revision === null) return null;
  return { system: field('system') ?? 'UNKNOWN', revision, localRoot: field('local_root_path') };
}
