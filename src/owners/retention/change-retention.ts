/** Changes a retention rule, records it in the audit log and schedules the cleanup. */

import { NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { outboxQueries } from '../../jobs/outbox-queries.ts';
import type { Actor } from '../actor.ts';
import { auditQueries } from '../audit-queries.ts';
import { keepsEverything, type RetentionPlace, type RetentionRule } from './retention.ts';
import { retentionQueries } from './retention-queries.ts';
import { scheduleNextRound } from './retention-rounds.ts';

/** The App, Owner or Workspace whose rule changes. */
export interface RetentionTarget {
  place: RetentionPlace;
  id: string;
  /** The name to use in the audit log. */
  name: string;
  /** The Owner with the audit log that records the change; null for a Workspace. */
  ownerId: string | null;
}

/** Sets the rule; null removes it, so that the rule of the next level applies. */
export type ChangeRetention = (
  by: Actor,
  target: RetentionTarget,
  rule: RetentionRule | null,
) => Promise<void>;

export function createChangeRetention(deps: {
  data: Data;
  now: () => number;
  /** Called after the commit, when the outbox contains jobs. */
  wakeOutbox: () => void;
}): ChangeRetention {
  return async (by, { place, id, name, ownerId }, rule) => {
    const at = deps.now();
    await deps.data.transaction(async (tx) => {
      if (!(await retentionQueries(tx).setRule(place, id, rule))) {
        throw new NotFound();
      }
      const round = { kind: 'retention-round', scope: { kind: place, id }, after: '' } as const;
      await outboxQueries(tx).add(ownerId ?? id, round, at);
      await scheduleNextRound(tx, at);
      const subject = `${name}: ${describeRule(rule)}`;
      await auditQueries(tx).record({
        at,
        actor: by,
        action: 'retention.set',
        ownerId,
        subject,
        details: { ...rule },
      });
    });
    deps.wakeOutbox();
  };
}

function describeRule(rule: RetentionRule | null): string {
  if (rule === null) return 'no rule of its own';
  if (keepsEverything(rule)) return 'everything';
  const newest = rule.newest === null ? [] : [`the newest ${rule.newest}`];
  const young = rule.days === null ? [] : [`builds of the last ${rule.days} days`];
  return [...newest, ...young].join(' and ');
}
