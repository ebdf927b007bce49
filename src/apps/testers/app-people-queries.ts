import { sql } from 'kysely';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import { type PartByName, readPartByName } from '../../db/name-order-queries.ts';
import type { Team } from '../../owners/owner.ts';
import type { AppPerson } from './app-people.ts';

export const appPeopleQueries = defineQueries(createAppPeopleQueries);

/** Up to `limit` people by name, after `after` or before `before`. `only`: the key of one name. */
interface NamePage extends PartByName {
  only?: string;
}

function createAppPeopleQueries(db: Queries) {
  return {
    /** Lists people in the teams of the Project, with names that contain every word, ignoring case. */
    async listTeam(projectId: string, words: readonly string[], page: NamePage): Promise<AppPerson[]> {
      const query = db
        .selectFrom('team_members as t')
        .innerJoin('owners as o', 'o.id', 't.user_id')
        .select(['o.id', 'o.name', 'o.name_key'])
        .select((select) => [
          select.fn.min<number>('t.created_at').as('since'),
          sql<string>`case max(case t.team when 'owner' then 4 when 'developer' then 3 when 'auditor' then 2 else 1 end)
            when 4 then 'owner' when 3 then 'developer' when 2 then 'auditor' else 'tester' end`.as('team'),
        ])
        .where('t.project_id', '=', projectId)
        .$if(words.length > 0, (query) => query.where(nameContains(words)))
        .$if(page.only !== undefined, (query) => query.where('o.name_key', '=', page.only ?? ''))
        .groupBy(['o.id', 'o.name', 'o.name_key']);
      const rows = await readPartByName(query, 'o.name_key', page);
      return rows.map((row) => ({
        user: { id: row.id, name: row.name },
        reason: row.team as Team,
        since: row.since,
      }));
    },

    /** Lists people who were given access by a User, with names that contain every word, ignoring case. */
    async listShared(appId: string, words: readonly string[], page: NamePage): Promise<AppPerson[]> {
      const query = db
        .selectFrom('app_testers as t')
        .innerJoin('owners as o', 'o.id', 't.user_id')
        .select(['o.id', 'o.name', 't.created_at'])
        .where('t.app_id', '=', appId)
        .$if(words.length > 0, (query) => query.where(nameContains(words)))
        .$if(page.only !== undefined, (query) => query.where('o.name_key', '=', page.only ?? ''));
      const rows = await readPartByName(query, 'o.name_key', page);
      return rows.map((row) => ({
        user: { id: row.id, name: row.name },
        reason: 'shared' as const,
        since: row.created_at,
      }));
    },
  };
}

const nameContains = (words: readonly string[]) =>
  sql<boolean>`${sql.join(
    words.map((word) => sql`o.name_key like ${holding(word)} escape '\\'`),
    sql` and `,
  )}`;

const holding = (word: string) => `%${word.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
