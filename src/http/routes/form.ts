/** Parses the fields of forms and queries, and keeps the submitted text for showing the form again. */
import * as v from 'valibot';
import { AppError, type FieldErrors, FormInvalid, invalid } from '../../core/errors.ts';
import { normalizeLineEndings } from '../../core/line-endings.ts';
import { httpTexts } from '../http-texts.ts';

export type Fields = v.ObjectEntries;
export type Values<F extends Fields> = v.InferOutput<v.ObjectSchema<F, undefined>>;
/** As submitted; empty if nothing was sent. A list has one value per line. */
export type SubmittedText<F> = Readonly<Record<keyof F & string, string>>;
export type RawFields = Readonly<Record<string, string | readonly string[]>>;

/**
 * Returns the fields of a body. Throws `invalid` for a repeated field unless its schema is a list (`many`), and for NUL
 * characters and lone surrogates, which PostgreSQL cannot store.
 */
export function readFields(body: unknown, form: Fields): RawFields {
  const fields: Record<string, string | readonly string[]> = Object.create(null);
  for (const [name, value] of Object.entries(body ?? {})) {
    const values: unknown[] = Array.isArray(value) ? value : [value];
    const isList = form[name] !== undefined && isListSchema(form[name]);
    if (values.length > 1 && !isList) throw invalid(httpTexts.form.repeated({ name }));
    for (const one of values) {
      if (typeof one !== 'string') throw invalid(httpTexts.form.text({ name }));
      if (one.includes('\0')) throw invalid(httpTexts.form.nul({ name }));
      if (!one.isWellFormed()) throw invalid(httpTexts.form.surrogate({ name }));
    }
    fields[name] = isList ? (values as string[]) : (values[0] as string);
  }
  return fields;
}

/** Returns the text of a field; empty if it was not sent. */
export function textOf(fields: RawFields, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}

/**
 * Throws `FormInvalid` with the errors of each field, and `invalid` if a required field is missing, because an incomplete form is
 * not a form with empty fields.
 */
export function parseFields<F extends Fields>(
  schema: v.ObjectSchema<F, undefined>,
  fields: Readonly<Record<string, unknown>>,
): Values<F> {
  const result = v.safeParse(schema, fields, { message: defaultMessage });
  if (result.success) return result.output;
  const missing = result.issues.find(({ type, received }) => type === 'object' && received === 'undefined');
  if (missing) throw invalid(httpTexts.form.missing({ name: v.getDotPath(missing) ?? '?' }));
  throw new FormInvalid(v.flatten(result.issues).nested as FieldErrors);
}

/** Returns the error message for a field with a schema that defines none. */
function defaultMessage({ type, requirement }: v.BaseIssue<unknown>): string {
  const t = httpTexts.form.field;
  if (type === 'non_empty' || type === 'min_length') return t.empty;
  return type === 'max_length' ? t.long({ limit: Number(requirement) }) : t.invalid;
}

export function submittedText<F extends Fields>(form: F, fields: RawFields): SubmittedText<F> {
  return Object.fromEntries(
    Object.keys(form).map((name) => [name, [fields[name] ?? ''].flat().join('\n')]),
  ) as SubmittedText<F>;
}

/** A checkbox, which browsers only send if it is checked. */
export const flag = () =>
  v.optional(
    v.pipe(
      v.string(),
      v.transform((given) => given !== ''),
    ),
    '',
  );

/** A whole number of at most nine digits. */
export const wholeNumber = (message: string | (() => string)) =>
  v.pipe(v.string(), v.regex(/^\d{1,9}$/, message), v.transform(Number));

/** Text with several lines. */
export const multiline = () =>
  v.pipe(
    v.string(),
    v.transform((text) => normalizeLineEndings(text).trim()),
  );

/** A step of a schema that returns the result of `check` for the text. An `AppError` from it becomes the error of the field. */
export const checkWith = <Output>(check: (text: string) => Output) =>
  v.rawTransform<string, Output>(({ dataset, addIssue, NEVER }) => {
    try {
      return check(dataset.value);
    } catch (error) {
      addIssue({ message: fieldErrorOf(error) });
      return NEVER;
    }
  });

/** Returns the error message to show next to a field, for an `invalid` or `conflict`. Rethrows other errors. */
export function fieldErrorOf(error: unknown): string {
  if (!(error instanceof AppError) || !['invalid', 'conflict'].includes(error.kind)) throw error;
  return error.sentence;
}

/** A field that may be repeated any number of times. */
export const many = <Output>(schema: v.GenericSchema<string, Output>) => v.optional(v.array(schema), []);

function isListSchema(schema: v.ObjectEntries[string]): boolean {
  return schema.type === 'array' || ('wrapped' in schema && isListSchema(schema.wrapped as typeof schema));
}

/** A query parameter that is ignored if it is invalid, repeated (its value is then a list) or contains a NUL character. */
export const lenient = <Output>(schema: v.GenericSchema<string, Output>) =>
  v.fallback(
    v.optional(
      v.pipe(
        v.string(),
        v.check((text) => !text.includes('\0')),
        schema,
      ),
    ),
    undefined,
  );

/** `done` in a query: the name of what the visitor has just done, as its sentence; null for every other name. */
export const doneSentence = (sentences: () => Readonly<Record<string, string>>) =>
  v.pipe(
    v.optional(v.fallback(v.string(), ''), ''),
    v.transform((name): string | null => {
      const known = sentences();
      return Object.hasOwn(known, name) ? (known[name] ?? null) : null;
    }),
  );

/** Free text in a query; undefined if `lenient` ignores it. */
export const lenientText = () => lenient(v.string());
