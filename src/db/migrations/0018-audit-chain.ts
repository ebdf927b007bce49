import { type Kysely, sql } from 'kysely';

/** The hash chain of the audit log: one seal for each entry, which stays when retention removes the entry. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  'alter table audit_rows add column sealed smallint not null default 0',
  'create index audit_rows_unsealed on audit_rows (id) where sealed = 0',
  `create table audit_seals (
    seq bigint primary key,
    entry_id text not null,
    salt text,
    entry_hash text not null,
    hash text not null,
    waiver text,
    constraint audit_seals_entry unique (entry_id)
  )`,
];
