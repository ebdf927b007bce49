import { newIdentifier } from '../core/identifier.ts';
import { defineQueries } from '../db/data.ts';
import type { Database, Queries } from '../db/database.ts';
import { type ClaimedJob, type Job, type Lane, leaseMs } from './outbox.ts';

export const outboxQueries = defineQueries(createOutboxQueries);

function createOutboxQueries(db: Queries, facts: Pick<Database, 'canSkipLocked'>) {
  /** `runAt`: the earliest time, in epoch milliseconds. */
  const addAll = async (jobs: readonly Job[], now: number, runAt = now): Promise<void> => {
    if (jobs.length === 0) return;
    await db
      .insertInto('outbox')
      .values(
        jobs.map(({ kind, ...payload }) => ({
          id: newIdentifier(now),
          kind,
          payload: JSON.stringify(payload),
          attempts: 0,
          run_at: runAt,
          leased_until: null,
          last_error: null,
          created_at: now,
        })),
      )
      .execute();
  };
  return {
    add: (job: Job, now: number): Promise<void> => addAll([job], now),
    addAll,

    /** Adds the job only once per id while it is pending. */
    async addOnce(id: string, { kind, ...payload }: Job, now: number, runAt: number): Promise<void> {
      await db
        .insertInto('outbox')
        .values({
          id,
          kind,
          payload: JSON.stringify(payload),
          attempts: 0,
          run_at: runAt,
          leased_until: null,
          last_error: null,
          created_at: now,
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
    },

    /** Leases due jobs of a lane to the caller, oldest first; no other caller gets them until the lease ends. */
    async claim(lane: Lane, now: number, limit: number): Promise<ClaimedJob[]> {
      const rows = await db
        // Selected once, not in a subquery: a plan that reruns a subquery for each row gets different rows each time,
        // because it skips the rows it has changed as locked, and would lease too many.
        .with(
          (due) => due('due').materialized(),
          (inner) =>
            inner
              .selectFrom('outbox')
              .select('id')
              .where('run_at', '<=', now)
              .where('kind', 'in', lane.kinds)
              .where('attempts', '<', lane.maxAttempts)
              .where((where) =>
                where.or([where('leased_until', 'is', null), where('leased_until', '<', now)]),
              )
              .orderBy('run_at')
              .orderBy('id')
              .limit(limit)
              .$if(facts.canSkipLocked, (query) => query.forUpdate().skipLocked()),
        )
        .updateTable('outbox')
        .set((set) => ({ leased_until: now + leaseMs, attempts: set('attempts', '+', 1) }))
        .where('id', 'in', (inner) => inner.selectFrom('due').select('due.id'))
        .returning(['id', 'kind', 'payload', 'attempts'])
        .execute();
      return rows.map((row) => ({
        id: row.id,
        job: { kind: row.kind, ...JSON.parse(row.payload) } as Job,
        attempts: row.attempts,
      }));
    },

    async finish(id: string): Promise<void> {
      await db.deleteFrom('outbox').where('id', '=', id).execute();
    },

    async retryLater(id: string, runAt: number, lastError: string): Promise<void> {
      await db
        .updateTable('outbox')
        .set({ run_at: runAt, leased_until: null, last_error: lastError })
        .where('id', '=', id)
        .execute();
    },

    /** Continues the job later with its attempts reset. */
    async putOff(id: string, runAt: number): Promise<void> {
      await db
        .updateTable('outbox')
        .set({ run_at: runAt, leased_until: null, attempts: 0, last_error: null })
        .where('id', '=', id)
        .execute();
    },

    /** When the next job of a lane is due, for the runner’s timer; null when none is waiting. */
    async nextRunAt(lane: Lane): Promise<number | null> {
      const row = await db
        .selectFrom('outbox')
        .select((select) => select.fn.min(select.fn.coalesce('leased_until', 'run_at')).as('due'))
        .where('kind', 'in', lane.kinds)
        .where('attempts', '<', lane.maxAttempts)
        .executeTakeFirst();
      return row?.due ?? null;
    },
  };
}
