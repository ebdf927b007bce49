/** The words of a search, and the limits of its results. */

export const maxQueryLength = 200;
export const maxQueryWords = 6;
/** Results shown in each group. */
export const maxResults = 6;
/** How many results of each kind are counted, and shown on request. */
export const maxFound = 100;
/** How many apps are searched for builds and pages: those with the latest uploads. */
export const maxSearchedApps = 1_000;
/** How many builds are searched: the newest of each app. */
export const maxSearchedBuilds = 20_000;
/** Searching while typing sends several requests. */
export const searchLimit = {
  name: 'search',
  limit: 600,
  windowMs: 5 * 60_000,
  per: 'caller',
  refusal: 'searches',
} as const;

export interface SearchQuery {
  text: string;
  words: readonly string[];
}

export function readQuery(submitted: string | undefined): SearchQuery {
  const text =
    submitted === undefined || submitted.includes('\0')
      ? ''
      : submitted.slice(0, maxQueryLength).toWellFormed().trim();
  return { text, words: text.split(/\s+/).filter(Boolean).slice(0, maxQueryWords) };
}

const maxRevision = 2 ** 31 - 1;

/** Returns the revision in a word, `14` or `#14`; null if it has none. */
export function revisionOf(word: string): number | null {
  const digits = /^#?(\d{1,10})$/.exec(word)?.[1];
  const revision = digits === undefined ? 0 : Number(digits);
  return revision > 0 && revision <= maxRevision ? revision : null;
}

/**
 * Returns how many of the newest revisions of each app are searched: as many as possible for all apps together to stay within
 * `limit`. Apps with few builds leave more to the others.
 */
export function searchDepth(lastRevisions: readonly number[], limit = maxSearchedBuilds): number {
  let remaining = limit;
  const ascending = [...lastRevisions].sort((one, other) => one - other);
  for (const [index, revisions] of ascending.entries()) {
    const share = Math.floor(remaining / (ascending.length - index));
    if (revisions > share) return share;
    remaining -= revisions;
  }
  return ascending.at(-1) ?? 0;
}

/** Splits a text into parts that match a word of the search and parts between them, ignoring case. */
export function markedParts(
  text: string,
  words: readonly string[],
): { text: string; at: number; marked: boolean }[] {
  const lower = text.toLowerCase();
  // A few letters have a different length in lower case, so positions would not match.
  const wanted = lower.length === text.length ? words.map((word) => word.toLowerCase()) : [];
  const parts: { text: string; at: number; marked: boolean }[] = [];
  let at = 0;
  while (at < text.length) {
    let start = text.length;
    let end = text.length;
    for (const word of wanted) {
      const found = lower.indexOf(word, at);
      if (found !== -1 && (found < start || (found === start && found + word.length > end))) {
        start = found;
        end = found + word.length;
      }
    }
    if (start > at) parts.push({ text: text.slice(at, start), at, marked: false });
    if (end > start) parts.push({ text: text.slice(start, end), at: start, marked: true });
    at = end;
  }
  return parts;
}
