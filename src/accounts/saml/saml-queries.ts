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
