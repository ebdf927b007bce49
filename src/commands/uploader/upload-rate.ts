/** How fast an upload goes, over the last few seconds. Pure: each function returns a new value. */

export interface RateSample {
  atMs: number;
  sentBytes: number;
}

/** Oldest first. */
export type RateSamples = readonly RateSample[];

const windowMs = 5_000;
/** One sample in this time is enough, so that the list stays short. */
const spacingMs = 100;
/** A shorter stretch tells more about buffers than about the network. */
const shortestMs = 500;

/** Starts anew when fewer bytes are sent than before, as in a second try. */
export function withSample(samples: RateSamples, sample: RateSample): RateSamples {
  const last = samples.at(-1);
  if (!last || sample.sentBytes < last.sentBytes) return [sample];
  const previous = samples.at(-2);
  const kept = previous && last.atMs - previous.atMs < spacingMs ? samples.slice(0, -1) : samples;
  const from = kept.findLastIndex((each) => sample.atMs - each.atMs >= windowMs);
  return [...kept.slice(Math.max(from, 0)), sample];
}

/** Over the last `windowMs` until now, so it falls to 0 when nothing moves. Null while too little time has passed to say. */
export function bytesPerSecond(samples: RateSamples, nowMs: number): number | null {
  const base = samples.findLast((sample) => nowMs - sample.atMs >= windowMs) ?? samples[0];
  const last = samples.at(-1);
  if (!base || !last || nowMs - base.atMs < shortestMs) return null;
  return ((last.sentBytes - base.sentBytes) * 1000) / (nowMs - base.atMs);
}
