import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { Job, Lane } from '../../jobs/outbox.ts';

export interface JobCount {
  kind: Job['kind'];
  /** Jobs that are running, due or to be retried. */
  waiting: number;
  /** Jobs that are no longer retried. */
  dead: number;
}

export const metricsQueries = defineQueries(createMetricsQueries);

function createMetricsQueries(db: Queries) {
  return {
    /** Returns one row for each kind of job in the lane. */
    async countJobs({ kinds, maxAttempts }: Lane): Promise<JobCount[]> {
      const rows = await db
        .selectFrom('outbox')
        .select((select) => [
          'kind',
          select.fn.countAll<number>().as('all'),
          select.fn
            .sum<number>(select.case().when('attempts', '>=', maxAttempts).then(1).else(0).end())
            .as('dead'),
        ])
        .where('kind', 'in', kinds)
        .groupBy('kind')
        .execute();
      return rows.map(({ kind, all, dead }) => ({
        kind: kind as Job['kind'],
        waiting: Number(all) - Number(dead),
        dead: Number(dead),
      }));
    },

    /** Reads one row per owner and platform. Includes deleted builds that are not removed yet. */
    async countStored(): Promise<{ builds: number; bytes: number }> {
      const row = await db
        .selectFrom('stored_totals')
        .select((select) => [
          select.fn.sum<number | null>('builds').as('builds'),
          select.fn.sum<number | null>('bytes').as('bytes'),
        ])
        .executeTakeFirstOrThrow();
      return { builds: Number(row.builds ?? 0), bytes: Number(row.bytes ?? 0) };
    },
  };
}
