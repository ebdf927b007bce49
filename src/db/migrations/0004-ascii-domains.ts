import { domainToASCII } from 'node:url';
import { type Kysely, sql } from 'kysely';

/** Converts the domains of stored email addresses to ASCII. Skips an address if another account already has the result. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const users = await sql<{ owner_id: string; email: string }>`
    select owner_id, email from users where email is not null order by email_confirmed desc, owner_id`.execute(
    db,
  );
  for (const { owner_id, email } of users.rows) {
    const changed = withAsciiDomain(email);
    const key = changed.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    if (changed !== email)
      await sql`
        update users set email = ${changed}, email_key = ${key}
        where owner_id = ${owner_id} and not exists (select 1 from users where email_key = ${key})`.execute(
        db,
      );
  }
  const invitations = await sql<{ id: string; email: string }>`
    select id, email from invitations where email is not null`.execute(db);
  for (const { id, email } of invitations.rows) {
    const changed = withAsciiDomain(email);
    if (changed !== email) await sql`update invitations set email = ${changed} where id = ${id}`.execute(db);
  }
}

function withAsciiDomain(email: string): string {
  const at = email.lastIndexOf('@') + 1;
  const domain = email.slice(at);
  if (/^[\x21-\x7e]*$/.test(domain) || /[\s%/?#:\\]/.test(domain)) return email;
  return `${email.slice(0, at)}${domainToASCII(domain) || domain}`;
}
