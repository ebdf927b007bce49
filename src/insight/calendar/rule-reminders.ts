/** Reminds the people who manage apps before a rule of a store begins that their newest build breaks. */
import type { OwnerName } from '../../apps/app.ts';
import type { Connection, Data } from '../../db/data.ts';
import { eventQueries } from '../../jobs/event-queries.ts';
import type { Job, JobHandlers } from '../../jobs/outbox.ts';
import { outboxQueries } from '../../jobs/outbox-queries.ts';
import { admitsEmail } from '../../owners/policies/enforce-policies.ts';
import { checkQueries } from '../checks/check-queries.ts';
import { dayMs, dayOf } from '../checks/evaluate-checks.ts';
import { type EffectiveRule, effectiveRules } from '../checks/store-rules.ts';
import { type FoundInNewest, findBroken } from './newest-builds.ts';
import { ruleCalendarQueries } from './rule-calendar-queries.ts';
import { type ReminderRecipient, ruleReminderQueries } from './rule-reminder-queries.ts';
import { scheduleNextRuleRound } from './rule-rounds.ts';

/** How many days before its first day a rule is announced, in this order. */
export const reminderDays = [30, 7] as const;
const ownersPerBatch = 100;
/** Limits what one Owner is reminded of. */
const maxAppsOfOwner = 10_000;
/** An email is dropped if it could not be sent for this long. */
const mailLifetimeMs = dayMs;

export interface DueReminder {
  days: number;
  /** The start of the day on which it became due, in epoch milliseconds. */
  since: number;
}

/** The reminder that is due today, `YYYY-MM-DD`, even if a server was off on its day. Once the next one is due, it is no longer sent. */
export function dueReminder({ from, isMuted }: EffectiveRule, today: string): DueReminder | null {
  if (isMuted || from === null || from <= today) return null;
  const begins = Date.parse(from);
  const days = reminderDays.findLast((one) => begins - Date.parse(today) <= one * dayMs);
  return days === undefined ? null : { days, since: begins - days * dayMs };
}

/** Whether the checks of an upload have named the rule already: the build is newer than the reminder, and than the rule. */
export const isToldByUpload = (uploadedAt: number, { changedAt }: EffectiveRule, { since }: DueReminder) =>
  uploadedAt >= Math.max(since, changedAt ?? 0);

export function createRuleRoundJob(deps: {
  data: Data;
  now: () => number;
  /** Called after the commit, when other lanes have work. */
  wakeOutbox: () => void;
}): JobHandlers['store-rule-round'] {
  const { data } = deps;
  return async ({ after }, ownerId) => {
    const now = deps.now();
    if (after === '') await scheduleNextRuleRound(data, now);
    const changes = await checkQueries(data).listRuleChanges();
    const rules = effectiveRules(changes).filter((rule) => dueReminder(rule, dayOf(now)));
    if (rules.length === 0) return;
    const owners = await ruleReminderQueries(data).listOwners(after, ownersPerBatch);
    for (const owner of owners) await data.transaction((tx) => remind(tx, owner, rules, now));
    const last = owners.length < ownersPerBatch ? undefined : owners.at(-1);
    if (last !== undefined)
      await outboxQueries(data).add(ownerId, { kind: 'store-rule-round', after: last }, now);
    deps.wakeOutbox();
  };
}

/** Records what an Owner is reminded of together with the event of each app and an email per person and day. */
async function remind(tx: Connection, ownerId: string, rules: readonly EffectiveRule[], now: number) {
  const found = await listApproaching(tx, ownerId, rules, now);
  const told: FoundInNewest[] = [];
  for (const one of found) {
    const due = dueReminder(one.rule, dayOf(now));
    if (!due || isToldByUpload(one.uploadedAt, one.rule, due)) continue;
    const reminder = { appId: one.app.id, ruleId: one.rule.id, days: due.days };
    if (await ruleReminderQueries(tx).record(reminder, due.since, now)) told.push(one);
  }
  const [first] = told;
  if (!first) return;
  await eventQueries(tx).dispatchAll(
    ownerId,
    told.map(({ buildId, rule }) => ({ type: 'store_rule.approaching', buildId, ruleId: rule.id })),
    now,
  );
  const recipients = await ruleReminderQueries(tx).listRecipients(first.app.owner);
  const days = [...new Set(told.map(({ rule }) => rule.from ?? ''))];
  const mails = days.flatMap((day) =>
    recipients.map(
      ({ userId }): Job => ({
        kind: 'send-store-rule-mail',
        userId,
        ownerId,
        day,
        at: now,
        until: now + mailLifetimeMs,
      }),
    ),
  );
  await outboxQueries(tx).addAll(ownerId, mails, now);
}

/** Without accepted results. */
async function listApproaching(
  data: Connection,
  ownerId: string,
  rules: readonly EffectiveRule[],
  now: number,
): Promise<FoundInNewest[]> {
  const viewer = { ownerIds: [ownerId], testerId: '' };
  const builds = await ruleCalendarQueries(data).listNewest(viewer, maxAppsOfOwner);
  const broken = await findBroken(data, builds, rules, now);
  return broken.filter(({ result }) => result.isUpcoming && result.state === 'warned');
}

/** What the email of one person lists. */
export interface RuleReminder {
  to: ReminderRecipient;
  owner: OwnerName;
  found: readonly FoundInNewest[];
}

/** Returns null if the person no longer manages the apps, or if the builds no longer break the rules. */
export async function loadRuleReminder(
  data: Data,
  { userId, ownerId, day, at }: Extract<Job, { kind: 'send-store-rule-mail' }>,
  now: number,
): Promise<RuleReminder | null> {
  const changes = await checkQueries(data).listRuleChanges();
  const rules = effectiveRules(changes).filter((rule) => rule.from === day);
  const recorded = await ruleReminderQueries(data).listRecorded(ownerId, at);
  const found = (await listApproaching(data, ownerId, rules, now)).filter(({ app, rule }) =>
    recorded.some(({ appId, ruleId }) => appId === app.id && ruleId === rule.id),
  );
  const owner = found[0]?.app.owner;
  const [to] = owner ? await ruleReminderQueries(data).listRecipients(owner, userId) : [];
  return owner && to && (await admitsEmail(data, owner.id, to.address)) ? { to, owner, found } : null;
}
