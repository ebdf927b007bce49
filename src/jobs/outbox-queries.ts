import { sql } from 'kysely';
import { type Claim, leaseMs } from '../claims/claim.ts';
import { newIdentifier } from '../core/identifier.ts';
import { defineQueries } from '../db/data.ts';
import type { Database, Queries } from '../db/database.ts';
import { databaseTime } from '../db/database-time.ts';
import { type ClaimedJob, type Job, type LaneName, laneNames, laneOf, lanes } from './outbox.ts';

export const outboxQueries = defineQueries(createOutboxQueries);

const unclaimed = { leased_until: null, held_by: null, claim_number: null };

/** The queue of jobs that are not retried anymore. */
export const deadQueue = 'dead';

/** Determines whose job is next in a lane. */
export interface Turn {
  /** The owner who had the last turn; null for none. */
  after: string | null;
  /** Owners who do not get a turn now. */
  except: readonly string[];
}

const anyTurn: Turn = { after: null, except: [] };

/** A row of the outbox. Every job belongs to an Owner, or to the `installation`. */
export function jobRow(
  ownerId: string,
  { kind, ...payload }: Job,
  { id, now, runAt }: { id: string; now: number; runAt: number },
) {
  return {
    id,
    kind,
    payload: JSON.stringify(payload),
    attempts: 0,
    run_at: runAt,
    ...unclaimed,
    last_error: null,
    created_at: now,
    queued_for: ownerId,
    queue: runAt <= now ? laneOf(kind) : null,
  };
}

/** Returns the lane of a job, or `deadQueue` if its attempts are used up. */
const queueOfKind = sql<string>`case ${sql.join(
  laneNames.map((name) => {
    const { kinds, maxAttempts } = lanes[name];
    const queue = sql`case when attempts >= ${sql.lit(maxAttempts)} then ${sql.lit(deadQueue)} else ${sql.lit(name)} end`;
    return sql`when kind in (${sql.join(kinds.map((kind) => sql.lit(kind)))}) then ${queue}`;
  }),
  sql` `,
)} end`;

function createOutboxQueries(
  db: Queries,
  { canSkipLocked, dialect }: Pick<Database, 'canSkipLocked' | 'dialect'>,
) {
  const time = databaseTime(dialect);
  const known = laneNames.flatMap((name): readonly Job['kind'][] => lanes[name].kinds);
  /** Jobs that are not in a queue yet. */
  const planned = () =>
    db
      .selectFrom('outbox')
      .where('queue', 'is', null)
      .where('leased_until', 'is', null)
      // Jobs of kinds from newer versions are left to them.
      .where('kind', 'in', known)
      .orderBy('run_at')
      .orderBy('id');
  const waiting = (name: LaneName, now: number) =>
    db
      .selectFrom('outbox')
      .where('queue', '=', name)
      .where('leased_until', 'is', null)
      // The following applies to jobs from other versions, which may have different lanes.
      .where('run_at', '<=', now)
      .where('kind', 'in', lanes[name].kinds)
      .where('attempts', '<', lanes[name].maxAttempts);
  const nextOwner = async (name: LaneName, now: number, after: string | null) => {
    const row = await waiting(name, now)
      .select('queued_for')
      .$if(after !== null, (query) => query.where('queued_for', '>', after))
      .orderBy('queued_for')
      .limit(1)
      .executeTakeFirst();
    return row?.queued_for ?? null;
  };
  const claimOf = async (
    ownerId: string,
    name: LaneName,
    now: number,
    claim: Claim,
  ): Promise<ClaimedJob | null> => {
    const row = await db
      // Selected once instead of in a subquery: a plan that reruns the subquery for each row would skip the rows already changed,
      // because they are locked, and lease too many.
      .with(
        (due) => due('due').materialized(),
        () =>
          waiting(name, now)
            .select('id')
            .where('queued_for', '=', ownerId)
            .orderBy('run_at')
            .orderBy('id')
            .limit(1)
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
      .executeTakeFirst();
    if (!row) return null;
    const job = { kind: row.kind, ...JSON.parse(row.payload) } as Job;
    return { id: row.id, job, attempts: row.attempts, ownerId };
  };
  const addAll = async (ownerId: string, jobs: readonly Job[], now: number, runAt = now): Promise<void> => {
    if (jobs.length === 0) return;
    await db
      .insertInto('outbox')
      .values(jobs.map((job) => jobRow(ownerId, job, { id: newIdentifier(now), now, runAt })))
      .execute();
  };
  return {
    /** `ownerId`, here and below: the Owner who gets the turn for the job, or the `installation`. */
    add: (ownerId: string, job: Job, now: number): Promise<void> => addAll(ownerId, [job], now),

    /** `runAt`: the earliest time to run, in epoch milliseconds. */
    addAll,

    /** Adds the job unless one with this id is pending. */
    async addOnce(id: string, ownerId: string, job: Job, now: number, runAt: number): Promise<void> {
      await db
        .insertInto('outbox')
        .values(jobRow(ownerId, job, { id, now, runAt }))
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
    },

    /**
     * Leases the oldest waiting job, of the owner who has the next turn, to the claim. Nobody else gets it until it is released
     * or the lease ends. Reads only a few rows, no matter how many jobs are waiting.
     */
    async claim(name: LaneName, now: number, claim: Claim, turn = anyTurn): Promise<ClaimedJob | null> {
      for (const start of turn.after === null ? [null] : [turn.after, null]) {
        let owner = await nextOwner(name, now, start);
        while (owner !== null) {
          const claimed = turn.except.includes(owner) ? null : await claimOf(owner, name, now, claim);
          if (claimed) return claimed;
          owner = await nextOwner(name, now, owner);
        }
      }
      return null;
    },

    /** Returns the lanes with jobs that nobody has claimed. Reads one row per lane. */
    async waitingLanes(now: number): Promise<LaneName[]> {
      const found = await laneNames
        .map((name) =>
          db
            .selectFrom(waiting(name, now).select(sql.lit(name).as('lane')).limit(1).as(`lane_${name}`))
            .selectAll(),
        )
        .reduce((lanes, lane) => lanes.unionAll(lane))
        .execute();
      return found.map(({ lane }) => lane);
    },

    /** Moves due jobs to the queues of their lanes, oldest first, and returns their number. */
    async queueDueJobs(now: number, limit: number): Promise<number> {
      const rows = await db
        .with(
          (due) => due('due').materialized(),
          () =>
            planned()
              .select('id')
              .where('run_at', '<=', now)
              .limit(limit)
              .$if(canSkipLocked, (query) => query.forUpdate().skipLocked()),
        )
        .updateTable('outbox')
        .set({ queue: queueOfKind })
        .where('id', 'in', (inner) => inner.selectFrom('due').select('due.id'))
        .returning('id')
        .execute();
      return rows.length;
    },

    /** Returns when the next planned job is due; null if there is none. */
    async nextDueAt(): Promise<number | null> {
      const row = await planned().select('run_at').limit(1).executeTakeFirst();
      return row?.run_at ?? null;
    },

    /** Releases jobs with expired leases. */
    async releaseExpired(): Promise<void> {
      await db.updateTable('outbox').set(unclaimed).where('leased_until', '<', time).execute();
    },

    /** This and the following change nothing if the claim no longer holds the job. */
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
        .set({ ...unclaimed, queue: null, run_at: runAt, last_error: lastError })
        .where('id', '=', id)
        .where('held_by', '=', claim.nodeId)
        .where('claim_number', '=', claim.number)
        .execute();
    },

    /** Continues the job later with its attempts reset. */
    async putOff(id: string, runAt: number, claim: Claim): Promise<void> {
      await db
        .updateTable('outbox')
        .set({ ...unclaimed, queue: null, run_at: runAt, attempts: 0, last_error: null })
        .where('id', '=', id)
        .where('held_by', '=', claim.nodeId)
        .where('claim_number', '=', claim.number)
        .execute();
    },

    /** Runs the postponed job about a build now. Call it in the transaction of what the job waits for, and wake the outbox. */
    async hasten(ownerId: string, kind: Job['kind'], buildId: string, now: number): Promise<void> {
      await db
        .updateTable('outbox')
        .set({ run_at: now })
        .where('kind', '=', kind)
        .where('queued_for', '=', ownerId)
        .where('run_at', '>', now)
        .where('payload', 'like', `%"${buildId}"%`)
        .execute();
    },

    /** Releases everything that the claim holds. */
    async release(claim: Claim): Promise<void> {
      await db
        .updateTable('outbox')
        .set(unclaimed)
        .where('held_by', '=', claim.nodeId)
        .where('claim_number', '=', claim.number)
        .execute();
    },

    /** Removes a job that the caller runs instead. */
    async remove(id: string): Promise<void> {
      await db.deleteFrom('outbox').where('id', '=', id).execute();
    },
  };
}
