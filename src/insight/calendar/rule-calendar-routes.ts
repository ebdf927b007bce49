import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import type { Data } from '../../db/data.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { flag, lenient, wholeNumber } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { User } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { checkQueries } from '../checks/check-queries.ts';
import { checkIdText } from '../checks/check-routes.ts';
import { checkTexts } from '../checks/check-texts.ts';
import { dayOf } from '../checks/evaluate-checks.ts';
import { addableKinds, effectiveRules, isInForce, isOpen } from '../checks/store-rules.ts';
import { findBroken } from './newest-builds.ts';
import { type RuleCalendarProps, renderRuleCalendar } from './rule-calendar-page.tsx';
import { ruleCalendarQueries } from './rule-calendar-queries.ts';
import type { RuleChanges } from './rule-changes.ts';

export interface RuleCalendarRouteDeps {
  data: Data;
  access: RouteAccess;
  ruleChanges: RuleChanges;
  now: () => number;
}

/** Limits what one visit reads. */
const maxApps = 1000;
const done = {
  added: () => checkTexts.calendar.added,
  saved: () => checkTexts.calendar.saved,
  deleted: () => checkTexts.calendar.deleted,
};

export function ruleCalendarRoutes(deps: RuleCalendarRouteDeps): Route[] {
  const { access, ruleChanges } = deps;
  const page = '/store-rules';
  const form = { method: 'POST', access: access.administrator, page, reauthentication: false } as const;
  const back = (what: keyof typeof done) => redirect(`${sitePaths.storeRules}?done=${what}`);
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'Show which apps break which rule of a store, and when',
      access: access.signedIn,
      query: { done: lenient(v.picklist(['added', 'saved', 'deleted'])) },
      handle: async ({ subject, frame, query }) =>
        html(
          renderRuleCalendar({
            ...(await loadCalendar(deps, frame, subject)),
            done: query.done ? done[query.done]() : null,
          }),
        ),
    }),
    defineRoute({
      ...form,
      path: `${page}/add`,
      summary: 'Add a rule of a store',
      form: {
        kind: v.picklist(addableKinds),
        threshold: wholeNumber(() => checkTexts.calendar.errors.threshold),
        from: v.pipe(v.string(), v.trim()),
        source: v.pipe(v.string(), v.trim(), v.maxLength(500)),
      },
      handle: async ({ caller, form: rule }) => {
        await ruleChanges.add(caller.actor, rule);
        return back('added');
      },
      renderErrors: async ({ submitted, errors }, { subject, frame }) =>
        renderRuleCalendar({ ...(await loadCalendar(deps, frame, subject)), done: null, submitted, errors }),
    }),
    defineRoute({
      ...form,
      path: `${page}/:rule/save`,
      summary: 'Change the date of a rule of a store, or mute it',
      params: { rule: checkIdText() },
      form: { from: v.pipe(v.string(), v.trim()), muted: flag() },
      handle: async ({ caller, params: { rule }, form: { from, muted } }) => {
        await ruleChanges.change(caller.actor, rule, { from, isMuted: muted });
        return back('saved');
      },
    }),
    defineRoute({
      ...form,
      path: `${page}/:rule/delete`,
      summary: 'Delete a rule of a store that was added',
      params: { rule: checkIdText() },
      form: {},
      handle: async ({ caller, params: { rule } }) => {
        await ruleChanges.remove(caller.actor, rule);
        return back('deleted');
      },
    }),
  ];
}

/** Administrators see every app. */
async function loadCalendar(
  { data, now }: RuleCalendarRouteDeps,
  frame: PageFrame,
  user: User,
): Promise<Omit<RuleCalendarProps, 'done'>> {
  const at = now();
  const today = dayOf(at);
  const projects = await ownerQueries(data).listProjectsOfUser(user.id);
  const viewer = { ownerIds: [user.id, ...projects.map(({ id }) => id)], testerId: user.id };
  const found = await ruleCalendarQueries(data).listNewest(user.administrator ? null : viewer, maxApps + 1);
  const builds = found.slice(0, maxApps);
  const changes = await checkQueries(data).listRuleChanges();
  const rules = effectiveRules(changes).filter((rule) => isOpen(rule, today));
  const byRule = Map.groupBy(await findBroken(data, builds, rules, at), ({ rule }) => rule.id);
  return {
    frame,
    checked: found.length,
    limit: maxApps,
    administers: user.administrator,
    rules: rules.map((rule) => ({
      rule,
      isUpcoming: !isInForce(rule, today),
      apps: byRule.get(rule.id) ?? [],
    })),
  };
}
