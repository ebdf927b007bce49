import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';

/** The database's clock in epoch milliseconds. Unlike their own clocks, it is the same for all nodes. */
export function databaseTime(dialect: Database['dialect']): RawBuilder<number> {
  return dialect === 'postgres'
    ? sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
}
