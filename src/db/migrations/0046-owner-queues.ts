import { type Kysely, sql, type Transaction } from 'kysely';

/**
 * The lane whose queue a job is in since it is due; null before, and for jobs of earlier versions. The index `outbox_turns` has the
 * jobs that wait, by owner: each claim reads its next row, however many wait. Replaces `turn`, which earlier versions still write.
 */
export async function up(db: Transaction<unknown> | Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('outbox').addColumn('queue', 'text').execute();
  await db.schema.dropIndex('outbox_queued_for').execute();
  await db.schema.dropIndex('outbox_due').execute();
  await sql`create index outbox_turns on outbox (queue, queued_for, run_at, id)
    where queue is not null and leased_until is null`.execute(db);
  await sql`create index outbox_planned on outbox (run_at, id)
    where queue is null and leased_until is null`.execute(db);
  await sql`create index outbox_leases on outbox (leased_until) where leased_until is not null`.execute(db);
}
