import type { Database, Queries } from '../db/database.ts';
import { newIdentifier } from '../identifier.ts';
import { type ClaimedJob, type Job, leaseMs, maxAttempts } from './outbox.ts';

export type OutboxQueries = ReturnType<typeof createOutboxQueries>;

export function createOutboxQueries(db: Queries, facts: Pick<Database, 'canSkipLocked'>) {
  return {
    async add(job: Job, now: number): Promise<void> {
      const { kind, ...payload } = job;
      await db
        .insertInto('outbox')
        .values({
          id: newIdentifier(now),
          kind,
          payload: JSON.stringify(payload),
          attempts: 0,
          run_at: now,
          leased_until: null,
          last_error: null,
          created_at: now,
        })
        .execute();
    },

    /** Leases due jobs to the caller, oldest first; each goes to one caller only until its lease ends. */
    async claim(now: number, most: number): Promise<ClaimedJob[]> {
      const rows = await db
        .updateTable('outbox')
        .set((set) => ({ leased_until: now + leaseMs, attempts: set('attempts', '+', 1) }))
        .where('id', 'in', (inner) =>
          inner
            .selectFrom('outbox')
            .select('id')
            .where('run_at', '<=', now)
            .where('attempts', '<', maxAttempts)
            .where((where) => where.or([where('leased_until', 'is', null), where('leased_until', '<', now)]))
            .orderBy('run_at')
            .orderBy('id')
            .limit(most)
            .$if(facts.canSkipLocked, (query) => query.forUpdate().skipLocked()),
        )
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

    /** When the next job is due, for the runner's alarm; null when nothing waits. */
    async nextRunAt(): Promise<number | null> {
      const row = await db
        .selectFrom('outbox')
        .select((select) => select.fn.min(select.fn.coalesce('leased_until', 'run_at')).as('due'))
        .where('attempts', '<', maxAttempts)
        .executeTakeFirst();
      return row?.due ?? null;
    },
  };
}
