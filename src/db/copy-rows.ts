/** Copies all rows of a database into another one of the same schema, of either kind: all of them or none. */
import { type Kysely, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import { AppError, conflict, reasonOf, unavailable } from '../core/errors.ts';
import type { Database } from './database.ts';
import { describeTables, type TableDescription } from './describe-tables.ts';

/**
 * Rows per batch. Multiplied by the number of columns, it must stay below SQLite’s 32,766 parameters
 * (https://www.sqlite.org/limits.html).
 */
const rowsPerBatch = 100;

/** Tables that each database manages itself. */
const ownTables = ['schema_migrations'];

type Row = Record<string, unknown>;
type AnyTables = Kysely<Record<string, Row>>;

export interface CopiedRows {
  tables: number;
  rows: number;
}

export interface CopyRowsOptions {
  /** Called after every batch with the number of rows so far. */
  onRows?: (rows: number) => void;
  /** Called when all rows are copied. If it throws, the target stays empty. */
  beforeCommit?: () => Promise<void>;
}

/** Returns Slipway’s tables that contain rows, and all tables that are not Slipway’s. */
export async function tablesInUse(database: Database): Promise<string[]> {
  const tables = await describeTables(database);
  const isOurs = tables.some(({ name }) => ownTables.includes(name));
  const used: string[] = [];
  for (const { name } of tables) {
    if (ownTables.includes(name)) continue;
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(database.queries);
    if (!isOurs || rows.length > 0) used.push(name);
  }
  return used;
}

/**
 * Reads one snapshot of `source` and writes one transaction of `target`, which must be empty. Rejects with `conflict` if the
 * schemas differ, and with `unavailable` or `no_space` if the target refuses a row or does not answer.
 */
export async function copyRows(
  source: Database,
  target: Database,
  options: CopyRowsOptions = {},
): Promise<CopiedRows> {
  const tables = (await describeTables(source)).filter(({ name }) => !ownTables.includes(name));
  requireSameTables(tables, await describeTables(target));
  return inOneTransaction(target, async (to) => {
    const rows = await withoutTriggers(target.dialect, to, () =>
      inSnapshot(source, (from) => copyTables(tables, { from, to, target, onRows: options.onRows })),
    );
    await options.beforeCommit?.();
    return { tables: tables.length, rows };
  });
}

interface Ends {
  from: AnyTables;
  to: AnyTables;
  target: Database;
  onRows: CopyRowsOptions['onRows'];
}

/** Returns the number of rows. */
async function copyTables(tables: readonly TableDescription[], ends: Ends): Promise<number> {
  const { from, to, target, onRows } = ends;
  let copied = 0;
  for (const table of tables) {
    const before = copied;
    for await (const piece of batchesOf(from, table)) {
      await insert(target, to, table.name, piece);
      copied += piece.length;
      onRows?.(copied);
    }
    await requireCount(from, table.name, copied - before);
    await requireCount(to, table.name, copied - before);
  }
  return copied;
}

function requireSameTables(ours: readonly TableDescription[], theirs: readonly TableDescription[]): void {
  for (const { name, columns } of ours) {
    const other = theirs.find((table) => table.name === name);
    if (other && new Set([...columns, ...other.columns]).size === columns.length) continue;
    throw conflict(`the columns of the table ${name} differ between source and target`);
  }
}

/** SQLite is opened exclusively, so it has no other writers. */
function inSnapshot<T>(source: Database, work: (from: AnyTables) => Promise<T>): Promise<T> {
  const { queries, dialect } = source;
  if (dialect === 'sqlite') return work(queries as unknown as AnyTables);
  return queries
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (from) => {
      await source.allowPauses(from);
      return work(from as unknown as AnyTables);
    });
}

async function inOneTransaction<T>(target: Database, work: (to: AnyTables) => Promise<T>): Promise<T> {
  try {
    return await target.queries.transaction().execute(async (to) => {
      await target.allowPauses(to);
      return work(to as unknown as AnyTables);
    });
  } catch (error) {
    throw (error instanceof AppError ? null : target.refusalOf(error)) ?? error;
  }
}

async function* batchesOf(from: AnyTables, { name, primaryKey }: TableDescription): AsyncGenerator<Row[]> {
  if (primaryKey.length === 0) throw new Error(`the table ${name} has no primary key`);
  const key = sql.join(primaryKey.map((column) => sql.ref(column)));
  let after: RawBuilder<unknown> = sql``;
  for (;;) {
    const { rows } = await sql<Row>`
      select * from ${sql.table(name)} ${after} order by ${key} limit ${sql.lit(rowsPerBatch)}`.execute(from);
    const last = rows.at(-1);
    if (last) yield rows;
    if (!last || rows.length < rowsPerBatch) return;
    after = sql`where (${key}) > (${sql.join(primaryKey.map((column) => last[column]))})`;
  }
}

async function insert(target: Database, to: AnyTables, table: string, rows: Row[]): Promise<void> {
  try {
    await to.insertInto(table).values(rows).execute();
  } catch (error) {
    const refusal = target.refusalOf(error);
    throw refusal ?? unavailable(`the target refused rows of the table ${table}: ${reasonOf(error)}`, error);
  }
}

async function requireCount(db: AnyTables, table: string, expected: number): Promise<void> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(
    db,
  );
  const count = Number(rows[0]?.count);
  if (count === expected) return;
  throw unavailable(`${expected} rows of the table ${table} were copied, but it contains ${count}`);
}

// Triggers are disabled because copied rows already include their results.

/** Runs `work` without Slipway’s triggers, in a transaction that also restores them. */
export async function withoutTriggers<T>(
  dialect: Database['dialect'],
  transaction: QueryExecutorProvider,
  work: () => Promise<T>,
): Promise<T> {
  const bringBack = await dropTriggers[dialect](transaction);
  const result = await work();
  for (const statement of bringBack) await sql.raw(statement).execute(transaction);
  return result;
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Returns the statements that restore the triggers. SQLite cannot disable triggers, but it stores the statement that created each. */
const dropTriggers = {
  sqlite: async (transaction: QueryExecutorProvider): Promise<string[]> => {
    const { rows } = await sql<{ name: string; statement: string }>`
      select name, sql as statement from sqlite_schema where type = 'trigger'`.execute(transaction);
    for (const { name } of rows) await sql`drop trigger ${sql.ref(name)}`.execute(transaction);
    return rows.map(({ statement }) => statement);
  },
  postgres: async (transaction: QueryExecutorProvider): Promise<string[]> => {
    const { rows } = await sql<{ name: string }>`
      select distinct c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace`.execute(transaction);
    const alter = ({ name }: { name: string }, verb: string) =>
      `alter table ${quoted(name)} ${verb} trigger user`;
    for (const row of rows) await sql.raw(alter(row, 'disable')).execute(transaction);
    return rows.map((row) => alter(row, 'enable'));
  },
};
