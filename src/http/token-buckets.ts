/**
 * Rate limits for many callers: each has a token bucket that refills at a steady rate. A bucket is one number, the
 * time at which it is full again (the "theoretical arrival time" of the generic cell rate algorithm, ITU-T I.371,
 * annex A). Their number is limited: a bucket that is unused while `maxCallers / 2` others are used is dropped.
 */
export interface TokenBuckets {
  has(caller: string): boolean;
  /** Takes a token. Returns 0, or the milliseconds until one is available; then none was taken. */
  take(caller: string, now: number): number;
  refund(caller: string): void;
  /** The tokens that are left, and the milliseconds until the bucket is full. */
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
  /** Times are relative to this: absolute ones are too large to hold fractions of a millisecond. */
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
      // A bucket cannot be more than empty: a later time was stored before a clock was set back.
      const fullAt = known > now + bucketMs + tokenMs ? now : Math.max(known, now);
      const waitMs = fullAt + tokenMs - now - bucketMs;
      // Rounding errors of fractional intervals.
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
