import { sql } from 'kysely';
import type { Database, Queries } from '../db/database.ts';
import { prepareQuery } from '../db/prepared-query.ts';
import { newIdentifier } from '../identifier.ts';
import type { Actor } from '../owners/actor.ts';
import { ownerColumns, toOwner } from '../owners/owner-queries.ts';
import type { ApiKey } from './api-key.ts';
import { createSessionQueries } from './session-queries.ts';

export type AccessQueries = ReturnType<typeof createAccessQueries>;

export interface KnownKey {
  id: string;
  actor: Actor;
  expiresAt: number | null;
  revokedAt: number | null;
  lastUsedAt: number | null;
}

/** What was counted for a subject since its window began, epoch ms. */
export interface Attempted {
  subject: string;
  count: number;
  since: number;
}

export function createAccessQueries(
  db: Queries,
  { canSkipLocked: locksRows }: Pick<Database, 'canSkipLocked'>,
) {
  const keyByHash = prepareQuery(db, ['keyHash'], (keyHash) =>
    db
      .selectFrom('api_keys as k')
      .innerJoin('owners as o', 'o.id', 'k.owner_id')
      .leftJoin('users as u', 'u.owner_id', 'o.id')
      .leftJoin('projects as p', 'p.owner_id', 'o.id')
      .leftJoin('workspaces as w', 'w.id', 'p.workspace_id')
      .select(['k.id as key_id', 'k.expires_at', 'k.revoked_at', 'k.last_used_at', ...ownerColumns])
      .where('k.key_hash', '=', keyHash)
      .where('u.disabled_at', 'is', null)
      .where('o.deleted_at', 'is', null),
  );

  return {
    ...createSessionQueries(db, { canSkipLocked: locksRows }),

    /** The key of that SHA-256 with whose it is; null when it was never issued, or its owner's account is disabled. */
    async findKey(keyHash: string): Promise<KnownKey | null> {
      const [row] = await keyByHash(keyHash);
      if (!row) return null;
      const owner = toOwner(row);
      const actor: Actor =
        owner.kind === 'user' ? { kind: 'user', user: owner } : { kind: 'project', project: owner };
      return {
        id: row.key_id,
        actor,
        expiresAt: row.expires_at,
        revokedAt: row.revoked_at,
        lastUsedAt: row.last_used_at,
      };
    },

    async insertKey(key: {
      ownerId: string;
      name: string;
      keyHash: string;
      hint: string;
      createdAt: number;
      expiresAt: number | null;
    }): Promise<ApiKey> {
      const id = newIdentifier(key.createdAt);
      await db
        .insertInto('api_keys')
        .values({
          id,
          owner_id: key.ownerId,
          name: key.name,
          key_hash: key.keyHash,
          hint: key.hint,
          created_at: key.createdAt,
          expires_at: key.expiresAt,
          last_used_at: null,
          revoked_at: null,
        })
        .execute();
      return {
        id,
        ownerId: key.ownerId,
        name: key.name,
        hint: key.hint,
        createdAt: key.createdAt,
        expiresAt: key.expiresAt,
        lastUsedAt: null,
        revokedAt: null,
      };
    },

    /** Counts the Owner's keys that work; no other transaction adds one until this has ended. */
    async countUsableKeys(ownerId: string, now: number): Promise<number> {
      await db
        .selectFrom('owners')
        .select('id')
        .where('id', '=', ownerId)
        .$if(locksRows, (query) => query.forNoKeyUpdate())
        .execute();
      const row = await db
        .selectFrom('api_keys')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('owner_id', '=', ownerId)
        .where('revoked_at', 'is', null)
        .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },

    async listKeys(ownerId: string): Promise<ApiKey[]> {
      const rows = await db
        .selectFrom('api_keys')
        .select(['id', 'owner_id', 'name', 'hint', 'created_at', 'expires_at', 'last_used_at', 'revoked_at'])
        .where('owner_id', '=', ownerId)
        .orderBy('id')
        .execute();
      return rows.map((row) => ({
        id: row.id,
        ownerId: row.owner_id,
        name: row.name,
        hint: row.hint,
        createdAt: row.created_at,
        expiresAt: row.expires_at,
        lastUsedAt: row.last_used_at,
        revokedAt: row.revoked_at,
      }));
    },

    /** Answers the key's id when one was revoked now. */
    async revokeKey(ownerId: string, keyId: string, now: number): Promise<string | null> {
      const row = await db
        .updateTable('api_keys')
        .set({ revoked_at: now })
        .where('id', '=', keyId)
        .where('owner_id', '=', ownerId)
        .where('revoked_at', 'is', null)
        .returning('id')
        .executeTakeFirst();
      return row?.id ?? null;
    },

    /** Acts once on each key whose time has passed: the database rotates the secrets that it could have been told. */
    async noticeExpiredKeys(now: number): Promise<void> {
      await db
        .updateTable('api_keys')
        .set({ expiry_noticed_at: now })
        .where('expires_at', '<=', now)
        .where('expiry_noticed_at', 'is', null)
        .where('revoked_at', 'is', null)
        .execute();
    },

    async touchKey(keyId: string, now: number): Promise<void> {
      await db.updateTable('api_keys').set({ last_used_at: now }).where('id', '=', keyId).execute();
    },

    /**
     * Counts a try for each of the subjects, no two alike, within their windows and answers how many there were; a window
     * that has passed begins anew, and so does one that a clock has put far ahead.
     */
    async countAttempts(subjects: readonly string[], now: number, windowMs: number): Promise<Attempted[]> {
      const passed = sql<boolean>`(attempts.since <= ${now - windowMs} or attempts.since > ${now + windowMs})`;
      // In one order, so that two statements never wait for each other.
      const values = [...subjects].sort().map((subject) => ({ subject, count: 1, since: now }));
      return db
        .insertInto('attempts')
        .values(values)
        .onConflict((conflict) =>
          conflict.column('subject').doUpdateSet({
            count: sql<number>`case when ${passed} then 1 else attempts.count + 1 end`,
            since: sql<number>`case when ${passed} then ${now} else attempts.since end`,
          }),
        )
        .returning(['subject', 'count', 'since'])
        .execute();
    },

    async forgetAttempts(subject: string): Promise<void> {
      await db.deleteFrom('attempts').where('subject', '=', subject).execute();
    },

    async giveAttemptBack(subject: string): Promise<void> {
      await db
        .updateTable('attempts')
        .set((set) => ({ count: set('count', '-', 1) }))
        .where('subject', '=', subject)
        .where('count', '>', 0)
        .execute();
    },

    async deleteOldAttempts(before: number): Promise<void> {
      await db.deleteFrom('attempts').where('since', '<', before).execute();
    },
  };
}
