/** Exports who has access to an app, and why, as CSV for spreadsheets. */
import { csvLine } from '../../core/csv.ts';
import type { Data } from '../../db/data.ts';
import { nameKey } from '../../owners/owner.ts';
import type { App } from '../app.ts';
import type { AppPerson } from './app-people.ts';
import { appPeopleQueries } from './app-people-queries.ts';

const rowsPerBatch = 200;

/** Yields the people by name, read in parts to limit memory. */
export async function* appPeopleLines(data: Data, { id, owner }: App): AsyncGenerator<string> {
  yield csvLine(['person', 'access', 'since']);
  if (owner.kind === 'user') yield lineOf({ user: owner, reason: 'self', since: null });
  let after: string | undefined;
  for (;;) {
    const page = { limit: rowsPerBatch, after };
    const people =
      owner.kind === 'project'
        ? await appPeopleQueries(data).listTeam(owner.id, [], page)
        : await appPeopleQueries(data).listShared(id, [], page);
    if (people.length > 0) yield people.map(lineOf).join('');
    const last = people.at(-1);
    if (!last || people.length < rowsPerBatch) return;
    after = nameKey(last.user.name);
  }
}

const lineOf = ({ user, reason, since }: AppPerson) =>
  csvLine([user.name, reason, since === null ? '' : new Date(since).toISOString()]);
