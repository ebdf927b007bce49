import { type ExpressionBuilder, sql } from 'kysely';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { Tables } from '../../db/tables.ts';
import { type BuildFilters, hasFilters } from './build-filters.ts';

/** Each has an index that starts with the app. */
const filteredColumns = ['branch', 'label', 'uploaded_by'] as const;

const maxOptions = 20;

export const buildFilterQueries = defineQueries(createBuildFilterQueries);

/** Reads only indexes; none of them combines sizes with deletion. */
const bytesOf = (appId: string) =>
  sql<number>`((select coalesce(sum(size_bytes), 0) from builds where app_id = ${appId})
    - (select coalesce(sum(size_bytes), 0) from builds where app_id = ${appId} and deleted_at is not null))`;

function createBuildFilterQueries(db: Queries) {
  /** Returns the values with the newest builds first, read from the index of that column alone. */
  const valuesOf = async (appId: string, column: (typeof filteredColumns)[number] | 'signer') => {
    const rows = await db
      .selectFrom('builds')
      .select(column)
      .select((select) => select.fn.max<number>('revision').as('newest'))
      .where('app_id', '=', appId)
      .where('deleted_at', 'is', null)
      .where(column, 'is not', null)
      .groupBy(column)
      .orderBy('newest', 'desc')
      .limit(maxOptions)
      .execute();
    return rows.map((row) => ({ value: row[column] ?? '', newest: Number(row.newest) }));
  };
  return {
    /**
     * Returns the values by which the builds of the app can be filtered, those with the newest builds first; for a signer also
     * the newest revision.
     */
    async filterValues(appId: string): Promise<{
      branch: string[];
      label: string[];
      uploader: string[];
      signer: { value: string; newest: number }[];
    }> {
      const [branch, label, uploader] = await Promise.all(
        filteredColumns.map(async (column) =>
          (await valuesOf(appId, column)).map(({ value }) => value).filter((value) => value !== ''),
        ),
      );
      return {
        branch: branch ?? [],
        label: label ?? [],
        uploader: uploader ?? [],
        signer: await valuesOf(appId, 'signer'),
      };
    },

    async countFiltered(appId: string, filters: BuildFilters): Promise<{ builds: number; bytes: number }> {
      const row = await db
        .selectFrom('builds as b')
        .select((select) => [
          select.fn.countAll<number>().as('builds'),
          (hasFilters(filters) ? select.fn.sum<number>('b.size_bytes') : bytesOf(appId)).as('bytes'),
        ])
        .where('b.app_id', '=', appId)
        .where('b.deleted_at', 'is', null)
        .where(matchesFilters(filters))
        .executeTakeFirstOrThrow();
      return { builds: Number(row.builds), bytes: Number(row.bytes ?? 0) };
    },
  };
}

/** Condition on `builds as b`. */
export function matchesFilters({ branch, label, uploader, page, signer }: BuildFilters) {
  return (where: ExpressionBuilder<Tables & { b: Tables['builds'] }, 'b'>) =>
    where.and([
      ...(branch === undefined ? [] : [where('b.branch', '=', branch)]),
      ...(label === undefined ? [] : [where('b.label', '=', label)]),
      ...(uploader === undefined ? [] : [where('b.uploaded_by', '=', uploader)]),
      ...(signer === undefined ? [] : [where('b.signer', '=', signer)]),
      ...(page === undefined
        ? []
        : [
            sql<boolean>`exists (select 1 from distribution_updates as d where d.page_id = ${page} and d.build_id = b.id)`,
          ]),
    ]);
}
