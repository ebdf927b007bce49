/** The languages of pages and emails. */

interface LanguageFacts {
  /** The name in the language itself. */
  name: string;
  /** BCP 47 tag of pages and of numbers and dates. British English, because its dates put the day before the month. */
  locale: string;
}

export const languages = {
  en: { name: 'English', locale: 'en-GB' },
  ja: { name: '日本語', locale: 'ja' },
} as const satisfies Record<string, LanguageFacts>;

export type Language = keyof typeof languages;

export const languageCodes = Object.keys(languages) as Language[];

/** Parses a person's stored choice. Null for no choice, or for a language that this version does not have. */
export const parseLanguage = (stored: string | null): Language | null =>
  stored !== null && isLanguage(stored) ? stored : null;

export const isLanguage = (text: string): text is Language => Object.hasOwn(languages, text);
