import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { type Migration, migrate } from '../../src/db/migrate.ts';
import * as baseline from '../../src/db/migrations/0001-baseline.ts';
import * as appTotals from '../../src/db/migrations/0002-app-totals.ts';
import * as currentNames from '../../src/db/migrations/0003-current-names.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { dumpSchema } from '../support/dump-schema.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { createEmptyDatabase, dialects, type TestDatabase } from '../support/test-database.ts';

const first: Migration = {
  name: '0001-boats',
  up: (db) => db.schema.createTable('boats').addColumn('id', 'text').execute(),
};
const second: Migration = {
  name: '0002-tides',
  up: async (db) => {
    await db.schema.alterTable('boats').addColumn('name', 'text').execute();
    await db.schema.createTable('tides').addColumn('id', 'text').execute();
  },
};

describe.each(dialects)('migrations on %s', (dialect) => {
  let where: TestDatabase;
  let database: Database;
  beforeEach(async () => {
    where = await createEmptyDatabase(dialect);
    database = await openDatabase(where.config);
  });
  afterEach(async () => {
    await database.close();
    await where.remove();
  });

  const appliedMigrations = async () => {
    const { rows } = await sql<{ name: string; applied_at: number }>`
      select name, applied_at from schema_migrations order by name
    `.execute(database.queries);
    return rows.map(({ name, applied_at }) => [name, applied_at]);
  };
  const tables = async () => (await database.queries.introspection.getTables()).map(({ name }) => name);

  it('apply each once, in order, and keep what is there', async () => {
    expect(await migrate(database, () => 1, [first])).toEqual(['0001-boats']);
    await sql`insert into boats (id) values ('ada')`.execute(database.queries);
    expect(await migrate(database, () => 2, [first, second])).toEqual(['0002-tides']);
    expect(await migrate(database, () => 3, [first, second])).toEqual([]);
    expect(await appliedMigrations()).toEqual([
      ['0001-boats', 1],
      ['0002-tides', 2],
    ]);
    const { rows } = await sql`select id, name from boats`.execute(database.queries);
    expect(rows).toEqual([{ id: 'ada', name: null }]);
  });

  it('leave nothing behind when one fails half-way', async () => {
    await sql`create table tides (id text)`.execute(database.queries);
    await expect(migrate(database, Date.now, [first, second])).rejects.toThrow(/tides/);
    expect(await tables()).toEqual(['tides']);
    await sql`drop table tides`.execute(database.queries);
    expect(await migrate(database, Date.now, [first, second])).toEqual(['0001-boats', '0002-tides']);
  });

  it('refuse a database that a newer version has migrated, and change nothing', async () => {
    await migrate(database, () => 1, [first, second]);
    await expect(migrate(database, Date.now, [first])).rejects.toThrow(
      'the database has migration 0002-tides, which this version of Slipway does not know: start the newer version',
    );
    expect(await appliedMigrations()).toHaveLength(2);
  });

  it.runIf(runsEverything)('run once when several processes start together', async () => {
    const others = await Promise.all([1, 2, 3, 4].map(() => openDatabase(where.config)));
    try {
      const applied = await Promise.all(others.map((other) => migrate(other)));
      expect(applied.flat()).toEqual((await appliedMigrations()).map(([name]) => name));
    } finally {
      await Promise.all(others.map((other) => other.close()));
    }
  });

  it('give stored jobs and audit entries their current names', async () => {
    await migrate(database, Date.now, [
      { name: '0001-baseline', up: baseline.up },
      { name: '0002-app-totals', up: appTotals.up },
    ]);
    const { queries } = database;
    const addJob = (id: string, kind: string, payload: object) => {
      const plan = { attempts: 0, run_at: 1, created_at: 1, queued_for: 'ada' };
      return queries
        .insertInto('outbox')
        .values({ id, kind, payload: JSON.stringify(payload), ...plan })
        .execute();
    };
    await addJob('1', 'send-letter', { letter: { about: 'notice' }, until: 9 });
    await addJob('2', 'send-last-hook', { at: 1 });
    await addJob('3', 'remove-app', { appId: 'a', telling: { newsId: 'n', until: 9 } });
    for (const action of ['page.made', 'password.letter-sent', 'app.deleted']) {
      const entry = { id: action, at: 1, actor_kind: 'user', actor_name: 'ada', subject: '', details: '{}' };
      await queries
        .insertInto('audit_rows')
        .values({ ...entry, action })
        .execute();
    }
    await migrate(database);
    const jobs = await queries.selectFrom('outbox').select(['kind', 'payload']).orderBy('id').execute();
    expect(jobs.map(({ kind, payload }) => ({ kind, ...JSON.parse(payload) }))).toEqual([
      { kind: 'send-account-email', accountEmail: { about: 'notice' }, until: 9 },
      { kind: 'send-last-webhook', at: 1 },
      { kind: 'remove-app', appId: 'a', pending: { eventId: 'n', until: 9 } },
    ]);
    const actions = await queries.selectFrom('audit_rows').select('action').orderBy('action').execute();
    expect(actions.map(({ action }) => action)).toEqual([
      'app.deleted',
      'page.created',
      'password.email-sent',
    ]);
  });

  it('write the domains of stored email addresses in ASCII', async () => {
    await migrate(database, Date.now, [
      { name: '0001-baseline', up: baseline.up },
      { name: '0002-app-totals', up: appTotals.up },
      { name: '0003-current-names', up: currentNames.up },
    ]);
    const { queries } = database;
    const emails = ['Ann@exämple.com', 'ann@exa\u0308mple.com', 'bob@example.com', null];
    for (const [index, email] of emails.entries()) {
      const id = String(index);
      await queries
        .insertInto('owners')
        .values({ id, kind: 'user', name: `n${id}`, name_key: `n${id}`, created_at: 1 })
        .execute();
      await queries
        .insertInto('users')
        .values({ owner_id: id, email, email_key: email?.toLowerCase() ?? null, administrator: 0 })
        .execute();
    }
    const invitation = { token_hash: 'x', invited_by: '0', created_at: 1, expires_at: 2 };
    await queries
      .insertInto('invitations')
      .values({ id: 'i', email: 'eve@EXÄMPLE.com', ...invitation })
      .execute();
    await migrate(database);
    const rows = await queries
      .selectFrom('users')
      .select(['email', 'email_key'])
      .orderBy('owner_id')
      .execute();
    expect(rows).toEqual([
      { email: 'Ann@xn--exmple-cua.com', email_key: 'ann@xn--exmple-cua.com' },
      { email: 'ann@exa\u0308mple.com', email_key: 'ann@exa\u0308mple.com' },
      { email: 'bob@example.com', email_key: 'bob@example.com' },
      { email: null, email_key: null },
    ]);
    const invited = await queries.selectFrom('invitations').select('email').execute();
    expect(invited).toEqual([{ email: 'eve@xn--exmple-cua.com' }]);
  });

  it('produce the schema of the golden file', async () => {
    const files = await readdir(new URL('../../src/db/migrations', import.meta.url));
    const names = files.filter((file) => file.endsWith('.ts')).map((file) => file.replace('.ts', ''));
    expect(await migrate(database)).toEqual(names.sort());
    const path = fileURLToPath(new URL(`schema.${dialect}.sql`, import.meta.url));
    const schema = await dumpSchema(database);
    if (process.env.UPDATE_GOLDEN === '1') await writeFile(path, schema);
    expect(schema).toBe(await readFile(path, 'utf8'));
    expect(await migrate(database)).toEqual([]);
  });
});
