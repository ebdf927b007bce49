/** The settings of sessions. */

export interface SessionConfig {
  /** A session that nobody has used for so long ends. */
  idleMs: number;
}

export const sessionSettings = ['SLIPWAY_SESSION_IDLE_DAYS'] as const;

type Read = (name: (typeof sessionSettings)[number]) => string | null;

export const dayMs = 24 * 60 * 60_000;
/** However much it is used, a session ends after so many days. */
export const sessionDays = 30;
const defaultIdleDays = 14;

export function readSessionConfig(read: Read, fault: (text: string) => void): SessionConfig {
  const text = read('SLIPWAY_SESSION_IDLE_DAYS') ?? String(defaultIdleDays);
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= sessionDays) return { idleMs: days * dayMs };
  fault(`SLIPWAY_SESSION_IDLE_DAYS is a number of days from 1 to ${sessionDays}, not ${text}`);
  return { idleMs: defaultIdleDays * dayMs };
}
