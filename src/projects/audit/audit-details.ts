/** Describes the changes of an audit log entry, in the language of the reader. Pure. */
import { formatBytes } from '../../core/byte-size.ts';
import { messageAt } from '../../core/language/catalog.ts';
import type { AuditRow } from '../../owners/audit.ts';
import { formatCount, formatDay, formatList } from '../../web/components/formats.ts';
import { texts } from '../../web/shell/texts.ts';
import { auditTexts } from './audit-texts.ts';

const t = auditTexts.details;

/** Identifiers, and details that are part of the sentence. The export includes them. */
const hidden = new Set([
  ...['app', 'build', 'feedback', 'group', 'invitation', 'job', 'mail', 'page', 'webhook', 'mark', 'key'],
  ...['changes', 'rule', 'to', 'mailed', 'invitedBy', 'disableNotify', 'sha256'],
]);
/** Actions with details that are part of the sentence. */
const inSentence = new Set(['retention.set', 'quota.set']);

/** Returns texts such as `Access: anyone with the link → link and passcode`. */
export function readableDetails({ action, details }: AuditRow): string[] {
  if (inSentence.has(action)) return [];
  const lines: string[] = [];
  const { changes, from, to } = details;
  if (isRecord(changes))
    for (const [field, value] of Object.entries(changes))
      lines.push(labeled(field, changeText(field, value)));
  const isEdit = typeof from === 'string' && typeof to === 'string';
  if (isEdit) lines.push(t.change({ from: from || t.nothing, to: to || t.nothing }));
  for (const [field, value] of Object.entries(details)) {
    if (hidden.has(field) || value === null || (isEdit && field === 'from')) continue;
    lines.push(labeled(field, valueText(field, value)));
  }
  return lines;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A field from a later version is shown under its own name. */
const labeled = (field: string, value: string) =>
  texts.labeledText({ label: messageAt(t.fields, field) ?? field, value });

/** Returns the values before and after; for a secret or long value, only that it has changed. */
function changeText(field: string, value: unknown): string {
  if (typeof value === 'string') return messageAt(t.values.changed, value) ?? value;
  if (!Array.isArray(value) || value.length !== 2) return valueText(field, value);
  return t.change({ from: valueText(field, value[0]), to: valueText(field, value[1]) });
}

const times = new Set(['expiresAt']);
const sizes = new Set(['bytes', 'maxStorageBytes']);

function valueText(field: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return t.nothing;
  if (typeof value === 'boolean') return value ? t.yes : t.no;
  if (typeof value === 'number') {
    if (times.has(field)) return formatDay(value);
    return sizes.has(field) ? formatBytes(value) : formatCount(value);
  }
  if (Array.isArray(value)) {
    if (field === 'revisions') return formatList(value.map((one) => `#${one}`));
    return value.length === 0 ? t.nothing : formatList(value.map((one) => valueText(field, one)));
  }
  if (typeof value !== 'string') return JSON.stringify(value);
  const words: Readonly<Record<string, Readonly<Record<string, string>>>> = t.values;
  return messageAt(words[field] ?? {}, value) ?? value;
}

/** Describes which builds a retention rule keeps. */
export function describeRule({ details: { newest, days } }: AuditRow): string {
  const parts = [
    ...(typeof newest === 'number' ? [t.rule.newest({ count: newest })] : []),
    ...(typeof days === 'number' ? [t.rule.days({ count: days })] : []),
  ];
  if (parts.length > 0) return formatList(parts);
  return newest === undefined ? t.rule.none : t.rule.everything;
}

/** Describes the limits set for an owner. */
export function describeLimits({ details }: AuditRow): string {
  const fields = ['maxStorageBytes', 'maxBuilds', 'maxProjects'].filter(
    (field) => typeof details[field] === 'number',
  );
  if (fields.length === 0) return t.noLimits;
  return formatList(fields.map((field) => labeled(field, valueText(field, details[field]))));
}
