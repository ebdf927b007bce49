/** The result of one check of a build. */
import { isDeepStrictEqual } from 'node:util';
import type { MisalignedLibrary } from './check-facts.ts';
import type { CheckKind } from './check-settings.ts';
import type { EffectiveRule } from './store-rules.ts';

/** The worst first. */
export const checkStates = ['failed', 'warned', 'not_analyzed', 'accepted', 'passed'] as const;
export type CheckState = (typeof checkStates)[number];

export const checkCategories = ['size', 'store', 'security', 'dependencies'] as const;
export type CheckCategory = (typeof checkCategories)[number];

/** Names of single checks, by their id, for those who name what fails a job. They are part of their category as well. */
export const namedChecks = {
  'new-permissions': 'permissions',
  'new-exported-components': 'components',
} as const;
type NamedCheck = (typeof namedChecks)[keyof typeof namedChecks];
export type CheckName = CheckCategory | NamedCheck;
/** What `--fail-on` of the uploader and of integrations takes for checks. */
export const checkNames: readonly CheckName[] = [...checkCategories, ...Object.values(namedChecks)];

export interface Acceptance {
  checkId: string;
  by: string;
  reason: string;
  at: number;
}

/** A name, a library, or a part of the code with the percentage that R8 covers. */
export type CheckItem =
  | string
  | MisalignedLibrary
  | { part: 'optimized' | 'shrunk' | 'obfuscated'; percent: number };

export interface CheckResult {
  /** Unique within a build, and the same for every build of an app. */
  id: string;
  kind: CheckKind;
  category: CheckCategory;
  state: CheckState;
  /** The state without the acceptance. */
  found: 'passed' | 'warned' | 'failed' | 'not_analyzed';
  /** Null for checks that are not about a rule of a store. */
  rule: EffectiveRule | null;
  /** Whether the build breaks a rule that begins later. */
  isUpcoming: boolean;
  /** What was measured, and what is allowed: bytes, an API level, a percentage or days. */
  measured: number | null;
  limit: number | null;
  /** Whether the measured value is exact. */
  isExact: boolean;
  /** What was found as text, such as a version. */
  value: string | null;
  /** The build that was compared with. */
  against: { kind: 'previous' | 'default_branch'; revision: number } | null;
  /** What caused the result. */
  items: readonly CheckItem[];
  acceptance: Acceptance | null;
}

/**
 * Results about the same rule that begins on several days, such as for new apps and for updates: the same was found and accepted. In
 * the order of the first of each.
 */
export function groupAlike(results: readonly CheckResult[]): (readonly [CheckResult, ...CheckResult[]])[] {
  const groups: [CheckResult, ...CheckResult[]][] = [];
  for (const result of results) {
    const group = groups.find(
      ([first]) => first.rule !== null && isDeepStrictEqual(foundIn(first), foundIn(result)),
    );
    if (group) group.push(result);
    else groups.push([result]);
  }
  return groups;
}

function foundIn({ kind, rule, found, measured, limit, value, items, acceptance }: CheckResult) {
  const accepted = acceptance && [acceptance.by, acceptance.reason, acceptance.at];
  const isBroken = found === 'failed' || found === 'warned';
  return [kind, rule?.destination, isBroken || found, measured, limit, value, items, accepted];
}

/** The worst state, for lists: the first of `checkStates`. Null without results. */
export function worstState(results: readonly Pick<CheckResult, 'state'>[]): CheckState | null {
  return checkStates.find((state) => results.some((one) => one.state === state)) ?? null;
}
