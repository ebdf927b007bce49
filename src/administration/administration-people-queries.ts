import { sql } from 'kysely';
import type { Database, Queries } from '../db/database.ts';
import { type PartByName, readPartByName } from '../db/name-order-queries.ts';
import { emailKey, nameKey } from '../owners/owner.ts';
import type { PeopleFilter, Person } from './administration-person.ts';

/** Queries about people, for administrators. The actions are in `administration-people.ts`. */
export function createPeopleQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  const locksRows = database.dialect === 'postgres';
  const people = () =>
    db
      .selectFrom('owners as o')
      .innerJoin('users as u', 'u.owner_id', 'o.id')
      .select(['o.id', 'o.name', 'o.name_key', 'o.created_at'])
      .select(['u.email', 'u.email_confirmed', 'u.administrator', 'u.disabled_at', 'u.last_seen_at'])
      .select([
        sql<number>`case when u.password_hash is null then 0 else 1 end`.as('has_password'),
        sql<number>`case when u.totp_secret is null then 0 else 1 end`.as('has_totp'),
        sql<number>`(select count(*) from passkeys as y where y.user_id = u.owner_id)`.as('passkeys'),
        sql<number | null>`(select max(k.last_used_at) from api_keys as k where k.owner_id = u.owner_id)`.as(
          'key_used_at',
        ),
      ])
      .where('o.kind', '=', sql.lit('user'))
      .where('o.deleted_at', 'is', null);

  return {
    /**
     * Lists people by name, after `after` or before `before`, if their name or address contains every word of the filter. Scans
     * the index of names until the page is full.
     */
    async listPeople(filter: PeopleFilter, part: PartByName): Promise<Person[]> {
      let query = people();
      if (filter.only === 'administrators') query = query.where(isAdministrator);
      if (filter.only === 'disabled') query = query.where(isDisabled);
      for (const word of filter.words) query = query.where(nameOrEmailContains(word));
      return (await readPartByName(query, 'o.name_key', part)).map(toPerson);
    },

    /** Ignores case. */
    async findPerson(name: string): Promise<Person | null> {
      const row = await people().where('o.name_key', '=', nameKey(name)).executeTakeFirst();
      return row ? toPerson(row) : null;
    },

    /** Counts unexpired sessions. */
    async countSessions(userId: string, now: number): Promise<number> {
      const row = await db
        .selectFrom('sessions')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('user_id', '=', userId)
        .where('expires_at', '>', now)
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },

    /** Returns the account, locked until the transaction ends; null if it does not exist. */
    async lockAccount(userId: string): Promise<{ administrator: boolean; disabled: boolean } | null> {
      const row = await db
        .selectFrom('users')
        .select(['administrator', 'disabled_at'])
        .where('owner_id', '=', userId)
        .$if(locksRows, (query) => query.forNoKeyUpdate())
        .executeTakeFirst();
      return row ? { administrator: row.administrator === 1, disabled: row.disabled_at !== null } : null;
    },

    async setAdministrator(userId: string, administrator: boolean): Promise<void> {
      await db
        .updateTable('users')
        .set({ administrator: administrator ? 1 : 0 })
        .where('owner_id', '=', userId)
        .execute();
    },
  };
}

/** The keys of names and addresses are lowercase. */
function nameOrEmailContains(word: string) {
  const pattern = `%${emailKey(word).replace(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`(o.name_key like ${pattern} escape '\\' or o.id in (
    select owner_id from users where email_key > '' and email_key like ${pattern} escape '\\'))`;
}

/** Subqueries find the matching people first, so that other rows are not read. */
const isAdministrator = sql<boolean>`o.id in (select owner_id from users where administrator = 1 and owner_id > '')`;
const isDisabled = sql<boolean>`o.id in (select owner_id from users where disabled_at is not null and owner_id > '')`;

function toPerson(row: {
  id: string;
  name: string;
  created_at: number;
  email: string | null;
  email_confirmed: number;
  administrator: number;
  disabled_at: number | null;
  last_seen_at: number | null;
  has_password: number;
  has_totp: number;
  passkeys: number;
  key_used_at: number | null;
}): Person {
  return {
    user: {
      kind: 'user',
      id: row.id,
      name: row.name,
      email: row.email,
      emailConfirmed: row.email_confirmed === 1,
      administrator: row.administrator === 1,
    },
    madeAt: row.created_at,
    disabledAt: row.disabled_at,
    lastSeenAt: latest(row.last_seen_at, row.key_used_at),
    hasPassword: row.has_password === 1,
    hasTotp: row.has_totp === 1,
    passkeys: Number(row.passkeys),
  };
}

function latest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}
