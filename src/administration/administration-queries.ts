import { sql } from 'kysely';
import { defineQueries } from '../db/data.ts';
import type { Database, Queries } from '../db/database.ts';
import { createJobQueries } from './administration-jobs-queries.ts';
import { createPeopleQueries } from './administration-people-queries.ts';
import { createStoredQueries } from './administration-storage-queries.ts';

export type AdministrationQueries = ReturnType<typeof createAdministrationQueries>;

export interface DatabaseFacts {
  dialect: Database['dialect'];
  /** As reported by the server, for example `17.2` or `3.50.4`. */
  serverVersion: string;
  /** The latest applied migration; null if there is none. */
  schema: string | null;
}

export const administrationQueries = defineQueries(createAdministrationQueries);

/** Queries for administrators only. */
function createAdministrationQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  return {
    ...createPeopleQueries(db, database),
    ...createStoredQueries(db),
    ...createJobQueries(db, database),

    async databaseFacts(): Promise<DatabaseFacts> {
      const version =
        database.dialect === 'sqlite'
          ? sql<{ version: string }>`select sqlite_version() as version`
          : sql<{ version: string }>`select split_part(current_setting('server_version'), ' ', 1) as version`;
      const { rows } = await version.execute(db);
      const schema = await sql<{ name: string }>`
        select name from schema_migrations order by name desc limit 1`.execute(db);
      return {
        dialect: database.dialect,
        serverVersion: rows[0]?.version ?? '',
        schema: schema.rows[0]?.name ?? null,
      };
    },

    /** Counts owners that are not deleted, along an index. */
    async countOwners(kind: 'user' | 'project'): Promise<number> {
      const row = await db
        .selectFrom('owners')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('kind', '=', kind)
        .where('deleted_at', 'is', null)
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },

    async countWorkspaces(): Promise<number> {
      const row = await db
        .selectFrom('workspaces')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('deleted_at', 'is', null)
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },
  };
}
