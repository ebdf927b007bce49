import { sql } from 'kysely';
import { type Claim, leaseMs } from '../../claims/claim.ts';
import { defineQueries } from '../../db/data.ts';
import type { Database, Queries } from '../../db/database.ts';
import { databaseTime } from '../../db/database-time.ts';

export interface StoredRequest {
  /** SHA-256 of the method, address and body. */
  digest: string;
  /** Null until the first request is answered. */
  encryptedAnswer: string | null;
}

export const idempotentRequestQueries = defineQueries(createIdempotentRequestQueries);

const unclaimed = { leased_until: null, held_by: null, claim_number: null };

function createIdempotentRequestQueries(db: Queries, { dialect }: Pick<Database, 'dialect'>) {
  const time = databaseTime(dialect);
  return {
    /**
     * Claims the key. A key from before `expired`, or one without an answer and with an ended claim, can be claimed again.
     * Returns false if it is in use.
     */
    async claim(
      request: { ownerId: string; key: string; digest: string; now: number; claim: Claim },
      expired: number,
    ): Promise<boolean> {
      const { claim } = request;
      const content = {
        digest: request.digest,
        encrypted_answer: null,
        created_at: request.now,
        leased_until: sql<number>`${time} + ${leaseMs}`,
        held_by: claim.nodeId,
        claim_number: claim.number,
      };
      const row = await db
        .insertInto('idempotent_requests')
        .values({ owner_id: request.ownerId, key: request.key, ...content })
        .onConflict((conflict) =>
          conflict
            .columns(['owner_id', 'key'])
            .doUpdateSet(content)
            .where((where) => {
              const unanswered = where('idempotent_requests.encrypted_answer', 'is', null);
              return where.or([
                where.and([where.not(unanswered), where('idempotent_requests.created_at', '<=', expired)]),
                ...(claim.takesOver
                  ? [where.and([unanswered, where('idempotent_requests.leased_until', '<', time)])]
                  : []),
              ]);
            }),
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

    /** This and the following change nothing if the claim no longer holds the key. */
    async storeAnswer(claim: Claim, encryptedAnswer: string): Promise<void> {
      await db
        .updateTable('idempotent_requests')
        .set({ ...unclaimed, encrypted_answer: encryptedAnswer })
        .where('held_by', '=', claim.nodeId)
        .where('claim_number', '=', claim.number)
        .execute();
    },

    async release(claim: Claim): Promise<void> {
      await db
        .deleteFrom('idempotent_requests')
        .where('held_by', '=', claim.nodeId)
        .where('claim_number', '=', claim.number)
        .execute();
    },

    async deleteOld(before: number): Promise<void> {
      await db.deleteFrom('idempotent_requests').where('created_at', '<=', before).execute();
    },
  };
}
