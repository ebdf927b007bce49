import { sql } from 'kysely';
import { defineQueries } from '../db/data.ts';
import type { Database, Queries } from '../db/database.ts';
import { databaseTime } from '../db/database-time.ts';
import { leaseMs } from './claim.ts';

/** A server, as reported by itself. */
export interface KnownNode {
  host: string;
  /** Its clock minus the database's clock. */
  clockOffsetMs: number;
}

export const claimQueries = defineQueries(createClaimQueries);

const claimTables = ['outbox', 'idempotent_requests', 'resumable_uploads'] as const;
/** Servers that have not reported for this long are considered stopped. */
const forgottenAfterMs = 5 * leaseMs;

function createClaimQueries(db: Queries, { dialect }: Pick<Database, 'dialect'>) {
  const time = databaseTime(dialect);
  /** Releases claimed jobs and uploads, and deletes requests without an answer. */
  const release = async (nodeId: string | null): Promise<void> => {
    for (const table of ['outbox', 'resumable_uploads'] as const)
      await db
        .updateTable(table)
        .set({ leased_until: null, held_by: null, claim_number: null })
        .$if(nodeId !== null, (query) => query.where('held_by', '=', nodeId))
        .$if(nodeId === null, (query) => query.where('leased_until', 'is not', null))
        .execute();
    await db
      .deleteFrom('idempotent_requests')
      .where('encrypted_answer', 'is', null)
      .$if(nodeId !== null, (query) => query.where('held_by', '=', nodeId))
      .execute();
  };
  return {
    /** Extends the leases of these claims. */
    async renew(nodeId: string, numbers: readonly number[]): Promise<void> {
      for (const table of claimTables)
        await db
          .updateTable(table)
          .set((set) => ({ leased_until: set(time, '+', leaseMs) }))
          .where('held_by', '=', nodeId)
          .where('claim_number', 'in', numbers)
          .execute();
    },

    /** Releases everything that a process holds after it has ended, or when it ends. */
    releaseNode: async (nodeId: string): Promise<void> => {
      await release(nodeId);
      await db.deleteFrom('nodes').where('id', '=', nodeId).execute();
    },

    /** Releases everything. Call it only while no other process works on this database. */
    releaseAll: (): Promise<void> => release(null),

    /** Epoch milliseconds, by the clock of the database. */
    async readTime(): Promise<number> {
      const { rows } = await sql<{ time: number }>`select ${time} as time`.execute(db);
      return Number(rows[0]?.time);
    },

    /** Records that the node is running. */
    async report({ id, host, clockOffsetMs }: KnownNode & { id: string }): Promise<void> {
      const row = { id, host, clock_offset_ms: clockOffsetMs, seen_at: time };
      await db
        .insertInto('nodes')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute();
      await db
        .deleteFrom('nodes')
        .where('seen_at', '<', (where) => where(time, '-', forgottenAfterMs))
        .execute();
    },

    /** Returns the servers that reported recently; none on SQLite. */
    async listNodes(): Promise<KnownNode[]> {
      const rows = await db
        .selectFrom('nodes')
        .select(['host', 'clock_offset_ms'])
        .where((where) => where('seen_at', '>', where(time, '-', forgottenAfterMs)))
        .orderBy('host')
        .execute();
      return rows.map((row) => ({ host: row.host, clockOffsetMs: row.clock_offset_ms }));
    },
  };
}
