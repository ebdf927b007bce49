/** Dumps a database schema as readable text, as reported by the database after the migrations. */
import { sql } from 'kysely';
import type { Database } from '../../src/db/database.ts';

export function dumpSchema(database: Database): Promise<string> {
  return database.dialect === 'sqlite' ? dumpSqlite(database) : dumpPostgres(database);
}

async function dumpSqlite({ queries }: Database): Promise<string> {
  const { rows } = await sql<{ sql: string }>`
    select sql from sqlite_master where sql is not null order by tbl_name, type desc, name
  `.execute(queries);
  return rows.map((row) => `${layOut(row.sql)};\n`).join('\n');
}

/** Writes one column or constraint per line, by splitting at top-level commas. */
function layOut(statement: string): string {
  if (!/^create table/i.test(statement)) return statement;
  let depth = 0;
  let text = '';
  for (const character of statement) {
    if (/\s/.test(character) && text.endsWith('\n  ')) continue;
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ')' && depth === 0) text = `${text.trimEnd()}\n`;
    text += character;
    if ((character === '(' || character === ',') && depth === 1) text += '\n  ';
  }
  return text;
}

async function dumpPostgres({ queries }: Database): Promise<string> {
  const columns = await sql<{ table: string; line: string }>`
    select c.relname as table,
      a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end as line
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
    order by c.relname, a.attnum
  `.execute(queries);
  const constraints = await sql<{ table: string; line: string }>`
    select c.relname as table, 'constraint ' || o.conname || ' ' || pg_get_constraintdef(o.oid) as line
    from pg_constraint o join pg_class c on c.oid = o.conrelid
    where c.relnamespace = 'public'::regnamespace and o.contype <> 'n' order by c.relname, o.conname
  `.execute(queries);
  const indexes = await sql<{ table: string; line: string }>`
    select tablename as table, indexdef as line from pg_indexes
    where schemaname = 'public' and indexname not in (select conname from pg_constraint) order by tablename, indexname
  `.execute(queries);
  const triggers = await sql<{ table: string; line: string }>`
    select c.relname as table, pg_get_triggerdef(t.oid) as line
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'public'::regnamespace and not t.tgisinternal order by c.relname, t.tgname
  `.execute(queries);
  const functions = await sql<{ text: string }>`
    select pg_get_functiondef(oid) as text from pg_proc
    where pronamespace = 'public'::regnamespace order by proname
  `.execute(queries);
  const of = (lines: { table: string; line: string }[], table: string) =>
    lines.filter((entry) => entry.table === table).map((entry) => entry.line);
  const tables = [...new Set(columns.rows.map((row) => row.table))];
  const made = tables.map((table) => {
    const tx = [...of(columns.rows, table), ...of(constraints.rows, table)];
    const after = [...of(indexes.rows, table), ...of(triggers.rows, table)].map((line) => `${line};\n`);
    return `CREATE TABLE ${table} (\n  ${tx.join(',\n  ')}\n);\n${after.join('')}`;
  });
  return [...made, ...functions.rows.map(({ text }) => `${text.trim()};\n`)].join('\n');
}
