import type { Database, Queries } from '../db/database.ts';
import type { Quota, Usage } from './quota.ts';

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

    /** Reads `builds_storage` alone, and of it what is the Owner's. */
    async usageOf(ownerId: string): Promise<Usage> {
      const apps = await db
        .selectFrom('apps')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('owner_id', '=', ownerId)
        .where('deleted_at', 'is', null)
        .executeTakeFirstOrThrow();
      const stored = await db
        .selectFrom('builds')
        .select((select) => [
          select.fn.countAll<number>().as('builds'),
          select.fn.sum<number | null>('size_bytes').as('package_bytes'),
          select.fn.sum<number | null>('simulator_bytes').as('simulator_bytes'),
        ])
        .where('app_id', 'in', (inner) =>
          inner.selectFrom('apps').select('id').where('owner_id', '=', ownerId),
        )
        .executeTakeFirstOrThrow();
      return {
        bytes: Number(stored.package_bytes ?? 0) + Number(stored.simulator_bytes ?? 0),
        builds: Number(stored.builds),
        apps: Number(apps.count),
      };
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
