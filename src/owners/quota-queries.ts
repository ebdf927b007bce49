import { defineQueries } from '../db/data.ts';
import type { Database, Queries } from '../db/database.ts';
import { type Bound, isLimited, type Quota } from './quota.ts';
import { createStoredTotalsQueries } from './stored-totals-queries.ts';

export type QuotaQueries = ReturnType<typeof createQuotaQueries>;

function quotaOf(row: {
  max_storage_bytes: number | null;
  max_builds: number | null;
  max_projects: number | null;
}): Quota {
  return { maxStorageBytes: row.max_storage_bytes, maxBuilds: row.max_builds, maxProjects: row.max_projects };
}

export const quotaQueries = defineQueries(createQuotaQueries);

function createQuotaQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  const locksRows = database.dialect === 'postgres';
  const quotas = (ownerId: string) =>
    db
      .selectFrom('owners')
      .select(['max_storage_bytes', 'max_builds', 'max_projects'])
      .where('id', '=', ownerId)
      .where('deleted_at', 'is', null);
  const hold = async (ownerId: string) =>
    quotas(ownerId)
      .$if(locksRows, (query) => query.forNoKeyUpdate())
      .executeTakeFirst();
  const sumOf = async (totals: Promise<{ apps: number; builds: number; bytes: number }[]>) => {
    const usage = { bytes: 0, builds: 0, apps: 0 };
    for (const { apps, builds, bytes } of await totals) {
      usage.bytes += bytes;
      usage.builds += builds;
      usage.apps += apps;
    }
    return usage;
  };
  const totals = () => db.selectFrom('stored_totals').select(['apps', 'builds', 'bytes']);
  const usageOf = (ownerId: string) => sumOf(totals().where('owner_id', '=', ownerId).execute());
  const usageOfPerson = (userId: string) =>
    sumOf(
      totals()
        .where('owner_id', 'in', (inner) =>
          inner
            .selectFrom('owners')
            .select('id')
            .where('accountable_id', '=', userId)
            .unionAll(inner.selectFrom('owners').select('id').where('id', '=', userId)),
        )
        .execute(),
    );
  /** The Owner toward whose limits this one counts besides its own: null for a User, and when nobody is accountable. */
  const findAccountable = async (ownerId: string): Promise<{ id: string; quota: Quota } | null> => {
    const row = await db
      .selectFrom('owners as o')
      .innerJoin('owners as a', 'a.id', 'o.accountable_id')
      .select(['a.id', 'a.max_storage_bytes', 'a.max_builds', 'a.max_projects'])
      .where('o.id', '=', ownerId)
      .executeTakeFirst();
    return row ? { id: row.id, quota: quotaOf(row) } : null;
  };

  return {
    ...createStoredTotalsQueries(db, database),

    /** Null when the Owner is gone. */
    async find(ownerId: string): Promise<Quota | null> {
      const row = await quotas(ownerId).executeTakeFirst();
      return row ? quotaOf(row) : null;
    },

    /**
     * To be asked inside a transaction, which then holds the Owner until it ends: others that hold it wait, so that
     * parallel uploads are judged one after the other, and nobody deletes the Owner meanwhile.
     */
    async hold(ownerId: string): Promise<Quota | null> {
      const row = await hold(ownerId);
      return row ? quotaOf(row) : null;
    },

    /**
     * Locks the person toward whose limits the Owner counts, and then the Owner: uploads that count toward one person are
     * checked one after another. Returns whether the Owner exists.
     */
    async holdForUpload(ownerId: string): Promise<boolean> {
      const before = await findAccountable(ownerId);
      if (before && isLimited(before.quota)) await hold(before.id);
      if (!(await hold(ownerId))) return false;
      const after = await findAccountable(ownerId);
      // Someone else became accountable in the meantime.
      if (after && after.id !== before?.id && isLimited(after.quota)) await hold(after.id);
      return true;
    },

    /** The limits that bind uploads to the Owner, each with what counts toward it; none when nothing is limited. */
    async boundsOf(ownerId: string): Promise<Bound[]> {
      const row = await quotas(ownerId).select('kind').executeTakeFirst();
      if (!row) return [];
      const accountable = row.kind === 'user' ? null : await findAccountable(ownerId);
      const own = quotaOf(row);
      const usage = row.kind === 'user' ? usageOfPerson : usageOf;
      return [
        ...(isLimited(own) ? [{ quota: own, usage: await usage(ownerId) }] : []),
        ...(accountable && isLimited(accountable.quota)
          ? [{ quota: accountable.quota, usage: await usageOfPerson(accountable.id) }]
          : []),
      ];
    },

    /** What counts toward a User: their own apps, and the Projects for which they are accountable. */
    usageOfPerson,

    async countProjectsOf(userId: string): Promise<number> {
      const row = await db
        .selectFrom('owners')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('accountable_id', '=', userId)
        .where('deleted_at', 'is', null)
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },

    /** The User toward whose limits the Project counts; null when there is none. */
    async accountableOf(projectId: string): Promise<{ id: string; name: string } | null> {
      const row = await db
        .selectFrom('owners as o')
        .innerJoin('owners as a', 'a.id', 'o.accountable_id')
        .select(['a.id', 'a.name'])
        .where('o.id', '=', projectId)
        .where('a.deleted_at', 'is', null)
        .executeTakeFirst();
      return row ?? null;
    },

    async setAccountable(projectId: string, userId: string): Promise<void> {
      await db.updateTable('owners').set({ accountable_id: userId }).where('id', '=', projectId).execute();
    },

    /** The User becomes accountable for the Project when nobody is. */
    async claimProject(projectId: string, userId: string): Promise<void> {
      await db
        .updateTable('owners')
        .set({ accountable_id: userId })
        .where('id', '=', projectId)
        .where('accountable_id', 'is', null)
        .execute();
    },

    /** Moves Projects that count toward the User, or only this one, to the longest-standing other owner of each. */
    async passOn(userId: string, projectId?: string): Promise<void> {
      await db
        .updateTable('owners')
        .set((set) => ({
          accountable_id: set
            .selectFrom('team_members as t')
            .innerJoin('users as u', 'u.owner_id', 't.user_id')
            .select('t.user_id')
            .whereRef('t.project_id', '=', 'owners.id')
            .where('t.team', '=', 'owner')
            .where('t.user_id', '!=', userId)
            .orderBy((order) => order.case().when('u.disabled_at', 'is', null).then(0).else(1).end())
            .orderBy('t.created_at')
            .orderBy('t.user_id')
            .limit(1),
        }))
        .where('accountable_id', '=', userId)
        .$if(projectId !== undefined, (query) => query.where('id', '=', projectId ?? ''))
        .execute();
    },

    /** One line for each platform, which the database keeps up to date with every build that comes and goes. */
    usageOf,

    /** Answers whether the Owner is there. */
    async set(ownerId: string, quota: Quota): Promise<boolean> {
      const row = await db
        .updateTable('owners')
        .set({
          max_storage_bytes: quota.maxStorageBytes,
          max_builds: quota.maxBuilds,
          max_projects: quota.maxProjects,
        })
        .where('id', '=', ownerId)
        .where('deleted_at', 'is', null)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
