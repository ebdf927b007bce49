import { sql } from 'kysely';
import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';

/** How often a subject was counted since the start of its window (epoch ms). */
export interface AttemptCount {
  subject: string;
  count: number;
  since: number;
}

export type AttemptQueries = ReturnType<typeof createAttemptQueries>;

export const attemptQueries = defineQueries(createAttemptQueries);

/** Above every limit, and low enough that adding another weight fits the column. Refused attempts count too, and weights may be bytes. */
const maxCount = 1_000_000_000;

function createAttemptQueries(db: Queries) {
  return {
    /**
     * Counts `weight` attempts for each distinct subject, and returns the counts within their windows. A window restarts when it
     * has passed, or if clock skew put its start far in the future.
     */
    async countAttempts(
      subjects: readonly string[],
      now: number,
      windowMs: number,
      weight = 1,
    ): Promise<AttemptCount[]> {
      const passed = sql<boolean>`(attempts.since <= ${now - windowMs} or attempts.since > ${now + windowMs})`;
      // Sorted, so that concurrent statements cannot deadlock.
      const values = [...subjects].sort().map((subject) => ({ subject, count: weight, since: now }));
      return db
        .insertInto('attempts')
        .values(values)
        .onConflict((conflict) =>
          conflict.column('subject').doUpdateSet({
            count: sql<number>`case when ${passed} then ${weight}
              when attempts.count > ${maxCount} then attempts.count else attempts.count + ${weight} end`,
            since: sql<number>`case when ${passed} then ${now} else attempts.since end`,
          }),
        )
        .returning(['subject', 'count', 'since'])
        .execute();
    },

    /** Returns how often the subject was counted; null if never, or not recently. */
    async findAttempts(subject: string): Promise<AttemptCount | null> {
      const row = await db
        .selectFrom('attempts')
        .select(['subject', 'count', 'since'])
        .where('subject', '=', subject)
        .executeTakeFirst();
      return row ?? null;
    },

    async resetAttempts(subject: string): Promise<void> {
      await db.deleteFrom('attempts').where('subject', '=', subject).execute();
    },

    async refundAttempts(subject: string, weight: number): Promise<void> {
      await db
        .updateTable('attempts')
        .set({ count: sql<number>`case when count > ${weight} then count - ${weight} else 0 end` })
        .where('subject', '=', subject)
        .execute();
    },

    async deleteOldAttempts(before: number): Promise<void> {
      await db.deleteFrom('attempts').where('since', '<', before).execute();
    },
  };
}
