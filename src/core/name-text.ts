/**
 * The rule for names that distinguish things, such as pages, groups, branches and labels: no surrounding white space (secrets in
 * CI services end with a newline), plain spaces, Unicode form NFC, and only visible characters. Names that look the same are then
 * equal, except for similar letters of different scripts.
 */

import * as v from 'valibot';
import { errorTexts } from './error-texts.ts';
import { invalidField } from './errors.ts';

export const normalizeName = (text: string) => text.normalize('NFC').replace(oddSpaces, ' ').trim();

/** No-break and typographic spaces, which word processors insert. The ideographic space is visibly wider. */
const oddSpaces = /[\u00a0\u2000-\u200a\u202f\u205f]/g;

/**
 * Control characters, line and paragraph separators, surrogates, noncharacters, U+FFFD (which programs write for bytes they
 * cannot decode), the blank braille pattern, and characters that Unicode defines as ignorable, including every mark that changes the
 * direction of text.
 */
const hidden =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffd]/u;

/**
 * Positions where an ignorable character changes what is displayed: within emoji, after an ideograph (variants), between letters
 * that join (Arabic), and after a vowel sign or virama. Parsed when it is first used, because it takes a hundredth of a start.
 */
const meaningful = () =>
  /\p{RGI_Emoji}|\p{Extended_Pictographic}[\ufe0e\ufe0f]|(?<=\p{Ideographic})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]|(?<=[\p{M}\p{Script=Arabic}])[\u200c\u200d](?=\p{L})/gv;

/** Returns the first invisible character of a name, as `U+200B`; null if there is none. */
export function hiddenCharacterOf(name: string): string | null {
  const [found] = hidden.exec(name.replace(meaningful(), '')) ?? [];
  return found === undefined
    ? null
    : `U+${found.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
}

export const isVisibleName = (name: string) => hiddenCharacterOf(name) === null;

/** A field of forms and JSON with a name. */
export const nameField = (limit: number) =>
  v.pipe(
    v.string(),
    v.transform(normalizeName),
    v.nonEmpty(() => errorTexts.names.missing),
    v.maxLength(limit, () => errorTexts.names.long({ limit })),
    v.check(isVisibleName, () => errorTexts.names.control),
  );

/** Throws `invalid` for the field `name`. */
export function checkNameText(text: string, limit: number): string {
  const result = v.safeParse(nameField(limit), text);
  if (!result.success) throw invalidField('name', result.issues[0].message);
  return result.output;
}
