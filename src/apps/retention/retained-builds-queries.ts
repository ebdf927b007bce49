import { defineQueries } from '../../db/data.ts';
import type { Database, Queries } from '../../db/database.ts';
import type { AgedBuild } from './retention.ts';

export type RetainedBuildsQueries = ReturnType<typeof createRetainedBuildsQueries>;

export const retainedBuildsQueries = defineQueries(createRetainedBuildsQueries);

/** Builds as rules see them: those that are there, without what only their pages show. */
function createRetainedBuildsQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  // On SQLite a transaction is alone anyway.
  const locksRows = database.dialect === 'postgres';
  const builds = (appId: string) =>
    db
      .selectFrom('builds')
      .select([
        'id',
        'revision',
        'version_name',
        'version_code',
        'size_bytes',
        'simulator_bytes',
        'created_at',
      ])
      .select(['protected', 'spared_until'])
      .where('app_id', '=', appId)
      .where('deleted_at', 'is', null)
      .orderBy('revision');

  return {
    /** The revision at that place, counted from 1 for the newest; 0 when there are not so many. */
    async revisionAt(appId: string, place: number): Promise<number> {
      const row = await db
        .selectFrom('builds')
        .select('revision')
        .where('app_id', '=', appId)
        .where('deleted_at', 'is', null)
        .orderBy('revision', 'desc')
        .limit(1)
        .offset(place - 1)
        .executeTakeFirst();
      return row?.revision ?? 0;
    },

    /** Oldest first: those between two revisions, without these. */
    async list(appId: string, page: { after: number; below: number; most: number }): Promise<AgedBuild[]> {
      const rows = await builds(appId)
        .where('revision', '>', page.after)
        .where('revision', '<', page.below)
        .limit(page.most)
        .execute();
      return rows.map(toAgedBuild);
    },

    /** Those of the revisions that are there now, and stay as they are until the transaction ends. */
    async hold(appId: string, revisions: readonly number[]): Promise<AgedBuild[]> {
      if (revisions.length === 0) return [];
      const rows = await builds(appId)
        .where('revision', 'in', revisions)
        .$if(locksRows, (query) => query.forUpdate())
        .execute();
      return rows.map(toAgedBuild);
    },

    /** Rules let these builds be until then. */
    async spare(buildIds: readonly string[], until: number): Promise<void> {
      if (buildIds.length === 0) return;
      await db.updateTable('builds').set({ spared_until: until }).where('id', 'in', buildIds).execute();
    },
  };
}

function toAgedBuild(row: {
  id: string;
  revision: number;
  version_name: string | null;
  version_code: string;
  size_bytes: number;
  simulator_bytes: number | null;
  created_at: number;
  protected: number;
  spared_until: number | null;
}): AgedBuild {
  return {
    id: row.id,
    revision: row.revision,
    versionName: row.version_name,
    versionCode: row.version_code,
    bytes: row.size_bytes + (row.simulator_bytes ?? 0),
    createdAt: row.created_at,
    protected: row.protected === 1,
    sparedUntil: row.spared_until,
  };
}
