/** Opens a database exclusively before it is moved, so that no later write is lost. */
import { sql } from 'kysely';
import { conflict, reasonOf, unavailable } from '../core/errors.ts';
import type { Database, DatabaseConfig } from './database.ts';

export interface ExclusiveDatabase {
  database: Database;
  /** Throws `conflict` if another process has the database open now. That is impossible on SQLite. */
  requireExclusive(): Promise<void>;
}

/** Rejects with `conflict` if another process has it open, and with `unavailable` if it cannot be opened. */
export async function openExclusively(config: DatabaseConfig): Promise<ExclusiveDatabase> {
  if (config.kind === 'sqlite') return openSqliteForMaintenance(config.path);
  const { openPostgres } = await import('./postgres.ts');
  // With a single connection here, all others belong to other processes.
  const database = openPostgres({ ...config, maxConnections: 1 }, 'command');
  const requireExclusive = () => requireNoOtherConnection(database);
  try {
    await requireExclusive();
    return { database, requireExclusive };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function openSqliteForMaintenance(path: string): Promise<ExclusiveDatabase> {
  const { openSqlite } = await import('./sqlite.ts');
  try {
    return {
      database: openSqlite(path, undefined, { alone: true }),
      requireExclusive: async () => undefined,
    };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code.startsWith('SQLITE_BUSY')) throw conflict(`${path} is in use: ${stopFirst}`);
    throw unavailable(`the database ${path} cannot be opened: ${reasonOf(error)}`, error);
  }
}

const stopFirst = 'stop the server first, on every machine, so that no data is lost';

/** Reads pg_stat_activity, which may hide the details of other connections, but not that they exist. A running server always has one. */
async function requireNoOtherConnection({ queries }: Database): Promise<void> {
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
