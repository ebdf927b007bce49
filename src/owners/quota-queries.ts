import type { Database, Queries } from '../db/database.ts';
import type { Quota, Usage } from './quota.ts';
import { createStoredTotalsQueries } from './stored-totals-queries.ts';

export type QuotaQueries = ReturnType<typeof createQuotaQueries>;

export function createQuotaQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  const locksRows = database.dialect === 'postgres';
  const quotas = (ownerId: string) =>
    db
      .selectFrom('owners')
      .select(['max_storage_bytes', 'max_builds'])
      .where('id', '=', ownerId)
      .where('deleted_at', 'is', null);
  const toQuota = (
    row: { max_storage_bytes: number | null; max_builds: number | null } | undefined,
  ): Quota | null => (row ? { maxStorageBytes: row.max_storage_bytes, maxBuilds: row.max_builds } : null);

  return {
    ...createStoredTotalsQueries(db, database),

    /** Null when the Owner is gone. */
    async find(ownerId: string): Promise<Quota | null> {
      return toQuota(await quotas(ownerId).executeTakeFirst());
    },

    /**
     * To be asked inside a transaction, which then holds the Owner until it ends: others that hold it wait, so that
     * parallel uploads are judged one after the other, and nobody deletes the Owner meanwhile.
     */
    async hold(ownerId: string): Promise<Quota | null> {
      return toQuota(
        await quotas(ownerId)
          .$if(locksRows, (query) => query.forNoKeyUpdate())
          .executeTakeFirst(),
      );
    },

    /** One line for each platform, which the database keeps up to date with every build that comes and goes. */
    async usageOf(ownerId: string): Promise<Usage> {
      const rows = await db
        .selectFrom('stored_totals')
        .select(['apps', 'builds', 'bytes'])
        .where('owner_id', '=', ownerId)
        .execute();
      const usage = { bytes: 0, builds: 0, apps: 0 };
      for (const { apps, builds, bytes } of rows) {
        usage.bytes += bytes;
        usage.builds += builds;
        usage.apps += apps;
      }
      return usage;
    },

    /** Answers whether the Owner is there. */
    async set(ownerId: string, quota: Quota): Promise<boolean> {
      const row = await db
        .updateTable('owners')
        .set({ max_storage_bytes: quota.maxStorageBytes, max_builds: quota.maxBuilds })
        .where('id', '=', ownerId)
        .where('deleted_at', 'is', null)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
