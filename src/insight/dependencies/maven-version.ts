/** Compares versions as Maven 3.9 and later do. Source: the comparison of versions in maven-artifact 3.9. */

/** A number, as digits without leading zeros; a qualifier; a qualifier with a number, such as `rc1`; or what a hyphen separates. */
type Item =
  | { kind: 'number'; digits: string }
  | { kind: 'word'; word: string }
  | { kind: 'both'; word: string; digits: string }
  | List;
interface List {
  kind: 'list';
  items: Item[];
}

/** Longer ones are compared by their beginning. */
const maxVersionLength = 200;
const knownQualifiers = ['alpha', 'beta', 'milestone', 'rc', 'snapshot', '', 'sp'];
const aliases: Readonly<Record<string, string>> = { ga: '', final: '', release: '', cr: 'rc' };
/** Only if a number follows, as in 1a1. */
const shortAliases: Readonly<Record<string, string>> = { a: 'alpha', b: 'beta', m: 'milestone' };
const releaseRank = knownQualifiers.indexOf('');

/** Returns a negative number if `one` precedes `other`, and 0 if they are equal, such as `1.0` and `1`. */
export const compareVersions = (one: string, other: string): number => compareItems(parse(one), parse(other));

function parse(version: string): List {
  const text = version.slice(0, maxVersionLength).toLowerCase();
  const root: List = { kind: 'list', items: [] };
  const lists = [root];
  let list = root;
  let start = 0;
  let isDigit = false;
  let isBoth = false;
  const nest = () => {
    const inner: List = { kind: 'list', items: [] };
    list.items.push(inner);
    lists.push(inner);
    list = inner;
  };
  const add = (end: number) =>
    list.items.push(
      end === start ? { kind: 'number', digits: '0' } : itemOf(text.slice(start, end), isDigit, isBoth),
    );
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    if (letter === '.') {
      add(at);
      isBoth = false;
      start = at + 1;
    } else if (letter === '-') {
      // `rc-1` is `rc1`.
      if (at > start && !isDigit && /\d/.test(text.charAt(at + 1))) {
        isBoth = true;
        continue;
      }
      add(at);
      start = at + 1;
      nest();
      isBoth = false;
    } else if (/\d/.test(letter)) {
      if (!isDigit && at > start) {
        isBoth = true;
        if (list.items.length > 0) nest();
      }
      isDigit = true;
    } else {
      if (isDigit && at > start) {
        add(at);
        start = at;
        nest();
        isBoth = false;
      }
      isDigit = false;
    }
  }
  if (text.length > start) {
    // A qualifier at the end follows a hyphen, whatever separates it.
    if (!isDigit && list.items.length > 0) nest();
    add(text.length);
  }
  for (const one of lists.toReversed()) dropZeros(one.items);
  return root;
}

function itemOf(text: string, isDigit: boolean, isBoth: boolean): Item {
  if (isBoth) {
    const [, word = '', digits = ''] = /^(\D*)(\d*)/.exec(text.replaceAll('-', '')) ?? [];
    return { kind: 'both', word: shortAliases[word] ?? word, digits: withoutZeros(digits) };
  }
  return isDigit ? { kind: 'number', digits: withoutZeros(text) } : { kind: 'word', word: text };
}

const withoutZeros = (digits: string) => digits.replace(/^0+(?=\d)/, '');

/** Removes what means nothing, such as the zeros of 1.0 and 1.0-rc1. */
function dropZeros(items: Item[]): void {
  for (let at = items.length - 1; at >= 0; at--) {
    const [item, next] = [items[at], items[at + 1]];
    if (!item || !isNull(item)) continue;
    const following = next?.kind === 'list' ? next.items[0] : next;
    const isBeforeWord = following?.kind === 'word' || (next?.kind === 'list' && following?.kind === 'both');
    if (!next || isBeforeWord) items.splice(at, 1);
  }
}

const isNull = (item: Item) =>
  item.kind === 'list' ? item.items.length === 0 : item.kind === 'number' && item.digits === '0';

/** In ascending order: a word, a word with a number, what follows a hyphen, a number. */
const kindRank = { word: 0, both: 0, list: 1, number: 2 } as const;

/** Undefined is compared as what is missing in the other version. */
function compareItems(one: Item | undefined, other: Item | undefined): number {
  if (!one) return other ? -compareItems(other, one) : 0;
  if (!other) return compareWithNothing(one);
  if (one.kind === 'list' && other.kind === 'list') {
    for (let index = 0; index < Math.max(one.items.length, other.items.length); index++) {
      const order = compareItems(one.items[index], other.items[index]);
      if (order !== 0) return order;
    }
    return 0;
  }
  const rank = kindRank[one.kind] - kindRank[other.kind];
  if (rank !== 0 || one.kind === 'list' || other.kind === 'list') return rank;
  if (one.kind === 'number' || other.kind === 'number') return compareDigits(one, other);
  const [left, right] = [wordRank(one.word), wordRank(other.word)];
  // `rc` precedes `rc1`.
  return left - right || compareText(wordOf(one.word), wordOf(other.word)) || compareDigits(one, other);
}

function compareWithNothing(item: Item): number {
  if (item.kind === 'number') return item.digits === '0' ? 0 : 1;
  if (item.kind !== 'list') return wordRank(item.word) - releaseRank;
  for (const inner of item.items) {
    const order = compareWithNothing(inner);
    if (order !== 0) return order;
  }
  return 0;
}

function compareDigits(one: Item, other: Item): number {
  const [left, right] = [one, other].map((item) => ('digits' in item ? item.digits : ''));
  return (left ?? '').length - (right ?? '').length || compareText(left ?? '', right ?? '');
}

const wordOf = (word: string) => aliases[word] ?? word;

function wordRank(word: string): number {
  const known = knownQualifiers.indexOf(wordOf(word));
  return known === -1 ? knownQualifiers.length : known;
}

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
