/** The reason why a limit refuses: a code, with the values for its sentence. */
import { errorTexts } from './error-texts.ts';

type Sentences = typeof errorTexts.limits;

/** A code without values, or with them. */
export type LimitRefusal = {
  [Code in keyof Sentences]: Sentences[Code] extends (values: infer Values) => string
    ? readonly [Code, Values]
    : Code;
}[keyof Sentences];

/** Returns the sentence in the current language. */
export function limitSentence(refusal: LimitRefusal): string {
  const [code, values] = typeof refusal === 'string' ? [refusal] : refusal;
  const sentence = errorTexts.limits[code];
  return typeof sentence === 'string' ? sentence : sentence(values as { limit: number });
}
