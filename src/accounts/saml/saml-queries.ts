import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';

export const samlQueries = defineQueries(createSamlQueries);

/** A session that began at a provider of SAML. */
export interface SamlSession {
  sessionId: string;
  issuer: string;
  nameId: string;
  nameIdFormat: string | null;
  sessionIndex: string | null;
  signedInAt: number;
}

function createSamlQueries(db: Queries) {
  return {
    /** Returns false if the ID has been used before, on any node. Deletes what has expired. */
    async useOnce(idHash: string, expiresAt: number, now: number): Promise<boolean> {
      await db.deleteFrom('used_saml_ids').where('expires_at', '<=', now).execute();
      const row = await db
        .insertInto('used_saml_ids')
        .values({ id_hash: idHash, expires_at: expiresAt })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id_hash')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Null if the session did not begin at a provider of SAML. */
    async findSession(tokenHash: string): Promise<SamlSession | null> {
      const row = await db
        .selectFrom('saml_sessions as m')
        .innerJoin('sessions as s', 's.id', 'm.session_id')
        .selectAll('m')
        .where('s.token_hash', '=', tokenHash)
        .executeTakeFirst();
      if (!row) return null;
      return {
        sessionId: row.session_id,
        issuer: row.issuer,
        nameId: row.name_id,
        nameIdFormat: row.name_id_format,
        sessionIndex: row.session_index,
        signedInAt: row.signed_in_at,
      };
    },

    /** Ends the sessions of a person that began with one of these indexes; all if there are none. Returns whose they were. */
    async endSessions(
      { issuer, nameId }: Pick<SamlSession, 'issuer' | 'nameId'>,
      indexes: readonly string[],
    ): Promise<{ userId: string; name: string }[]> {
      const rows = await db
        .selectFrom('saml_sessions as m')
        .innerJoin('sessions as s', 's.id', 'm.session_id')
        .innerJoin('owners as o', 'o.id', 's.user_id')
        .select(['s.id', 's.user_id', 'o.name'])
        .where('m.issuer', '=', issuer)
        .where('m.name_id', '=', nameId)
        .$if(indexes.length > 0, (query) => query.where('m.session_index', 'in', indexes))
        .execute();
      const ids = rows.map(({ id }) => id);
      if (ids.length > 0) await db.deleteFrom('sessions').where('id', 'in', ids).execute();
      return rows.map((row) => ({ userId: row.user_id, name: row.name }));
    },

    async recordSession(session: SamlSession): Promise<void> {
      await db
        .insertInto('saml_sessions')
        .values({
          session_id: session.sessionId,
          issuer: session.issuer,
          name_id: session.nameId,
          name_id_format: session.nameIdFormat,
          session_index: session.sessionIndex,
          signed_in_at: session.signedInAt,
        })
        .execute();
    },
  };
}
