/** Copies all rows from one database into another of either dialect: complete, unchanged, all or none. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyRows, tablesInUse } from '../../src/db/copy-rows.ts';
import type { Database } from '../../src/db/database.ts';
import { describeTables } from '../../src/db/describe-tables.ts';
import { migrate, requireCurrentSchema } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { openExclusively } from '../../src/db/open-exclusive.ts';
import { fillEveryTable, readAllRows } from '../support/every-table.ts';
import {
  createEmptyDatabase,
  createTestDatabase,
  type DialectName,
  dialects,
  type TestDatabase,
} from '../support/test-database.ts';

/** More than one batch, and not a multiple of its size. */
const rowsEach = 120;

describe('copying all rows', () => {
  const opened: { database: Database; place: TestDatabase }[] = [];
  let full: Database;
  const fresh = async (dialect: DialectName) => {
    const place = await createTestDatabase(dialect);
    const database = await openDatabase(place.config);
    opened.push({ database, place });
    return database;
  };
  beforeAll(async () => {
    full = await fresh('sqlite');
    await fillEveryTable(full, rowsEach);
  });
  afterAll(async () => {
    for (const { database, place } of opened) {
      await database.close();
      await place.remove();
    }
  });

  it.each(dialects)('keeps them unchanged from SQLite to %s and back', async (dialect) => {
    const [away, back] = [await fresh(dialect), await fresh('sqlite')];
    const before = await readAllRows(full);
    const tables = Object.keys(before);
    expect(tables).toContain('build_words');
    for (const table of tables) expect(before[table]).toHaveLength(rowsEach);
    const told: number[] = [];
    const pausing: string[] = [];
    const pausable = (name: string, database: Database): Database => ({
      ...database,
      allowPauses: async (transaction) => {
        pausing.push(name);
        await database.allowPauses(transaction);
      },
    });
    const copied = await copyRows(full, pausable('away', away), { onRows: (rows) => told.push(rows) });
    expect(copied).toEqual({ tables: tables.length, rows: tables.length * rowsEach });
    expect(told.at(-1)).toBe(copied.rows);
    expect(told.length).toBe(tables.length * 2);
    expect(await readAllRows(away)).toEqual(before);
    expect(await triggersOf(away)).toEqual(await triggersOf(await fresh(dialect)));
    expect(await copyRows(pausable('from', away), pausable('back', back))).toEqual(copied);
    // SQLite is opened exclusively, without a snapshot.
    expect(pausing).toEqual(dialect === 'postgres' ? ['away', 'back', 'from'] : ['away', 'back']);
    expect(await readAllRows(back)).toEqual(before);
    expect(await triggersOf(back)).toEqual(await triggersOf(full));
  });

  it.each(dialects)('copies all or none on %s: a refused row leaves no other', async (dialect) => {
    const target = await fresh(dialect);
    // The last of the referenced tables, so that many rows have been copied before.
    const spoil = {
      sqlite: sql`create unique index spoilt on audit_rows (length(actor_kind) > 0)`,
      postgres: sql`alter table audit_rows add constraint spoilt check (id not like '119%')`,
    };
    const mend = {
      sqlite: sql`drop index spoilt`,
      postgres: sql`alter table audit_rows drop constraint spoilt`,
    };
    await spoil[dialect].execute(target.queries);
    await expect(copyRows(full, target)).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/^the target refused rows of the table audit_rows: /),
    });
    expect(await tablesInUse(target)).toEqual([]);
    await mend[dialect].execute(target.queries);
    await expect(
      copyRows(full, target, { beforeCommit: () => Promise.reject(new Error('somebody came')) }),
    ).rejects.toThrow('somebody came');
    expect(await tablesInUse(target)).toEqual([]);
    await copyRows(full, target);
    expect(await tablesInUse(target)).toHaveLength(Object.keys(await readAllRows(full)).length);
    await expect(copyRows(full, target)).rejects.toThrow('the target refused rows of the table');
  });

  it('refuses a target with different tables', async () => {
    const target = await fresh('postgres');
    await sql`alter table devices add column colour text`.execute(target.queries);
    await expect(copyRows(full, target)).rejects.toMatchObject({
      kind: 'conflict',
      message: 'the columns of the table devices differ between source and target',
    });
  });

  it.each(dialects)('detects on %s existing rows, foreign tables and the schema version', async (dialect) => {
    const place = await createEmptyDatabase(dialect);
    const database = await openDatabase(place.config);
    opened.push({ database, place });
    expect(await tablesInUse(database)).toEqual([]);
    await sql`create table of_another (id text primary key)`.execute(database.queries);
    expect(await tablesInUse(database)).toEqual(['of_another']);
    await sql`drop table of_another`.execute(database.queries);
    await expect(requireCurrentSchema(database)).rejects.toMatchObject({ kind: 'conflict' });
    await migrate(database);
    await requireCurrentSchema(database);
    expect(await tablesInUse(database)).toEqual([]);
    await sql`insert into visitor_salts (day, salt) values ('2026-11-22', 'salt')`.execute(database.queries);
    expect(await tablesInUse(database)).toEqual(['visitor_salts']);
  });

  it.each(dialects)('describes the same tables on %s, referenced ones first', async (dialect) => {
    const tables = await describeTables(await fresh(dialect));
    const names = tables.map(({ name }) => name);
    for (const { name, references, primaryKey } of tables) {
      expect(primaryKey.length, name).toBeGreaterThan(0);
      for (const other of references) expect(names.indexOf(other)).toBeLessThan(names.indexOf(name));
    }
    const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);
    const facts = tables.map(({ name, columns, primaryKey }) => ({
      name,
      columns: [...columns].sort(),
      primaryKey,
    }));
    const ours = await describeTables(full);
    expect(facts.sort(byName)).toEqual(
      ours
        .map(({ name, columns, primaryKey }) => ({ name, columns: [...columns].sort(), primaryKey }))
        .sort(byName),
    );
  });
});

describe.each(dialects)('opening a database exclusively on %s', (dialect) => {
  it('succeeds only when no other connection is open', async () => {
    const place = await createTestDatabase(dialect);
    const other = await openDatabase(place.config);
    await migrate(other);
    await expect(openExclusively(place.config)).rejects.toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('is in use'),
    });
    // It continues to work.
    await sql`insert into visitor_salts (day, salt) values ('2026-11-22', 'salt')`.execute(other.queries);
    await other.close();
    const { database, requireExclusive } = await openExclusively(place.config);
    await requireExclusive();
    expect(await tablesInUse(database)).toEqual(['visitor_salts']);
    let opened = false;
    let waiting: Promise<Database> | null = null;
    if (dialect === 'sqlite') {
      waiting = openDatabase(place.config).finally(() => {
        opened = true;
      });
      await new Promise(setImmediate);
      expect(opened).toBe(false);
    } else {
      const late = await openDatabase(place.config);
      await tablesInUse(late);
      await expect(requireExclusive()).rejects.toMatchObject({ kind: 'conflict' });
      await late.close();
    }
    await database.close();
    await (await waiting)?.close();
    await place.remove();
  });
});

/** Includes the action of each trigger, and whether it is enabled. */
async function triggersOf({ dialect, queries }: Database): Promise<unknown[]> {
  const statement =
    dialect === 'sqlite'
      ? sql`select name, sql from sqlite_schema where type = 'trigger' order by name`
      : sql`select tgname, tgenabled from pg_trigger where not tgisinternal order by tgname`;
  const { rows } = await statement.execute(queries);
  expect(rows.length).toBeGreaterThan(0);
  return rows;
}
