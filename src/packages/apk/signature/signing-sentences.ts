import { readable } from '../../sentence.ts';

/** Characters of one warning or problem. Names of zip entries in it may have 65,535. */
export const maxSentenceLength = 500;

export function boundSentence(sentence: string): string {
  return readable(sentence, maxSentenceLength);
}
