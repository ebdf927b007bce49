import { newIdentifier } from '../core/identifier.ts';
import { defineQueries } from '../db/data.ts';
import type { Database, Queries } from '../db/database.ts';
import { databaseTime } from '../db/database-time.ts';
import { type Claim, leaseMs } from './claim.ts';
import type { ClaimedJob, Job, Lane } from './outbox.ts';

export const outboxQueries = defineQueries(createOutboxQueries);

const unclaimed = { leased_until: null, held_by: null, claim_number: null };

function createOutboxQueries(
  db: Queries,
  { canSkipLocked, dialect }: Pick<Database, 'canSkipLocked' | 'dialect'>,
) {
  const time = databaseTime(dialect);
  const insert = async (
    jobs: readonly Job[],
    now: number,
    runAt: number,
    place: { queued_for: string; turn: number } | null,
  ): Promise<void> => {
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
          ...unclaimed,
          last_error: null,
          created_at: now,
          ...place,
        })),
      )
      .execute();
  };
  /** `runAt`: the earliest time, in epoch milliseconds. */
  const addAll = (jobs: readonly Job[], now: number, runAt = now) => insert(jobs, now, runAt, null);
  return {
    add: (job: Job, now: number): Promise<void> => addAll([job], now),
    addAll,

    /** Adds jobs of an Owner behind those that wait already, for lanes in which owners take turns. */
    async addFor(ownerId: string, jobs: readonly Job[], now: number): Promise<void> {
      const { turn } = await db
        .selectFrom('outbox')
        .select((select) => select.fn.countAll<number>().as('turn'))
        .where('queued_for', '=', ownerId)
        .executeTakeFirstOrThrow();
      await insert(jobs, now, now, { queued_for: ownerId, turn: Number(turn) });
    },

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
          ...unclaimed,
          last_error: null,
          created_at: now,
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
    },

    /** Leases due jobs of a lane to the claim, oldest first; nobody else gets them until they are released or the lease ends. */
    async claim(lane: Lane, now: number, limit: number, claim: Claim): Promise<ClaimedJob[]> {
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
                where.or([
                  where('leased_until', 'is', null),
                  ...(claim.takesOver ? [where('leased_until', '<', time)] : []),
                ]),
              )
              .$if(lane.takesTurns ?? false, (query) => query.orderBy('turn'))
              .orderBy('run_at')
              .orderBy('id')
              .limit(limit)
              .$if(canSkipLocked, (query) => query.forUpdate().skipLocked()),
        )
        .updateTable('outbox')
        .set((set) => ({
          leased_until: set(time, '+', leaseMs),
          held_by: claim.nodeId,
          claim_number: claim.number,
          attempts: set('attempts', '+', 1),
        }))
        .where('id', 'in', (inner) => inner.selectFrom('due').select('due.id'))
        .returning(['id', 'kind', 'payload', 'attempts'])
        .execute();
      return rows.map((row) => ({
        id: row.id,
        job: { kind: row.kind, ...JSON.parse(row.payload) } as Job,
        attempts: row.attempts,
      }));
    },

    /** Each of these changes nothing when the claim no longer holds the job. */
    async finish(id: string, claim: Claim): Promise<void> {
      await db
        .deleteFrom('outbox')
        .where('id', '=', id)
        .where('held_by', '=', claim.nodeId)
        .where('claim_number', '=', claim.number)
        .execute();
    },

    async retryLater(id: string, runAt: number, lastError: string, claim: Claim): Promise<void> {
      await db
        .updateTable('outbox')
        .set({ ...unclaimed, run_at: runAt, last_error: lastError })
        .where('id', '=', id)
        .where('held_by', '=', claim.nodeId)
        .where('claim_number', '=', claim.number)
        .execute();
    },

    /** Continues the job later with its attempts reset. */
    async putOff(id: string, runAt: number, claim: Claim): Promise<void> {
      await db
        .updateTable('outbox')
        .set({ ...unclaimed, run_at: runAt, attempts: 0, last_error: null })
        .where('id', '=', id)
        .where('held_by', '=', claim.nodeId)
        .where('claim_number', '=', claim.number)
        .execute();
    },

    /** Frees whatever the claim holds. */
    async release(claim: Claim): Promise<void> {
      await db
        .updateTable('outbox')
        .set(unclaimed)
        .where('held_by', '=', claim.nodeId)
        .where('claim_number', '=', claim.number)
        .execute();
    },

    /** Removes a job that the caller does instead. */
    async remove(id: string): Promise<void> {
      await db.deleteFrom('outbox').where('id', '=', id).execute();
    },

    /** When the next unclaimed job of a lane is due, for the runner’s timer; null when there is none. */
    async nextRunAt(lane: Lane): Promise<number | null> {
      const row = await db
        .selectFrom('outbox')
        .select((select) => select.fn.min('run_at').as('due'))
        .where('leased_until', 'is', null)
        .where('kind', 'in', lane.kinds)
        .where('attempts', '<', lane.maxAttempts)
        .executeTakeFirst();
      return row?.due ?? null;
    },
  };
}
