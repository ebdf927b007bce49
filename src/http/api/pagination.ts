/** Cursor pagination of API lists: `?limit=&cursor=`, `next_cursor` and the Link header (RFC 8288). */
import * as v from 'valibot';
import { type JsonResponse, json } from '../routes/answer.ts';
import type { Client } from '../routes/client.ts';
import { checkStorable } from './input.ts';

export const defaultListLimit = 50;
export const maxListLimit = 200;
const maxCursorLength = 2048;

/**
 * The query parameters of a list. `position`: the end of a page, as stored in its cursor. The order of the list must be total, so
 * that changes between two pages neither repeat nor skip an item.
 */
export const listQuery = <Position extends readonly (string | number)[]>(
  position: v.GenericSchema<unknown, Position>,
) => ({
  limit: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,3}$/, `must be a whole number from 1 to ${maxListLimit}`),
      v.transform(Number),
      v.minValue(1, `must be at least 1`),
      v.maxValue(maxListLimit, `must be at most ${maxListLimit}`),
      v.description(`How many items a page has, at most ${maxListLimit}.`),
    ),
    String(defaultListLimit),
  ),
  cursor: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(maxCursorLength),
      v.rawTransform<string, Position>(({ dataset, addIssue, NEVER }) => {
        const decoded = v.safeParse(position, decode(dataset.value));
        if (decoded.success) return decoded.output;
        addIssue({ message: 'is not a cursor of this list' });
        return NEVER;
      }),
      v.description('The `next_cursor` of the page before.'),
    ),
  ),
});

/** A number in the position of a list. */
export const positionNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const decode = (cursor: string): unknown => {
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    checkStorable(position);
    return position;
  } catch {
    return null;
  }
};
export const encodeCursor = (position: readonly (string | number)[]) =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

export const listAnswer = <Item extends v.GenericSchema>(item: Item) =>
  v.object({
    data: v.array(item),
    next_cursor: v.pipe(
      v.nullable(v.string()),
      v.description('The `cursor` of the next page; null on the last one.'),
    ),
  });

/** The answer for a list to which items are only added at the end: every page has a cursor for reading later additions. */
export const feedAnswer = <Item extends v.GenericSchema>(item: Item) =>
  v.object({
    data: v.array(item),
    next_cursor: v.pipe(
      v.string(),
      v.description('The `cursor` of the next page, also of the one that is still empty.'),
    ),
    has_more: v.pipe(v.boolean(), v.description('Whether the next page has items already.')),
  });

/** Like `listPage`. `start`: the position before the first requested item. */
export function feedPage<Item, Shown>(
  found: readonly Item[],
  options: Parameters<typeof listPage<Item, Shown>>[1] & { start: readonly (string | number)[] },
): JsonResponse<{ data: Shown[]; next_cursor: string; has_more: boolean }> {
  const { value, ...head } = listPage(found, options);
  const last = found.slice(0, options.limit).at(-1);
  const position = last === undefined ? options.start : options.positionOf(last);
  const hasMore = value.next_cursor !== null;
  return { ...head, value: { data: value.data, next_cursor: encodeCursor(position), has_more: hasMore } };
}

/** `found`: one more item than `limit` if there is another page. */
export function listPage<Item, Shown>(
  found: readonly Item[],
  options: {
    limit: number;
    client: Pick<Client, 'target'>;
    positionOf: (item: Item) => readonly (string | number)[];
    show: (item: Item) => Shown;
  },
): JsonResponse<{ data: Shown[]; next_cursor: string | null }> {
  const { limit, client, positionOf, show } = options;
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return pageBefore(items.map(show), last === undefined ? null : positionOf(last), client);
}

/** For lists whose next page does not begin after an item. `next`: null on the last page. */
export function pageBefore<Shown>(
  data: Shown[],
  next: readonly (string | number)[] | null,
  client: Pick<Client, 'target'>,
): JsonResponse<{ data: Shown[]; next_cursor: string | null }> {
  const cursor = next && encodeCursor(next);
  return json(
    { data, next_cursor: cursor },
    cursor === null ? {} : { headers: { Link: `<${nextTarget(client.target, cursor)}>; rel="next"` } },
  );
}

/** Relative to the address of the request (RFC 8288, section 3.1). */
function nextTarget(target: string, cursor: string): string {
  const [path = '', query = ''] = target.split('?');
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', cursor);
  return `${path}?${parameters}`;
}
