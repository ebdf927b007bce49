import { sql, type Transaction } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/open-database.ts';
import type { Tables } from '../../src/db/tables.ts';
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
    // The transaction fails, and is repeated with the new columns.
    expect(await data.transaction((tx) => read(tx as typeof data))).toHaveLength(2);
  });

  it.each([
    ['server', { lock_timeout: '8s', statement_timeout: '20s', idle_in_transaction_session_timeout: '5s' }],
    ['command', { lock_timeout: '1min', statement_timeout: '1h', idle_in_transaction_session_timeout: '5s' }],
  ] as const)('limits every wait of a %s', async (use, expected) => {
    const database = await openDatabase(test.config, use);
    const { rows } = await sql<{ name: string; setting: string }>`
      select name, current_setting(name) as setting from pg_settings
      where name like '%timeout' and source = 'session'`.execute(database.queries);
    await database.close();
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toMatchObject(expected);
  });

  it('migrates and copies without the limits of a server, and keeps those of its other transactions', async () => {
    const database = await openDatabase(test.config, 'server');
    const limitsOf = (transaction: Transaction<Tables>) =>
      sql<{ lock: string; statement: string; idle: string }>`
        select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement,
          current_setting('idle_in_transaction_session_timeout') as idle`
        .execute(transaction)
        .then(({ rows }) => rows[0]);
    const run = (before: (transaction: Transaction<Tables>) => Promise<void>) =>
      database.queries.transaction().execute(async (transaction) => {
        await before(transaction);
        return limitsOf(transaction);
      });
    expect(await run(database.lockForMigration)).toEqual({ lock: '1h', statement: '1h', idle: '1min' });
    expect(await run(database.waitForLocks)).toEqual({ lock: '8s', statement: '20s', idle: '5s' });
    expect(await run(database.allowPauses)).toEqual({ lock: '500ms', statement: '20s', idle: '1min' });
    expect(await run(async () => undefined)).toEqual({ lock: '500ms', statement: '20s', idle: '5s' });
    await database.close();
  });

  it('repeats a transaction that a deadlock aborted', async () => {
    const { data } = test;
    const [ada, ben] = [await addUser(data, 'ada'), await addUser(data, 'ben')];
    const [one, two] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const lockBoth = (first: string, last: string, mine: () => void, theirs: Promise<void>) =>
      data.transaction(async (tx) => {
        await tx.quotas.lock(first);
        mine();
        await theirs;
        await tx.quotas.lock(last);
        return 'done';
      });
    expect(
      await Promise.all([
        lockBoth(ada.id, ben.id, one.resolve, two.promise),
        lockBoth(ben.id, ada.id, two.resolve, one.promise),
      ]),
    ).toEqual(['done', 'done']);
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
