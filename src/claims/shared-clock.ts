import type { Data } from '../db/data.ts';
import { claimQueries } from './claim-queries.ts';

/** The time of everything that nodes store or compare: that of the database they share, whatever the clocks of their machines say. */
export interface SharedClock {
  /** Epoch milliseconds. */
  now(): number;
  /** The clock of this machine, which is compared with that of the database. */
  machineTime(): number;
  /** Sets by how much the clock of this machine is ahead of that of the database. */
  adjust(offsetMs: number): void;
}

/** Smaller differences are not corrected: time advances evenly, and the order of what happens within a second is kept. */
const toleratedMs = 1_000;
/** An answer that took longer, for example because all connections were in use, says too little about the time. */
const maxRoundTripMs = 1_000;

export function createSharedClock(machineTime: () => number): SharedClock {
  let correctedMs = 0;
  return {
    now: () => machineTime() - correctedMs,
    machineTime,
    adjust: (offsetMs) => {
      if (Math.abs(offsetMs - correctedMs) > toleratedMs) correctedMs = offsetMs;
    },
  };
}

/** A clock that is right by definition, for tests and for a database that no other machine uses. */
export const fixedClock = (now: () => number): SharedClock => ({
  now,
  machineTime: now,
  adjust: () => undefined,
});

/** Compares the clock of this machine with that of the database. Returns by how much it is ahead; null if that is too uncertain. */
export async function adjustClock(
  data: Data,
  clock: SharedClock,
  uptimeMs: () => number = () => performance.now(),
): Promise<number | null> {
  const [askedAt, startedAt] = [clock.machineTime(), uptimeMs()];
  const time = await claimQueries(data).readTime();
  const roundTripMs = uptimeMs() - startedAt;
  if (roundTripMs > maxRoundTripMs) return null;
  const offsetMs = Math.round(askedAt + roundTripMs / 2 - time);
  clock.adjust(offsetMs);
  return offsetMs;
}
