/** Reads one page of the people with access to an app. */
import type { Data } from '../../db/data.ts';
import { listByName, type NameListRequest } from '../../projects/lists/list-by-name-http.ts';
import type { App } from '../app.ts';
import { peoplePath } from '../app-paths.ts';
import type { AppPeople } from './app-people.ts';
import { appPeopleQueries } from './app-people-queries.ts';

export async function listAppPeople(data: Data, app: App, asked: NameListRequest): Promise<AppPeople> {
  const { owner } = app;
  const { items, query, paging } = await listByName(
    asked,
    peoplePath(owner, app.platform, app.packageName),
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
  const self = { user: { id: owner.id, name: owner.name }, reason: 'self', since: null } as const;
  return { query, people: showsOwner ? [self, ...items] : items, paging };
}
