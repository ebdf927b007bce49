import { formatDay, formatDistance, formatMoment } from './formats.ts';

/** A point in time: how long ago it was, with the exact moment for machines, hovering and, with `exact`, for reading. */
export function Moment({ at, now, exact = false }: { at: number; now: number; exact?: boolean }) {
  const precise = formatMoment(at);
  const distance = formatDistance(at, now);
  return (
    <time dateTime={new Date(at).toISOString()} title={precise}>
      {exact ? `${precise} (${distance})` : distance}
    </time>
  );
}

/** The day on which something works for the last time that ends at that point in time; days are those of UTC. */
export function LastDay({ before }: { before: number }) {
  return (
    <time dateTime={new Date(before).toISOString()} title={formatMoment(before)}>
      {formatDay(before - 1)}
    </time>
  );
}
