/** Which apps break which rule, and when it begins. */
import type { App } from '../../apps/app.ts';
import type { Data } from '../../db/data.ts';
import type { UserActor } from '../../owners/actor.ts';
import { listUsableProjects } from '../../owners/gate/find-workspace-gate.ts';
import { checkQueries } from '../checks/check-queries.ts';
import { dayOf } from '../checks/evaluate-checks.ts';
import { type EffectiveRule, effectiveRules, isInForce, isOpen } from '../checks/store-rules.ts';
import { type FoundInNewest, findBroken } from './newest-builds.ts';
import { ruleCalendarQueries } from './rule-calendar-queries.ts';

export interface RuleWithApps {
  rule: EffectiveRule;
  isUpcoming: boolean;
  apps: readonly FoundInNewest[];
}

export interface RuleCalendar {
  /** By date. */
  rules: readonly RuleWithApps[];
  /** How many apps were looked at; more than `limit` are left out. */
  checked: number;
  limit: number;
  /** No rule is checked for these, at most one more than `limit`. */
  withoutDestination: readonly App[];
}

/** Limits what one visit reads. */
const maxApps = 1000;

/** The open rules with the apps that the person sees. Administrators see every app. */
export async function loadRuleCalendar(data: Data, actor: UserActor, now: number): Promise<RuleCalendar> {
  const today = dayOf(now);
  const { user } = actor;
  const projects = await listUsableProjects(data, actor);
  const viewer = { ownerIds: [user.id, ...projects.map(({ id }) => id)], testerId: user.id };
  const seen = user.administrator ? null : viewer;
  const found = await ruleCalendarQueries(data).listNewest(seen, maxApps + 1);
  const changes = await checkQueries(data).listRuleChanges();
  const rules = effectiveRules(changes).filter((rule) => isOpen(rule, today));
  const broken = await findBroken(data, found.slice(0, maxApps), rules, now);
  const byRule = Map.groupBy(broken, ({ rule }) => rule.id);
  return {
    checked: found.length,
    limit: maxApps,
    withoutDestination: await ruleCalendarQueries(data).listWithoutDestination(seen, maxApps + 1),
    rules: rules.map((rule) => ({
      rule,
      isUpcoming: !isInForce(rule, today),
      apps: byRule.get(rule.id) ?? [],
    })),
  };
}
