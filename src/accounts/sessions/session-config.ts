/** Session settings. */
import type { Settings } from '../../core/settings.ts';

export interface SessionConfig {
  /** A session ends when it has not been used for this long. */
  idleMs: number;
}

export const dayMs = 24 * 60 * 60_000;
/** A session ends after this many days, even if it is used. */
export const sessionDays = 30;
const defaultIdleDays = 14;

export function readSessionConfig(settings: Settings): SessionConfig {
  const range = { min: 1, max: sessionDays, otherwise: defaultIdleDays, unit: 'days' };
  return { idleMs: settings.number('SLIPWAY_SESSION_IDLE_DAYS', range) * dayMs };
}
