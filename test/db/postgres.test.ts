import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestData, type TestData } from '../support/open-test-data.ts';

describe('PostgreSQL', () => {
  let test: TestData;
  beforeEach(async () => {
    test = await openTestData('postgres');
  });
  afterEach(() => test.close());

  it('answers 64-bit integers as numbers', async () => {
    const { rows } = await sql<{ large: number }>`select 9007199254740991::bigint as large`.execute(
      test.database.queries,
    );
    expect(rows).toEqual([{ large: Number.MAX_SAFE_INTEGER }]);
  });

  it('prepares each text with parameters once on a connection', async () => {
    for (let index = 0; index < 5; index++) await test.data.owners.findOwner(`nobody-${index}`);
    const { rows } = await test.database.queries.connection().execute(async (connection) => {
      return sql<{
        name: string;
      }>`select name from pg_prepared_statements where statement like '%name_key%'`.execute(connection);
    });
    expect(rows).toHaveLength(1);
  });

  it('loses one transaction and nothing else when the server ends its connection', async () => {
    const ended = test.data.transaction(async (inside) => {
      await inside.owners.insertWorkspace({ name: 'lost', displayName: '', iconUrl: '', createdAt: 1 });
      const second = await test.openSecond();
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction'
      `.execute(second.database.queries);
      await inside.owners.hasUsers();
    });
    await expect(ended).rejects.toThrow(/connection error|terminat|ECONNRESET/);
    expect(await test.data.owners.findWorkspace('lost')).toBeNull();
    await test.data.owners.insertWorkspace({ name: 'kept', displayName: '', iconUrl: '', createdAt: 1 });
    expect(await test.data.owners.findWorkspace('kept')).not.toBeNull();
  });
});
