import { readFileSync } from 'node:fs';
import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** The schema of the first release. Each dialect has its statements in a file, separated by empty lines. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const dialect = db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
  const text = readFileSync(new URL(`./0001-baseline.${dialect}.sql`, import.meta.url), 'utf8');
  for (const statement of text.split('\n\n')) await sql.raw(statement).execute(db);
}
