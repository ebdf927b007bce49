import { formatDay, formatDistance, formatTimestamp } from './formats.ts';

/** A relative time, with the exact time for machines, as a tooltip, and with `exact` as text. */
export function Timestamp({ at, now, exact = false }: { at: number; now: number; exact?: boolean }) {
  const precise = formatTimestamp(at);
  const distance = formatDistance(at, now);
  return (
    <time dateTime={new Date(at).toISOString()} title={precise}>
      {exact ? `${precise} (${distance})` : distance}
    </time>
  );
}

/** The last full day (UTC) before the given time. */
export function LastDay({ before }: { before: number }) {
  return (
    <time dateTime={new Date(before).toISOString()} title={formatTimestamp(before)}>
      {formatDay(before - 1)}
    </time>
  );
}
