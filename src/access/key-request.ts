/** A key as the form asks for it. Pure. */
import { accountTexts } from '../web/account-texts.ts';
import { maxKeyNameLength } from './issue-key.ts';

export const keyLifetimes = ['never', '30', '90', '365', 'date'] as const;

/** As it was typed. */
export interface TypedKey {
  name: string;
  expires: string;
  /** `2026-11-21`; counts with `date` alone. */
  until: string;
}

/** Full sentences, by field. */
export type KeyFaults = { [Field in keyof TypedKey]?: readonly string[] };

export const maxKeyLifetimeDays = 3650;
export const freshKey: TypedKey = { name: '', expires: '90', until: '' };

const dayMs = 24 * 60 * 60_000;
const words = accountTexts.keys.faults;

/** `expiresAt`: epoch milliseconds; null: never. */
export function readKeyRequest(
  typed: TypedKey,
  now: number,
): { name: string; expiresAt: number | null } | { faults: KeyFaults } {
  const faults: KeyFaults = {};
  const name = typed.name.trim();
  if (name === '') faults.name = [words.name];
  if (name.length > maxKeyNameLength) faults.name = [words.nameLength(maxKeyNameLength)];
  const lifetime = keyLifetimes.find((one) => one === typed.expires);
  if (!lifetime) faults.expires = [words.expires];
  const until = lifetime === 'date' ? endOfDay(typed.until, now) : null;
  if (lifetime === 'date' && until === null) faults.until = [words.until(maxKeyLifetimeDays)];
  if (!lifetime || Object.keys(faults).length > 0) return { faults };
  if (lifetime === 'never') return { name, expiresAt: null };
  return { name, expiresAt: lifetime === 'date' ? until : now + Number(lifetime) * dayMs };
}

/** The end of that day, UTC; null when it is none, has passed, or is too far ahead. */
function endOfDay(text: string, now: number): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const start = Date.parse(`${text}T00:00:00Z`);
  // `2026-02-30` would be read as a day in March.
  if (Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== text) return null;
  const end = start + dayMs;
  return end > now && end <= now + maxKeyLifetimeDays * dayMs ? end : null;
}
