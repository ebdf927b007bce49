import { sql } from 'kysely';
import { ldapIssuer } from '../single-sign-on/provider-identity.ts';

/** Whether the account of `users as u` has a password, here or in the directory (LDAP), but no second factor: 1 or 0. */
export const hasPasswordAlone = sql<number>`case when u.totp_secret is null
  and not exists (select 1 from passkeys as pk where pk.user_id = u.owner_id)
  and (u.password_hash is not null
    or exists (select 1 from identities as li where li.user_id = u.owner_id and li.issuer = ${sql.lit(ldapIssuer)}))
  then 1 else 0 end`;
