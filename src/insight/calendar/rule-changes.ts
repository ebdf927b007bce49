/** Changes to the rules of the stores by administrators. */
import { invalidField, NotFound } from '../../core/errors.ts';
import { newIdentifier } from '../../core/identifier.ts';
import type { Connection, Data } from '../../db/data.ts';
import type { Actor } from '../../owners/actor.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { checkQueries } from '../checks/check-queries.ts';
import { checkTexts } from '../checks/check-texts.ts';
import { type AddableKind, builtInRules, effectiveRules } from '../checks/store-rules.ts';
import { ruleCalendarQueries } from './rule-calendar-queries.ts';
import { ruleReminderQueries } from './rule-reminder-queries.ts';
import { scheduleChangedRuleRound } from './rule-rounds.ts';

export interface RuleChanges {
  add(by: Actor, rule: { kind: AddableKind; threshold: number; from: string; source: string }): Promise<void>;
  /** Throws `not_found` for an unknown rule. */
  change(by: Actor, id: string, change: { from: string; isMuted: boolean }): Promise<void>;
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
      if (!/^https:\/\/\S+$/.test(source)) throw invalidField('source', t.source);
      const id = `added-${newIdentifier(now())}`;
      await data.transaction(async (tx) => {
        const added = { kind, threshold, source };
        await ruleCalendarQueries(tx).saveRule({ id, added, from, isMuted: false, changedAt: now() });
        await scheduleChangedRuleRound(tx, now());
        await record(tx, by, 'store-rule.added', id, { kind, threshold, from, source });
      });
    },
    change: async (by, id, { from, isMuted }) => {
      await data.transaction(async (tx) => {
        const changes = await checkQueries(tx).listRuleChanges();
        const rule = effectiveRules(changes).find((one) => one.id === id);
        if (!rule) throw new NotFound();
        const builtIn = builtInRules.find((one) => one.id === id);
        if (from !== '') requireDay(from);
        const day = from === '' || from === builtIn?.from ? null : from;
        if (day === null && !builtIn) throw invalidField('from', t.day);
        const added = changes.find((one) => one.id === id)?.added ?? null;
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

/** `2027-02-30` is no day. */
function requireDay(day: string): void {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(day) : Number.NaN;
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== day) throw invalidField('from', t.day);
}
