/**
 * Parses filters (RFC 7644, section 3.4.2.2) in linear time, with limits on their length, depth and comparisons. Not scimmy, which
 * turns a filter into alternatives: 16 pairs of alternatives, 700 characters, become 65,536 and take seconds.
 */
import {
  type Comparison,
  type Filter,
  type FilterValue,
  ScimError,
  type ScimType,
  schemaIds,
  scimLimits,
} from './scim.ts';

const comparisons: readonly string[] = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'];
const token = /\s*(?:([()[\]])|("(?:[^"\\]|\\.)*")|([^\s()[\]"]+))/y;

/** A path of a PATCH operation: `emails[type eq "work"].value`. */
export interface AttributePath {
  attribute: string;
  filter: Filter | null;
  /** A sub-attribute of the values that the filter selects; null for the values as a whole. */
  subAttribute: string | null;
}

/** Throws `invalidFilter`. */
export function parseFilter(text: string): Filter {
  const reader = createReader(text, 'invalidFilter');
  const filter = parseOr(reader, '', 0);
  if (reader.peek() !== null) throw reader.refuse(`unexpected ${quoted(reader.peek())}`);
  return filter;
}

/** Throws `invalidPath`. */
export function parsePath(text: string): AttributePath {
  const reader = createReader(text, 'invalidPath');
  const first = reader.next();
  if (first === null || !isPath(first)) throw reader.refuse('it does not begin with an attribute');
  const attribute = plainPath(first);
  if (reader.peek() !== '[') {
    if (reader.peek() !== null) throw reader.refuse(`unexpected ${quoted(reader.peek())}`);
    return { attribute, filter: null, subAttribute: null };
  }
  reader.next();
  const filter = parseOr(reader, '', 1);
  if (reader.next() !== ']') throw reader.refuse('] is missing');
  const rest = reader.next();
  if (rest === null) return { attribute, filter, subAttribute: null };
  if (!rest.startsWith('.') || reader.peek() !== null) throw reader.refuse(`unexpected ${quoted(rest)}`);
  return { attribute, filter, subAttribute: rest.slice(1).toLowerCase() };
}

interface Reader {
  peek(): string | null;
  next(): string | null;
  countComparison(): void;
  refuse(reason: string): ScimError;
}

function createReader(text: string, scimType: ScimType): Reader {
  const what = scimType === 'invalidFilter' ? 'filter' : 'path';
  const refuse = (reason: string) => new ScimError(scimType, `invalid ${what}: ${reason}`);
  if (text.length > scimLimits.filterLength)
    throw refuse(`it is longer than ${scimLimits.filterLength} characters`);
  const tokens: string[] = [];
  let at = 0;
  while (text.slice(at).trim() !== '') {
    token.lastIndex = at;
    const found = token.exec(text);
    if (!found) throw refuse(`unexpected ${quoted(text.slice(at, at + 20))}`);
    tokens.push(found[1] ?? found[2] ?? found[3] ?? '');
    at = token.lastIndex;
  }
  let position = 0;
  let counted = 0;
  return {
    peek: () => tokens[position] ?? null,
    next: () => tokens[position++] ?? null,
    countComparison: () => {
      counted += 1;
      if (counted > scimLimits.comparisons)
        throw refuse(`it has more than ${scimLimits.comparisons} comparisons`);
    },
    refuse,
  };
}

const quoted = (text: string | null) => (text === null ? 'end' : JSON.stringify(text));
const isPath = (text: string) => /^[A-Za-z$][\w:.$-]*$/.test(text);

/** Removes the schema, which may precede an attribute, and ignores case (RFC 7644, section 3.10). */
export function plainPath(path: string): string {
  const lower = path.toLowerCase();
  for (const id of [schemaIds.user, schemaIds.group]) {
    const prefix = `${id.toLowerCase()}:`;
    if (lower.startsWith(prefix)) return lower.slice(prefix.length);
  }
  return lower;
}

function parseOr(reader: Reader, prefix: string, depth: number): Filter {
  if (depth > scimLimits.filterDepth)
    throw reader.refuse(`it is nested more than ${scimLimits.filterDepth} levels deep`);
  return parseList(reader, 'or', () => parseList(reader, 'and', () => parseTerm(reader, prefix, depth)));
}

function parseList(reader: Reader, op: 'and' | 'or', parse: () => Filter): Filter {
  const first = parse();
  const parts = [first];
  while (reader.peek()?.toLowerCase() === op) {
    reader.next();
    parts.push(parse());
  }
  return parts.length === 1 ? first : { op, parts };
}

function parseTerm(reader: Reader, prefix: string, depth: number): Filter {
  const first = reader.next();
  if (first === '(') return parseGroup(reader, prefix, depth);
  if (first?.toLowerCase() === 'not' && reader.peek() === '(') {
    reader.next();
    return { op: 'not', part: parseGroup(reader, prefix, depth) };
  }
  if (first === null || !isPath(first)) throw reader.refuse(`unexpected ${quoted(first)}`);
  const path = prefix + plainPath(first);
  const op = reader.next()?.toLowerCase();
  if (op === '[') {
    if (prefix !== '') throw reader.refuse('a [ ] contains another one');
    const part = parseOr(reader, `${path}.`, depth + 1);
    if (reader.next() !== ']') throw reader.refuse('] is missing');
    return part;
  }
  reader.countComparison();
  if (op === 'pr') return { op, path };
  if (op === undefined || !comparisons.includes(op))
    throw reader.refuse(`${quoted(op ?? null)} is not an operator`);
  return { op: op as Comparison, path, value: parseValue(reader) };
}

function parseGroup(reader: Reader, prefix: string, depth: number): Filter {
  const part = parseOr(reader, prefix, depth + 1);
  if (reader.next() !== ')') throw reader.refuse(') is missing');
  return part;
}

function parseValue(reader: Reader): FilterValue {
  const text = reader.next();
  try {
    const value: unknown = JSON.parse(text ?? '');
    if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value as FilterValue;
  } catch {
    // Some clients send True.
    if (text !== null && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  }
  throw reader.refuse(`${quoted(text)} is not a value: texts are in double quotes`);
}
