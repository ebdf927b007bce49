import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import type { Data } from '../../db/data.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { flag, lenient, wholeNumber } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { UserActor } from '../../owners/actor.ts';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { checkIdText } from '../checks/check-routes.ts';
import { checkTexts } from '../checks/check-texts.ts';
import { addableKinds } from '../checks/store-rules.ts';
import { loadRuleCalendar } from './rule-calendar.ts';
import { type RuleCalendarProps, renderRuleCalendar } from './rule-calendar-page.tsx';
import { maxSourceLength, maxThreshold, type RuleChanges } from './rule-changes.ts';

export interface RuleCalendarRouteDeps {
  data: Data;
  access: RouteAccess;
  ruleChanges: RuleChanges;
  now: () => number;
}

const done = {
  added: () => checkTexts.calendar.added,
  saved: () => checkTexts.calendar.saved,
  deleted: () => checkTexts.calendar.deleted,
};

export function ruleCalendarRoutes(deps: RuleCalendarRouteDeps): Route[] {
  const { data, access, ruleChanges, now } = deps;
  const page = '/store-rules';
  const form = { method: 'POST', access: access.administrator, page, reauthentication: false } as const;
  const render = async (actor: UserActor, frame: PageFrame, shown: Partial<RuleCalendarProps> = {}) =>
    renderRuleCalendar({
      ...(await loadRuleCalendar(data, actor, now())),
      frame,
      administers: actor.user.administrator,
      done: null,
      ...shown,
    });
  const back = (what: keyof typeof done) => redirect(`${sitePaths.storeRules}?done=${what}`);
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'Show which apps break which rule of a store, and when',
      access: access.signedIn,
      query: { done: lenient(v.picklist(['added', 'saved', 'deleted'])) },
      handle: async ({ caller, frame, query }) =>
        html(await render(caller.actor, frame, { done: query.done ? done[query.done]() : null })),
    }),
    defineRoute({
      ...form,
      path: `${page}/add`,
      summary: 'Add a rule of a store',
      form: {
        kind: v.picklist(addableKinds),
        threshold: wholeNumber(() => checkTexts.calendar.errors.threshold({ limit: maxThreshold })),
        from: v.pipe(v.string(), v.trim()),
        source: v.pipe(v.string(), v.trim(), v.maxLength(maxSourceLength)),
      },
      handle: async ({ caller, form: rule }) => {
        await ruleChanges.add(caller.actor, rule);
        return back('added');
      },
      renderErrors: async ({ submitted, errors }, { caller, frame }) =>
        render(caller.actor, frame, { submitted, errors }),
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
      renderErrors: ({ submitted, errors }, { caller, frame, params: { rule } }) =>
        render(caller.actor, frame, { refused: { rule, submitted, errors } }),
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
