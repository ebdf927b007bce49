/** Changes to the rules of the stores by administrators. */
import { conflictingField, invalidField, NotFound } from '../../core/errors.ts';
import { newIdentifier } from '../../core/identifier.ts';
import type { Connection, Data } from '../../db/data.ts';
import type { Actor } from '../../owners/actor.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { checkQueries } from '../checks/check-queries.ts';
import { checkTexts, dayText } from '../checks/check-texts.ts';
import { type AddableKind, builtInRules, effectiveRules } from '../checks/store-rules.ts';
import { ruleCalendarQueries } from './rule-calendar-queries.ts';
import { ruleReminderQueries } from './rule-reminder-queries.ts';
import { scheduleChangedRuleRound } from './rule-rounds.ts';

export interface NewRule {
  kind: AddableKind;
  threshold: number;
  from: string;
  source: string;
}

export interface RuleChanges {
  /** Returns the id. Throws `invalid`, and `conflict` if a rule requires the same already. */
  add(by: Actor, rule: NewRule): Promise<string>;
  /** Fields that are absent stay as they are. `from`: empty or null for the built-in date. Throws `not_found` for an unknown rule. */
  change(by: Actor, id: string, change: { from?: string | null; isMuted?: boolean }): Promise<void>;
  /** Only rules that were added. */
  remove(by: Actor, id: string): Promise<void>;
}

const t = checkTexts.calendar.errors;

export function createRuleChanges({ data, now }: { data: Data; now: () => number }): RuleChanges {
  const record = (tx: Connection, by: Actor, action: string, id: string, details: object) =>
    auditQueries(tx).record({
      at: now(),
      actor: by,
      action,
      ownerId: null,
      subject: id,
      details: { ...details },
    });
  return {
    add: async (by, { kind, threshold, from, source }) => {
      requireDay(from);
      requireSource(source);
      if (!Number.isInteger(threshold) || threshold < 1 || threshold > maxThreshold)
        throw invalidField('threshold', t.threshold({ limit: maxThreshold }));
      const id = `added-${newIdentifier(now())}`;
      await data.transaction(async (tx) => {
        const rules = effectiveRules(await checkQueries(tx).listRuleChanges());
        if (rules.some((one) => one.kind === kind && one.threshold === threshold))
          throw conflictingField('threshold', t.duplicate);
        const added = { kind, threshold, source };
        await ruleCalendarQueries(tx).saveRule({ id, added, from, isMuted: false, changedAt: now() });
        await scheduleChangedRuleRound(tx, now());
        await record(tx, by, 'store-rule.added', id, { kind, threshold, from, source });
      });
      return id;
    },
    change: async (by, id, given) => {
      await data.transaction(async (tx) => {
        const changes = await checkQueries(tx).listRuleChanges();
        const rule = effectiveRules(changes).find((one) => one.id === id);
        if (!rule) throw new NotFound();
        const builtIn = builtInRules.find((one) => one.id === id);
        const stored = changes.find((one) => one.id === id);
        const from = given.from === undefined ? stored?.from : given.from;
        const day = !from || from === builtIn?.from ? null : from;
        if (day !== null) requireDay(day);
        if (day === null && !builtIn) throw invalidField('from', t.day);
        if (day !== null && rule.until !== null && day > rule.until)
          throw invalidField('from', t.afterEnd({ day: dayText(rule.until) }));
        const isMuted = given.isMuted ?? rule.isMuted;
        const added = stored?.added ?? null;
        await ruleCalendarQueries(tx).saveRule({ id, added, from: day, isMuted, changedAt: now() });
        await scheduleChangedRuleRound(tx, now());
        await record(tx, by, 'store-rule.changed', id, {
          changes: { from: [rule.from ?? '', day ?? builtIn?.from ?? ''], muted: [rule.isMuted, isMuted] },
        });
      });
    },
    remove: async (by, id) => {
      await data.transaction(async (tx) => {
        if (builtInRules.some((one) => one.id === id) || !(await ruleCalendarQueries(tx).deleteRule(id)))
          throw new NotFound();
        await ruleReminderQueries(tx).forgetRule(id);
        await record(tx, by, 'store-rule.deleted', id, {});
      });
    },
  };
}

/** An API level, or a major version. */
export const maxThreshold = 1_000;
export const maxSourceLength = 500;

/** `2027-02-30` is no day. */
function requireDay(day: string): void {
  const at = /^20\d{2}-\d{2}-\d{2}$/.test(day) ? Date.parse(day) : Number.NaN;
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== day) throw invalidField('from', t.day);
}

/** Pages and emails link to it. */
function requireSource(source: string): void {
  const address = /^https:\/\/\S+$/.test(source) ? URL.parse(source) : null;
  if (address === null || `${address.username}${address.password}` !== '')
    throw invalidField('source', t.source);
}
