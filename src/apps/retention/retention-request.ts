/** Parses the retention form and builds its preview URL. */
import { AppError, FormInvalid, fieldErrorsOf, refuseFields } from '../../core/errors.ts';
import {
  keepEverything,
  keepsEverything,
  type RetentionRule,
  readDays,
  readNewest,
} from '../../owners/retention/retention.ts';
import { retentionTexts } from '../../owners/retention/retention-texts.ts';

/** `inherit`: follows the rule of the level above. */
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
const t = retentionTexts.errors;

/** `keep`: the form field for the kind. */
export function readRuleValues(fields: {
  keep?: string | undefined;
  newest?: string | undefined;
  days?: string | undefined;
}): RuleValues {
  const { keep, newest = '', days = '' } = fields;
  const kind = keep === 'inherit' || keep === 'everything' || keep === 'some' ? keep : null;
  const text = (submitted: string) => submitted.trim().slice(0, maxNumberLength);
  return { kind, newest: text(newest), days: text(days) };
}

/** Form values of the current rule. `canInherit`: whether a rule can be inherited. */
export function ruleValuesOf(own: RetentionRule | null, canInherit: boolean): RuleValues {
  if (own === null || (keepsEverything(own) && !canInherit)) return { kind: 'inherit', newest: '', days: '' };
  const text = (number: number | null) => (number === null ? '' : String(number));
  const kind = keepsEverything(own) ? 'everything' : 'some';
  return { kind, newest: text(own.newest), days: text(own.days) };
}

/** A null rule removes the own rule. Throws `FormInvalid`. */
export function readRule({ kind, newest, days }: RuleValues): RetentionRule | null {
  if (kind === null) throw new FormInvalid({ keep: [t.kind] });
  if (kind !== 'some') return kind === 'everything' ? keepEverything : null;
  const errors: RuleErrors = {};
  const rule = {
    newest: readField(() => readNewest(newest), errors),
    days: readField(() => readDays(days), errors),
  };
  refuseFields(errors);
  if (keepsEverything(rule)) throw new FormInvalid({ newest: [t.choose] });
  return rule;
}

function readField(read: () => number | null, errors: RuleErrors): number | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    Object.assign(errors, fieldErrorsOf(error));
    return null;
  }
}

export function previewAddress(address: string, submitted: RuleValues, page: number): string {
  const query = new URLSearchParams({
    keep: submitted.kind ?? '',
    newest: submitted.newest,
    days: submitted.days,
  });
  if (page > 1) query.set('page', String(page));
  return `${address}?${query}#goes`;
}
