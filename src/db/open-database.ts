/** Opens the configured database. Only this file, `sqlite.ts` and `postgres.ts` distinguish the kinds. */

import { reasonOf, unavailable } from '../core/errors.ts';
import { errorCode } from '../core/file-errors.ts';
import type { Database, DatabaseConfig, DatabaseUse, ObserveQuery } from './database.ts';

/** Loads only the required driver. On PostgreSQL, `migrate` sends the first query. */
export async function openDatabase(
  config: DatabaseConfig,
  use: DatabaseUse = 'command',
  observe?: ObserveQuery,
): Promise<Database> {
  if (config.kind === 'sqlite') {
    const { openSqlite, openSqliteWhenUnlocked } = await import('./sqlite.ts');
    try {
      return await openSqliteWhenUnlocked(config.path, observe).catch((error) => {
        // A server that uses the database alone doesn't need the shared-memory file, which does not fit on a full disk.
        if (use === 'server' && isFullDisk(error)) return openSqlite(config.path, observe, { alone: true });
        throw error;
      });
    } catch (error) {
      throw unavailable(`the database ${config.path} cannot be opened: ${reasonOf(error)}`, error);
    }
  }
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(config, use, observe);
}

/** See https://www.sqlite.org/rescode.html#ioerr_shmsize. */
function isFullDisk(error: unknown): boolean {
  const code = errorCode(error) ?? '';
  return code === 'SQLITE_FULL' || code === 'SQLITE_IOERR_SHMSIZE';
}
