/** The log: one JSON object per line. It contains only selected fields, so neither request addresses nor rows appear in it. */
import pino, { type DestinationStream, type Logger } from 'pino';
import type { LogLevel } from '../../config.ts';
import { withSourcePositions } from '../../core/source-positions.ts';
import type { OnRefused, RefusedKind } from '../../limits/rate-limit-kind.ts';

/** How many nested causes of an error are logged. */
const maxCauses = 3;

interface ErrorFacts {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: ErrorFacts;
}

/** Writes to standard output unless `destination` is given. */
export function createLogger(level: LogLevel, destination?: DestinationStream): Logger {
  const options = { level, base: null, serializers: { err: errorFacts, req: () => undefined } };
  return pino(options, destination ?? standardOutput());
}

/** Writes as pino does by itself, but keeps lines as bytes: it would measure all waiting text again with every line. */
function standardOutput(): DestinationStream {
  const output = pino.destination({ sync: false, contentMode: 'buffer' });
  return { write: (line) => output.write(Buffer.from(line) as never) };
}

/** Only these fields are logged, because drivers add rows and parameters to their errors. */
function errorFacts(error: unknown, depth = 0): ErrorFacts {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' ? { code } : {}),
    ...(error.stack === undefined ? {} : { stack: withSourcePositions(error.stack) }),
    ...(cause === undefined || depth === maxCauses ? {} : { cause: errorFacts(cause, depth + 1) }),
  };
}

// Reports requests that exceed limits: each in a metric, and occasionally in the log.

/** A flood must not fill the log. */
const minLogIntervalMs = 60_000;

export function createRefusalLog(deps: {
  log: { warn(facts: object, text: string): void };
  count: (kind: RefusedKind) => void;
  now: () => number;
}): OnRefused {
  const logged = new Map<RefusedKind, number>();
  return (kind, from) => {
    deps.count(kind);
    const time = deps.now();
    const loggedAt = logged.get(kind) ?? Number.NEGATIVE_INFINITY;
    if (Math.abs(time - loggedAt) < minLogIntervalMs) return;
    logged.set(kind, time);
    deps.log.warn(
      { kind, from },
      'a limit was exceeded; further ones of this kind are not logged for a minute',
    );
  };
}

/** Times every statement and logs slow ones: their text with placeholders, never the parameters. */

export interface ObservedQuery {
  /** With parameters as `?` or `$1`. */
  sql: string;
  durationMs: number;
}

/** Longer statements only add placeholders. */
const longestText = 3000;

export function watchQueries(deps: {
  slowQueryMs: number;
  log: { warn(fields: object, message: string): void };
  count(facts: { verb: string; durationMs: number; slow: boolean }): void;
}): (query: ObservedQuery) => void {
  return ({ sql, durationMs }) => {
    const slow = durationMs >= deps.slowQueryMs;
    const verb = /^\s*(\w+)/.exec(sql)?.[1]?.toLowerCase() ?? '';
    deps.count({ verb, durationMs, slow });
    if (!slow) return;
    const ms = Math.round(durationMs);
    deps.log.warn({ ms, sql: sql.slice(0, longestText) }, `a query took ${ms} ms`);
  };
}
