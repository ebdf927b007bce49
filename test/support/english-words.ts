/** Finds English in a Japanese page of the installation with hostile texts, in which the texts of people contain `Wide`. */
import { attack } from '../web/hostile.ts';

const unread = /<(script|style|code|pre|kbd|samp|svg|textarea)\b.*?<\/\1>/gs;
const shown = />([^<]+)<|\s(?:aria-label|title|alt|placeholder)="([^"]*)"/g;
/** Two words or more, at least one in lower case, because product names are capitalized. */
const wordsPattern = /[A-Za-z][A-Za-z'’]+(?:,? [A-Za-z'’]+)+/g;

/** Texts of Slipway without hostile characters, product names, and the search terms of the visits. */
const allowed = /^(New: a banner|(検索：|「)?no such thing|.*Teams webhook 要求)/;
const ofPeople = new RegExp(
  `Wide|alert\\(|${attack.slice(0, 8)}|The screen stays white|It stops after login`,
);

export function englishWords(html: string): string[] {
  const texts = [...html.replace(unread, '<i></i>').matchAll(shown)].map(([, text, label]) =>
    (text ?? label ?? '').trim(),
  );
  return texts.filter(
    (text) =>
      !ofPeople.test(text) &&
      !allowed.test(text) &&
      [...text.matchAll(wordsPattern)].some(([words]) => /(^| )[a-z'’]{3,}/.test(words)),
  );
}
