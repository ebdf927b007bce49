import type { Selectable } from 'kysely';
import { newIdentifier } from '../../core/identifier.ts';
import { isKeyScope } from '../../core/key-scope.ts';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { Tables } from '../../db/tables.ts';
import type { DeviceCode, DeviceCodeState, PendingCode } from './device-code.ts';

export const deviceCodeQueries = defineQueries(createDeviceCodeQueries);

export interface NewDeviceCode extends Omit<DeviceCode, 'id' | 'polledAt'> {
  secretHash: string;
  /** Null if the code was approved at its creation. */
  userCodeHash: string | null;
}

function createDeviceCodeQueries(db: Queries) {
  const find = async (column: 'secret_hash' | 'user_code_hash', value: string, now: number) => {
    const row = await db
      .selectFrom('device_codes')
      .selectAll()
      .where(column, '=', value)
      .where('expires_at', '>', now)
      .executeTakeFirst();
    return row ? toDeviceCode(row) : null;
  };
  return {
    async insert(code: NewDeviceCode): Promise<void> {
      await db
        .insertInto('device_codes')
        .values({
          id: newIdentifier(code.createdAt),
          secret_hash: code.secretHash,
          user_code_hash: code.userCodeHash,
          client: code.client,
          network: code.network,
          scopes: code.scopes.join(' '),
          state: code.state,
          user_id: code.userId,
          key_days: code.keyDays,
          sign_ons: JSON.stringify(code.signOns),
          polled_at: null,
          created_at: code.createdAt,
          expires_at: code.expiresAt,
        })
        .execute();
    },

    /** Null if there is no such code, or it has expired. */
    findBySecret: (secretHash: string, now: number) => find('secret_hash', secretHash, now),
    findByUserCode: (userCodeHash: string, now: number) => find('user_code_hash', userCodeHash, now),

    /** Lists the codes that are waiting for a person, oldest first. */
    async listPending(now: number, limit: number): Promise<PendingCode[]> {
      const rows = await db
        .selectFrom('device_codes')
        .select(['id', 'network', 'viewed_at'])
        .where('expires_at', '>', now)
        .where('state', '=', 'pending' satisfies DeviceCodeState)
        .orderBy('expires_at')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(({ id, network, viewed_at: viewedAt }) => ({
        id,
        network,
        isViewed: viewedAt !== null,
      }));
    },

    async setViewed(id: string, now: number): Promise<void> {
      await db
        .updateTable('device_codes')
        .set({ viewed_at: now })
        .where('id', '=', id)
        .where('viewed_at', 'is', null)
        .execute();
    },

    /** Keeps codes that a person has looked at in the meantime. */
    async deletePending(ids: readonly string[]): Promise<void> {
      if (ids.length === 0) return;
      await db
        .deleteFrom('device_codes')
        .where('id', 'in', ids)
        .where('state', '=', 'pending' satisfies DeviceCodeState)
        .where('viewed_at', 'is', null)
        .execute();
    },

    async deleteExpired(now: number): Promise<void> {
      await db.deleteFrom('device_codes').where('expires_at', '<=', now).execute();
    },

    async setPolled(id: string, now: number): Promise<void> {
      await db.updateTable('device_codes').set({ polled_at: now }).where('id', '=', id).execute();
    },

    /** Denies the codes that the User has approved but no program has redeemed yet. */
    async denyApproved(userId: string): Promise<void> {
      await db
        .updateTable('device_codes')
        .set({ state: 'denied' satisfies DeviceCodeState })
        .where('user_id', '=', userId)
        .where('state', '=', 'approved' satisfies DeviceCodeState)
        .execute();
    },

    /** Returns whether the code was in the state `from`. */
    async change(
      id: string,
      from: DeviceCodeState,
      to: { state: DeviceCodeState } & Partial<Pick<DeviceCode, 'userId' | 'keyDays' | 'signOns'>>,
    ): Promise<boolean> {
      const row = await db
        .updateTable('device_codes')
        .set({
          state: to.state,
          ...(to.userId === undefined ? {} : { user_id: to.userId }),
          ...(to.keyDays === undefined ? {} : { key_days: to.keyDays }),
          ...(to.signOns === undefined ? {} : { sign_ons: JSON.stringify(to.signOns) }),
        })
        .where('id', '=', id)
        .where('state', '=', from)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

type DeviceCodeRow = Omit<Selectable<Tables['device_codes']>, 'secret_hash' | 'user_code_hash' | 'viewed_at'>;

const toDeviceCode = (row: DeviceCodeRow): DeviceCode => ({
  id: row.id,
  client: row.client,
  network: row.network,
  scopes: row.scopes.split(' ').filter(isKeyScope),
  state: row.state as DeviceCodeState,
  userId: row.user_id,
  keyDays: row.key_days,
  signOns: row.sign_ons === null ? [] : (JSON.parse(row.sign_ons) as string[]),
  polledAt: row.polled_at,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
});
