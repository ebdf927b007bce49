/** The results of checks as sentences, for every place that shows them. */
import { formatBytes } from '../../core/byte-size.ts';
import { catalog } from '../../core/language/catalog.ts';
import { countryNames, verificationRule } from '../../distributions/install/developer-verification.ts';
import { formatDay, formatMonth } from '../../web/components/formats.ts';
import { texts } from '../../web/shell/texts.ts';
import type { CheckItem, CheckResult } from './check-result.ts';
import { en } from './messages.en.ts';
import { ja } from './messages.ja.ts';
import type { StoreRule, StoreRuleKind } from './store-rules.ts';

export const checkTexts = catalog({ en, ja });
const t = checkTexts;

/** In the decimal units of the stores where they are exact. */
export function limitText(bytes: number): string {
  for (const [unit, factor] of [
    ['GB', 1e9],
    ['MB', 1e6],
    ['KB', 1e3],
  ] as const)
    if (bytes >= factor && Number.isInteger((bytes / factor) * 100)) return `${bytes / factor} ${unit}`;
  return formatBytes(bytes);
}

const named = (name: string, rule: StoreRule | null) => (rule?.isForNewApps ? t.forNewApps({ name }) : name);

/** What the rule requires, and of which apps. */
export const ruleName = (rule: StoreRule) =>
  named(checkName({ kind: rule.kind, limit: rule.threshold }), rule);

/** What the check requires, such as `Target API level 36 or higher`. */
export function checkName({ kind, limit }: Pick<CheckResult, 'kind' | 'limit'>): string {
  const name: string | ((values: { limit: number; size: string }) => string) = t.names[kind];
  return typeof name === 'string' ? name : name({ limit: limit ?? 0, size: limitText(limit ?? 0) });
}

/** What to do about a broken rule of a store. */
export function ruleAdvice({ kind, limit }: { kind: StoreRuleKind; limit: number | null }): string {
  const advice: string | ((values: { limit: number }) => string) = t.advice[kind];
  return typeof advice === 'string' ? advice : advice({ limit: limit ?? 0 });
}

/** The name with the build that was compared with. */
export function checkTitle(result: CheckResult): string {
  const { against } = result;
  const isGrowth = result.kind === 'download_growth' || result.kind === 'install_growth';
  if (!against || !isGrowth) return named(checkName(result), result.rule);
  return t.against[against.kind]({ name: checkName(result), revision: against.revision });
}

/** What was found, in one sentence; a list follows if it ends with a colon. */
export function checkSentence(result: CheckResult): string {
  const { kind, found, measured, limit, value, against, items } = result;
  if (found === 'not_analyzed')
    return against ? t.notComparable({ revision: against.revision }) : t.notAnalyzed;
  const revision = against?.revision ?? 0;
  const isPassed = found === 'passed';
  const sentences = t.found;
  const exact = String(result.isExact);
  switch (kind) {
    case 'download_growth':
    case 'install_growth': {
      const grown = measured ?? 0;
      const sign = grown > 0 ? '+' : grown < 0 ? '−' : '±';
      return sentences.grown({
        sign,
        size: formatBytes(Math.abs(grown)),
        limit: `+${limitText(limit ?? 0)}`,
        exact,
      });
    }
    case 'download_limit':
    case 'base_size':
    case 'download_size':
      return sentences.size({ size: formatBytes(measured ?? 0), limit: limitText(limit ?? 0), exact });
    case 'target_api':
      return sentences.target_api({ measured: measured ?? 0 });
    case 'page_size':
      return isPassed
        ? sentences.page_size_passed
        : sentences.page_size({ count: items.filter(isLibrary).length });
    case 'code_optimization':
      return sentences.code_optimization({ measured: Math.round(measured ?? 0) });
    case 'billing_library':
      return sentences.billing_library({ value: value ?? '' });
    case 'not_debuggable':
      return isPassed ? sentences.not_debuggable : sentences.debuggable;
    case 'not_test_only':
      return isPassed ? sentences.not_test_only : sentences.test_only;
    case 'ios_sdk':
      return sentences.ios_sdk({ value: value ?? '' });
    case 'store_profile':
      return sentences.store_profile({
        value: t.profiles[(value ?? 'development') as keyof typeof t.profiles],
      });
    case 'profile_expiry':
      return sentences.profile_expiry({ day: dayText(value ?? '') });
    case 'new_permissions':
    case 'new_exported_components':
      return isPassed ? sentences[`${kind}_passed`]({ revision }) : sentences[kind]({ revision });
    case 'libraries':
    case 'privacy_manifest':
    case 'required_reasons':
      return isPassed ? sentences[`${kind}_passed`] : sentences[kind];
    case 'developer_verification':
      return isPassed
        ? sentences.developer_verification_passed
        : sentences.developer_verification({ year: String(verificationRule.elsewhere) });
  }
}

/** One line for chats, emails and pull requests: `Target API level 36 or higher: The build targets API level 35.` */
export function checkLine(result: CheckResult): string {
  const timing = timingText(result);
  const items = result.items.slice(0, maxLineItems).map(itemText).join(', ');
  const sentence = [checkSentence(result), items].filter(Boolean).join(' ');
  const line = texts.labeledText({ label: checkTitle(result), value: sentence });
  return timing === null ? line : `${line} (${timing})`;
}

const maxLineItems = 3;
const isLibrary = (item: CheckItem) =>
  typeof item === 'object' && 'problem' in item && item.problem !== 'bundle';

export function itemText(item: CheckItem): string {
  if (typeof item === 'string') return item;
  if ('part' in item) return t.codeParts[item.part]({ percent: item.percent });
  const { path, problem, bytes, sdk } = item;
  const line = t.misaligned[problem]({ path, bytes });
  return sdk === null ? line : t.ofSdk({ line, sdk });
}

/** `2026-08-31` as a date for people. */
export const dayText = (day: string) => formatDay(Date.parse(day));

/** The first day of a rule, or its month if the store has named no day. */
export const ruleDay = ({ from, isMonth }: Pick<StoreRule, 'from' | 'isMonth'>) =>
  from === null ? null : isMonth ? formatMonth(Date.parse(from)) : dayText(from);

/** When a broken rule takes effect, such as `Will be refused from 1 Feb 2027`; null for other results. */
export function timingText({ rule, found, isUpcoming }: CheckResult): string | null {
  if (rule === null || found === 'passed' || found === 'not_analyzed') return null;
  const day = ruleDay(rule);
  if (day === null) return t.timing.always;
  const { willRestrict, restricted, countries } = t.timing;
  if (rule.countries) return countries({ day, countries: countryNames(rule.countries) });
  if (rule.kind === 'code_optimization') return (isUpcoming ? willRestrict : restricted)({ day });
  const { willRefuse, refused } = t.timing;
  return (isUpcoming ? willRefuse : refused)({ day, fresh: String(rule.isForNewApps) });
}
