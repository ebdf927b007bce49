/** Shutdown settings. */
import type { Settings } from '../core/settings.ts';

export interface StopConfig {
  /** How long a stopping node still accepts requests while it reports that it is not ready. */
  drainMs: number;
}

const maxDrainSeconds = 300;

export function readStopConfig(settings: Settings): StopConfig {
  const range = { min: 0, max: maxDrainSeconds, otherwise: 0, unit: 'seconds' };
  return { drainMs: settings.number('SLIPWAY_DRAIN_SECONDS', range) * 1000 };
}
