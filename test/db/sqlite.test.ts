import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import BetterSqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/open-database.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { runsEverything } from '../support/runs-everything.ts';

describe('the embedded database', () => {
  let test: TestData;
  let path: string;
  beforeEach(async () => {
    test = await openTestData('sqlite');
    path = test.config.kind === 'sqlite' ? test.config.path : '';
  });
  afterEach(() => test.close());

  /** A raw statement goes to the connection that writes, a select to the one that reads. */
  const onWriter = async (pragma: string) => {
    const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(pragma)}`.execute(
      test.database.queries,
    );
    return Object.values(rows[0] ?? {})[0];
  };
  const onReader = async (pragma: string) => {
    const value = sql<unknown>`(select * from ${sql.raw(`pragma_${pragma}`)})`;
    const row = await test.database.queries.selectNoFrom(value.as('value')).executeTakeFirstOrThrow();
    return row.value;
  };
  const other = <T>(work: (connection: BetterSqlite.Database) => T): T => {
    const connection = new BetterSqlite(path, { timeout: 0 });
    try {
      return work(connection);
    } finally {
      connection.close();
    }
  };
  const addWorkspace = (name: string) =>
    test.data.owners.insertWorkspace({ name, displayName: name, iconUrl: '/i', createdAt: 1 });

  it.each([
    ['journal_mode', 'wal'],
    ['synchronous', 2],
    ['foreign_keys', 1],
    ['busy_timeout', 200],
  ])('sets %s = %s on the writing and the reading connection', async (pragma, value) => {
    expect(await onWriter(pragma)).toBe(value);
    expect(await onReader(pragma)).toBe(value);
  });

  it('waits for the lock of another process that opens the same file for the first time', async () => {
    const fresh = `${path}.fresh`;
    const holder = new BetterSqlite(fresh);
    holder.exec('begin exclusive; create table first (id integer)');
    const opening = openDatabase({ kind: 'sqlite', path: fresh });
    let opened = false;
    const done = opening.then((database) => {
      opened = true;
      return database;
    });
    await new Promise(setImmediate);
    expect(opened).toBe(false);
    holder.exec('commit');
    holder.close();
    await (await done).close();
  });

  it('cannot write through the reading connection', async () => {
    expect(await onWriter('query_only')).toBe(0);
    expect(await onReader('query_only')).toBe(1);
  });

  it('enforces foreign keys', async () => {
    await expect(test.data.owners.addTeamMember('nowhere', 'owner', 'nobody', 1)).rejects.toThrow(
      /FOREIGN KEY/,
    );
  });

  it('syncs to disk again after a counted attempt', async () => {
    expect(await test.data.attempts.countAttempts(['somebody'], 1, 1000)).toMatchObject([{ count: 1 }]);
    expect(await onWriter('synchronous')).toBe(2);
  });

  it('takes the write lock when a transaction begins, not at its first write', async () => {
    await test.data.transaction(async (tx) => {
      await tx.owners.hasUsers();
      expect(() => other((connection) => connection.exec('begin immediate'))).toThrow(/locked/);
    });
    other((connection) => connection.exec('begin immediate; rollback'));
  });

  it('begins every transaction with the write lock: no other source file begins one', () => {
    const source = fileURLToPath(new URL('../../src/', import.meta.url));
    const users = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .filter((file) =>
        /\.transaction\(\)|\bbegin (immediate|deferred|exclusive|transaction)\b/i.test(
          readFileSync(source + file, 'utf8'),
        ),
      )
      .sort();
    // A lock file is not a transaction on the database.
    const others = users.filter((file) => file !== 'db/process-lock.ts');
    expect(others).toEqual(['db/copy-rows.ts', 'db/data.ts', 'db/migrate.ts', 'db/sqlite.ts']);
  });

  it('waits for another process that writes, without blocking readers', async () => {
    const connection = new BetterSqlite(path);
    connection.exec('begin immediate');
    const written = addWorkspace('patient');
    const inTransaction = test.data.transaction((tx) => tx.owners.hasUsers());
    expect(await test.data.owners.findWorkspace('patient')).toBeNull();
    connection.exec('commit');
    connection.close();
    await written;
    await inTransaction;
    expect(await test.data.owners.findWorkspace('patient')).toMatchObject({ name: 'patient' });
  });

  it.runIf(runsEverything)(
    'refuses all writers that wait at the same time, instead of one after the other',
    async () => {
      const holder = new BetterSqlite(path);
      holder.exec('begin immediate');
      const waiting = await Promise.allSettled(['one', 'two', 'three'].map(addWorkspace));
      holder.exec('rollback');
      holder.close();
      for (const outcome of waiting) {
        const { reason } = outcome as PromiseRejectedResult;
        expect(test.database.refusalOf(reason)).toMatchObject({ kind: 'unavailable', retryAfterSeconds: 5 });
      }
      await addWorkspace('four');
    },
    // Less than three limits.
    40_000,
  );

  it('shows readers nothing of a transaction before its commit', async () => {
    await test.data.transaction(async (tx) => {
      await tx.owners.insertWorkspace({ name: 'unseen', displayName: '', iconUrl: '', createdAt: 1 });
      expect(await tx.owners.findWorkspace('unseen')).not.toBeNull();
      expect(await test.data.owners.findWorkspace('unseen')).toBeNull();
    });
    expect(await test.data.owners.findWorkspace('unseen')).not.toBeNull();
  });

  it('rolls back a failed commit before the next writer starts', async () => {
    const failing = test.database.queries.transaction().execute(async (transaction) => {
      // Checked only at the commit, which then fails and leaves the transaction open.
      await sql`pragma defer_foreign_keys = on`.execute(transaction);
      await sql`insert into team_members (project_id, user_id, team, created_at) values ('nowhere', 'nobody', 'owner', 1)`.execute(
        transaction,
      );
    });
    const next = test.data.transaction((tx) =>
      tx.owners.insertWorkspace({ name: 'next', displayName: '', iconUrl: '', createdAt: 1 }),
    );
    await expect(failing).rejects.toThrow(/FOREIGN KEY/);
    await next;
    expect(await test.data.owners.findWorkspace('next')).not.toBeNull();
    expect(other((connection) => connection.prepare('select count(*) as n from team_members').get())).toEqual(
      { n: 0 },
    );
  });

  it('reports a full disk instead of the failed rollback', async () => {
    await sql`pragma max_page_count = 1`.execute(test.database.queries);
    const large = test.data.transaction(async (tx) => {
      const iconUrl = 'x'.repeat(4_000_000);
      await tx.owners.insertWorkspace({ name: 'large', displayName: '', iconUrl, createdAt: 1 });
    });
    await expect(large).rejects.toThrow(/full/);
    await sql`pragma max_page_count = 1000000`.execute(test.database.queries);
    await addWorkspace('small');
    expect(await test.data.owners.findWorkspace('large')).toBeNull();
  });

  it('runs writers in the order of their requests', async () => {
    const order: number[] = [];
    const writers = Array.from({ length: 20 }, (_, index) =>
      test.data.transaction(async (tx) => {
        order.push(index);
        await tx.owners.hasUsers();
      }),
    );
    await Promise.all(writers);
    expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index));
  });

  it('keeps working after a transaction whose work failed', async () => {
    const failing = test.data.transaction(async (tx) => {
      await tx.owners.insertWorkspace({ name: 'undone', displayName: '', iconUrl: '', createdAt: 1 });
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await test.data.owners.findWorkspace('undone')).toBeNull();
    await addWorkspace('after');
  });
});
