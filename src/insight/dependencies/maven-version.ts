/** Compares versions as Maven does. Source: maven.apache.org, "POM Reference", "Version Order Specification". */

interface Token {
  /** `.` or `-`; a change between digits and letters counts as a hyphen. */
  prefix: '.' | '-';
  /** A number without leading zeros, or a qualifier in lowercase. */
  value: string;
}

/** Longer ones are compared by their beginning. */
const maxVersionLength = 200;
const knownQualifiers = ['alpha', 'beta', 'milestone', 'rc', 'snapshot', '', 'sp'];
const aliases: Readonly<Record<string, string>> = { ga: '', final: '', release: '', cr: 'rc' };
const shortAliases: Readonly<Record<string, string>> = { a: 'alpha', b: 'beta', m: 'milestone' };

/** Returns a negative number if `one` precedes `other`, and 0 if they are equal, such as `1.0` and `1`. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [parse(one), parse(other)];
  for (let index = 0; index < Math.max(first.length, second.length); index++) {
    const [left, right] = [first[index], second[index]];
    const order = compareTokens(left ?? padding(right), right ?? padding(left));
    if (order !== 0) return order;
  }
  return 0;
}

const padding = (other: Token | undefined): Token => {
  const prefix = other?.prefix ?? '.';
  return { prefix, value: prefix === '.' && other && isNumber(other) ? '0' : '' };
};

const isNumber = ({ value }: Token) => /^\d+$/.test(value);
const isNull = ({ value }: Token) => value === '' || value === '0';

function parse(version: string): Token[] {
  const parts = version
    .slice(0, maxVersionLength)
    .toLowerCase()
    .matchAll(/([.\-_]?)(\d+|[^\d.\-_]+|)/g);
  const tokens: Token[] = [];
  for (const [whole, separator, text = ''] of parts) {
    if (whole === '') continue;
    const prefix = tokens.length === 0 || separator === '.' ? '.' : '-';
    const isDigits = /^\d/.test(text);
    const before = tokens.at(-1);
    // Such as `a` in 1a1, but not in 1.a.
    if (isDigits && separator === '' && before) before.value = shortAliases[before.value] ?? before.value;
    const value = isDigits ? text.replace(/^0+(?=\d)/, '') : text === '' ? '0' : (aliases[text] ?? text);
    tokens.push({ prefix, value });
  }
  return withoutNulls(tokens);
}

/** Removes null values at the end, and before every hyphen. */
function withoutNulls(tokens: Token[]): Token[] {
  for (let at = tokens.length - 1; at > 0; at--) {
    const next = tokens[at + 1];
    const token = tokens[at];
    if (token && isNull(token) && (!next || next.prefix === '-')) tokens.splice(at, 1);
  }
  return tokens;
}

function compareTokens(one: Token, other: Token): number {
  const rank = kindOf(one) - kindOf(other);
  if (rank !== 0) return rank;
  if (isNumber(one)) return one.value.length - other.value.length || compareText(one.value, other.value);
  const [left, right] = [qualifierRank(one), qualifierRank(other)];
  return left - right || compareText(one.value, other.value);
}

/** A qualifier precedes a number after a hyphen, which precedes one after a dot. A missing qualifier is between them. */
function kindOf(token: Token): number {
  if (!isNumber(token)) return 0;
  return token.prefix === '-' ? 1 : 2;
}

const qualifierRank = ({ value }: Token) => {
  const known = knownQualifiers.indexOf(value);
  return known === -1 ? knownQualifiers.length : known;
};

const compareText = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

export type VersionRange = (version: string) => boolean;

const comparisons: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '=': (order) => order === 0,
};
const maxComparisons = 10;

/**
 * Reads conditions that all must hold, such as `>=4.0 <4.12`, a version, or an interval of Maven, such as `[4.0,4.12)`. Null if it is
 * neither.
 */
export function parseVersionRange(text: string): VersionRange | null {
  const [, open, from = '', to, close] =
    /^([[(])([^,[\]()]*)(?:,([^,[\]()]*))?([\])])$/.exec(text.trim()) ?? [];
  if (open !== undefined) {
    if (to === undefined) return from.trim() === '' ? null : conditions([['=', from.trim()]]);
    return conditions([
      ...(from.trim() === '' ? [] : ([[open === '[' ? '>=' : '>', from.trim()]] as const)),
      ...(to.trim() === '' ? [] : ([[close === ']' ? '<=' : '<', to.trim()]] as const)),
    ]);
  }
  const found = [...text.matchAll(/(?:(<=|>=|<|>|=)\s*)?([\w.+-]+)[\s,]*/g)].slice(0, maxComparisons);
  if (found.length === 0 || found.map(([whole]) => whole).join('') !== text.trimStart()) return null;
  return conditions(found.map(([, comparison = '=', version = '']) => [comparison, version] as const));
}

function conditions(list: readonly (readonly [comparison: string, version: string])[]): VersionRange {
  return (version) =>
    list.every(([comparison, bound]) => comparisons[comparison]?.(compareVersions(version, bound)) ?? false);
}
