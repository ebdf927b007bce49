/** Schedules retention runs. Every rule is applied once a day, because builds get older. */
import type { Connection, Data } from '../../db/data.ts';
import { installation } from '../../jobs/outbox.ts';
import { outboxQueries } from '../../jobs/outbox-queries.ts';
import { dayMs } from './retention.ts';
import { retentionQueries } from './retention-queries.ts';

/**
 * Schedules the next run for the start of the next day in UTC. It is scheduled only once, no matter how many callers and nodes
 * request it. Each run schedules the next one first.
 */
export async function scheduleNextRound(data: Connection, now: number): Promise<void> {
  const next = (Math.floor(now / dayMs) + 1) * dayMs;
  const id = `retention-${new Date(next).toISOString().slice(0, 10)}`;
  const round = { kind: 'retention-round', scope: { kind: 'everything' }, after: '' } as const;
  await outboxQueries(data).addOnce(id, installation, round, now, next);
}

/** Schedules a run when a server starts, in case the last one failed too often or the database was restored. */
export async function resumeRetentionRounds(data: Data, now: number): Promise<void> {
  if (await retentionQueries(data).hasRules()) await scheduleNextRound(data, now);
}
