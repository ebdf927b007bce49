/** Rules of the app stores in `/api/v1`. */
import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { NotFound } from '../../core/errors.ts';
import { integerShape, textShape } from '../../core/json-shapes.ts';
import type { Data } from '../../db/data.ts';
import { listAnswer } from '../../http/api/pagination.ts';
import { empty, json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { UserActor } from '../../owners/actor.ts';
import { checkStateShape } from '../checks/check-json.ts';
import { checkIdText } from '../checks/check-routes.ts';
import { ruleName } from '../checks/check-texts.ts';
import { addableKinds, destinations } from '../checks/store-rules.ts';
import { loadRuleCalendar, type RuleWithApps } from './rule-calendar.ts';
import { maxSourceLength, type RuleChanges } from './rule-changes.ts';

export interface RuleApiRouteDeps {
  data: Data;
  access: RouteAccess;
  ruleChanges: RuleChanges;
  now: () => number;
}

const day = v.pipe(v.string(), v.description('As `YYYY-MM-DD`.'));
const ruleShape = v.pipe(
  v.object({
    id: textShape('As the id of checks.'),
    title: textShape('What the rule requires.'),
    destination: v.picklist(destinations),
    from: v.pipe(
      v.nullable(v.string()),
      v.description('The first day, as `YYYY-MM-DD`; null: it always applied.'),
    ),
    month_only: v.pipe(v.boolean(), v.description('The store has named only the month.')),
    upcoming: v.boolean(),
    countries: v.pipe(
      v.nullable(v.array(v.string())),
      v.description('Where it begins on that day, by ISO 3166-1; null: everywhere.'),
    ),
    source: textShape('Where the store states the rule.'),
    reported_by: v.pipe(
      v.nullable(v.string()),
      v.description('Who reports what the source says, if the source itself could not be read.'),
    ),
    checked_on: textShape('The day on which it was last compared with the source or the report.'),
    added: v.pipe(v.boolean(), v.description('Whether an administrator added it.')),
    muted: v.boolean(),
    apps: v.pipe(
      v.array(
        v.object({
          owner: v.string(),
          platform: v.picklist(['android', 'ios']),
          package_name: v.string(),
          revision: integerShape('The newest build that a page serves, or else the newest build.'),
          state: checkStateShape,
        }),
      ),
      v.description('The apps that break it, of those that the user sees; for administrators, of all.'),
    ),
  }),
  v.title('StoreRule'),
);

export function ruleApiRoutes({ data, access, ruleChanges, now }: RuleApiRouteDeps): Route[] {
  const path = '/api/v1/store-rules';
  const tag = 'Checks';
  const changing = { tag, access: access.byUserKey(access.administrator), keyScope: 'admin' } as const;
  const show = async (actor: UserActor, id: string) => {
    const found = (await loadRuleCalendar(data, actor, now())).rules.find(({ rule }) => rule.id === id);
    if (!found) throw new NotFound();
    return ruleJson(found);
  };
  return [
    defineRoute({
      method: 'GET',
      path,
      operationId: 'listStoreRules',
      summary: 'List the rules of the app stores, and the apps that break them',
      description: 'By date, without rules that another one has replaced.',
      tag,
      access: access.byUserKey(access.unrestricted),
      keyScope: 'read',
      answer: listAnswer(ruleShape),
      handle: async ({ caller }) => {
        const { rules } = await loadRuleCalendar(data, caller.actor, now());
        return json({ data: rules.map(ruleJson), next_cursor: null });
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/:rule`,
      operationId: 'getStoreRule',
      summary: 'Show a rule of a store, and the apps that break it',
      tag,
      access: access.byUserKey(access.unrestricted),
      keyScope: 'read',
      params: { rule: checkIdText() },
      answer: ruleShape,
      handle: async ({ caller, params: { rule } }) => json(await show(caller.actor, rule)),
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path,
      operationId: 'createStoreRule',
      summary: 'Add a rule of a store',
      description: 'For Google Play, or `ios_sdk` for the App Store.',
      json: {
        kind: v.picklist(addableKinds),
        threshold: v.pipe(v.number(), v.integer(), v.description('An API level or a major version.')),
        from: day,
        source: v.pipe(v.string(), v.maxLength(maxSourceLength), v.description('An https address.')),
      },
      status: 201,
      answer: ruleShape,
      handle: async ({ caller, json: rule }) => {
        const id = await ruleChanges.add(caller.actor, rule);
        return json(await show(caller.actor, id), { headers: { Location: `${path}/${id}` } });
      },
    }),
    defineRoute({
      ...changing,
      method: 'PATCH',
      path: `${path}/:rule`,
      operationId: 'updateStoreRule',
      summary: 'Change the first day of a rule, or mute it for all apps',
      params: { rule: checkIdText() },
      json: {
        from: v.optional(v.pipe(v.nullable(day), v.description('null: the built-in day.'))),
        muted: v.optional(v.boolean()),
      },
      answer: ruleShape,
      handle: async ({ caller, params: { rule }, json: { from, muted } }) => {
        await ruleChanges.change(caller.actor, rule, {
          ...(from === undefined ? {} : { from }),
          ...(muted === undefined ? {} : { isMuted: muted }),
        });
        return json(await show(caller.actor, rule));
      },
    }),
    defineRoute({
      ...changing,
      method: 'DELETE',
      path: `${path}/:rule`,
      operationId: 'deleteStoreRule',
      summary: 'Delete a rule that an administrator added',
      params: { rule: checkIdText() },
      handle: async ({ caller, params: { rule } }) => {
        await ruleChanges.remove(caller.actor, rule);
        return empty(204);
      },
    }),
  ];
}

const ruleJson = ({ rule, isUpcoming, apps }: RuleWithApps): v.InferOutput<typeof ruleShape> => ({
  id: rule.id,
  title: ruleName(rule),
  destination: rule.destination,
  from: rule.from,
  month_only: rule.isMonth,
  upcoming: isUpcoming,
  countries: rule.countries && [...rule.countries],
  source: rule.source,
  reported_by: rule.reportedBy,
  checked_on: rule.checkedOn,
  added: rule.isAdded,
  muted: rule.isMuted,
  apps: apps.map(({ app, revision, result }) => ({
    owner: app.owner.name,
    platform: app.platform,
    package_name: app.packageName,
    revision,
    state: result.state,
  })),
});
