import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';

export interface StoredRequest {
  /** SHA-256 of the method, address and body. */
  digest: string;
  /** Null while the first request is unanswered. */
  encryptedAnswer: string | null;
}

export const idempotentRequestQueries = defineQueries(createIdempotentRequestQueries);

function createIdempotentRequestQueries(db: Queries) {
  return {
    /**
     * Claims the key, also one from before `expired`, and one without an answer from before `abandoned`. Returns false if it is in
     * use.
     */
    async claim(
      request: { ownerId: string; key: string; digest: string; now: number },
      times: { expired: number; abandoned: number },
    ): Promise<boolean> {
      const content = { digest: request.digest, encrypted_answer: null, created_at: request.now };
      const row = await db
        .insertInto('idempotent_requests')
        .values({ owner_id: request.ownerId, key: request.key, ...content })
        .onConflict((conflict) =>
          conflict
            .columns(['owner_id', 'key'])
            .doUpdateSet(content)
            .where((where) =>
              where.or([
                where('idempotent_requests.created_at', '<=', times.expired),
                where.and([
                  where('idempotent_requests.encrypted_answer', 'is', null),
                  where('idempotent_requests.created_at', '<=', times.abandoned),
                ]),
              ]),
            ),
        )
        .returning('owner_id')
        .executeTakeFirst();
      return row !== undefined;
    },

    async find(ownerId: string, key: string): Promise<StoredRequest | null> {
      const row = await db
        .selectFrom('idempotent_requests')
        .select(['digest', 'encrypted_answer'])
        .where('owner_id', '=', ownerId)
        .where('key', '=', key)
        .executeTakeFirst();
      return row ? { digest: row.digest, encryptedAnswer: row.encrypted_answer } : null;
    },

    async storeAnswer(ownerId: string, key: string, encryptedAnswer: string): Promise<void> {
      await db
        .updateTable('idempotent_requests')
        .set({ encrypted_answer: encryptedAnswer })
        .where('owner_id', '=', ownerId)
        .where('key', '=', key)
        .execute();
    },

    async release(ownerId: string, key: string): Promise<void> {
      await db
        .deleteFrom('idempotent_requests')
        .where('owner_id', '=', ownerId)
        .where('key', '=', key)
        .where('encrypted_answer', 'is', null)
        .execute();
    },

    async deleteOld(before: number): Promise<void> {
      await db.deleteFrom('idempotent_requests').where('created_at', '<=', before).execute();
    },
  };
}
