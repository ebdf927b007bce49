import { catalog } from '../../core/language/catalog.ts';
import { en } from './messages.en.ts';
import { ja } from './messages.ja.ts';
import type { SecurityFact } from './security-facts.ts';

export const securityTexts = catalog({ en, ja });
const t = securityTexts;

/** What is the case, and what to do about it. A list follows if it ends with a colon. */
export function securitySentence({ kind, severity, rules = noRules }: SecurityFact): string {
  if (severity === 'not_analyzed') return t.notAnalyzed;
  if (severity === 'good' && kind in t.inOrder) return t.inOrder[kind as keyof typeof t.inOrder];
  const found: string | ((values: NonNullable<SecurityFact['rules']>) => string) = t.found[kind];
  return typeof found === 'string' ? found : found(rules);
}

const noRules = { included: 0, excluded: 0 };

/** The name of a kind of secret; the kind itself if a later analyzer has found one that this server does not know. */
export const secretName = (kind: string): string =>
  kind in t.secrets.kinds ? t.secrets.kinds[kind as keyof typeof t.secrets.kinds] : kind;
