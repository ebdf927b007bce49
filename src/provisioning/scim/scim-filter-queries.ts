/** Turns filters and sort orders into SQL. */
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { type Comparison, directoryKey, type Filter, type FilterValue, ScimError } from './scim.ts';

/** How an attribute is stored. `exact` texts are compared with their case, `folded` ones as `directoryKey`. */
export interface FilterColumn {
  kind: 'exact' | 'folded' | 'flag' | 'time';
  column: string;
  /** Turns a comparison with the column into a separate condition, for values in another table. */
  within?: (condition: RawBuilder<boolean>) => RawBuilder<boolean>;
}
export type FilterColumns = Readonly<Record<string, FilterColumn>>;

const symbols = { eq: '=', ne: '<>', gt: '>', ge: '>=', lt: '<', le: '<=' } as const;

/** Throws `invalidFilter` for attributes that are not in `columns`, and for values that do not match them. */
export function filterCondition(
  filter: Filter,
  columns: FilterColumns,
  database: Pick<Database, 'dialect'>,
): RawBuilder<boolean> {
  const conditionOf = (one: Filter): RawBuilder<boolean> => {
    if ('parts' in one) return sql`(${sql.join(one.parts.map(conditionOf), sql.raw(` ${one.op} `))})`;
    if ('part' in one) return sql`not coalesce(${conditionOf(one.part)}, false)`;
    const known = Object.hasOwn(columns, one.path) ? columns[one.path] : undefined;
    if (!known) throw unknownAttribute('filter', one.path, columns);
    const condition = !('value' in one)
      ? sql<boolean>`${sql.ref(known.column)} is not null`
      : compare(one, known, database);
    return known.within?.(condition) ?? condition;
  };
  return conditionOf(filter);
}

/** Throws `invalidFilter`. */
export function sortColumn(sortBy: string, columns: FilterColumns): string {
  const known = Object.hasOwn(columns, sortBy) ? columns[sortBy] : undefined;
  if (!known || known.within) throw unknownAttribute('sort', sortBy, columns);
  return known.column;
}

const unknownAttribute = (use: string, path: string, columns: FilterColumns) =>
  new ScimError(
    'invalidFilter',
    `cannot ${use} by ${path}; the attributes are ${Object.keys(columns).join(', ')}`,
  );

function compare(
  { op, path, value }: { op: Comparison; path: string; value: FilterValue },
  { kind, column: name }: FilterColumn,
  { dialect }: Pick<Database, 'dialect'>,
): RawBuilder<boolean> {
  const column = sql.ref(name);
  if (value === null && (op === 'eq' || op === 'ne'))
    return op === 'eq' ? sql`${column} is null` : sql`${column} is not null`;
  const wanted = storedValue(kind, path, value);
  const isText = kind === 'exact' || kind === 'folded';
  if (op === 'ne') return sql`(${column} is null or ${column} <> ${wanted})`;
  if (op === 'co' || op === 'sw' || op === 'ew') {
    if (!isText) throw new ScimError('invalidFilter', `${op} compares texts, and ${path} is none`);
    const part = sql`cast(${wanted} as text)`;
    if (op === 'co')
      return dialect === 'postgres'
        ? sql`strpos(${column}, ${part}) > 0`
        : sql`instr(${column}, ${part}) > 0`;
    if (op === 'sw') return sql`substr(${column}, 1, length(${part})) = ${part}`;
    return sql`(length(${column}) >= length(${part})
      and substr(${column}, length(${column}) - length(${part}) + 1) = ${part})`;
  }
  if (kind === 'flag' && op !== 'eq')
    throw new ScimError('invalidFilter', `${op} does not compare true and false`);
  return sql`${column} ${sql.raw(symbols[op])} ${wanted}`;
}

function storedValue(kind: FilterColumn['kind'], path: string, value: FilterValue): string | number {
  if (kind === 'flag') {
    const text = String(value).toLowerCase();
    if (text === 'true' || text === 'false') return text === 'true' ? 1 : 0;
    throw new ScimError('invalidFilter', `${path} is true or false`);
  }
  if (typeof value !== 'string') throw new ScimError('invalidFilter', `${path} is compared with a text`);
  if (kind === 'folded') return directoryKey(value);
  if (kind === 'exact') return value;
  const time = Date.parse(value);
  if (Number.isNaN(time))
    throw new ScimError('invalidFilter', `${path} is compared with a time, as 2026-01-31T12:00:00Z`);
  return time;
}
