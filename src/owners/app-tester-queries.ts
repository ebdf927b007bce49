import { defineQueries } from '../db/data.ts';
import type { Database, Queries } from '../db/database.ts';
import type { AppTester } from './owner.ts';

export const appTesterQueries = defineQueries(createAppTesterQueries);

function createAppTesterQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  const locksRows = database.dialect === 'postgres';

  const lockApp = async (appId: string) => {
    const row = await db
      .selectFrom('apps')
      .select('id')
      .where('id', '=', appId)
      .$if(locksRows, (query) => query.forNoKeyUpdate())
      .executeTakeFirst();
    return row !== undefined;
  };

  return {
    /** Locks the app until the transaction ends. Returns whether it exists. */
    lockApp,

    async has(appId: string, userId: string): Promise<boolean> {
      const row = await db
        .selectFrom('app_testers')
        .select('user_id')
        .where('app_id', '=', appId)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Whether any User shares an app with the person. */
    async hasAny(userId: string): Promise<boolean> {
      const row = await db
        .selectFrom('app_testers as t')
        .innerJoin('apps as a', 'a.id', 't.app_id')
        .innerJoin('users as u', 'u.owner_id', 'a.owner_id')
        .select('t.app_id')
        .where('t.user_id', '=', userId)
        .where('a.deleted_at', 'is', null)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Lists at most `limit` people by name. */
    async list(appId: string, limit: number): Promise<AppTester[]> {
      const rows = await db
        .selectFrom('app_testers as t')
        .innerJoin('owners as o', 'o.id', 't.user_id')
        .select(['o.id', 'o.name', 't.created_at'])
        .where('t.app_id', '=', appId)
        .orderBy('o.name_key')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ user: { id: row.id, name: row.name }, since: row.created_at }));
    },

    /**
     * Call it in a transaction. It locks the app, so that parallel calls do not exceed `limit` together, and the user, who may be
     * about to be deleted.
     */
    async add(tester: {
      appId: string;
      userId: string;
      limit: number;
      now: number;
      addedBy?: string | null;
    }): Promise<'given' | 'already' | 'full' | 'unknown'> {
      const app = await lockApp(tester.appId);
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
      if (Number(known.count) >= tester.limit) return 'full';
      const row = await db
        .insertInto('app_testers')
        .values({
          app_id: tester.appId,
          user_id: tester.userId,
          created_at: tester.now,
          added_by: tester.addedBy ?? null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('user_id')
        .executeTakeFirst();
      return row ? 'given' : 'already';
    },

    /** Returns whether the person had access. */
    async remove(appId: string, userId: string): Promise<boolean> {
      const row = await db
        .deleteFrom('app_testers')
        .where('app_id', '=', appId)
        .where('user_id', '=', userId)
        .returning('user_id')
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
