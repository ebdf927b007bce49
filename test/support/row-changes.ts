/** Records the changes of a request in the database, except values that differ between runs, and undoes them. */
import { sql } from 'kysely';
import { withoutTriggers } from '../../src/db/copy-rows.ts';
import type { Database } from '../../src/db/database.ts';
import { describeTables, type TableDescription } from '../../src/db/describe-tables.ts';

type Row = Record<string, unknown>;
export type Rows = ReadonlyMap<string, readonly Row[]>;

/** Removed (`-`) and added (`+`) rows, one line each. A changed row is both. */
export type RowChanges = readonly string[];

export interface WatchedRows {
  read(): Promise<Rows>;
  /** Brings every table back. */
  restore(rows: Rows): Promise<void>;
  changes(before: Rows, after: Rows, since: number): RowChanges;
}

/** Uses of keys and sessions, counted attempts and answers kept for repetitions belong to the request, not to the change. */
const ofRequests = ['attempts', 'idempotent_requests', 'nodes', 'sessions'];
const ofUses = ['last_used_at', 'last_used_network'];
const random = /hash$|secret|sealed|encrypted|hint|token|access_key|position/;

export async function watchRows(database: Database): Promise<WatchedRows> {
  const tables = (await describeTables(database)).filter(({ name }) => name !== 'schema_migrations');
  const read = async (): Promise<Rows> => {
    const rows = new Map<string, readonly Row[]>();
    for (const { name } of tables) {
      const found = await sql<Row>`select * from ${sql.table(name)}`.execute(database.queries);
      rows.set(name, found.rows);
    }
    return rows;
  };
  return {
    read,
    restore: (rows) =>
      database.queries.transaction().execute((transaction) =>
        withoutTriggers(database.dialect, transaction, async () => {
          for (const { name } of [...tables].reverse())
            await sql`delete from ${sql.table(name)}`.execute(transaction);
          for (const table of tables)
            for (const row of rows.get(table.name) ?? []) await insert(table, row, transaction);
        }),
      ),
    changes: (before, after, since) => {
      const known = textOf(before);
      return tables
        .filter(({ name }) => !ofRequests.includes(name))
        .flatMap(({ name }) => {
          const [old, present] = [before, after].map((rows) => (rows.get(name) ?? []).map(keyOf));
          const line = (sign: string, text: string) =>
            `${sign} ${name} ${JSON.stringify(steady(JSON.parse(text), known, since))}`;
          return [
            ...(old ?? []).filter((text) => !present?.includes(text)).map((text) => line('-', text)),
            ...(present ?? []).filter((text) => !old?.includes(text)).map((text) => line('+', text)),
          ];
        })
        .sort();
    },
  };

  async function insert(
    { name, columns }: TableDescription,
    row: Row,
    transaction: Parameters<typeof withoutTriggers>[1],
  ) {
    const values = sql.join(columns.map((column) => sql`${row[column]}`));
    const names = sql.join(columns.map((column) => sql.ref(column)));
    await sql`insert into ${sql.table(name)} (${names}) values (${values})`.execute(transaction);
  }
}

const textOf = (rows: Rows): string => JSON.stringify([...rows.values()]);

const keyOf = (row: Row): string =>
  JSON.stringify(Object.fromEntries(Object.entries(row).filter(([column]) => !ofUses.includes(column))));

/** A row in which new ids, secrets and times look the same in every run. */
function steady(row: Row, known: string, since: number): Row {
  const fresh = (found: string, name: string) => (known.includes(found) ? found : name);
  const text = (value: string) =>
    value
      .replace(/\b[0-9a-z]{26}\b/g, (id) => fresh(id, '<id>'))
      .replace(/\b[0-9a-f]{40}\b|slw_[\w-]+/g, (secret) => fresh(secret, '<secret>'))
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => String(minutes(Date.parse(time))))
      .replace(/\b1\d{12}\b/g, (time) => String(minutes(Number(time))))
      // The audit log names the key that an API was called with.
      .replace(/,?"key":\{"id":"\w+","name":"twin"\}/, '')
      .replace('{,', '{');
  const minutes = (time: number) => (time < since ? time : `+${Math.round((time - since) / 60_000)} min`);
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      if (random.test(column) && value !== null && !known.includes(JSON.stringify(value)))
        return [column, '<random>'];
      if (typeof value === 'number') return [column, minutes(value)];
      return [column, typeof value === 'string' ? text(value) : value];
    }),
  );
}
