/** The page about a rule: which is in force, and what the one that its address asks for would remove. */
import type { RetentionTarget } from '../../owners/change-retention.ts';
import { effectiveRule, type RetentionRule, type RetentionRules, withRule } from '../../owners/retention.ts';
import { retentionTexts } from '../../owners/retention-texts.ts';
import { canInherit, type RetentionSubject } from './retention-form.tsx';
import type { Preview, RetentionView } from './retention-page.tsx';
import type { Slice } from './retention-preview.ts';
import {
  judgeTypedRule,
  previewAddress,
  readTypedRule,
  type TypedRule,
  typedRuleOf,
} from './retention-request.ts';

/** Lines of a list on one page. */
const linesOnPage = 50;

export interface RetentionQuery {
  keep?: string | undefined;
  newest?: string | undefined;
  days?: string | undefined;
  /** From 1. */
  page?: number | undefined;
  done?: 'saved' | undefined;
}

/** Whose rule it is, and the page about it. */
export interface RetentionCase {
  subject: RetentionSubject;
  target: RetentionTarget;
  rules: RetentionRules;
  /** What the rule would remove. `rule` is null when the inherited rule applies. */
  preview(rule: RetentionRule | null, slice: Slice): Promise<{ shown: Preview['shown']; lines: number }>;
  render(view: RetentionView): string;
}

/** The rule in force, and what another would remove where its fields are in the address. */
export async function viewOf(
  given: RetentionCase,
  query: RetentionQuery,
): Promise<Omit<RetentionView, 'frame'>> {
  const { subject, target, rules } = given;
  const known = {
    subject,
    inForce: effectiveRule(rules),
    otherwise: effectiveRule(withRule(rules, target.place, null)),
    done: query.done ? retentionTexts.saved : null,
  };
  if (query.keep === undefined) {
    const typed = typedRuleOf(rules[target.place], canInherit(subject));
    return { ...known, typed, faults: {}, preview: null };
  }
  const typed = readTypedRule(query);
  const judged = judgeTypedRule(typed, canInherit(subject));
  if (judged.faults) return { ...known, done: null, typed, faults: judged.faults, preview: null };
  const preview = await previewOf(given, typed, judged.rule, query.page ?? 1);
  return { ...known, done: null, typed, faults: {}, preview };
}

async function previewOf(
  { subject, target, rules, preview }: RetentionCase,
  typed: TypedRule,
  rule: RetentionRule | null,
  page: number,
): Promise<Preview> {
  const skip = (page - 1) * linesOnPage;
  const { shown, lines } = await preview(rule, { skip, most: linesOnPage });
  const { rule: effective } = effectiveRule(withRule(rules, target.place, rule));
  return {
    sentence: retentionTexts.sentence(effective, target.place !== 'app'),
    shown,
    previous: page > 1 ? previewAddress(subject.address, typed, page - 1) : null,
    next: skip + linesOnPage < lines ? previewAddress(subject.address, typed, page + 1) : null,
  };
}
