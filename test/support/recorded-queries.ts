/** The queries of a new database, and the statements that they ran. */
import { expect } from 'vitest';
import { openTestData, type TestData } from './open-test-data.ts';
import { isStatement, scansOf } from './query-plans.ts';
import type { DialectName } from './test-database.ts';

export interface RecordedQueries extends TestData {
  /** Fails if a statement read all rows of a table that can grow. */
  expectNoScans(): Promise<void>;
}

export async function openRecordedQueries(dialect: DialectName): Promise<RecordedQueries> {
  const statements = new Set<string>();
  const test = await openTestData(dialect, ({ sql }) => {
    if (isStatement(sql)) statements.add(sql);
  });
  return {
    ...test,
    expectNoScans: async () => expect(await scansOf(test.database, [...statements])).toEqual([]),
  };
}
