/** Setting a rule about which builds are kept: its line in the audit log, and the work that follows. */

import { NotFound } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import { outboxQueries } from '../jobs/outbox-queries.ts';
import type { Actor } from './actor.ts';
import { auditQueries } from './audit-queries.ts';
import { keepsEverything, type RetentionPlace, type RetentionRule } from './retention.ts';
import { retentionQueries } from './retention-queries.ts';
import { planNextRound } from './retention-rounds.ts';

/** Where a rule is set. */
export interface RetentionTarget {
  place: RetentionPlace;
  id: string;
  /** As the audit log names it. */
  name: string;
  /** Whose audit log it stands in; null for a Workspace. */
  ownerId: string | null;
}

/** Null takes the rule of this place away, so that the next place decides. */
export type ChangeRetention = (
  by: Actor,
  target: RetentionTarget,
  rule: RetentionRule | null,
) => Promise<void>;

export function createChangeRetention(parts: {
  data: Data;
  now: () => number;
  /** Called after the commit: work waits in the outbox. */
  wakeOutbox: () => void;
}): ChangeRetention {
  return async (by, { place, id, name, ownerId }, rule) => {
    const at = parts.now();
    await parts.data.transaction(async (inside) => {
      if (!(await retentionQueries(inside).setRule(place, id, rule))) {
        throw new NotFound();
      }
      await outboxQueries(inside).add({ kind: 'retention-round', scope: { kind: place, id }, after: '' }, at);
      await planNextRound(inside, at);
      const subject = `${name}: ${ruleWords(rule)}`;
      await auditQueries(inside).record({
        at,
        actor: by,
        action: 'retention.set',
        ownerId,
        subject,
        details: { ...rule },
      });
    });
    parts.wakeOutbox();
  };
}

function ruleWords(rule: RetentionRule | null): string {
  if (rule === null) return 'no rule of its own';
  if (keepsEverything(rule)) return 'everything';
  const newest = rule.newest === null ? [] : [`the newest ${rule.newest}`];
  const young = rule.days === null ? [] : [`those of the last ${rule.days} days`];
  return [...newest, ...young].join(' and ');
}
