import { newIdentifier } from '../../core/identifier.ts';
import { parseLanguage } from '../../core/language/languages.ts';
import { defineQueries } from '../../db/data.ts';
import type { Database, Queries } from '../../db/database.ts';
import { isGated } from '../../owners/gate/workspace-gate-queries.ts';
import { hasPasswordAlone } from '../second-factor/password-alone-queries.ts';
import type { SessionLine, StoredSession } from './session.ts';

export const sessionQueries = defineQueries(createSessionQueries);

/** `tokenHash`: the result of `hashSessionToken` for the token in the cookie. */
function createSessionQueries(db: Queries, { canSkipLocked: locksRows }: Pick<Database, 'canSkipLocked'>) {
  /** Skips an account that another transaction has locked, so that requests do not wait for it. */
  const seeUser = async (userId: string, at: number): Promise<void> => {
    const free = db
      .selectFrom('users')
      .select('owner_id')
      .where('owner_id', '=', userId)
      .$if(locksRows, (query) => query.forNoKeyUpdate().skipLocked());
    await db.updateTable('users').set({ last_seen_at: at }).where('owner_id', '=', free).execute();
  };
  return {
    async insertSession(session: {
      userId: string;
      tokenHash: string;
      userAgent: string;
      address: string;
      createdAt: number;
      expiresAt: number;
      /** When the person authenticated; null if at an identity provider. */
      authenticatedAt: number | null;
    }): Promise<void> {
      await db
        .insertInto('sessions')
        .values({
          id: newIdentifier(session.createdAt),
          user_id: session.userId,
          token_hash: session.tokenHash,
          created_at: session.createdAt,
          expires_at: session.expiresAt,
          user_agent: session.userAgent,
          address: session.address,
          last_seen_at: session.createdAt,
          proven_at: session.authenticatedAt,
        })
        .execute();
      await seeUser(session.userId, session.createdAt);
    },

    async findSession(tokenHash: string, now: number): Promise<StoredSession | null> {
      const row = await db
        .selectFrom('sessions as s')
        .innerJoin('owners as o', 'o.id', 's.user_id')
        .innerJoin('users as u', 'u.owner_id', 'o.id')
        .select(['s.id as session_id', 's.created_at', 's.last_seen_at', 'u.must_change_password'])
        .select(['o.id', 'o.name', 'u.email', 'u.email_confirmed', 'u.administrator', 'u.language'])
        .select([isGated, hasPasswordAlone.as('password_alone')])
        .where('s.token_hash', '=', tokenHash)
        .where('s.expires_at', '>', now)
        .where('u.disabled_at', 'is', null)
        .executeTakeFirst();
      if (!row) return null;
      return {
        id: row.session_id,
        createdAt: row.created_at,
        lastSeenAt: row.last_seen_at,
        language: parseLanguage(row.language),
        mustChangePassword: row.must_change_password === 1,
        isGated: Boolean(row.is_gated),
        passwordAlone: Number(row.password_alone) === 1,
        user: {
          kind: 'user',
          id: row.id,
          name: row.name,
          email: row.email,
          emailConfirmed: row.email_confirmed === 1,
          administrator: row.administrator === 1,
        },
      };
    },

    /** Returns when the person of the session last authenticated; null if never, or if there is no such session. */
    async findProof(tokenHash: string): Promise<number | null> {
      const row = await db
        .selectFrom('sessions')
        .select('proven_at')
        .where('token_hash', '=', tokenHash)
        .executeTakeFirst();
      return row?.proven_at ?? null;
    },

    async recordProof(tokenHash: string, at: number): Promise<void> {
      await db.updateTable('sessions').set({ proven_at: at }).where('token_hash', '=', tokenHash).execute();
    },

    /** `endsAt`: when the session ends unless it is used again. */
    async touchSession(id: string, seen: { at: number; address: string; endsAt: number }): Promise<void> {
      const row = await db
        .updateTable('sessions')
        .set({ last_seen_at: seen.at, address: seen.address, expires_at: seen.endsAt })
        .where('id', '=', id)
        .returning('user_id')
        .executeTakeFirst();
      if (row) await seeUser(row.user_id, seen.at);
    },

    /** Lists valid sessions: the current one first, then by last use. */
    async listSessions(userId: string, currentTokenHash: string, now: number): Promise<SessionLine[]> {
      const rows = await db
        .selectFrom('sessions')
        .select(['id', 'token_hash', 'user_agent', 'address', 'created_at', 'last_seen_at', 'expires_at'])
        .where('user_id', '=', userId)
        .where('expires_at', '>', now)
        .orderBy('last_seen_at', 'desc')
        .orderBy('id', 'desc')
        .execute();
      const lines = rows.map((row) => ({
        id: row.id,
        current: row.token_hash === currentTokenHash,
        userAgent: row.user_agent,
        address: row.address,
        createdAt: row.created_at,
        lastSeenAt: row.last_seen_at,
        endsAt: row.expires_at,
      }));
      return lines.sort((one, other) => Number(other.current) - Number(one.current));
    },

    async deleteSession(tokenHash: string): Promise<void> {
      await db.deleteFrom('sessions').where('token_hash', '=', tokenHash).execute();
    },

    /** Returns whether the person had that session. */
    async deleteSessionOf(userId: string, id: string): Promise<boolean> {
      const row = await db
        .deleteFrom('sessions')
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Deletes all of a person's sessions except one, or all if null. Returns the number deleted. */
    async deleteSessionsOf(userId: string, exceptTokenHash: string | null): Promise<number> {
      const rows = await db
        .deleteFrom('sessions')
        .where('user_id', '=', userId)
        .$if(exceptTokenHash !== null, (query) => query.where('token_hash', '!=', exceptTokenHash ?? ''))
        .returning('id')
        .execute();
      return rows.length;
    },

    /** Keeps the `limit` most recently used sessions. */
    async deleteSurplusSessions(userId: string, limit: number): Promise<void> {
      await db
        .deleteFrom('sessions')
        .where('user_id', '=', userId)
        .where('id', 'not in', (inner) =>
          inner
            .selectFrom('sessions')
            .select('id')
            .where('user_id', '=', userId)
            .orderBy('last_seen_at', 'desc')
            .orderBy('id', 'desc')
            .limit(limit),
        )
        .execute();
    },

    async deleteExpiredSessions(now: number): Promise<void> {
      await db.deleteFrom('sessions').where('expires_at', '<=', now).execute();
    },
  };
}
