/** Shutdown settings. */

export interface StopConfig {
  /** How long a stopping node still accepts requests while it reports that it is not ready. */
  drainMs: number;
}

export const stopSettings = ['SLIPWAY_DRAIN_SECONDS'] as const;

type Read = (name: (typeof stopSettings)[number]) => string | null;

const maxDrainSeconds = 300;

export function readStopConfig(read: Read, addError: (text: string) => void): StopConfig {
  const text = read('SLIPWAY_DRAIN_SECONDS') ?? '0';
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (seconds <= maxDrainSeconds) return { drainMs: seconds * 1000 };
  addError(`SLIPWAY_DRAIN_SECONDS must be a number of seconds from 0 to ${maxDrainSeconds}, not ${text}`);
  return { drainMs: 0 };
}
