/** Retention rules of Apps, Owners and Workspaces, and their precedence. */

import { invalidField } from '../../core/errors.ts';
import { retentionTexts } from './retention-texts.ts';

/**
 * A build expires if it is neither among the `newest` of its App nor younger than `days`. If one of these is null, only the other
 * applies; if both are null, everything is kept.
 */
export interface RetentionRule {
  newest: number | null;
  days: number | null;
}

export type RetentionPlace = 'app' | 'owner' | 'workspace';

/** The rule of each level; null if it has none and the rule of the next level applies. */
export type RetentionRules = Record<RetentionPlace, RetentionRule | null> & {
  /** How long every build is kept by a policy of the Workspace; null or absent: no minimum. */
  minDays?: number | null;
};

export const maxNewest = 10_000;
export const maxDays = 3650;
export const dayMs = 24 * 60 * 60_000;

export const keepEverything: RetentionRule = { newest: null, days: null };

export const keepsEverything = ({ newest, days }: RetentionRule) => newest === null && days === null;

/** Returns the most specific rule. If there is none, `from` is null and everything is kept. */
export function effectiveRule(rules: RetentionRules): { rule: RetentionRule; from: RetentionPlace | null } {
  for (const from of ['app', 'owner', 'workspace'] as const) {
    const rule = rules[from];
    if (rule) return { rule: withMinimum(rule, rules.minDays ?? null), from };
  }
  return { rule: keepEverything, from: null };
}

function withMinimum(rule: RetentionRule, minDays: number | null): RetentionRule {
  if (minDays === null || keepsEverything(rule)) return rule;
  return { ...rule, days: Math.max(rule.days ?? 0, minDays) };
}

/** Returns the rules after `rule` is set at `place`. */
export function withRule(
  rules: RetentionRules,
  place: RetentionPlace,
  rule: RetentionRule | null,
): RetentionRules {
  return { ...rules, [place]: rule };
}

/** Reads a form field; empty means no limit. Throws `invalid`. */
export const readNewest = (text: string) => readNumber('newest', text, maxNewest);
export const readDays = (text: string) => readNumber('days', text, maxDays);

function readNumber(field: 'newest' | 'days', text: string, limit: number): number | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const number = /^\d{1,6}$/.test(trimmed) ? Number(trimmed) : 0;
  if (number < 1 || number > limit) throw invalidField(field, retentionTexts.errors.number({ limit }));
  return number;
}

/** Serializes a rule as JSON for a row. Absent fields mean no limit. */
export function writeRule(rule: RetentionRule): string {
  return JSON.stringify({ newest: rule.newest, days: rule.days });
}

export function parseRule(text: string | null): RetentionRule | null {
  if (text === null) return null;
  const { newest = null, days = null }: Partial<RetentionRule> = JSON.parse(text);
  return { newest, days };
}

/** Describes a rule as one sentence. `ofEach`: it applies to several apps. */
export function describeRetention({ newest, days }: RetentionRule, ofEach: boolean): string {
  const t = retentionTexts.rules;
  if (newest === null && days === null) return t.everything;
  if (newest === null) return (ofEach ? t.daysOfEach : t.days)({ days: days ?? 1 });
  if (days === null) return (ofEach ? t.newestOfEach : t.newest)({ newest });
  return (ofEach ? t.bothOfEach : t.both)({ newest, days });
}
