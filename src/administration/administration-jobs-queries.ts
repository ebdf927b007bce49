import type { ExpressionBuilder } from 'kysely';
import type { Database, Queries } from '../db/database.ts';
import { databaseTime } from '../db/database-time.ts';
import type { Tables } from '../db/tables.ts';
import { type Job, lanes } from '../jobs/outbox.ts';
import {
  type AdministeredJob,
  type JobState,
  type JobSubject,
  withoutSecrets,
} from './administration-jobs.ts';

type Outbox = ExpressionBuilder<Tables, 'outbox'>;

/**
 * A job has exactly one state at the time `now`; the clock of the database decides when leases end. The table is small because
 * finished jobs are deleted, so it is scanned.
 */
export function createJobQueries(db: Queries, { dialect }: Pick<Database, 'dialect'>) {
  const time = databaseTime(dialect);
  const exhausted = (where: Outbox) =>
    where.or(
      Object.values(lanes).map((lane) =>
        where.and([where('kind', 'in', lane.kinds), where('attempts', '>=', lane.maxAttempts)]),
      ),
    );
  const isRunning = (where: Outbox) =>
    where.and([where('leased_until', 'is not', null), where('leased_until', '>=', time)]);
  const isFree = (where: Outbox) =>
    where.or([where('leased_until', 'is', null), where('leased_until', '<', time)]);
  const inState = (state: JobState, now: number) => (where: Outbox) => {
    if (state === 'running') return isRunning(where);
    if (state === 'dead') return where.and([isFree(where), exhausted(where)]);
    const alive = [isFree(where), where.not(exhausted(where))];
    if (state === 'failing') return where.and([...alive, where('attempts', '>', 0)]);
    const fresh = [...alive, where('attempts', '=', 0)];
    return where.and([...fresh, where('run_at', state === 'waiting' ? '<=' : '>', now)]);
  };
  const stateOf = (
    row: { kind: string; attempts: number; run_at: number; free: number },
    now: number,
  ): JobState => {
    if (row.free === 0) return 'running';
    const lane = Object.values(lanes).find(({ kinds }) => kinds.some((kind) => kind === row.kind));
    if (lane && row.attempts >= lane.maxAttempts) return 'dead';
    if (row.attempts > 0) return 'failing';
    return row.run_at <= now ? 'waiting' : 'planned';
  };
  /** Jobs that may be retried or discarded: they failed before and are not running. */
  const isRetryable = (id: string) => (where: Outbox) =>
    where.and([where('id', '=', id), isFree(where), where('attempts', '>', 0)]);

  return {
    /** Newest first. A null `state` means all states. */
    async listJobs(
      state: JobState | null,
      now: number,
      page: { limit: number; below?: string | undefined; above?: string | undefined },
    ): Promise<AdministeredJob[]> {
      const upwards = page.above !== undefined;
      let query = db
        .selectFrom('outbox')
        .selectAll()
        .select((select) => select.case().when(isFree(select)).then(1).else(0).end().as('free'))
        .orderBy('id', upwards ? 'asc' : 'desc')
        .limit(page.limit);
      if (state !== null) query = query.where(inState(state, now));
      if (page.below !== undefined) query = query.where('id', '<', page.below);
      if (page.above !== undefined) query = query.where('id', '>', page.above);
      const rows = (await query.execute()).map((row) => ({
        id: row.id,
        job: { kind: row.kind, ...JSON.parse(row.payload) } as Job,
        attempts: row.attempts,
        state: stateOf(row, now),
        dueAt: row.leased_until ?? row.run_at,
        lastError: row.last_error === null ? null : withoutSecrets(row.last_error),
        madeAt: row.created_at,
      }));
      return upwards ? rows.reverse() : rows;
    },

    /** Counted up to `limit`. `dueBefore`: only jobs that were due before that time. */
    async countJobs(state: JobState, now: number, limit: number, dueBefore = now): Promise<number> {
      const row = await db
        .selectFrom((inner) =>
          inner
            .selectFrom('outbox')
            .select('id')
            .where(inState(state, now))
            .$if(dueBefore < now, (query) => query.where('run_at', '<', dueBefore))
            .limit(limit)
            .as('some'),
        )
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },

    /** Makes the job due now and resets its attempts. Returns its kind, or null if there is no such failed job. */
    async retryJob(id: string, now: number): Promise<Job['kind'] | null> {
      const row = await db
        .updateTable('outbox')
        .set({ queue: null, run_at: now, attempts: 0, leased_until: null, held_by: null, claim_number: null })
        .where(isRetryable(id))
        .returning('kind')
        .executeTakeFirst();
      return row ? (row.kind as Job['kind']) : null;
    },

    /** Returns the deleted job, or null if there is no such failed job. */
    async discardJob(id: string): Promise<Job | null> {
      const row = await db
        .deleteFrom('outbox')
        .where(isRetryable(id))
        .returning(['kind', 'payload'])
        .executeTakeFirst();
      return row ? ({ kind: row.kind, ...JSON.parse(row.payload) } as Job) : null;
    },

    /** Returns the names of builds, emails, Apps and API keys by id, without deleted ones. */
    async nameSubjects(ids: {
      builds: readonly string[];
      mails: readonly string[];
      apps: readonly string[];
      keys: readonly string[];
    }): Promise<Map<string, JobSubject>> {
      const subjects = new Map<string, JobSubject>();
      const builds = () => db.selectFrom('builds as b').select(['b.name', 'b.revision']);
      if (ids.builds.length > 0) {
        const rows = await builds().select('b.id').where('b.id', 'in', ids.builds).execute();
        for (const { id, name, revision } of rows) subjects.set(id, { name, revision });
      }
      if (ids.mails.length > 0) {
        const rows = await builds()
          .innerJoin('mails as m', 'm.build_id', 'b.id')
          .select('m.id')
          .where('m.id', 'in', ids.mails)
          .execute();
        for (const { id, name, revision } of rows) subjects.set(id, { name, revision });
      }
      if (ids.apps.length > 0) {
        const rows = await db
          .selectFrom('apps as a')
          .select(['a.id', 'a.package_name'])
          .where('a.id', 'in', ids.apps)
          .where('a.deleted_at', 'is', null)
          .execute();
        for (const { id, package_name } of rows) subjects.set(id, { name: package_name, revision: null });
      }
      if (ids.keys.length > 0) {
        const rows = await db
          .selectFrom('api_keys')
          .select(['id', 'name'])
          .where('id', 'in', ids.keys)
          .execute();
        for (const { id, name } of rows) subjects.set(id, { name, revision: null });
      }
      return subjects;
    },
  };
}
