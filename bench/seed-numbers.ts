/** SQL expressions for generating rows, in each dialect. */
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../src/db/database.ts';

export interface Numbers {
  /** A table with one column `n`: every integer of the range, excluding its end. */
  from(range: readonly [from: number, until: number]): RawBuilder<unknown>;
  /** Fifteen digits. */
  padded(number: RawBuilder<unknown>): RawBuilder<unknown>;
  /** Forty hexadecimal digits, deterministic and unordered. */
  hex(number: RawBuilder<unknown>): RawBuilder<unknown>;
}

export function numbersOf(dialect: Database['dialect']): Numbers {
  return dialect === 'sqlite' ? sqliteNumbers : postgresNumbers;
}

const sqliteNumbers: Numbers = {
  from: ([from, until]) => sql`(with recursive series (n) as (
    select ${sql.lit(from)} union all select n + 1 from series where n + 1 < ${sql.lit(until)}
  ) select n from series) as s`,
  padded: (number) => sql`printf('%015d', ${number})`,
  // Multiplied by an odd number, so that consecutive numbers are far apart.
  hex: (number) => sql`printf('%08x%032x', (${number} * 2654435761) & 4294967295, ${number})`,
};

const postgresNumbers: Numbers = {
  from: ([from, until]) =>
    sql`generate_series(${sql.lit(from)}::bigint, ${sql.lit(until - 1)}::bigint) as s (n)`,
  padded: (number) => sql`lpad((${number})::text, 15, '0')`,
  hex: (number) => sql`md5((${number})::text) || '00000000'`,
};
