import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';

export const trustedOnlyQueries = defineQueries(createTrustedOnlyQueries);

function createTrustedOnlyQueries(db: Queries) {
  return {
    /** Whether the owner accepts builds from trusted publishers only, or the app with that package, which need not exist. */
    async isRequired(
      ownerId: string,
      app: { platform: string; packageName: string } | null,
    ): Promise<boolean> {
      const owner = await db
        .selectFrom('owners')
        .select('trusted_publishers_only as only')
        .where('id', '=', ownerId)
        .executeTakeFirst();
      if (owner?.only === 1 || app === null) return owner?.only === 1;
      const row = await db
        .selectFrom('apps')
        .select('trusted_publishers_only as only')
        .where('owner_id', '=', ownerId)
        .where('platform', '=', app.platform)
        .where('package_name', '=', app.packageName)
        .executeTakeFirst();
      return row?.only === 1;
    },

    /** Returns whether this changed anything. */
    async require(place: { table: 'owners' | 'apps'; id: string }, only: boolean): Promise<boolean> {
      const row = await db
        .updateTable(place.table)
        .set({ trusted_publishers_only: only ? 1 : 0 })
        .where('id', '=', place.id)
        .where('deleted_at', 'is', null)
        .where('trusted_publishers_only', '=', only ? 0 : 1)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
