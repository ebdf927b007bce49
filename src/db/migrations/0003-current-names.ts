import { type Kysely, sql } from 'kysely';

/** Renames stored values to the terms that the code uses now. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table hook_deliveries rename column news_id to event_id`.execute(db);
  await sql`
    update outbox set kind = 'send-account-email', payload = replace(payload, '"letter":', '"accountEmail":')
    where kind = 'send-letter'`.execute(db);
  await sql`update outbox set kind = 'send-last-webhook' where kind = 'send-last-hook'`.execute(db);
  await sql`
    update outbox set payload = replace(replace(payload, '"telling":', '"pending":'), '"newsId":', '"eventId":')
    where kind = 'remove-app'`.execute(db);
  await sql`update audit_rows set action = 'page.created' where action = 'page.made'`.execute(db);
  await sql`update audit_rows set action = 'password.email-sent' where action = 'password.letter-sent'`.execute(
    db,
  );
  await sql`update refused_visits set reason = 'no-access' where reason = 'stranger'`.execute(db);
}
