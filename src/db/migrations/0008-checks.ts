import { type Kysely, sql } from 'kysely';

/** Checks of builds: their facts, what people accepted, the settings of apps, and what administrators changed about rules. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  'alter table apps add column checks text',
  `create table build_checks (
    build_id text primary key references builds (id) on delete cascade,
    facts text not null,
    updated_at bigint not null
  )`,
  `create table check_acceptances (
    build_id text not null references builds (id) on delete cascade,
    check_id text not null,
    reason text not null,
    accepted_by text not null,
    created_at bigint not null,
    constraint check_acceptances_pk primary key (build_id, check_id)
  )`,
  `create table store_rules (
    id text primary key,
    kind text,
    threshold bigint,
    source text,
    from_day text,
    muted smallint not null default 0,
    updated_at bigint not null
  )`,
  `create table store_rule_reminders (
    app_id text not null references apps (id) on delete cascade,
    rule_id text not null,
    days bigint not null,
    created_at bigint not null,
    constraint store_rule_reminders_pk primary key (app_id, rule_id, days)
  )`,
];
