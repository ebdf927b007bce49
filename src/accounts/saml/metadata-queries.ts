import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { KeptMetadata } from './identity-provider.ts';

export const metadataQueries = defineQueries(createMetadataQueries);

function createMetadataQueries(db: Queries) {
  return {
    async find(place: string): Promise<KeptMetadata | null> {
      const row = await db
        .selectFrom('saml_metadata')
        .select(['xml', 'read_at as readAt', 'tried_at as triedAt', 'problem'])
        .where('place', '=', place)
        .executeTakeFirst();
      return row ?? null;
    },

    async keep(place: string, xml: string, now: number): Promise<void> {
      const row = { xml, read_at: now, tried_at: now, problem: null };
      await db
        .insertInto('saml_metadata')
        .values({ place, ...row })
        .onConflict((conflict) => conflict.column('place').doUpdateSet(row))
        .execute();
    },

    async recordFailure(place: string, problem: string, now: number): Promise<void> {
      await db
        .insertInto('saml_metadata')
        .values({ place, xml: null, read_at: null, tried_at: now, problem })
        .onConflict((conflict) => conflict.column('place').doUpdateSet({ tried_at: now, problem }))
        .execute();
    },

    async remove(place: string): Promise<void> {
      await db.deleteFrom('saml_metadata').where('place', '=', place).execute();
    },
  };
}
