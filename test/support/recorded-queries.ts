/** The queries of a new database, which record their names: a file of tests about queries shows that it covers every one. */
import { expect } from 'vitest';
import { openTestData, type TestData } from './open-test-data.ts';
import type { DialectName } from './test-database.ts';

type Queries = TestData['data'];
type QueryGroup = Exclude<keyof Queries & string, 'transaction'>;

export interface RecordedQueries extends TestData {
  /** Fails unless each query of the groups was used, except those that are used elsewhere, such as `owners.ping`. */
  expectCovered(groups: readonly QueryGroup[], elsewhere?: readonly string[]): void;
}

export async function openRecordedQueries(dialect: DialectName): Promise<RecordedQueries> {
  const test = await openTestData(dialect);
  const asked = new Set<string>();
  const namesIn = (group: QueryGroup) => Object.keys(test.data[group]).map((name) => `${group}.${name}`);
  return {
    ...test,
    data: record(test.data, asked),
    expectCovered: (groups, elsewhere = []) =>
      expect(groups.flatMap(namesIn).filter((name) => !asked.has(name) && !elsewhere.includes(name))).toEqual(
        [],
      ),
  };
}

/** Records inside transactions too. */
function record<Recorded extends object>(queries: Recorded, asked: Set<string>): Recorded {
  const groups = Object.entries(queries).map(([group, value]) => [
    group,
    typeof value === 'function'
      ? value
      : new Proxy(value, {
          get: (target, name) => {
            asked.add(`${group}.${String(name)}`);
            return Reflect.get(target, name);
          },
        }),
  ]);
  const recorded = Object.fromEntries(groups);
  if ('transaction' in queries) {
    const { transaction } = queries as unknown as Queries;
    recorded.transaction = (work: (tx: Queries) => Promise<unknown>) =>
      transaction((tx) => work(record(tx, asked) as Queries));
  }
  return recorded;
}
