/** A database that is to be left: opened when nobody else has it open, so that nothing comes that would be lost. */
import { sql } from 'kysely';
import { conflict, reasonOf, unavailable } from '../core/errors.ts';
import type { Database, DatabaseConfig } from './database.ts';

export interface AloneDatabase {
  database: Database;
  /** Throws `conflict` when somebody else has it open by now; on SQLite nobody can. */
  requireAlone(): Promise<void>;
}

/** Rejects with `conflict` when somebody else has it open, and with `unavailable` when it cannot be opened. */
export async function openAlone(config: DatabaseConfig): Promise<AloneDatabase> {
  if (config.kind === 'sqlite') return openSqliteAlone(config.path);
  const { openPostgres } = await import('./postgres.ts');
  // One connection, so that all others are somebody else's.
  const database = openPostgres(config.url, 1);
  const requireAlone = () => requireNoOther(database);
  try {
    await requireAlone();
    return { database, requireAlone };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function openSqliteAlone(path: string): Promise<AloneDatabase> {
  const { openSqlite } = await import('./sqlite.ts');
  try {
    return { database: openSqlite(path, undefined, { alone: true }), requireAlone: async () => undefined };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code.startsWith('SQLITE_BUSY')) throw conflict(`${path} is in use: ${stopFirst}`);
    throw unavailable(`the database ${path} cannot be opened: ${reasonOf(error)}`, error);
  }
}

const stopFirst =
  'stop the server first, on every machine, because what came to it from now on would be left behind';

/** The view pg_stat_activity: what one may not see of others is null, their names are not. A server keeps a connection. */
async function requireNoOther({ queries }: Database): Promise<void> {
  const { rows } = await sql<{ address: string }>`
    select coalesce(host(client_addr), 'this machine') as address
    from pg_stat_activity
    where datname = current_database() and usename = current_user and pid <> pg_backend_pid()
      and coalesce(backend_type, 'client backend') = 'client backend'
    order by 1`
    .execute(queries)
    .catch((error) => {
      throw unavailable(`the database cannot be used: ${reasonOf(error)}`, error);
    });
  if (rows.length === 0) return;
  const addresses = [...new Set(rows.map(({ address }) => address))].join(', ');
  throw conflict(`the database is in use, from ${addresses}: ${stopFirst}`);
}
