import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';

/** The first result for an `Idempotency-Key`. */
export interface FirstResult {
  sha256: string;
  buildId: string;
  pageId: string | null;
}

/** An `Idempotency-Key`, and the API key or session that sent it. */
export interface UploadClaim {
  credential: string;
  key: string;
}

/** Unambiguous, because a credential contains no space. */
const textOf = ({ credential, key }: UploadClaim) => `${credential} ${key}`;

export const idempotencyWindowMs = 24 * 60 * 60_000;

export const idempotencyQueries = defineQueries(createIdempotencyQueries);

function createIdempotencyQueries(db: Queries) {
  return {
    /** Returns null if the build was deleted, which makes the result invalid. */
    async find(ownerId: string, claim: UploadClaim, now: number): Promise<FirstResult | null> {
      const row = await db
        .selectFrom('idempotency_keys as i')
        .innerJoin('builds as b', 'b.id', 'i.build_id')
        .innerJoin('apps as a', 'a.id', 'b.app_id')
        .select(['i.sha256', 'i.build_id', 'i.page_id'])
        .where('i.owner_id', '=', ownerId)
        .where('i.key', '=', textOf(claim))
        .where('i.created_at', '>', now - idempotencyWindowMs)
        .where('b.deleted_at', 'is', null)
        .where('a.deleted_at', 'is', null)
        .executeTakeFirst();
      return row ? { sha256: row.sha256, buildId: row.build_id, pageId: row.page_id } : null;
    },

    /**
     * Claims the key, or claims it again if it is older than a day or its build was deleted. Returns false if it is in use. Waits
     * for the commit of a concurrent claim.
     */
    async take(ownerId: string, claim: UploadClaim, result: FirstResult, now: number): Promise<boolean> {
      const content = {
        sha256: result.sha256,
        build_id: result.buildId,
        page_id: result.pageId,
        created_at: now,
      };
      const row = await db
        .insertInto('idempotency_keys')
        .values({ owner_id: ownerId, key: textOf(claim), ...content })
        .onConflict((conflict) =>
          conflict
            .columns(['owner_id', 'key'])
            .doUpdateSet(content)
            .where((where) =>
              where.or([
                where('idempotency_keys.created_at', '<=', now - idempotencyWindowMs),
                where.exists(
                  where
                    .selectFrom('builds as b')
                    .innerJoin('apps as a', 'a.id', 'b.app_id')
                    .select('b.id')
                    .whereRef('b.id', '=', 'idempotency_keys.build_id')
                    .where((gone) =>
                      gone.or([gone('b.deleted_at', 'is not', null), gone('a.deleted_at', 'is not', null)]),
                    ),
                ),
              ]),
            ),
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
