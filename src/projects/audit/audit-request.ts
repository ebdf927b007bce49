/** The query parameters of an audit log. */
import * as v from 'valibot';
import type { AuditFilter } from '../../owners/audit.ts';

const dayMs = 24 * 60 * 60_000;
const maxWordLength = 100;

export const auditText = v.pipe(
  v.string(),
  v.trim(),
  v.transform((word) => word.slice(0, maxWordLength)),
);
/** Id of a row. */
export const auditRowId = v.pipe(v.string(), v.trim(), v.regex(/^[0-9a-z]{26}$/));

/** The filter fields as entered. Empty fields do not filter. */
export interface AuditFilterValues {
  action: string;
  actor: string;
  /** Inclusive, for example `2026-11-21`. */
  from: string;
  to: string;
}

export interface AuditRequest {
  asked: AuditFilterValues;
  /** Fields that do not contain a valid day. */
  invalidDays: ('from' | 'to')[];
  below: string | undefined;
  above: string | undefined;
}

export type AuditQuery = { [Field in keyof AuditFilterValues | 'below' | 'above']?: string | undefined };

export function readAuditRequest(query: AuditQuery): AuditRequest {
  const { action = '', actor = '', from = '', to = '', below, above } = query;
  const asked = { action, actor, from, to };
  const invalidDays = (['from', 'to'] as const).filter(
    (name) => asked[name] !== '' && startOfDay(asked[name]) === null,
  );
  return { asked, invalidDays, above, below: above === undefined ? below : undefined };
}

/** `actorName`: the name as stored in the log; null if no actor has it. */
export function filterOf(
  ownerId: string | null,
  asked: AuditFilterValues,
  actorName: string | null,
): AuditFilter {
  const from = startOfDay(asked.from);
  const to = startOfDay(asked.to);
  return {
    ownerId,
    ...(asked.action === '' ? {} : { action: asked.action }),
    ...(asked.actor === '' ? {} : { actorName: actorName ?? asked.actor }),
    ...(from === null ? {} : { from }),
    ...(to === null ? {} : { until: to + dayMs }),
  };
}

/** Returns midnight UTC in epoch milliseconds; null if the text is not a day. */
function startOfDay(day: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return null;
  const start = Date.parse(`${day}T00:00:00Z`);
  // `Date.parse` converts a day beyond the end of a month to one of the next month.
  return Number.isNaN(start) || start < 0 || new Date(start).toISOString().slice(0, 10) !== day
    ? null
    : start;
}

export function queryOf(asked: AuditFilterValues, more: Record<string, string> = {}): string {
  const filled = Object.entries({ ...asked, ...more }).filter(([, value]) => value !== '');
  const text = new URLSearchParams(filled).toString();
  return text === '' ? '' : `?${text}`;
}
