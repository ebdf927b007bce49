/** The queries on a fresh, migrated database, without a server. */
import type { Database, ObserveQuery } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { createTestQueries, type TestQueries } from './every-query.ts';
import { createTestDatabase, type DialectName, type TestDatabase } from './test-database.ts';

export interface TestData {
  config: TestDatabase['config'];
  database: Database;
  data: TestQueries;
  /** Opens separate connections to the same database, like another process. */
  openSecond(): Promise<{ database: Database; data: TestQueries }>;
  close(): Promise<void>;
}

export async function openTestData(dialect: DialectName, observe?: ObserveQuery): Promise<TestData> {
  const where = await createTestDatabase(dialect);
  const opened: Database[] = [];
  const open = async () => {
    const database = await openDatabase(where.config, 'command', observe);
    opened.push(database);
    return { database, data: createTestQueries(database) };
  };
  const first = await open();
  return {
    ...first,
    config: where.config,
    openSecond: open,
    close: async () => {
      for (const database of opened.reverse()) await database.close();
      await where.remove();
    },
  };
}
