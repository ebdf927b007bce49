import { type SelectQueryBuilder, sql } from 'kysely';

/** A part of a list by name: the rows after one, or those right before one. */
export interface PartByName {
  limit: number;
  after?: string | undefined;
  before?: string | undefined;
}

/** Reads a part of a list, in the order of a column with keys of names. */
export async function readPartByName<DB, Table extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
  column: string,
  { limit, after, before }: PartByName,
): Promise<Row[]> {
  const key = sql.ref(column);
  const isBackwards = before !== undefined;
  const rows = await query
    .$if(after !== undefined, (rest) => rest.where(sql<boolean>`${key} > ${after}`))
    .$if(isBackwards, (rest) => rest.where(sql<boolean>`${key} < ${before}`))
    .orderBy(key, isBackwards ? 'desc' : 'asc')
    .limit(limit)
    .execute();
  return isBackwards ? rows.reverse() : rows;
}
