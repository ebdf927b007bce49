/** Copied rows already include the results of triggers, which would otherwise apply them twice. */
import { type QueryExecutorProvider, sql } from 'kysely';
import type { Database } from './database.ts';

/** Runs `work` in a transaction, invisible to others, without Slipway’s triggers, and restores them at its end. */
export async function withoutTriggers<T>(
  dialect: Database['dialect'],
  transaction: QueryExecutorProvider,
  work: () => Promise<T>,
): Promise<T> {
  const bringBack = await takeAway[dialect](transaction);
  const result = await work();
  for (const statement of bringBack) await sql.raw(statement).execute(transaction);
  return result;
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/**
 * Returns the statements that restore them. SQLite cannot disable triggers, but stores the statement that created
 * each.
 */
const takeAway = {
  sqlite: async (transaction: QueryExecutorProvider): Promise<string[]> => {
    const { rows } = await sql<{ name: string; statement: string }>`
      select name, sql as statement from sqlite_schema where type = 'trigger'`.execute(transaction);
    for (const { name } of rows) await sql`drop trigger ${sql.ref(name)}`.execute(transaction);
    return rows.map(({ statement }) => statement);
  },
  postgres: async (transaction: QueryExecutorProvider): Promise<string[]> => {
    const { rows } = await sql<{ name: string }>`
      select distinct c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace`.execute(transaction);
    const alter = ({ name }: { name: string }, verb: string) =>
      `alter table ${quoted(name)} ${verb} trigger user`;
    for (const row of rows) await sql.raw(alter(row, 'disable')).execute(transaction);
    return rows.map((row) => alter(row, 'enable'));
  },
};
