/** Opens the database that the settings name. Only this file, `sqlite.ts` and `postgres.ts` know that there are two kinds. */
import { reasonOf, unavailable } from '../core/errors.ts';
import type { Database, DatabaseConfig, ObserveQuery } from './database.ts';

/** The driver of the kind not chosen is never loaded. PostgreSQL is first asked when `migrate` asks it. */
export async function openDatabase(config: DatabaseConfig, observe?: ObserveQuery): Promise<Database> {
  if (config.kind === 'sqlite') {
    const { openSqliteWhenUnlocked } = await import('./sqlite.ts');
    try {
      return await openSqliteWhenUnlocked(config.path, observe);
    } catch (error) {
      throw unavailable(`the database ${config.path} cannot be opened: ${reasonOf(error)}`, error);
    }
  }
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(config.url, config.maxConnections, observe);
}
