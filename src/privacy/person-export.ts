/** Exports everything that names a person. */
import type { Data } from '../db/data.ts';
import { type AuditEntry, auditQueries } from '../owners/audit-queries.ts';
import { type PersonalTable, personalTables } from './personal-data.ts';
import { type PersonalValues, personalDataQueries } from './personal-data-queries.ts';

export type ExportedRows = Record<string, unknown>[];

/** More rows than a person adds to one table in years. */
const maxRows = 100_000;
const isTime = /(^|_)(at|until)$|_from$/;

/** Who exports, for the audit log. */
export type PersonExport = Pick<AuditEntry, 'actor' | 'at'>;

/** Yields tables with their rows, and at the end the names of those with more rows than are exported. */
async function* readTables(
  data: Data,
  person: PersonalValues,
  by: PersonExport,
): AsyncGenerator<[string, ExportedRows]> {
  const { id: ownerId, name: subject } = person;
  await auditQueries(data).record({ ...by, action: 'user.data-exported', ownerId, subject });
  const incomplete: ExportedRows = [];
  for (const [name, table] of Object.entries(personalTables)) {
    const rows = await personalDataQueries(data).listRows(name, table, person, maxRows + 1);
    if (rows.length > maxRows) incomplete.push({ table: name, rows: maxRows });
    yield [name, rows.slice(0, maxRows).map((row) => exportedRow(table, row))];
  }
  yield ['incomplete', incomplete];
}

export async function exportPerson(
  data: Data,
  person: PersonalValues,
  by: PersonExport,
): Promise<Record<string, ExportedRows>> {
  return Object.fromEntries(await Array.fromAsync(readTables(data, person, by)));
}

/** Yields the same as text, one table at a time, to limit memory. */
export async function* personDocument(
  data: Data,
  person: PersonalValues,
  by: PersonExport,
): AsyncGenerator<string> {
  let before = '{\n';
  for await (const [name, rows] of readTables(data, person, by)) {
    yield `${before}${JSON.stringify(name)}: ${JSON.stringify(rows)}`;
    before = ',\n';
  }
  yield '\n}\n';
}

function exportedRow({ omit = [] }: PersonalTable, row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([column, value]) => value !== null && !omit.includes(column))
      .map(([column, value]) => [
        column,
        typeof value === 'number' && isTime.test(column) ? new Date(value).toISOString() : value,
      ]),
  );
}
