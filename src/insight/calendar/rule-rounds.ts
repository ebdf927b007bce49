/** Schedules when owners are reminded of rules of the stores: once a day, because their dates come closer. */
import type { Connection, Data } from '../../db/data.ts';
import { installation } from '../../jobs/outbox.ts';
import { outboxQueries } from '../../jobs/outbox-queries.ts';
import { dayMs, dayOf } from '../checks/evaluate-checks.ts';
import { ruleReminderQueries } from './rule-reminder-queries.ts';

const round = { kind: 'store-rule-round', after: '' } as const;
/** Leaves time to correct a mistake. */
export const correctionMs = 15 * 60_000;

/** Schedules the round of a day in UTC once, no matter how many callers and nodes request it. */
const scheduleRound = (data: Connection, now: number, runAt: number) =>
  outboxQueries(data).addOnce(`store-rules-${dayOf(runAt)}`, installation, round, now, runAt);

/** The round of the next day. Each round schedules the next one first. */
export const scheduleNextRuleRound = (data: Connection, now: number) =>
  scheduleRound(data, now, (Math.floor(now / dayMs) + 1) * dayMs);

/** Call it in the transaction that changes a rule, which may begin before the next round. */
export const scheduleChangedRuleRound = (data: Connection, now: number) =>
  outboxQueries(data).addOnce('store-rules-changed', installation, round, now, now + correctionMs);

/** Schedules the rounds of today and tomorrow when a server starts, because it may have been off when one was due. */
export async function resumeRuleRounds(data: Data, now: number): Promise<void> {
  if (!(await ruleReminderQueries(data).hasCheckedApps())) return;
  await scheduleRound(data, now, now);
  await scheduleNextRuleRound(data, now);
}
