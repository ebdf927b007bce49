import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';

export const analysisQueries = defineQueries(createAnalysisQueries);

export interface AnalysisRow {
  version: number;
  analyzedAt: number;
  /** See `packAnalysis`; null if the package could not be analyzed. */
  packed: string | null;
  failure: string | null;
  downloadBytes: number | null;
  installBytes: number | null;
}

function createAnalysisQueries(db: Queries) {
  return {
    async find(buildId: string): Promise<AnalysisRow | null> {
      const row = await db
        .selectFrom('build_analyses')
        .selectAll()
        .where('build_id', '=', buildId)
        .executeTakeFirst();
      if (!row) return null;
      return {
        version: row.analyzer_version,
        analyzedAt: row.analyzed_at,
        packed: row.analysis,
        failure: row.failure,
        downloadBytes: row.download_bytes,
        installBytes: row.install_bytes,
      };
    },
    /** Whether the analysis of the build ended, with or without a result. */
    async has(buildId: string): Promise<boolean> {
      const row = await db
        .selectFrom('build_analyses')
        .select('build_id')
        .where('build_id', '=', buildId)
        .executeTakeFirst();
      return row !== undefined;
    },
    /** Returns at most `limit` builds by id, after a build, with the version that analyzed them; null if none has. */
    listVersions(after: string, limit: number): Promise<{ id: string; version: number | null }[]> {
      return db
        .selectFrom('builds')
        .leftJoin('build_analyses', 'build_analyses.build_id', 'builds.id')
        .select(['builds.id', 'build_analyses.analyzer_version as version'])
        .where('builds.id', '>', after)
        .orderBy('builds.id')
        .limit(limit)
        .execute();
    },
    /** Counts the builds that this version has not analyzed. */
    async countOutdated(version: number): Promise<number> {
      const { builds } = await db
        .selectFrom('builds')
        .leftJoin('build_analyses', 'build_analyses.build_id', 'builds.id')
        .select((select) => select.fn.countAll<number>().as('builds'))
        .where((where) =>
          where.or([
            where('build_analyses.analyzer_version', 'is', null),
            where('build_analyses.analyzer_version', '<', version),
          ]),
        )
        .executeTakeFirstOrThrow();
      return Number(builds);
    },
    /** Replaces an earlier analysis. Does nothing if the build no longer exists. */
    async save(buildId: string, row: AnalysisRow): Promise<boolean> {
      const build = await db.selectFrom('builds').select('id').where('id', '=', buildId).executeTakeFirst();
      if (!build) return false;
      const values = {
        analyzer_version: row.version,
        analyzed_at: row.analyzedAt,
        analysis: row.packed,
        failure: row.failure,
        download_bytes: row.downloadBytes,
        install_bytes: row.installBytes,
      };
      await db
        .insertInto('build_analyses')
        .values({ build_id: buildId, ...values })
        .onConflict((conflict) => conflict.column('build_id').doUpdateSet(values))
        .execute();
      return true;
    },
  };
}
