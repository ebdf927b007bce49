/** What the address of an audit log asks for. */
import * as v from 'valibot';
import type { AuditFilter } from '../../owners/audit.ts';

const dayMs = 24 * 60 * 60_000;
const maxWordLength = 100;

export const auditWord = v.pipe(
  v.string(),
  v.trim(),
  v.transform((word) => word.slice(0, maxWordLength)),
);
/** Of a row of the log. */
export const auditRowId = v.pipe(v.string(), v.trim(), v.regex(/^[0-9a-z]{26}$/));

/** As the fields of the filter say it; empty ones do not narrow anything. */
export interface AuditAsked {
  action: string;
  actor: string;
  /** `2026-11-21`; the whole day counts. */
  from: string;
  to: string;
}

export interface AuditRequest {
  asked: AuditAsked;
  /** Names of the fields that hold no day. */
  badDays: ('from' | 'to')[];
  below: string | undefined;
  above: string | undefined;
}

export type AuditQuery = { [Field in keyof AuditAsked | 'below' | 'above']?: string | undefined };

export function readAuditRequest(query: AuditQuery): AuditRequest {
  const { action = '', actor = '', from = '', to = '', below, above } = query;
  const asked = { action, actor, from, to };
  const badDays = (['from', 'to'] as const).filter(
    (name) => asked[name] !== '' && startOf(asked[name]) === null,
  );
  return { asked, badDays, above, below: above === undefined ? below : undefined };
}

/** `actorName` as the log has it; null when nobody has that name. */
export function filterOf(ownerId: string | null, asked: AuditAsked, actorName: string | null): AuditFilter {
  const from = startOf(asked.from);
  const to = startOf(asked.to);
  return {
    ownerId,
    ...(asked.action === '' ? {} : { action: asked.action }),
    ...(asked.actor === '' ? {} : { actorName: actorName ?? asked.actor }),
    ...(from === null ? {} : { from }),
    ...(to === null ? {} : { until: to + dayMs }),
  };
}

/** Epoch milliseconds of midnight in UTC; null when the text is no day. */
function startOf(day: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return null;
  const start = Date.parse(`${day}T00:00:00Z`);
  // A day that the month does not have would be taken for one of the next.
  return Number.isNaN(start) || start < 0 || new Date(start).toISOString().slice(0, 10) !== day
    ? null
    : start;
}

export function queryOf(asked: AuditAsked, more: Record<string, string> = {}): string {
  const filled = Object.entries({ ...asked, ...more }).filter(([, value]) => value !== '');
  const text = new URLSearchParams(filled).toString();
  return text === '' ? '' : `?${text}`;
}
