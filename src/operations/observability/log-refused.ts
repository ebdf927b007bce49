/** Reports requests that exceed limits: each in a metric, and occasionally in the log. */
import type { OnRefused, RefusedKind } from '../../limits/refused-kind.ts';

/** A flood must not fill the log. */
const tellEveryMs = 60_000;

export function createRefusalLog(parts: {
  log: { warn(facts: object, text: string): void };
  count: (kind: RefusedKind) => void;
  now: () => number;
}): OnRefused {
  const told = new Map<RefusedKind, number>();
  return (kind, from) => {
    parts.count(kind);
    const time = parts.now();
    const toldAt = told.get(kind) ?? Number.NEGATIVE_INFINITY;
    if (Math.abs(time - toldAt) < tellEveryMs) return;
    told.set(kind, time);
    parts.log.warn(
      { kind, from },
      'a limit was exceeded; further ones of this kind are not logged for a minute',
    );
  };
}
