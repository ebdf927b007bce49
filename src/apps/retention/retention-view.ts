/** Loads the retention page: the current rule, and the preview of a rule in the query string. */
import { FormInvalid } from '../../core/errors.ts';
import {
  describeRetention,
  effectiveRule,
  type RetentionRule,
  withRule,
} from '../../owners/retention/retention.ts';
import { retentionTexts } from '../../owners/retention/retention-texts.ts';
import { canInherit, type RetentionSubject } from './retention-form.tsx';
import type { Preview, RetentionView } from './retention-page.tsx';
import type { Slice } from './retention-preview.ts';
import {
  previewAddress,
  type RuleValues,
  readRule,
  readRuleValues,
  ruleValuesOf,
} from './retention-request.ts';
import type { RuledPlace } from './ruled-places.ts';

/** Lines per page. */
const linesPerPage = 50;

export interface RetentionQuery {
  keep?: string | undefined;
  newest?: string | undefined;
  days?: string | undefined;
  /** 1-based. */
  page?: number | undefined;
  done?: 'saved' | undefined;
}

/** The subject of the rule, and its page. */
export interface RetentionContext extends RuledPlace {
  subject: RetentionSubject;
  /** Previews the rule. `rule` is null if the inherited rule applies. */
  preview(rule: RetentionRule | null, slice: Slice): Promise<{ shown: Preview['shown']; lines: number }>;
  render(view: RetentionView): string;
}

/** Returns the current rule, and a preview if the query string contains a rule. */
export async function loadRetentionView(
  given: RetentionContext,
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
    const submitted = ruleValuesOf(rules[target.place], canInherit(subject));
    return { ...known, submitted, errors: {}, preview: null };
  }
  const submitted = readRuleValues(query);
  try {
    const preview = await previewOf(given, submitted, readRule(submitted), query.page ?? 1);
    return { ...known, done: null, submitted, errors: {}, preview };
  } catch (error) {
    if (!(error instanceof FormInvalid)) throw error;
    return { ...known, done: null, submitted, errors: error.errors, preview: null };
  }
}

async function previewOf(
  { subject, target, rules, preview }: RetentionContext,
  submitted: RuleValues,
  rule: RetentionRule | null,
  page: number,
): Promise<Preview> {
  const skip = (page - 1) * linesPerPage;
  const { shown, lines } = await preview(rule, { skip, limit: linesPerPage });
  const { rule: effective } = effectiveRule(withRule(rules, target.place, rule));
  return {
    sentence: describeRetention(effective, target.place !== 'app'),
    shown,
    previous: page > 1 ? previewAddress(subject.address, submitted, page - 1) : null,
    next: skip + linesPerPage < lines ? previewAddress(subject.address, submitted, page + 1) : null,
  };
}
