/** Reads one page of a list sorted by name, with links to the previous and next pages. */
import type { Data } from '../../db/data.ts';
import { cutPage, readNameCursor, readSearch } from '../../http/list-request.ts';
import { lenientText } from '../../http/routes/form.ts';
import { nameKey } from '../../owners/owner.ts';
import { withQuery } from '../../web/shell/site-paths.ts';
import type { MemberProject, NamePage, NamePageResult } from './project-list.ts';
import { projectListQueries } from './project-list-queries.ts';

/** Query parameters of a list sorted by name; invalid values are ignored. */
export const nameListQuery = { q: lenientText(), after: lenientText(), before: lenientText() };
export type NameListRequest = { [Field in keyof typeof nameListQuery]?: unknown };

export const namesPerPage = 50;

/**
 * Reads one item more than fits on the page, to find out whether there is another page. Returns the first page for positions past
 * either end.
 */
export async function listByName<Item>(
  asked: NameListRequest,
  address: string,
  list: (words: readonly string[], page: NamePage) => Promise<Item[]>,
  nameOf: (item: Item) => string,
): Promise<NamePageResult<Item>> {
  const { query, words } = readSearch(asked.q);
  const place = readNameCursor(asked);
  const limit = namesPerPage + 1;
  let found = await list(words, { limit, ...place });
  let from = { forwards: place.before === undefined, begins: place.after === undefined };
  const isOutOfRange = from.forwards ? found.length === 0 : found.length <= namesPerPage;
  if (isOutOfRange && !(from.forwards && from.begins)) {
    found = await list(words, { limit });
    from = { forwards: true, begins: true };
  }
  const { items, hasPrevious, hasNext } = cutPage(found, namesPerPage, from);
  const link = (side: 'after' | 'before', item: Item | undefined) =>
    item === undefined ? null : withQuery(address, { q: query, [side]: nameKey(nameOf(item)) });
  return {
    query,
    items,
    paging: {
      newer: hasPrevious ? link('before', items[0]) : null,
      older: hasNext ? link('after', items.at(-1)) : null,
    },
  };
}

/** Lists the Projects of a User. */
export async function listMemberProjects(
  data: Data,
  userId: string,
  asked: NameListRequest,
  address: string,
  within: readonly string[] | null = null,
): Promise<NamePageResult<MemberProject>> {
  const { items, ...found } = await listByName(
    asked,
    address,
    (words, page) => projectListQueries(data).listProjects({ memberId: userId, within }, words, page),
    ({ project }) => project.name,
  );
  const ids = items.map(({ project }) => project.id);
  const teams = await projectListQueries(data).teamsByProject(userId, ids);
  return { ...found, items: items.map((line) => ({ ...line, teams: teams.get(line.project.id) ?? [] })) };
}
