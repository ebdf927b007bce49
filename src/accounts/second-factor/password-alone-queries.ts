import { sql } from 'kysely';

/** Whether the account of `users as u` has a password but no second factor: 1 or 0. */
export const hasPasswordAlone = sql<number>`case when u.password_hash is not null and u.totp_secret is null
  and not exists (select 1 from passkeys as pk where pk.user_id = u.owner_id) then 1 else 0 end`;
