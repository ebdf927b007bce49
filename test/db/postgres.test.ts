import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { addApp, addUser } from '../support/sample-rows.ts';

describe('PostgreSQL', () => {
  let test: TestData;
  beforeEach(async () => {
    test = await openTestData('postgres');
  });
  afterEach(() => test.close());

  it('returns 64-bit integers as numbers', async () => {
    const { rows } = await sql<{ large: number }>`select 9007199254740991::bigint as large`.execute(
      test.database.queries,
    );
    expect(rows).toEqual([{ large: Number.MAX_SAFE_INTEGER }]);
  });

  it('prepares each parameterized statement once per connection', async () => {
    for (let index = 0; index < 5; index++) await test.data.owners.findOwner(`nobody-${index}`);
    const { rows } = await test.database.queries.connection().execute(async (connection) => {
      return sql<{
        name: string;
      }>`select name from pg_prepared_statements where statement like '%name_key%'`.execute(connection);
    });
    expect(rows).toHaveLength(1);
  });

  it('keeps working when a newer node adds a column to a table that it selects with an asterisk', async () => {
    const { data } = test;
    const ada = await addUser(data, 'ada');
    const { appId } = await addApp(data, ada.id, { count: 2 });
    const read = (tx = data) => tx.builds.listBuilds(appId, { limit: 9 });
    expect(await read()).toHaveLength(2);
    const addColumn = (name: string) =>
      sql`alter table builds add column ${sql.id(name)} text`.execute(test.database.queries);
    await addColumn('of_a_newer_node');
    expect(await Promise.all(Array.from({ length: 12 }, () => read()))).toEqual(
      Array.from({ length: 12 }, () => expect.objectContaining({ length: 2 })),
    );
    expect(await data.transaction((tx) => read(tx as typeof data))).toHaveLength(2);
    await addColumn('of_the_next');
    const lost = await data.transaction((tx) => read(tx as typeof data)).catch((error) => error);
    expect(test.database.refusalOf(lost)).toMatchObject({ kind: 'unavailable' });
    expect(await data.transaction((tx) => read(tx as typeof data))).toHaveLength(2);
  });

  it('loses only one transaction when the server ends its connection', async () => {
    const ended = test.data.transaction(async (tx) => {
      await tx.owners.insertWorkspace({ name: 'lost', displayName: '', iconUrl: '', createdAt: 1 });
      const second = await test.openSecond();
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction'
      `.execute(second.database.queries);
      await tx.owners.hasUsers();
    });
    await expect(ended).rejects.toThrow(/connection error|terminat|ECONNRESET/);
    expect(await test.data.owners.findWorkspace('lost')).toBeNull();
    await test.data.owners.insertWorkspace({ name: 'kept', displayName: '', iconUrl: '', createdAt: 1 });
    expect(await test.data.owners.findWorkspace('kept')).not.toBeNull();
  });
});
