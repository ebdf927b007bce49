/** Opens the configured database. Only this file, `sqlite.ts` and `postgres.ts` distinguish the two kinds. */

import { reasonOf, unavailable } from '../core/errors.ts';
import { errorCode } from '../core/file-errors.ts';
import type { Database, DatabaseConfig, DatabaseUse, ObserveQuery } from './database.ts';

/** Loads only the driver in use. The first query to PostgreSQL is that of `migrate`. */
export async function openDatabase(
  config: DatabaseConfig,
  use: DatabaseUse = 'command',
  observe?: ObserveQuery,
): Promise<Database> {
  if (config.kind === 'sqlite') {
    const { openSqlite, openSqliteWhenUnlocked } = await import('./sqlite.ts');
    try {
      return await openSqliteWhenUnlocked(config.path, observe).catch((error) => {
        // Alone, a server needs no file of memory shared with others, which does not fit on a full disk.
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

/** https://www.sqlite.org/rescode.html#ioerr_shmsize */
function isFullDisk(error: unknown): boolean {
  const code = errorCode(error) ?? '';
  return code === 'SQLITE_FULL' || code === 'SQLITE_IOERR_SHMSIZE';
}
