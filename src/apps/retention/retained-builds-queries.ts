import { defineQueries } from '../../db/data.ts';
import type { Database, Queries } from '../../db/database.ts';
import type { RetentionCandidate } from './retention.ts';

export const retainedBuildsQueries = defineQueries(createRetainedBuildsQueries);

/** Existing builds with the columns that retention rules need. */
function createRetainedBuildsQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  // SQLite transactions are exclusive already.
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
        'apk_bytes',
        'created_at',
      ])
      .select(['protected', 'spared_until'])
      .where('app_id', '=', appId)
      .where('deleted_at', 'is', null)
      .orderBy('revision');

  return {
    /** Returns the revision at the 1-based position from the newest, or 0 if there are fewer builds. */
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

    /** Builds between two revisions, oldest first, except the given ones. */
    async list(
      appId: string,
      page: { after: number; below: number; limit: number },
    ): Promise<RetentionCandidate[]> {
      const rows = await builds(appId)
        .where('revision', '>', page.after)
        .where('revision', '<', page.below)
        .limit(page.limit)
        .execute();
      return rows.map(toRetentionCandidate);
    },

    /** Existing builds of the revisions, locked until the transaction ends. */
    async lock(appId: string, revisions: readonly number[]): Promise<RetentionCandidate[]> {
      if (revisions.length === 0) return [];
      const rows = await builds(appId)
        .where('revision', 'in', revisions)
        .$if(locksRows, (query) => query.forUpdate())
        .execute();
      return rows.map(toRetentionCandidate);
    },

    /** Exempts these builds from rules until the given time. */
    async exempt(buildIds: readonly string[], until: number): Promise<void> {
      if (buildIds.length === 0) return;
      await db.updateTable('builds').set({ spared_until: until }).where('id', 'in', buildIds).execute();
    },
  };
}

function toRetentionCandidate(row: {
  id: string;
  revision: number;
  version_name: string | null;
  version_code: string;
  size_bytes: number;
  simulator_bytes: number | null;
  apk_bytes: number | null;
  created_at: number;
  protected: number;
  spared_until: number | null;
}): RetentionCandidate {
  return {
    id: row.id,
    revision: row.revision,
    versionName: row.version_name,
    versionCode: row.version_code,
    bytes: row.size_bytes + (row.simulator_bytes ?? 0) + (row.apk_bytes ?? 0),
    createdAt: row.created_at,
    protected: row.protected === 1,
    exemptUntil: row.spared_until,
  };
}
