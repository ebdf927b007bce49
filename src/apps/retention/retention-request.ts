/** Parses the retention form and builds its preview URL. */
import { AppError } from '../../core/errors.ts';
import {
  keepEverything,
  keepsEverything,
  maxDays,
  maxNewest,
  type RetentionRule,
  readDays,
  readNewest,
} from '../../owners/retention.ts';
import { retentionTexts } from '../../owners/retention-texts.ts';

/** `inherit`: no own rule. */
export type RuleKind = 'inherit' | 'everything' | 'some';

/** The raw input. */
export interface RuleValues {
  kind: RuleKind | null;
  newest: string;
  days: string;
}

/** Full sentences by form field. */
export type RuleErrors = Partial<Record<'keep' | 'newest' | 'days', readonly string[]>>;

export const maxNumberLength = 12;
const words = retentionTexts.faults;

/** `keep` is the form field of the kind. */
export function readRuleValues(fields: {
  keep?: string | undefined;
  newest?: string | undefined;
  days?: string | undefined;
}): RuleValues {
  const { keep, newest = '', days = '' } = fields;
  const kind = keep === 'inherit' || keep === 'everything' || keep === 'some' ? keep : null;
  const text = (typed: string) => typed.trim().slice(0, maxNumberLength);
  return { kind, newest: text(newest), days: text(days) };
}

/** Form values of the current rule. `canInherit`: whether a rule can be inherited. */
export function ruleValuesOf(own: RetentionRule | null, canInherit: boolean): RuleValues {
  if (own === null || (keepsEverything(own) && !canInherit)) return { kind: 'inherit', newest: '', days: '' };
  const text = (number: number | null) => (number === null ? '' : String(number));
  const kind = keepsEverything(own) ? 'everything' : 'some';
  return { kind, newest: text(own.newest), days: text(own.days) };
}

/** A null `rule` removes the own rule. */
export function validateRule(
  typed: RuleValues,
  canInherit: boolean,
): { rule: RetentionRule | null; faults: null } | { rule: null; faults: RuleErrors } {
  if (typed.kind === null) return { rule: null, faults: { keep: [words.kind] } };
  if (typed.kind === 'inherit') return { rule: null, faults: null };
  if (typed.kind === 'everything') return { rule: canInherit ? keepEverything : null, faults: null };
  const faults: RuleErrors = {};
  const newest = readField(
    () => readNewest(typed.newest),
    () => {
      faults.newest = [words.number(maxNewest)];
    },
  );
  const days = readField(
    () => readDays(typed.days),
    () => {
      faults.days = [words.number(maxDays)];
    },
  );
  if (newest === null && days === null && Object.keys(faults).length === 0) faults.newest = [words.choose];
  return Object.keys(faults).length > 0 ? { rule: null, faults } : { rule: { newest, days }, faults: null };
}

function readField(read: () => number | null, fault: () => void): number | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    fault();
    return null;
  }
}

export function previewAddress(address: string, typed: RuleValues, page: number): string {
  const query = new URLSearchParams({ keep: typed.kind ?? '', newest: typed.newest, days: typed.days });
  if (page > 1) query.set('page', String(page));
  return `${address}?${query}#goes`;
}
