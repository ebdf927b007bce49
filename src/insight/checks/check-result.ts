/** The result of one check of a build. */
import type { MisalignedLibrary } from './check-facts.ts';
import type { CheckKind } from './check-settings.ts';
import type { EffectiveRule } from './store-rules.ts';

/** The worst first. */
export const checkStates = ['failed', 'warned', 'not_analyzed', 'accepted', 'passed'] as const;
export type CheckState = (typeof checkStates)[number];

export const checkCategories = ['size', 'store', 'security', 'dependencies'] as const;
export type CheckCategory = (typeof checkCategories)[number];

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

/** The worst state, for lists: the first of `checkStates`. Null without results. */
export function worstState(results: readonly Pick<CheckResult, 'state'>[]): CheckState | null {
  return checkStates.find((state) => results.some((one) => one.state === state)) ?? null;
}
