import { type RawBuilder, sql } from 'kysely';
import type { Database, Queries } from '../db/database.ts';

/** Totals per owner and platform, calculated from the rows. Deleted Apps do not count; deleted builds count until they are removed. */
const counted = sql`
  select owner_id, platform,
    sum(case when deleted_at is null then 1 else 0 end) as apps,
    sum((select count(*) from builds as b where b.app_id = a.id)) as builds,
    sum((select coalesce(sum(b.size_bytes + coalesce(b.simulator_bytes, 0) + coalesce(b.apk_bytes, 0)), 0) from builds as b where b.app_id = a.id)
      + (select coalesce(sum(s.size_bytes), 0) from symbol_files as s where s.app_id = a.id)) as bytes
  from apps as a group by owner_id, platform`;

const ofApp = sql`
  select count(*) as builds, coalesce(sum(size_bytes + coalesce(simulator_bytes, 0) + coalesce(apk_bytes, 0)), 0)
      + (select coalesce(sum(s.size_bytes), 0) from symbol_files as s where s.app_id = apps.id) as bytes
  from builds where app_id = apps.id`;
const hasWrongTotals = sql`(stored_builds, stored_bytes) <> (${ofApp})`;
const latestName = sql`(
  select b.name from builds as b where b.app_id = apps.id and b.deleted_at is null order by b.revision desc limit 1)`;
const hasWrongName = sql`deleted_at is null and latest_name is distinct from ${latestName}`;

/** Compares the totals maintained by triggers with the rows they are derived from. */
export function createStoredTotalsQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  const count = async (query: RawBuilder<{ count: number }>) =>
    Number((await query.execute(db)).rows[0]?.count);

  return {
    /** Counts totals, and Apps with totals or names, that differ from their rows. Scans an index of all builds. */
    async countWrongTotals(): Promise<number> {
      const totals = await count(sql`
        select count(*) as count from (
          select owner_id, platform from (
            select owner_id, platform, apps, builds, bytes from stored_totals
            union all select owner_id, platform, - apps, - builds, - bytes from (${counted}) as c
          ) as both_ways group by owner_id, platform having sum(apps) <> 0 or sum(builds) <> 0 or sum(bytes) <> 0
        ) as wrong`);
      return (
        totals +
        (await count(sql`select count(*) as count from apps where (${hasWrongName}) or ${hasWrongTotals}`))
      );
    },

    /** Recalculates the totals and names. Call it in a transaction. It blocks uploads and removals until the transaction ends. */
    async recalculateTotals(): Promise<void> {
      if (database.dialect === 'postgres') {
        await sql`lock table apps, builds, symbol_files in share row exclusive mode`.execute(db);
      }
      await sql`delete from stored_totals`.execute(db);
      await sql`insert into stored_totals (owner_id, platform, apps, builds, bytes) ${counted}`.execute(db);
      await sql`update apps set (stored_builds, stored_bytes) = (${ofApp}) where ${hasWrongTotals}`.execute(
        db,
      );
      await sql`update apps set latest_name = ${latestName} where ${hasWrongName}`.execute(db);
    },
  };
}
