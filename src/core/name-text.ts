/**
 * The one rule for names by which people and programs tell things apart, such as pages, groups, branches and labels: no surrounding blanks
 * (secrets of CI services end with a newline), plain spaces, Unicode form NFC, and only characters that can be seen. Names that look
 * the same are then the same, except for letters of several scripts.
 */

export const normalizeName = (text: string) => text.normalize('NFC').replace(oddSpaces, ' ').trim();

/** No-break and typographic spaces, which word processors insert. The ideographic space is visibly wider. */
const oddSpaces = /[\u00a0\u2000-\u200a\u202f\u205f]/g;

/**
 * Controls, line and paragraph separators, halves of surrogate pairs, noncharacters, what programs write for bytes that they cannot
 * decode (U+FFFD), and what is drawn as nothing: every mark that changes the direction of text, and the braille pattern without dots.
 */
const hidden =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffd]/u;

/**
 * Where ignorable characters change what is seen: within emoji, behind an ideograph (variants), and between letters that join (Arabic) or
 * behind a vowel sign or virama.
 */
const meaningful =
  /\p{RGI_Emoji}|\p{Extended_Pictographic}[\ufe0e\ufe0f]|(?<=\p{Ideographic})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]|(?<=[\p{M}\p{Script=Arabic}])[\u200c\u200d](?=\p{L})/gv;

/** Returns the first character of a name that cannot be seen, as `U+200B`; null when there is none. */
export function hiddenCharacterOf(name: string): string | null {
  const [found] = hidden.exec(name.replace(meaningful, '')) ?? [];
  return found === undefined
    ? null
    : `U+${found.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
}

export const isVisibleName = (name: string) => hiddenCharacterOf(name) === null;
