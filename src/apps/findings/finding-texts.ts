/** Messages of the package reader, in the language of the visitor. */
import { catalog } from '../../core/language/catalog.ts';
import { currentLanguage } from '../../core/language/current-language.ts';
import { packageMessages, recognize } from '../../packages/messages/package-messages.ts';
import { problems } from './problem-messages.ja.ts';
import { refusals } from './refusal-messages.ja.ts';
import { warnings } from './warning-messages.ja.ts';

export const findingTexts = catalog({
  en: packageMessages,
  ja: { ...warnings, ...problems, ...refusals },
});

type FindingText = string | ((values: never) => string);

/**
 * Translates a warning, problem or refusal of the package reader. A sentence that this version does not know is returned as it
 * is, for example one from a later version or a truncated one.
 */
export function findingText(sentence: string): string {
  if (currentLanguage() === 'en') return sentence;
  return translated(sentence) ?? translated(withoutSentenceForm(sentence)) ?? sentence;
}

function translated(sentence: string): string | null {
  const found = recognize(sentence);
  if (!found) return null;
  const texts: Readonly<Record<string, FindingText>> = findingTexts;
  const text = texts[found.code];
  if (typeof text !== 'function') return text ?? null;
  const values = Object.entries(found.values).map(([name, value]) => [name, valueText(value)]);
  return text(Object.fromEntries(values) as never);
}

/** A value may itself be a message, such as the reason of a failure. */
function valueText(value: string): string {
  const found = recognize(value);
  if (!found || Object.keys(found.values).length > 0) return value;
  return (findingTexts[found.code] as string).replace(/。$/, '');
}

/** Refusals have neither a capital letter nor a full stop, unless they were turned into warnings. */
const withoutSentenceForm = (sentence: string) =>
  `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`.replace(/\.$/, '');
