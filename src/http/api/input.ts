/** Parses the JSON body and the query of API requests. Unknown fields and parameters are refused by name. */
import * as v from 'valibot';
import { AppError, type InputFault, InputInvalid, invalid, startOf } from '../../core/errors.ts';
import type { Fields, Values } from '../routes/form.ts';

/** The limit of a JSON body in bytes, unless a route declares another one. */
export const maxJsonBytes = 64 * 1024;

/** Throws `invalid` unless the text is a JSON object. An empty text is an empty object, because some clients send no body. */
export function parseJson(text: string | null | undefined): unknown {
  if (!text) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid('the body is not valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('the body must be a JSON object');
  return value;
}

/** Throws unless the Content-Type is JSON: `application/json`, or a type that ends in `+json`. */
export function requireJson(contentType: string | undefined): void {
  if (contentType === undefined || /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType)) return;
  throw new AppError('unsupported_media_type', 'the body must be JSON: Content-Type: application/json');
}

/** Throws `InputInvalid` with all invalid fields. */
export function parseInput<F extends Fields>(
  schema: v.StrictObjectSchema<F, undefined>,
  value: unknown,
  place: 'body' | 'query',
): Values<F> {
  checkStorable(value);
  const result = v.safeParse(schema, value, { message: sentenceOf });
  if (result.success) return result.output as Values<F>;
  throw new InputInvalid(result.issues.map((issue) => faultOf(issue, place)));
}

function faultOf(issue: v.BaseIssue<unknown>, place: 'body' | 'query'): InputFault {
  const path = (issue.path ?? []).map(({ key }) => String(key));
  const where = place === 'query' ? { parameter: path.join('.') } : { pointer: pointerOf(path) };
  if (issue.type === 'strict_object' && issue.expected === 'never')
    return { ...where, detail: place === 'query' ? 'unknown parameter' : 'unknown field' };
  if (issue.received === 'undefined') return { ...where, detail: 'is required' };
  return { ...where, detail: issue.message };
}

const maxQuotedLength = 100;
const types: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  Array: 'a list',
  Object: 'an object',
};

/** The sentence for a value that its schema says nothing about. `expected` is a type, a value, or several: `("a" | "b")`. */
function sentenceOf({ type, expected, received, requirement, input }: v.BaseIssue<unknown>): string {
  const size = `${requirement} ${Array.isArray(input) ? 'value' : 'character'}${requirement === 1 ? '' : 's'}`;
  const shown = types[received] ?? startOf(received, maxQuotedLength);
  const not = (wanted: string) => `must be ${wanted}, not ${shown}`;
  if (type === 'non_empty') return 'must not be empty';
  if (type === 'min_length') return `must have at least ${size}`;
  if (type === 'max_length') return `must have at most ${size}`;
  if (type === 'length') return `must have ${size}`;
  if (type === 'min_value') return not(`at least ${requirement}`);
  if (type === 'max_value') return not(`at most ${requirement}`);
  if (type === 'integer' || type === 'safe_integer') return not('a whole number');
  if (requirement !== undefined || expected === null) return `is not valid: ${shown}`;
  const wanted = expected.replace(/^\(|\)$/g, '').split(' | ');
  return not(wanted.map((one) => types[one] ?? one).join(' or '));
}

/** RFC 6901, section 3. */
const pointerOf = (path: readonly string[]) =>
  path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** More than any request has; recursion over deeper values would exhaust the stack. */
const maxDepth = 32;

/**
 * Throws for values that the database cannot store: NUL characters, lone surrogates, and integers that are not exact; and for deeply
 * nested values.
 */
export function checkStorable(value: unknown, depth = 0): void {
  if (depth > maxDepth) throw invalid('the request is nested too deeply');
  if (typeof value === 'string') {
    if (value.includes('\0')) throw invalid('the request contains a NUL character');
    if (!value.isWellFormed()) throw invalid('the request contains half of a surrogate pair');
  } else if (typeof value === 'number') {
    if (Math.abs(value) > Number.MAX_SAFE_INTEGER)
      throw invalid('the request contains a number that is too large');
  } else if (Array.isArray(value)) {
    for (const one of value) checkStorable(one, depth + 1);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries(value)) {
      checkStorable(name);
      checkStorable(one, depth + 1);
    }
  }
}
