/** Reads one page of the people with access to an app. */
import type { Data } from '../../db/data.ts';
import { listByName, type NameListRequest } from '../../projects/lists/list-by-name-http.ts';
import type { App } from '../app.ts';
import { peoplePath } from '../app-paths.ts';
import type { AppPeople } from './app-people.ts';
import { appPeopleQueries } from './app-people-queries.ts';
import { selfOf } from './find-app-person.ts';

/** `address`: the page with the list. */
export async function listAppPeople(
  data: Data,
  app: App,
  asked: NameListRequest,
  address = peoplePath(app.owner, app.platform, app.packageName),
): Promise<AppPeople> {
  const { owner } = app;
  const { items, query, paging } = await listByName(
    asked,
    address,
    (words, page) =>
      owner.kind === 'project'
        ? appPeopleQueries(data).listTeam(owner.id, words, page)
        : appPeopleQueries(data).listShared(app.id, words, page),
    ({ user }) => user.name,
  );
  const showsOwner =
    owner.kind === 'user' &&
    paging.newer === null &&
    query
      .toLowerCase()
      .split(/\s+/)
      .every((word) => owner.name.toLowerCase().includes(word));
  return { query, people: showsOwner ? [selfOf(app), ...items] : items, paging };
}
