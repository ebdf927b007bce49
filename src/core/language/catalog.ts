/**
 * Catalogs of messages in the ICU format (https://unicode-org.github.io/icu/userguide/format_parse/messages/). A message without
 * arguments is a string; one with arguments is a function of an object; one with tags returns children of an element. All use the
 * current language at the time they are read.
 */
import type { GetICUArgs } from '@schummar/icu-type-parser';
import { type Formatters, IntlMessageFormat } from 'intl-messageformat';
import type { ComponentChildren } from 'preact';
import { currentLanguage } from './current-language.ts';
import { type Language, languageCodes, languages } from './languages.ts';

/** Groups of messages. Messages in a list have no arguments, and a list may have a different length in another language. */
export interface Messages {
  readonly [key: string | number]: string | readonly string[] | Messages;
}

/** The same messages in another language. */
export type Translation<Source> = {
  readonly [Key in keyof Source]: Source[Key] extends string
    ? string
    : Source[Key] extends readonly string[]
      ? readonly string[]
      : Translation<Source[Key]>;
};

type Arguments<Pattern extends string> = GetICUArgs<
  Pattern,
  { ICUArgument: string | number; ICUNumberArgument: number; ICUDateArgument: never }
>;

type TagNames<Pattern extends string> = Pattern extends `${string}</${infer Name}>${infer Rest}`
  ? Name | TagNames<Rest>
  : never;

type Tags<Pattern extends string> = {
  readonly [Name in TagNames<Pattern>]: (children: ComponentChildren) => ComponentChildren;
};

/** The type of a message when it is read. */
export type Message<Pattern extends string> = Pattern extends `${string}</${string}`
  ? (values: Arguments<Pattern> & Tags<Pattern>) => ComponentChildren
  : Pattern extends `${string}{${string}`
    ? (values: Arguments<Pattern>) => string
    : string;

export type Catalog<Source> = {
  readonly [Key in keyof Source]: Source[Key] extends string
    ? Message<Source[Key]>
    : Source[Key] extends readonly string[]
      ? readonly string[]
      : Catalog<Source[Key]>;
};

/** The messages of each language; English is used where a translation is missing. */
export interface Sources<Source = Messages> {
  en: Source;
  ja?: Translation<Source>;
}

const sourcesSymbol = Symbol('sources of a catalog');

/** Returns the messages that a catalog was created from, for checks of the messages; undefined for anything else. */
export const sourcesOf = (value: unknown): Sources | undefined =>
  (value as { [sourcesSymbol]?: Sources } | null | undefined)?.[sourcesSymbol];

export function catalog<const Source extends Messages>(sources: Sources<Source>): Catalog<Source> {
  const { en, ja = en } = sources;
  const read = group({ en, ja: ja as Messages });
  Object.defineProperty(read, sourcesSymbol, { value: sources });
  return read as Catalog<Source>;
}

/** Returns a message of a group by a key that may not exist. */
export const messageAt = (messages: Readonly<Record<string, unknown>>, key: string | number) =>
  Object.hasOwn(messages, key) ? (messages[key] as string) : undefined;

/** Whether a message has arguments or tags. Other messages are used as they are, whatever characters they contain. */
export const isPattern = (text: string): boolean => text.includes('{') || text.includes('</');

type ByLanguage<Value> = Readonly<Record<Language, Value>>;
type Entry = Messages[string];

function group(sources: ByLanguage<Messages>): object {
  const read = {};
  for (const key of Object.keys(sources.en)) {
    const entry = byLanguage((language) => sources[language][key] ?? (sources.en[key] as Entry));
    Object.defineProperty(read, key, { enumerable: true, ...accessOf(entry) });
  }
  return read;
}

function accessOf(entry: ByLanguage<Entry>): PropertyDescriptor {
  const { en } = entry;
  if (typeof en === 'object' && !Array.isArray(en)) {
    let read: object | null = null;
    return {
      get: () => {
        read ??= group(entry as ByLanguage<Messages>);
        return read;
      },
    };
  }
  if (typeof en === 'string' && isPattern(en)) return { value: pattern(entry as ByLanguage<string>) };
  return { get: () => entry[currentLanguage()] };
}

type Values = Readonly<
  Record<string, string | number | ((children: ComponentChildren) => ComponentChildren)>
>;

function pattern(texts: ByLanguage<string>): (values: Values) => unknown {
  const compiled: Partial<Record<Language, IntlMessageFormat>> = {};
  return (values) => {
    const language = currentLanguage();
    compiled[language] ??= compile(texts[language], language);
    const format = compiled[language];
    return format.format(values as Parameters<typeof format.format>[0]);
  };
}

// Asking Intl which locales it supports loads its data, which a start would do for one line of the log.
IntlMessageFormat.resolveLocale = (locale) => new Intl.Locale(String(locale));

/** Throws for an invalid pattern. */
export const compile = (text: string, language: Language) =>
  new IntlMessageFormat(text, languages[language].locale, undefined, { formatters });

const byLanguage = <Value>(value: (language: Language) => Value) =>
  Object.fromEntries(languageCodes.map((language) => [language, value(language)])) as ByLanguage<Value>;

// Shared, because each formatter uses about 30 KB of native memory.
const getNumberFormat: Formatters['getNumberFormat'] = once((...of) => new Intl.NumberFormat(...of));
const getDateTimeFormat: Formatters['getDateTimeFormat'] = once((...of) => new Intl.DateTimeFormat(...of));
const getPluralRules: Formatters['getPluralRules'] = once((...of) => new Intl.PluralRules(...of));
const formatters: Formatters = { getNumberFormat, getDateTimeFormat, getPluralRules };

function once<Parameters extends unknown[], Value>(create: (...parameters: Parameters) => Value) {
  const values = new Map<string, Value>();
  return (...parameters: Parameters): Value => {
    const key = JSON.stringify(parameters);
    const known = values.get(key);
    if (known !== undefined) return known;
    const value = create(...parameters);
    values.set(key, value);
    return value;
  };
}
