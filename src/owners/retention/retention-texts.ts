import { catalog } from '../../core/language/catalog.ts';
import { en } from './messages.en.ts';
import { ja } from './messages.ja.ts';

import type { RetentionRule } from './retention.ts';

export const retentionTexts = catalog({ en, ja });

/** Describes a rule in one sentence. `ofEach`: the rule applies to several apps. */
export function describeRetention({ newest, days }: RetentionRule, ofEach: boolean): string {
  const t = retentionTexts.rules;
  if (newest === null && days === null) return t.everything;
  if (newest === null) return (ofEach ? t.daysOfEach : t.days)({ days: days ?? 1 });
  if (days === null) return (ofEach ? t.newestOfEach : t.newest)({ newest });
  return (ofEach ? t.bothOfEach : t.both)({ newest, days });
}
