/** Computes the upload rate over the last few seconds. */

export interface RateSample {
  atMs: number;
  sentBytes: number;
}

/** Oldest first. */
export type RateSamples = readonly RateSample[];

const windowMs = 5_000;
/** Minimum distance of samples, to keep the list short. */
const spacingMs = 100;
/** A shorter interval measures buffers rather than the network. */
const minIntervalMs = 500;

/** Restarts when fewer bytes are sent than before, as in a retry. */
export function withSample(samples: RateSamples, sample: RateSample): RateSamples {
  const last = samples.at(-1);
  if (!last || sample.sentBytes < last.sentBytes) return [sample];
  const previous = samples.at(-2);
  const kept = previous && last.atMs - previous.atMs < spacingMs ? samples.slice(0, -1) : samples;
  const from = kept.findLastIndex((each) => sample.atMs - each.atMs >= windowMs);
  return [...kept.slice(Math.max(from, 0)), sample];
}

/** Returns the rate over the last `windowMs`, which falls to 0 in a stall. Null when too little time has passed. */
export function bytesPerSecond(samples: RateSamples, nowMs: number): number | null {
  const base = samples.findLast((sample) => nowMs - sample.atMs >= windowMs) ?? samples[0];
  const last = samples.at(-1);
  if (!base || !last || nowMs - base.atMs < minIntervalMs) return null;
  return ((last.sentBytes - base.sentBytes) * 1000) / (nowMs - base.atMs);
}
