import { type Kysely, sql, type Transaction } from 'kysely';

/** Addresses are compared ignoring the case of A to Z alone: the Kelvin sign U+212A is no `k`. */
export async function up(db: Transaction<unknown> | Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ owner_id: string; email: string; email_key: string }>`
    select owner_id, email, email_key from users where email is not null`.execute(db);
  for (const { owner_id: id, email, email_key: known } of rows) {
    const key = email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    if (key !== known) await sql`update users set email_key = ${key} where owner_id = ${id}`.execute(db);
  }
}
