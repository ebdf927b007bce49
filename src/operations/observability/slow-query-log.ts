/** Times every statement and logs slow ones: their text with placeholders, never the parameters. */

export interface ObservedQuery {
  /** With parameters as `?` or `$1`. */
  sql: string;
  durationMs: number;
}

/** Longer statements only add placeholders. */
const longestText = 2000;

export function watchQueries(parts: {
  slowQueryMs: number;
  log: { warn(fields: object, message: string): void };
  count(facts: { verb: string; durationMs: number; slow: boolean }): void;
}): (query: ObservedQuery) => void {
  return ({ sql, durationMs }) => {
    const slow = durationMs >= parts.slowQueryMs;
    const verb = /^\s*(\w+)/.exec(sql)?.[1]?.toLowerCase() ?? '';
    parts.count({ verb, durationMs, slow });
    if (!slow) return;
    const ms = Math.round(durationMs);
    parts.log.warn({ ms, sql: sql.slice(0, longestText) }, `a query took ${ms} ms`);
  };
}
