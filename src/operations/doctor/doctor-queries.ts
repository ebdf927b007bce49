import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { defineQueries } from '../../db/data.ts';
import type { Database, Queries } from '../../db/database.ts';

export const doctorQueries = defineQueries(createDoctorQueries);

function createDoctorQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  return {
    /** Writes a row and removes it again. Resolves if the database is writable. Call it inside a transaction. */
    async checkWritable(now: number): Promise<void> {
      const subject = `readiness ${randomUUID()}`;
      await db.insertInto('attempts').values({ subject, count: 0, since: now }).execute();
      await db.deleteFrom('attempts').where('subject', '=', subject).execute();
    },

    /** Returns the database’s own clock in epoch milliseconds; null if it uses this machine’s. Always queries the database. */
    async clock(): Promise<number | null> {
      if (database.dialect === 'sqlite') {
        await sql`select 1`.execute(db);
        return null;
      }
      const { rows } = await sql<{ at: number }>`
        select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as at`.execute(db);
      return rows[0]?.at ?? null;
    },
  };
}
