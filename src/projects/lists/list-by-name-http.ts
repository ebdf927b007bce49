/** One page of a list by name, as its address asks for it, and the addresses of its neighbours. */
import type { Data } from '../../db/data.ts';
import { cutPage, readNamePlace, readSearch } from '../../http/list-request.ts';
import { lenientText } from '../../http/routes/form.ts';
import { nameKey } from '../../owners/owner.ts';
import { withQuery } from '../../web/shell/site-addresses.ts';
import type { FoundNames, MemberProject, NamePage } from './project-list.ts';
import { projectListQueries } from './project-list-queries.ts';

/** Of an address that asks for a page of a list by name; what no list gave is none. */
export const nameListQuery = { q: lenientText(), after: lenientText(), before: lenientText() };
export type AskedNames = { [Field in keyof typeof nameListQuery]?: unknown };

export const namesOnPage = 50;

/** Asks for one more than fit on the page: then there is another. Behind the end, and before the beginning, is the first page. */
export async function listByName<Item>(
  asked: AskedNames,
  address: string,
  list: (words: readonly string[], page: NamePage) => Promise<Item[]>,
  nameOf: (item: Item) => string,
): Promise<FoundNames<Item>> {
  const { query, words } = readSearch(asked.q);
  const place = readNamePlace(asked);
  const most = namesOnPage + 1;
  let found = await list(words, { most, ...place });
  let from = { forwards: place.before === undefined, begins: place.after === undefined };
  const strayed = from.forwards ? found.length === 0 : found.length <= namesOnPage;
  if (strayed && !(from.forwards && from.begins)) {
    found = await list(words, { most });
    from = { forwards: true, begins: true };
  }
  const { items, hasPrevious, hasNext } = cutPage(found, namesOnPage, from);
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

/** Of the Projects of one User. */
export async function listMemberProjects(
  data: Data,
  userId: string,
  asked: AskedNames,
  address: string,
  within: readonly string[] | null = null,
): Promise<FoundNames<MemberProject>> {
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
