import { sql } from 'kysely';
import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';

/** What was counted for a subject since its window began, epoch ms. */
export interface Attempted {
  subject: string;
  count: number;
  since: number;
}

export type AttemptQueries = ReturnType<typeof createAttemptQueries>;

export const attemptQueries = defineQueries(createAttemptQueries);

function createAttemptQueries(db: Queries) {
  return {
    /**
     * Counts an attempt for each of the distinct subjects within their windows and returns how many there were; a window that
     * has passed restarts, and so does one that a clock has put far ahead.
     */
    async countAttempts(subjects: readonly string[], now: number, windowMs: number): Promise<Attempted[]> {
      const passed = sql<boolean>`(attempts.since <= ${now - windowMs} or attempts.since > ${now + windowMs})`;
      // In one order, so that two statements never wait for each other.
      const values = [...subjects].sort().map((subject) => ({ subject, count: 1, since: now }));
      return db
        .insertInto('attempts')
        .values(values)
        .onConflict((conflict) =>
          conflict.column('subject').doUpdateSet({
            count: sql<number>`case when ${passed} then 1 else attempts.count + 1 end`,
            since: sql<number>`case when ${passed} then ${now} else attempts.since end`,
          }),
        )
        .returning(['subject', 'count', 'since'])
        .execute();
    },

    async forgetAttempts(subject: string): Promise<void> {
      await db.deleteFrom('attempts').where('subject', '=', subject).execute();
    },

    async refundAttempt(subject: string): Promise<void> {
      await db
        .updateTable('attempts')
        .set((set) => ({ count: set('count', '-', 1) }))
        .where('subject', '=', subject)
        .where('count', '>', 0)
        .execute();
    },

    async deleteOldAttempts(before: number): Promise<void> {
      await db.deleteFrom('attempts').where('since', '<', before).execute();
    },
  };
}
