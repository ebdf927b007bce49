/** Retention rules in `/api/v1`. */
import * as v from 'valibot';
import type { KeyCaller } from '../../accounts/authorization/key-access-http.ts';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import type { Data } from '../../db/data.ts';
import { empty, json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { type Access, withSubject } from '../../http/routes/route-facts.ts';
import type { ChangeRetention } from '../../owners/retention/change-retention.ts';
import { effectiveRule, maxDays, maxNewest, withRule } from '../../owners/retention/retention.ts';
import type { OwnerAccess } from '../../projects/owner-access-http.ts';
import { appApiPath } from '../app-api-routes.ts';
import type { ManagedAppAccess } from '../managed-app-access-http.ts';
import { type RuledPlace, ruledApp, ruledOwner, ruledWorkspace } from './ruled-places.ts';

interface RetentionApiDeps {
  data: Data;
  access: RouteAccess;
  managedApp: ManagedAppAccess['managedApp'];
  ownerAccess: OwnerAccess;
  changeRetention: ChangeRetention;
}

const limitOf = (limit: number) =>
  v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(limit)));
const ruleFields = {
  newest: v.pipe(limitOf(maxNewest), v.description('How many builds of an app are kept; null: no limit.')),
  days: v.pipe(limitOf(maxDays), v.description('How long builds are kept; null: no limit.')),
};
const retentionShape = v.pipe(
  v.object({
    rule: v.pipe(
      v.nullable(v.object(ruleFields)),
      v.description('The rule of this place; null if it has none.'),
    ),
    effective: v.pipe(
      v.object(ruleFields),
      v.description(
        'The rule that applies. A build is deleted if it exceeds both limits; without limits none is.',
      ),
    ),
    from: v.pipe(
      v.nullable(v.picklist(['app', 'owner', 'workspace'])),
      v.description('Where the effective rule comes from; null: there is none.'),
    ),
  }),
  v.title('Retention'),
);

const retentionJson = ({ target, rules }: RuledPlace): v.InferOutput<typeof retentionShape> => {
  const { rule: effective, from } = effectiveRule(rules);
  return { rule: rules[target.place], effective, from };
};

const about = 'Protected builds, and builds that a page serves, are always kept.';

export function retentionApiRoutes(deps: RetentionApiDeps): Route[] {
  const { data, access, ownerAccess } = deps;
  return [
    ...routesAt(deps, {
      path: '/api/v1/workspaces/:workspace/retention',
      access: withSubject(access.byUserKey(ownerAccess.workspaceOwnerOrAdministrator), (workspace) =>
        ruledWorkspace(data, workspace),
      ),
      idPart: 'Workspace',
      of: 'a Workspace',
      without: '',
    }),
    ...routesAt(deps, {
      path: `${appApiPath}/retention`,
      access: withSubject(access.byKey(deps.managedApp), (app) => ruledApp(data, app)),
      idPart: 'App',
      of: 'an app',
      without: ', so that the one of its owner applies',
    }),
    ...routesAt(deps, {
      path: '/api/v1/owners/:owner/retention',
      access: withSubject(
        access.byUserKey(ownerAccess.ownerOrAdministrator('user', 'project')),
        ({ owner }) => ruledOwner(data, owner),
      ),
      idPart: '',
      of: 'an owner',
      without: ', so that the one of its Workspace applies',
    }),
  ];
}

interface RetentionApi<Address, Caller extends KeyCaller> {
  path: `/api/v1/${string}/retention`;
  access: Access<Address, Caller, RuledPlace>;
  /** For the ids of operations. */
  idPart: string;
  of: string;
  /** The effect of removing the rule. */
  without: string;
}

function routesAt<Address, Caller extends KeyCaller>(
  { changeRetention }: RetentionApiDeps,
  place: RetentionApi<Address, Caller>,
): Route[] {
  const { path, idPart, of, without } = place;
  const access = place.access as Access<Record<string, string>, Caller, RuledPlace>;
  const shared = { tag: 'Retention', path, access } as const;
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      operationId: `get${idPart}Retention`,
      summary: `Show the retention rule of ${of}`,
      description: about,
      keyScope: 'read',
      answer: retentionShape,
      handle: async ({ subject }) => json(retentionJson(subject)),
    }),
    defineRoute({
      ...shared,
      method: 'PUT',
      operationId: `set${idPart}Retention`,
      summary: `Set the retention rule of ${of}`,
      description: `${about} Deletes builds soon.`,
      keyScope: 'manage',
      json: ruleFields,
      answer: retentionShape,
      handle: async ({ caller, subject: { target, rules }, json: rule }) => {
        await changeRetention(caller.actor, target, rule);
        return json(retentionJson({ target, rules: withRule(rules, target.place, rule) }));
      },
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      operationId: `delete${idPart}Retention`,
      summary: `Remove the retention rule of ${of}${without}`,
      keyScope: 'manage',
      handle: async ({ caller, subject: { target } }) => {
        await changeRetention(caller.actor, target, null);
        return empty(204);
      },
    }),
  ];
}
