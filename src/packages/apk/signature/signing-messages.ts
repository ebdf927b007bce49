import { readable } from '../../sentence.ts';

/** Maximum length of a warning or problem. Quoted names of zip entries can have 65,535 characters. */
export const maxMessageLength = 500;

export function truncateMessage(sentence: string): string {
  return readable(sentence, maxMessageLength);
}
