/** Reads the tables of a database from its catalog, so that code for all tables includes new ones. */
import { sql } from 'kysely';
import type { Database } from './database.ts';

export interface TableDescription {
  name: string;
  columns: string[];
  /** In the order of the primary key. */
  primaryKey: string[];
  /** Tables whose rows must be inserted first. */
  references: string[];
}

/** Returns every table, referenced ones first. */
export async function describeTables(database: Database): Promise<TableDescription[]> {
  const columns = (await columnsIn[database.dialect].execute(database.queries)).rows;
  const references = (await referencesIn[database.dialect].execute(database.queries)).rows;
  const tables = new Map<string, TableDescription>();
  for (const { table } of columns) {
    if (tables.has(table)) continue;
    const own = columns.filter((column) => column.table === table);
    const inKey = own.filter((column) => column.position !== null && column.position >= 0);
    inKey.sort((one, other) => Number(one.position) - Number(other.position));
    tables.set(table, {
      name: table,
      columns: own.map((column) => column.name),
      primaryKey: inKey.map((column) => column.name),
      references: references.filter((one) => one.table === table).map((one) => one.refers),
    });
  }
  return inOrder(tables);
}

interface Column {
  table: string;
  name: string;
  /** Position in the primary key; null or below 0 if it is not part of it. */
  position: number | null;
}

interface Reference {
  table: string;
  refers: string;
}

/** See https://www.sqlite.org/pragma.html and PostgreSQL’s documentation, chapter "System Catalogs". */
const columnsIn = {
  sqlite: sql<Column>`
    select t.name as "table", c.name as name, c.pk - 1 as position
    from sqlite_schema t, pragma_table_info(t.name) c
    where t.type = 'table' and t.name not like 'sqlite\_%' escape '\\'
    order by t.name, c.cid`,
  postgres: sql<Column>`
    select t.relname as "table", c.attname as name, array_position(k.conkey, c.attnum) as position
    from pg_class t
    join pg_attribute c on c.attrelid = t.oid and c.attnum > 0 and not c.attisdropped
    left join pg_constraint k on k.conrelid = t.oid and k.contype = 'p'
    where t.relkind in ('r', 'p') and t.relnamespace = current_schema()::regnamespace
    order by t.relname, c.attnum`,
};

const referencesIn = {
  sqlite: sql<Reference>`
    select t.name as "table", f."table" as refers
    from sqlite_schema t, pragma_foreign_key_list(t.name) f
    where t.type = 'table'`,
  postgres: sql<Reference>`
    select t.relname as "table", r.relname as refers
    from pg_constraint f
    join pg_class t on t.oid = f.conrelid
    join pg_class r on r.oid = f.confrelid
    where f.contype = 'f' and t.relnamespace = current_schema()::regnamespace`,
};

function inOrder(tables: ReadonlyMap<string, TableDescription>): TableDescription[] {
  const ordered = new Set<TableDescription>();
  const path = new Set<string>();
  const visit = (name: string) => {
    const table = tables.get(name);
    if (!table || ordered.has(table)) return;
    if (path.has(name)) throw new Error(`the tables ${[...path].join(', ')} have circular references`);
    path.add(name);
    for (const other of table.references) visit(other);
    path.delete(name);
    ordered.add(table);
  };
  for (const name of [...tables.keys()].sort()) visit(name);
  return [...ordered];
}
