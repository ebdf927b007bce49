import { type SelectQueryBuilder, sql } from 'kysely';

/** A part of a list sorted by name: the rows after a name, or those directly before one. */
export interface PartByName {
  limit: number;
  after?: string | undefined;
  before?: string | undefined;
}

const containing = (word: string) => `%${word.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;

/** Whether the name of the owner `o` contains the word, ignoring case. Name keys are lowercase. */
export const nameContains = (word: string) => sql<boolean>`o.name_key like ${containing(word)} escape '\\'`;

/** Reads a part of a list sorted by a column with keys of names. */
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
