/** Exports the audit log as CSV for spreadsheets and as JSON lines for programs. */
import { csvContentType, csvLine } from '../../core/csv.ts';
import type { Data } from '../../db/data.ts';
import type { AuditFilter, AuditRow } from '../../owners/audit.ts';
import { auditQueries } from '../../owners/audit-queries.ts';

export type AuditFormat = 'csv' | 'jsonl';

export const auditContentTypes: Readonly<Record<AuditFormat, string>> = {
  csv: csvContentType,
  jsonl: 'application/x-ndjson; charset=utf-8',
};

const rowsPerBatch = 500;

/** Yields lines, newest first. Reads them in parts to limit memory. */
export async function* auditLines(
  data: Data,
  filter: AuditFilter,
  format: AuditFormat,
): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(['time', 'actor', 'action', 'subject', 'details']);
  let below: string | undefined;
  for (;;) {
    const rows: AuditRow[] = await auditQueries(data).page(filter, { limit: rowsPerBatch, below });
    if (rows.length > 0) yield rows.map(format === 'csv' ? csvOf : jsonOf).join('');
    below = rows.at(-1)?.id;
    if (rows.length < rowsPerBatch) return;
  }
}

const timeOf = (row: AuditRow) => new Date(row.at).toISOString();

function csvOf(row: AuditRow): string {
  const details = Object.keys(row.details).length === 0 ? '' : JSON.stringify(row.details);
  return csvLine([timeOf(row), row.actorName, row.action, row.subject, details]);
}

function jsonOf(row: AuditRow): string {
  const { actorName: actor, action, subject, details } = row;
  return `${JSON.stringify({ time: timeOf(row), actor, action, subject, details })}\n`;
}
