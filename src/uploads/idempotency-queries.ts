import type { Queries } from '../db/database.ts';

export type IdempotencyQueries = ReturnType<typeof createIdempotencyQueries>;

/** What an `Idempotency-Key` of an Owner led to the first time. */
export interface FirstResult {
  sha256: string;
  buildId: string;
  pageId: string | null;
}

export const idempotencyWindowMs = 24 * 60 * 60_000;

export function createIdempotencyQueries(db: Queries) {
  return {
    async find(ownerId: string, key: string, now: number): Promise<FirstResult | null> {
      const row = await db
        .selectFrom('idempotency_keys')
        .select(['sha256', 'build_id', 'page_id'])
        .where('owner_id', '=', ownerId)
        .where('key', '=', key)
        .where('created_at', '>', now - idempotencyWindowMs)
        .executeTakeFirst();
      return row ? { sha256: row.sha256, buildId: row.build_id, pageId: row.page_id } : null;
    },

    /** Takes the key, or one older than a day over; false when it is taken. Waits for a parallel taker's commit. */
    async take(ownerId: string, key: string, result: FirstResult, now: number): Promise<boolean> {
      const content = {
        sha256: result.sha256,
        build_id: result.buildId,
        page_id: result.pageId,
        created_at: now,
      };
      const row = await db
        .insertInto('idempotency_keys')
        .values({ owner_id: ownerId, key, ...content })
        .onConflict((conflict) =>
          conflict
            .columns(['owner_id', 'key'])
            .doUpdateSet(content)
            .where('idempotency_keys.created_at', '<=', now - idempotencyWindowMs),
        )
        .returning('owner_id')
        .executeTakeFirst();
      return row !== undefined;
    },

    async deleteOld(now: number): Promise<void> {
      await db
        .deleteFrom('idempotency_keys')
        .where('created_at', '<=', now - idempotencyWindowMs)
        .execute();
    },
  };
}
