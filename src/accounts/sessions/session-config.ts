/** Session settings. */

export interface SessionConfig {
  /** A session ends when it has not been used for this long. */
  idleMs: number;
}

export const sessionSettings = ['SLIPWAY_SESSION_IDLE_DAYS'] as const;

type Read = (name: (typeof sessionSettings)[number]) => string | null;

export const dayMs = 24 * 60 * 60_000;
/** A session ends after this many days, even if it is used. */
export const sessionDays = 30;
const defaultIdleDays = 14;

export function readSessionConfig(read: Read, addError: (text: string) => void): SessionConfig {
  const text = read('SLIPWAY_SESSION_IDLE_DAYS') ?? String(defaultIdleDays);
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= sessionDays) return { idleMs: days * dayMs };
  addError(`SLIPWAY_SESSION_IDLE_DAYS must be a number of days from 1 to ${sessionDays}. It is ${text}.`);
  return { idleMs: defaultIdleDays * dayMs };
}
