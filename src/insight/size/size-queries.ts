/** Sizes of several builds, without their analyses. */
import { sql } from 'kysely';
import { matchesFilters } from '../../apps/builds/build-filter-queries.ts';
import type { BuildFilters } from '../../apps/builds/build-filters.ts';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { TrendPoint } from './compare-sizes.ts';

export const sizeQueries = defineQueries(createSizeQueries);

/** The previous build of the branch of `b`; of a build without a branch, the previous build. */
const previousRevision = sql<number | null>`case when b.branch is null
  then (select max(q.revision) from builds as q
    where q.app_id = b.app_id and q.revision < b.revision and q.deleted_at is null)
  else (select max(q.revision) from builds as q
    where q.app_id = b.app_id and q.branch = b.branch and q.revision < b.revision and q.deleted_at is null) end`;

function createSizeQueries(db: Queries) {
  return {
    async previousRevision(buildId: string): Promise<number | null> {
      const row = await db
        .selectFrom('builds as b')
        .select(previousRevision.as('previous'))
        .where('b.id', '=', buildId)
        .executeTakeFirst();
      return row?.previous === null || row === undefined ? null : Number(row.previous);
    },

    /** Download sizes of analyzed builds and of those before them. */
    async sizesOf(buildIds: readonly string[]): Promise<
      {
        buildId: string;
        downloadBytes: number;
        previous: { revision: number; downloadBytes: number } | null;
      }[]
    > {
      if (buildIds.length === 0) return [];
      const rows = await db
        .selectFrom('builds as b')
        .innerJoin('build_analyses as a', 'a.build_id', 'b.id')
        .leftJoin('builds as p', (join) =>
          join.onRef('p.app_id', '=', 'b.app_id').on('p.revision', '=', previousRevision),
        )
        .leftJoin('build_analyses as pa', 'pa.build_id', 'p.id')
        .select([
          'b.id',
          'a.download_bytes as bytes',
          'p.revision as revision',
          'pa.download_bytes as before',
        ])
        .where('b.id', 'in', [...buildIds])
        .execute();
      return rows.flatMap(({ id, bytes, revision, before }) => {
        if (bytes === null) return [];
        const previous =
          revision === null || before === null
            ? null
            : { revision: Number(revision), downloadBytes: Number(before) };
        return [{ buildId: id, downloadBytes: Number(bytes), previous }];
      });
    },

    /** The newest analyzed builds, oldest first. */
    async trend(appId: string, filters: BuildFilters, limit: number): Promise<TrendPoint[]> {
      const rows = await db
        .selectFrom('builds as b')
        .innerJoin('build_analyses as a', 'a.build_id', 'b.id')
        .select([
          'b.revision',
          'b.version_name',
          'b.branch',
          'b.created_at',
          'a.download_bytes',
          'a.install_bytes',
        ])
        .where('b.app_id', '=', appId)
        .where('b.deleted_at', 'is', null)
        .where('a.download_bytes', 'is not', null)
        .where(matchesFilters(filters))
        .orderBy('b.revision', 'desc')
        .limit(limit)
        .execute();
      return rows
        .map((row) => ({
          revision: row.revision,
          versionName: row.version_name,
          branch: row.branch,
          uploadedAt: row.created_at,
          downloadBytes: Number(row.download_bytes),
          installBytes: Number(row.install_bytes),
        }))
        .reverse();
    },
  };
}
