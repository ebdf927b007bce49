/** Parses the search and pagination parameters of lists. */

const maxSearchLength = 100;
const maxSearchWords = 6;

/** Returns the search text and its words. */
export function readSearch(text: unknown): { query: string; words: string[] } {
  const query =
    typeof text === 'string' && !text.includes('\0')
      ? text.trim().slice(0, maxSearchLength).toWellFormed()
      : '';
  return { query, words: query.split(/\s+/).filter(Boolean).slice(0, maxSearchWords) };
}

const maxNameKeyLength = 64;

/** Reads the cursor of a list by name. `after` and `before` together are invalid. */
export function readNameCursor(query: { after?: unknown; before?: unknown }): {
  after: string | undefined;
  before: string | undefined;
} {
  const place = (text: unknown) =>
    typeof text === 'string' && /^[a-z0-9_-]+$/.test(text) && text.length <= maxNameKeyLength
      ? text
      : undefined;
  const before = place(query.before);
  return { before, after: before === undefined ? place(query.after) : undefined };
}

/**
 * `found`: one more than `limit` if there are more in the requested direction. Returns the items of the page, and whether there
 * are more in each direction.
 */
export function cutPage<Item>(
  found: readonly Item[],
  limit: number,
  from: { forwards: boolean; begins: boolean },
): { items: Item[]; hasPrevious: boolean; hasNext: boolean } {
  const more = found.length > limit;
  const items = from.forwards ? found.slice(0, limit) : found.slice(-limit);
  return from.forwards
    ? { items, hasPrevious: !from.begins, hasNext: more }
    : { items, hasPrevious: more, hasNext: true };
}
