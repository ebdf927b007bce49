import { defineQueries } from '../db/data.ts';
import type { Database, Queries } from '../db/database.ts';
import type { AppTester } from './owner.ts';

export type AppTesterQueries = ReturnType<typeof createAppTesterQueries>;

export const appTesterQueries = defineQueries(createAppTesterQueries);

function createAppTesterQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  const locksRows = database.dialect === 'postgres';

  return {
    async has(appId: string, userId: string): Promise<boolean> {
      const row = await db
        .selectFrom('app_testers')
        .select('user_id')
        .where('app_id', '=', appId)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** By name, at most `most` of them. */
    async list(appId: string, most: number): Promise<AppTester[]> {
      const rows = await db
        .selectFrom('app_testers as t')
        .innerJoin('owners as o', 'o.id', 't.user_id')
        .select(['o.id', 'o.name', 't.created_at'])
        .where('t.app_id', '=', appId)
        .orderBy('o.name_key')
        .limit(most)
        .execute();
      return rows.map((row) => ({ user: { id: row.id, name: row.name }, since: row.created_at }));
    },

    /**
     * To be asked inside a transaction: it holds the App's row, so that parallel callers are no more than `most`
     * together, and the User's, so that nobody is given access who is being deleted.
     */
    async add(tester: {
      appId: string;
      userId: string;
      most: number;
      now: number;
    }): Promise<'given' | 'already' | 'full' | 'unknown'> {
      const app = await db
        .selectFrom('apps')
        .select('id')
        .where('id', '=', tester.appId)
        .$if(locksRows, (query) => query.forNoKeyUpdate())
        .executeTakeFirst();
      const user = await db
        .selectFrom('users')
        .select('owner_id')
        .where('owner_id', '=', tester.userId)
        .$if(locksRows, (query) => query.forKeyShare())
        .executeTakeFirst();
      if (!app || !user) return 'unknown';
      const known = await db
        .selectFrom('app_testers')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('app_id', '=', tester.appId)
        .where('user_id', '!=', tester.userId)
        .executeTakeFirstOrThrow();
      if (Number(known.count) >= tester.most) return 'full';
      const row = await db
        .insertInto('app_testers')
        .values({ app_id: tester.appId, user_id: tester.userId, created_at: tester.now })
        .onConflict((conflict) => conflict.doNothing())
        .returning('user_id')
        .executeTakeFirst();
      return row ? 'given' : 'already';
    },

    /** Answers the name of who had access until now; null when they had none. */
    async remove(appId: string, userId: string): Promise<string | null> {
      const row = await db
        .deleteFrom('app_testers')
        .where('app_id', '=', appId)
        .where('user_id', '=', userId)
        .returning((returning) =>
          returning
            .selectFrom('owners as o')
            .select('o.name')
            .whereRef('o.id', '=', 'app_testers.user_id')
            .as('name'),
        )
        .executeTakeFirst();
      return row ? (row.name ?? '') : null;
    },
  };
}
