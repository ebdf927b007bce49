/** The form that creates a key. */

import * as v from 'valibot';
import { keyScopes } from '../../core/key-scope.ts';
import { nameField } from '../../core/name-text.ts';
import { maxKeyNameLength } from './issue-key.ts';
import { keyTexts } from './key-texts.ts';

export const keyLifetimes = ['never', '30', '90', '365', 'date'] as const;

/** The form values as entered. */
export interface KeyFormValues {
  name: string;
  expires: string;
  /** `2026-11-21`; only used with `date`. */
  until: string;
  /** One per line. */
  scope: string;
  /** Chosen from the list, one per line. */
  place: string;
  /** Typed, one per line. */
  restrict: string;
}

/** Full sentences, by field. */
export type KeyFormErrors = { [Field in keyof KeyFormValues]?: readonly string[] };

export const maxKeyLifetimeDays = 3650;
export const defaultKeyValues: KeyFormValues = {
  name: '',
  expires: '90',
  until: '',
  scope: 'upload',
  place: '',
  restrict: '',
};

const dayMs = 24 * 60 * 60_000;
const t = keyTexts.errors;

export const keyFields = {
  name: nameField(maxKeyNameLength),
  expires: v.picklist(keyLifetimes, () => t.expires),
  until: v.optional(v.string(), ''),
  scope: v.pipe(
    v.optional(v.array(v.picklist(keyScopes, () => t.scopeUnavailable)), []),
    v.nonEmpty(() => t.scopes),
  ),
  place: v.optional(v.array(v.string()), []),
  restrict: v.optional(v.string(), ''),
};

/** `expiresAt`: epoch milliseconds; null for no expiry. */
export function keyLifetime(
  { expires, until }: { expires: (typeof keyLifetimes)[number]; until: string },
  now: number,
): { expiresAt: number | null } | { errors: KeyFormErrors } {
  if (expires === 'never') return { expiresAt: null };
  if (expires !== 'date') return { expiresAt: now + Number(expires) * dayMs };
  const expiresAt = endOfDay(until, now);
  return expiresAt === null ? { errors: { until: [t.until({ days: maxKeyLifetimeDays })] } } : { expiresAt };
}

/** Returns the end of that day in UTC; null if it is invalid, in the past, or too far ahead. */
function endOfDay(text: string, now: number): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const start = Date.parse(`${text}T00:00:00Z`);
  // `Date.parse` reads `2026-02-30` as a day in March.
  if (Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== text) return null;
  const end = start + dayMs;
  return end > now && end <= now + maxKeyLifetimeDays * dayMs ? end : null;
}
