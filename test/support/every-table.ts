/** Fills every table with rows generated from the catalog, so that new tables are included automatically. */
import { sql } from 'kysely';
import { withoutTriggers } from '../../src/db/copy-rows.ts';
import type { Database, Queries } from '../../src/db/database.ts';
import { describeTables, type TableDescription } from '../../src/db/describe-tables.ts';

type Row = Record<string, unknown>;

interface Column {
  name: string;
  type: string;
  notnull: number;
  pk: number;
}

interface ForeignKey {
  id: number;
  table: string;
  from: string;
  to: string;
}

/** For SQLite. Row n refers to row n of other tables, and unique columns get distinct values. */
export async function fillEveryTable(database: Database, rowsEach: number): Promise<void> {
  const tables = await describeTables(database);
  await database.queries.transaction().execute(async (transaction) => {
    await withoutTriggers(database.dialect, transaction, () => fill(transaction, tables, rowsEach));
  });
}

async function fill(queries: Queries, tables: readonly TableDescription[], rowsEach: number): Promise<void> {
  const filled = new Map<string, Row[]>();
  for (const { name: table } of tables) {
    if (table === 'schema_migrations') continue;
    const { rows: columns } = await sql<Column>`select * from pragma_table_info(${table})`.execute(queries);
    const { rows: keys } = await sql<ForeignKey>`select * from pragma_foreign_key_list(${table})`.execute(
      queries,
    );
    const rows = Array.from({ length: rowsEach }, (_, number) => {
      const row = Object.fromEntries(columns.map((column) => [column.name, valueIn(table, column, number)]));
      for (const { table: parent, from, to } of keys) row[from] = filled.get(parent)?.[number]?.[to];
      return row;
    });
    for (const row of rows) {
      const names = sql.join(Object.keys(row).map((name) => sql.ref(name)));
      await sql`insert into ${sql.table(table)} (${names}) values (${sql.join(Object.values(row))})`.execute(
        queries,
      );
    }
    filled.set(table, rows);
  }
}

function valueIn(table: string, { name, type, notnull, pk }: Column, number: number): unknown {
  if (!notnull && pk === 0 && number % 3 === 1) return null;
  const kind = type.toLowerCase();
  if (kind === 'bigint') return Number.MAX_SAFE_INTEGER - number;
  if (kind === 'smallint') return number % 2;
  if (kind === 'integer') return number;
  if (kind !== 'text') throw new Error(`${table}.${name} has the type ${type}, of which this makes no value`);
  // Quotes, a line break, JSON-like text, and a four-byte character.
  return `${number} ${table}.${name} '"\\%_\n{"見本":null} 💾 É`;
}

/** Returns every row of every table except the database's own, as sorted text. */
export async function readAllRows(database: Database): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {};
  for (const { name, columns } of await describeTables(database)) {
    if (name === 'schema_migrations') continue;
    const { rows } = await sql<Row>`select * from ${sql.table(name)}`.execute(database.queries);
    all[name] = rows.map((row) => JSON.stringify([...columns].sort().map((key) => [key, row[key]]))).sort();
  }
  return all;
}
