import { defineQueries } from '../../db/data.ts';
import type { Database, Queries } from '../../db/database.ts';
import type { AccountState } from './account-state.ts';

export const accountStateQueries = defineQueries(createAccountStateQueries);

function createAccountStateQueries(
  db: Queries,
  { canSkipLocked: locksRows }: Pick<Database, 'canSkipLocked'>,
) {
  return {
    /** Null if there is no such User. */
    async find(userId: string): Promise<AccountState | null> {
      const row = await db
        .selectFrom('users')
        .select(['password_hash', 'totp_secret', 'access_epoch'])
        .where('owner_id', '=', userId)
        .executeTakeFirst();
      const passkeys = await db
        .selectFrom('passkeys')
        .select('id')
        .where('user_id', '=', userId)
        .orderBy('id')
        .execute();
      if (!row) return null;
      return {
        passwordHash: row.password_hash,
        hasApp: row.totp_secret !== null,
        passkeyIds: passkeys.map(({ id }) => id),
        accessEpoch: row.access_epoch,
      };
    },

    /**
     * Locks the account until the transaction ends: in the meantime nobody can sign in, change its credentials or end its access.
     * Null if there is no such User.
     */
    async lock(userId: string): Promise<{ isDisabled: boolean; lastSeenAt: number | null } | null> {
      const row = await db
        .selectFrom('users')
        .select(['disabled_at', 'last_seen_at'])
        .where('owner_id', '=', userId)
        .$if(locksRows, (query) => query.forNoKeyUpdate())
        .executeTakeFirst();
      return row ? { isDisabled: row.disabled_at !== null, lastSeenAt: row.last_seen_at } : null;
    },

    /** A null `at` enables the account. */
    async setDisabled(userId: string, at: number | null): Promise<void> {
      await db.updateTable('users').set({ disabled_at: at }).where('owner_id', '=', userId).execute();
    },

    /** Invalidates every stamp issued so far for the account. */
    async beginEpoch(userId: string): Promise<void> {
      await db
        .updateTable('users')
        .set((set) => ({ access_epoch: set('access_epoch', '+', 1) }))
        .where('owner_id', '=', userId)
        .execute();
    },
  };
}
