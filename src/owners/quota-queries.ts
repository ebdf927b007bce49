import { defineQueries } from '../db/data.ts';
import type { Database, Queries } from '../db/database.ts';
import { isLimited, type Quota, type QuotaUsage, type Usage } from './quota.ts';
import { createStoredTotalsQueries } from './stored-totals-queries.ts';

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
  const lock = async (ownerId: string) =>
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
  /** Adds the announced sizes of uploads in progress. */
  const withReserved = async (
    usage: Usage,
    ownerIds: Parameters<typeof reservedBytes>[0],
  ): Promise<Usage> => ({
    ...usage,
    bytes: usage.bytes + (await reservedBytes(ownerIds)),
  });
  const reservedBytes = async (ownerIds: string | ReturnType<typeof ownersOfPerson>): Promise<number> => {
    const row = await db
      .selectFrom('resumable_uploads')
      .select((select) => select.fn.sum<number | string | null>('size_bytes').as('bytes'))
      .where('state', '=', 'open')
      .$if(typeof ownerIds === 'string', (query) => query.where('owner_id', '=', ownerIds as string))
      .$if(typeof ownerIds !== 'string', (query) =>
        query.where('owner_id', 'in', ownerIds as ReturnType<typeof ownersOfPerson>),
      )
      .executeTakeFirstOrThrow();
    return Number(row.bytes ?? 0);
  };
  const usageOf = (ownerId: string) => sumOf(totals().where('owner_id', '=', ownerId).execute());
  const ownersOfPerson = (userId: string) =>
    db
      .selectFrom('owners')
      .select('id')
      .where('accountable_id', '=', userId)
      .unionAll(db.selectFrom('owners').select('id').where('id', '=', userId));
  const usageOfPerson = (userId: string) =>
    sumOf(totals().where('owner_id', 'in', ownersOfPerson(userId)).execute());
  /** Returns the User who is accountable for this Project, with their quota; null for a User, or if nobody is accountable. */
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

    /** Null if the Owner no longer exists. */
    async find(ownerId: string): Promise<Quota | null> {
      const row = await quotas(ownerId).executeTakeFirst();
      return row ? quotaOf(row) : null;
    },

    /** Locks the Owner until the transaction ends, so that parallel uploads are checked one after another and nobody deletes the Owner. */
    async lock(ownerId: string): Promise<Quota | null> {
      const row = await lock(ownerId);
      return row ? quotaOf(row) : null;
    },

    /**
     * Locks the accountable User first and then the Owner, so that uploads that count toward the same person are checked one
     * after another. Returns whether the Owner exists.
     */
    async lockForUpload(ownerId: string): Promise<boolean> {
      const before = await findAccountable(ownerId);
      if (before && isLimited(before.quota)) await lock(before.id);
      if (!(await lock(ownerId))) return false;
      const after = await findAccountable(ownerId);
      // Another User may have become accountable in the meantime.
      if (after && after.id !== before?.id && isLimited(after.quota)) await lock(after.id);
      return true;
    },

    /**
     * Returns the limits that apply to uploads to the Owner, with their usage; empty if there are none. Uploads in progress count
     * with the size that they announced.
     */
    async quotaUsagesOf(ownerId: string): Promise<QuotaUsage[]> {
      const row = await quotas(ownerId).select('kind').executeTakeFirst();
      if (!row) return [];
      const accountable = row.kind === 'user' ? null : await findAccountable(ownerId);
      const own = quotaOf(row);
      const ofPerson = async (id: string) => withReserved(await usageOfPerson(id), ownersOfPerson(id));
      const usage =
        row.kind === 'user' ? ofPerson : async (id: string) => withReserved(await usageOf(id), id);
      return [
        ...(isLimited(own) ? [{ quota: own, usage: await usage(ownerId) }] : []),
        ...(accountable && isLimited(accountable.quota)
          ? [{ quota: accountable.quota, usage: await ofPerson(accountable.id) }]
          : []),
      ];
    },

    /** Returns the storage limits that apply to the Owner, each with the ids of all Owners that it covers. */
    async storageLimitsOf(ownerId: string): Promise<{ maxBytes: number; ownerIds: string[] }[]> {
      const accountable = await findAccountable(ownerId);
      const own = await quotas(ownerId).executeTakeFirst();
      const covered = (await ownersOfPerson(accountable?.id ?? ownerId).execute()).map(({ id }) => id);
      const limits = [
        { maxBytes: own?.max_storage_bytes ?? null, ownerIds: accountable ? [ownerId] : covered },
        { maxBytes: accountable?.quota.maxStorageBytes ?? null, ownerIds: covered },
      ];
      return limits.flatMap(({ maxBytes, ownerIds }) => (maxBytes === null ? [] : [{ maxBytes, ownerIds }]));
    },

    /** Returns the usage that counts toward a User: their own apps and the Projects for which they are accountable. */
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

    /** Returns the User whose quota covers the Project; null if there is none. */
    async findAccountableUser(projectId: string): Promise<{ id: string; name: string } | null> {
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

    /** Makes the User accountable for the Project if nobody is. */
    async claimProject(projectId: string, userId: string): Promise<void> {
      await db
        .updateTable('owners')
        .set({ accountable_id: userId })
        .where('id', '=', projectId)
        .where('accountable_id', 'is', null)
        .execute();
    },

    /** Transfers the Projects that count toward the User, or only this one, to the other owner who has been one for longest. */
    async transferProjects(userId: string, projectId?: string): Promise<void> {
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

    /** Reads the totals per platform, which triggers keep up to date. */
    usageOf,

    /** Returns whether the Owner exists. */
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
