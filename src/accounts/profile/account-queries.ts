import type { Language } from '../../core/language/languages.ts';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import { canonicalEmail, emailKey } from '../../owners/owner.ts';

export const accountQueries = defineQueries(createAccountQueries);

/** Passwords, email addresses and password resets of users. */
function createAccountQueries(db: Queries) {
  return {
    /** Whether there is more than one person, or anyone was ever invited. */
    async hasSeveralPeople(): Promise<boolean> {
      const people = await db
        .selectFrom('users')
        .select('owner_id')
        .where('owner_id', '>', '')
        .limit(2)
        .execute();
      if (people.length > 1) return true;
      const invitation = await db
        .selectFrom('invitations')
        .select('id')
        .where('id', '>', '')
        .limit(1)
        .executeTakeFirst();
      return invitation !== undefined;
    },

    /** Null if there is no such User. `passwordHash` is null for a User without a password. */
    async findAccount(
      userId: string,
    ): Promise<{ passwordHash: string | null; mustChangePassword: boolean } | null> {
      const row = await db
        .selectFrom('users')
        .select(['password_hash', 'must_change_password'])
        .where('owner_id', '=', userId)
        .executeTakeFirst();
      return row
        ? { passwordHash: row.password_hash, mustChangePassword: row.must_change_password === 1 }
        : null;
    },

    async setPassword(userId: string, passwordHash: string, mustChange: boolean): Promise<void> {
      await db
        .updateTable('users')
        .set({ password_hash: passwordHash, must_change_password: mustChange ? 1 : 0 })
        .where('owner_id', '=', userId)
        .execute();
    },

    /**
     * `confirmed`: the person has proved that they own the address. Returns whether the address was still `from`. Rejects with a
     * constraint violation if someone else has it.
     */
    async setEmail(userId: string, email: string, from: string | null, confirmed: boolean): Promise<boolean> {
      const row = await db
        .updateTable('users')
        .set({ email: canonicalEmail(email), email_key: emailKey(email), email_confirmed: confirmed ? 1 : 0 })
        .where('owner_id', '=', userId)
        .where('email', from === null ? 'is' : '=', from)
        .returning('owner_id')
        .executeTakeFirst();
      return row !== undefined;
    },

    async setLanguage(userId: string, language: Language | null): Promise<void> {
      await db.updateTable('users').set({ language }).where('owner_id', '=', userId).execute();
    },

    async isEmailTaken(email: string): Promise<boolean> {
      const row = await db
        .selectFrom('users')
        .select('owner_id')
        .where('email_key', '=', emailKey(email))
        .executeTakeFirst();
      return row !== undefined;
    },

    async insertReset(reset: { userId: string; tokenHash: string; expiresAt: number }): Promise<void> {
      await db
        .insertInto('password_resets')
        .values({ user_id: reset.userId, token_hash: reset.tokenHash, expires_at: reset.expiresAt })
        .execute();
    },

    /** Returns the User whose password the token may set. */
    async findReset(tokenHash: string, now: number): Promise<{ userId: string; userName: string } | null> {
      const row = await db
        .selectFrom('password_resets as r')
        .innerJoin('owners as o', 'o.id', 'r.user_id')
        .select(['o.id', 'o.name'])
        .where('r.token_hash', '=', tokenHash)
        .where('r.expires_at', '>', now)
        .executeTakeFirst();
      return row ? { userId: row.id, userName: row.name } : null;
    },

    /** Returns whether the token was valid, and invalidates it. */
    async useReset(tokenHash: string, now: number): Promise<boolean> {
      const row = await db
        .deleteFrom('password_resets')
        .where('token_hash', '=', tokenHash)
        .where('expires_at', '>', now)
        .returning('user_id')
        .executeTakeFirst();
      return row !== undefined;
    },

    async deleteResetsOf(userId: string): Promise<void> {
      await db.deleteFrom('password_resets').where('user_id', '=', userId).execute();
    },
  };
}
