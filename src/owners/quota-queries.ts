import { sql } from 'kysely';
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

    /**
     * Reads `builds_storage` alone, App by App: joined, PostgreSQL may take it for cheaper to read the builds of everybody.
     */
    async usageOf(ownerId: string): Promise<Usage> {
      const row = await db
        .selectFrom('apps as a')
        .select((select) => [
          select.fn.countAll<number>().filterWhere('a.deleted_at', 'is', null).as('apps'),
          sql<number | null>`sum((select count(*) from builds as b where b.app_id = a.id))`.as('builds'),
          sql<number | null>`sum((
            select sum(b.size_bytes + coalesce(b.simulator_bytes, 0)) from builds as b where b.app_id = a.id
          ))`.as('bytes'),
        ])
        .where('a.owner_id', '=', ownerId)
        .executeTakeFirstOrThrow();
      return { bytes: Number(row.bytes ?? 0), builds: Number(row.builds ?? 0), apps: Number(row.apps) };
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
