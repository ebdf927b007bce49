import { sql } from 'kysely';
import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';
import type { PersonalTable, PersonalValue } from './personal-data.ts';

export const personalDataQueries = defineQueries(createPersonalDataQueries);

/** The person, before or after the deletion of the account. */
export interface PersonalValues {
  id: string;
  name: string;
  /** Null after the deletion, and for an address that is not confirmed: what was sent there may be somebody else's. */
  email: string | null;
}

type Row = Record<string, unknown>;

function createPersonalDataQueries(db: Queries) {
  /** Returns a condition for each column, so that each uses its index. */
  const conditionsOf = (by: PersonalTable['by'], person: PersonalValues) =>
    Object.entries(by).flatMap(([column, holds]: [string, PersonalValue]) => {
      const value = person[holds];
      if (value === null) return [];
      return [
        holds === 'email'
          ? sql`lower(${sql.ref(column)}) = lower(${value})`
          : sql`${sql.ref(column)} = ${value}`,
      ];
    });
  return {
    async findPerson(nameKey: string): Promise<PersonalValues | null> {
      const row = await db
        .selectFrom('owners as o')
        .leftJoin('users as u', 'u.owner_id', 'o.id')
        .select(['o.id', 'o.name', 'u.email', 'u.email_confirmed'])
        .where('o.kind', '=', 'user')
        .where('o.name_key', '=', nameKey)
        .executeTakeFirst();
      return row ? { id: row.id, name: row.name, email: row.email_confirmed === 1 ? row.email : null } : null;
    },

    /** Returns each row once. Some columns have no index, because only exports ask for them. */
    async listRows(
      name: string,
      { by }: PersonalTable,
      person: PersonalValues,
      limit: number,
    ): Promise<Row[]> {
      const found = new Map<string, Row>();
      for (const condition of conditionsOf(by, person)) {
        const { rows } =
          await sql<Row>`select * from ${sql.table(name)} where ${condition} limit ${limit}`.execute(db);
        for (const row of rows) found.set(JSON.stringify(row), row);
      }
      return [...found.values()].slice(0, limit);
    },

    async replaceNames(
      table: string,
      { by, clear }: PersonalTable,
      name: string,
      pseudonym: string,
    ): Promise<void> {
      for (const [column, holds] of Object.entries(by)) {
        if (holds !== 'name') continue;
        const cleared = clear === undefined ? sql`` : sql`, ${sql.ref(clear)} = null`;
        await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${pseudonym}${cleared}
          where ${sql.ref(column)} = ${name}`.execute(db);
      }
    },

    /** Replaces the name of a deleted account. Its key keeps the name reserved without naming it. */
    async eraseOwner(id: string, pseudonym: string, reservedKey: string): Promise<void> {
      await db
        .updateTable('owners')
        .set({ name: pseudonym, name_key: reservedKey })
        .where('id', '=', id)
        .where('deleted_at', 'is not', null)
        .execute();
    },

    /** Lists people whose accounts were deleted before that time, and who are not erased yet. */
    async listToErase(before: number, limit: number): Promise<PersonalValues[]> {
      const rows = await db
        .selectFrom('owners')
        .select(['id', 'name'])
        .where('deleted_at', '<', before)
        .where('kind', '=', 'user')
        .where('name_key', 'not like', '#%')
        .orderBy('deleted_at')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...row, email: null }));
    },

    /** Clears addresses and browsers of sessions, and networks of keys, that were last used before that time. */
    async clearAddresses(before: number): Promise<void> {
      await db
        .updateTable('sessions')
        .set({ address: '', user_agent: '' })
        .where('last_seen_at', '<', before)
        .where('address', '!=', '')
        .execute();
      await db
        .updateTable('api_keys')
        .set({ last_used_network: null })
        .where('last_used_network', 'is not', null)
        .where('last_used_at', '<', before)
        .execute();
    },
  };
}
