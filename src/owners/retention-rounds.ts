/** When all rules about keeping builds are applied again: once a day, for builds grow older without anybody's doing. */
import type { Connection, Data } from '../db/data.ts';
import { outboxQueries } from '../jobs/outbox-queries.ts';
import { dayMs } from './retention.ts';
import { retentionQueries } from './retention-queries.ts';

/**
 * Writes the job of the next round, at the beginning of the next day in UTC. However many ask for it, and on however
 * many nodes, there is one; each round writes the next before it does anything else.
 */
export async function planNextRound(data: Connection, now: number): Promise<void> {
  const next = (Math.floor(now / dayMs) + 1) * dayMs;
  const id = `retention-${new Date(next).toISOString().slice(0, 10)}`;
  const round = { kind: 'retention-round', scope: { kind: 'everything' }, after: '' } as const;
  await outboxQueries(data).addOnce(id, round, now, next);
}

/** At the start of a server: for the round that failed too often, or that a restored database does not know. */
export async function resumeRounds(data: Data, now: number): Promise<void> {
  if (await retentionQueries(data).hasRules()) await planNextRound(data, now);
}
