/** Times every statement, and tells those that took long: their text with places for the parameters, never those. */

export interface ObservedQuery {
  /** Parameters stand as `?` or `$1` in it. */
  sql: string;
  durationMs: number;
}

/** More than this of a statement says nothing new: lists of places are long. */
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
