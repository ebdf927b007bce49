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
  /** Whether the session had begun in another way, and outlives that at the provider. */
  isJoined: boolean;
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

    /** Returns at which provider the session began; null if it began in another way. */
    async findSession(tokenHash: string): Promise<SamlSession | null> {
      const row = await db
        .selectFrom('saml_sessions as m')
        .innerJoin('sessions as s', 's.id', 'm.session_id')
        .selectAll('m')
        .where('s.token_hash', '=', tokenHash)
        .where('m.joined', '=', 0)
        .executeTakeFirst();
      if (!row) return null;
      return {
        sessionId: row.session_id,
        issuer: row.issuer,
        nameId: row.name_id,
        nameIdFormat: row.name_id_format,
        sessionIndex: row.session_index,
        signedInAt: row.signed_in_at,
        isJoined: false,
      };
    },

    /**
     * Ends the sessions of a person that began with one of these indexes; all if there are none. Sessions that had begun in another
     * way are only no longer signed in at the provider. Returns whose they were.
     */
    async endSessions(
      { issuer, nameId }: Pick<SamlSession, 'issuer' | 'nameId'>,
      indexes: readonly string[],
    ): Promise<{ userId: string; name: string }[]> {
      const rows = await db
        .selectFrom('saml_sessions as m')
        .innerJoin('sessions as s', 's.id', 'm.session_id')
        .innerJoin('owners as o', 'o.id', 's.user_id')
        .select(['s.id', 's.user_id', 'o.name', 'm.joined'])
        .where('m.issuer', '=', issuer)
        .where('m.name_id', '=', nameId)
        .$if(indexes.length > 0, (query) => query.where('m.session_index', 'in', indexes))
        .execute();
      const idsOf = (joined: number) => rows.filter((row) => row.joined === joined).map(({ id }) => id);
      const [began, joined] = [idsOf(0), idsOf(1)];
      if (began.length > 0) await db.deleteFrom('sessions').where('id', 'in', began).execute();
      if (joined.length > 0)
        await db
          .deleteFrom('saml_sessions')
          .where('session_id', 'in', joined)
          .where('issuer', '=', issuer)
          .execute();
      return rows.map((row) => ({ userId: row.user_id, name: row.name }));
    },

    /** Forgets which sessions and keys are signed in at the provider, without ending them. */
    async forgetSignOns(issuer: string): Promise<void> {
      await db.deleteFrom('saml_sessions').where('issuer', '=', issuer).execute();
      await db.deleteFrom('key_sign_ons').where('issuer', '=', issuer).execute();
    },

    async recordSession(session: SamlSession): Promise<void> {
      const row = {
        name_id: session.nameId,
        name_id_format: session.nameIdFormat,
        session_index: session.sessionIndex,
        signed_in_at: session.signedInAt,
      };
      const joined = session.isJoined ? 1 : 0;
      await db
        .insertInto('saml_sessions')
        .values({ session_id: session.sessionId, issuer: session.issuer, joined, ...row })
        .onConflict((conflict) => conflict.columns(['session_id', 'issuer']).doUpdateSet(row))
        .execute();
    },
  };
}
