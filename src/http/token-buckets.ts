/**
 * How often many callers may do something: each has a bucket of tokens that fills at a steady rate. A bucket is one number,
 * the moment at which it is full again (the "theoretical arrival time" of the generic cell rate algorithm, ITU-T I.371,
 * annex A), and bounded in number: a bucket that was not asked for while `maxCallers / 2` others were is forgotten.
 */
export interface TokenBuckets {
  has(caller: string): boolean;
  /** Takes a token. Answers 0, or the milliseconds until there is one; then none was taken. */
  take(caller: string, now: number): number;
  refund(caller: string): void;
  /** Buckets that are kept. */
  size(): number;
}

export function createTokenBuckets(rate: {
  perMinute: number;
  /** Tokens of a full bucket. */
  most: number;
  maxCallers: number;
}): TokenBuckets {
  const tokenMs = 60_000 / rate.perMinute;
  const bucketMs = tokenMs * rate.most;
  /** Moments are kept as distances from here: those of these days are too large to hold parts of a millisecond. */
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
      // No bucket is emptier than empty: what lies further ahead was written before a clock went back.
      const fullAt = known > now + bucketMs + tokenMs ? now : Math.max(known, now);
      const waitMs = fullAt + tokenMs - now - bucketMs;
      // Sums of parts that are no whole numbers are a little off.
      const isEmpty = waitMs > tokenMs / 100;
      keep(caller, isEmpty ? fullAt : fullAt + tokenMs);
      return isEmpty ? waitMs : 0;
    },
    refund: (caller) => {
      const fullAt = fullAtOf(caller);
      if (fullAt !== undefined) keep(caller, fullAt - tokenMs);
    },
    size: () => recent.size + older.size,
  };
}
