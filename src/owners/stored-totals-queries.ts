import { type RawBuilder, sql } from 'kysely';
import type { Database, Queries } from '../db/database.ts';

/** Of each owner and platform, from the rows themselves; deleted Apps do not count, builds do until they are removed. */
const counted = sql`
  select owner_id, platform,
    sum(case when deleted_at is null then 1 else 0 end) as apps,
    sum((select count(*) from builds as b where b.app_id = a.id)) as builds,
    sum((select coalesce(sum(b.size_bytes + coalesce(b.simulator_bytes, 0)), 0) from builds as b where b.app_id = a.id)) as bytes
  from apps as a group by owner_id, platform`;

const latestName = sql`(
  select b.name from builds as b where b.app_id = apps.id and b.deleted_at is null order by b.revision desc limit 1)`;
const isMisnamed = sql`deleted_at is null and latest_name is distinct from ${latestName}`;

/** What the database keeps by its own triggers, compared with what it was made from: for the doctor and the sweep. */
export function createStoredTotalsQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  const count = async (query: RawBuilder<{ count: number }>) =>
    Number((await query.execute(db)).rows[0]?.count);

  return {
    /** Lines of totals, and names of Apps, that differ from their rows. Reads an index of all builds from end to end. */
    async countWrongTotals(): Promise<number> {
      const totals = await count(sql`
        select count(*) as count from (
          select owner_id, platform from (
            select owner_id, platform, apps, builds, bytes from stored_totals
            union all select owner_id, platform, - apps, - builds, - bytes from (${counted}) as c
          ) as both_ways group by owner_id, platform having sum(apps) <> 0 or sum(builds) <> 0 or sum(bytes) <> 0
        ) as wrong`);
      return totals + (await count(sql`select count(*) as count from apps where ${isMisnamed}`));
    },

    /** Makes them right. To be asked inside a transaction; nothing is uploaded or removed until it ends. */
    async recountTotals(): Promise<void> {
      if (database.dialect === 'postgres') {
        await sql`lock table apps, builds in share row exclusive mode`.execute(db);
      }
      await sql`delete from stored_totals`.execute(db);
      await sql`insert into stored_totals (owner_id, platform, apps, builds, bytes) ${counted}`.execute(db);
      await sql`update apps set latest_name = ${latestName} where ${isMisnamed}`.execute(db);
    },
  };
}
