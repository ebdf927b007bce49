/** The language of the request being answered or the email being written. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Language, languages } from './languages.ts';

/** Shared by all code that handles one request or job. */
export interface LanguageScope {
  language: Language;
  /** Absent if `preferLanguage` may change the language once the person is known. */
  readonly fixed?: true;
}

const scopes = new AsyncLocalStorage<LanguageScope>();

/** Runs the function, and everything it starts, in a language. */
export const runInLanguage = <Result>(scope: Language | LanguageScope, run: () => Result): Result =>
  scopes.run(typeof scope === 'string' ? { language: scope } : scope, run);

/** English outside of requests and jobs: the command line. */
export const currentLanguage = (): Language => scopes.getStore()?.language ?? 'en';

/** The BCP 47 tag of the current language. */
export const currentLocale = (): string => languages[currentLanguage()].locale;

/** Continues the current request or job in the language that the person has chosen; null if none. */
export function preferLanguage(language: Language | null): void {
  const scope = scopes.getStore();
  if (scope && !scope.fixed && language !== null) scope.language = language;
}

/** Creates a value once per language, when first needed. */
export function perLanguage<Value>(create: (locale: string) => Value): () => Value {
  const values = new Map<Language, Value>();
  return () => {
    const language = currentLanguage();
    const known = values.get(language);
    if (known !== undefined) return known;
    const value = create(languages[language].locale);
    values.set(language, value);
    return value;
  };
}
