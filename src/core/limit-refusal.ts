/** Why a limit refuses: a code with the values of its sentence. */
import { errorTexts } from './error-texts.ts';

type Sentences = typeof errorTexts.limits;

/** Only a code, or a code and values. */
export type LimitRefusal = {
  [Code in keyof Sentences]: Sentences[Code] extends (values: infer Values) => string
    ? readonly [Code, Values]
    : Code;
}[keyof Sentences];

/** The sentence in the current language. */
export function limitSentence(refusal: LimitRefusal): string {
  const [code, values] = typeof refusal === 'string' ? [refusal] : refusal;
  const sentence = errorTexts.limits[code];
  return typeof sentence === 'string' ? sentence : sentence(values as { limit: number });
}
