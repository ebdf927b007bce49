/**
 * Rate limits for many callers. Each caller has a token bucket that refills at a steady rate. A bucket is stored as one number:
 * the time at which it is full again (the "theoretical arrival time" of the generic cell rate algorithm, ITU-T I.371, annex A).
 * The number of buckets is limited: a bucket is dropped if it is not used while `maxCallers / 2` others are.
 */
export interface TokenBuckets {
  has(caller: string): boolean;
  /** Takes a token. Returns 0, or if none was taken the milliseconds until one is available. */
  take(caller: string, now: number): number;
  refund(caller: string): void;
  /** Returns the number of tokens left, and the milliseconds until the bucket is full. */
  stateOf(caller: string, now: number): { left: number; fullInMs: number };
  /** Number of stored buckets. */
  size(): number;
}

export function createTokenBuckets(rate: {
  perMinute: number;
  /** Capacity of a bucket. */
  max: number;
  maxCallers: number;
}): TokenBuckets {
  const tokenMs = 60_000 / rate.perMinute;
  const bucketMs = tokenMs * rate.max;
  /** Times are relative to this, because absolute times are too large for fractions of a millisecond. */
  let begun: number | null = null;
  let recent = new Map<string, number>();
  let older = new Map<string, number>();
  const keep = (caller: string, fullAt: number) => {
    if (recent.size >= rate.maxCallers / 2 && !recent.has(caller)) {
      older = recent;
      recent = new Map();
    }
    recent.set(caller, fullAt);
  };
  const fullAtOf = (caller: string) => recent.get(caller) ?? older.get(caller);
  return {
    has: (caller) => fullAtOf(caller) !== undefined,
    take: (caller, time) => {
      begun ??= time;
      const now = time - begun;
      const known = fullAtOf(caller) ?? now;
      // A bucket is never more than empty. A later time was stored before the clock was set back.
      const fullAt = known > now + bucketMs + tokenMs ? now : Math.max(known, now);
      const waitMs = fullAt + tokenMs - now - bucketMs;
      // Tolerates rounding errors of fractional intervals.
      const isEmpty = waitMs > tokenMs / 100;
      keep(caller, isEmpty ? fullAt : fullAt + tokenMs);
      return isEmpty ? waitMs : 0;
    },
    refund: (caller) => {
      const fullAt = fullAtOf(caller);
      if (fullAt !== undefined) keep(caller, fullAt - tokenMs);
    },
    stateOf: (caller, time) => {
      const fullInMs = Math.max(0, (fullAtOf(caller) ?? 0) - (time - (begun ?? time)));
      return { left: Math.max(0, Math.floor(rate.max - fullInMs / tokenMs)), fullInMs };
    },
    size: () => recent.size + older.size,
  };
}
