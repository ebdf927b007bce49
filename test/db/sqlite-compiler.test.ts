import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector } from 'kysely';
import { describe, expect, it } from 'vitest';
import { SqlitePlanOnceCompiler } from '../../src/db/sqlite.ts';
import type { Tables } from '../../src/db/tables.ts';

const queries = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqlitePlanOnceCompiler(),
  },
});

describe('SQL for SQLite', () => {
  it('hides parameters beside a column from the planner, so that binding never replans', () => {
    const { sql, parameters } = queries
      .selectFrom('api_keys')
      .select('id')
      .where('key_hash', '=', 'hash')
      .where('expires_at', '>=', 5)
      .compile();
    expect(sql).toBe(
      'select "id" from "api_keys" where "key_hash" = (select ?) and "expires_at" >= (select ?)',
    );
    expect(parameters).toEqual(['hash', 5]);
  });

  it('leaves nulls, lists, new values and columns unchanged', () => {
    const found = queries
      .selectFrom('api_keys')
      .select('id')
      .where('revoked_at', 'is', null)
      .where('id', 'in', ['a', 'b'])
      .whereRef('owner_id', '=', 'id')
      .compile();
    expect(found.sql).toBe(
      'select "id" from "api_keys" where "revoked_at" is null and "id" in (?, ?) and "owner_id" = "id"',
    );
    const changed = queries.updateTable('api_keys').set({ name: 'ci' }).where('id', '=', 'a').compile();
    expect(changed.sql).toBe('update "api_keys" set "name" = ? where "id" = (select ?)');
  });
});
