import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';

export const ciPageQueries = defineQueries(createCiPageQueries);

/** How many of the most recently updated pages are read. */
const maxPages = 20;

function createCiPageQueries(db: Queries) {
  return {
    /** Lists names of the pages of an app, or of all apps of the owner, most recently updated first. */
    async listPageNames(ownerId: string, appId: string | null): Promise<string[]> {
      const rows = await db
        .selectFrom('distribution_pages as d')
        .innerJoin('apps as a', 'a.id', 'd.app_id')
        .select('d.name')
        .where('a.owner_id', '=', ownerId)
        .where('a.deleted_at', 'is', null)
        .$if(appId !== null, (query) => query.where('d.app_id', '=', appId ?? ''))
        .orderBy('d.updated_at', 'desc')
        .limit(maxPages)
        .execute();
      return rows.map(({ name }) => name);
    },
  };
}
