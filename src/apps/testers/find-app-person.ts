import type { Data } from '../../db/data.ts';
import { nameKey } from '../../owners/owner.ts';
import type { App } from '../app.ts';
import type { AppPerson } from './app-people.ts';
import { appPeopleQueries } from './app-people-queries.ts';

/** The owner of a User's app. */
export const selfOf = ({ owner }: App): AppPerson => ({
  user: { id: owner.id, name: owner.name },
  reason: 'self',
  since: null,
});

/** Finds a person with access to the app by name, ignoring case; null if there is none. */
export async function findAppPerson(data: Data, app: App, name: string): Promise<AppPerson | null> {
  const { owner } = app;
  if (owner.kind === 'user' && nameKey(owner.name) === nameKey(name)) return selfOf(app);
  const only = { limit: 1, only: nameKey(name) };
  const [found] =
    owner.kind === 'project'
      ? await appPeopleQueries(data).listTeam(owner.id, [], only)
      : await appPeopleQueries(data).listShared(app.id, [], only);
  return found ?? null;
}
