/** Retention rules in `/api/v1`. */
import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { empty, json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { Workspace } from '../../owners/owner.ts';
import type { ChangeRetention, RetentionTarget } from '../../owners/retention/change-retention.ts';
import {
  effectiveRule,
  maxDays,
  maxNewest,
  type RetentionPlace,
  type RetentionRules,
} from '../../owners/retention/retention.ts';
import { retentionQueries } from '../../owners/retention/retention-queries.ts';
import type { OwnerAccess } from '../../projects/owner-access-http.ts';
import { rulesOf } from '../../projects/settings/retention-rules.ts';
import { appApiPath } from '../app-api-routes.ts';
import type { ManagedAppAccess } from '../managed-app-access-http.ts';

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

function retentionJson(rules: RetentionRules, place: RetentionPlace): v.InferOutput<typeof retentionShape> {
  const { rule: effective, from } = effectiveRule(rules);
  return { rule: rules[place], effective, from };
}

const tag = 'Retention';
const about = 'Protected builds, and builds that a page serves, are always kept.';

export function retentionApiRoutes(deps: RetentionApiDeps): Route[] {
  const { data, access, ownerAccess, changeRetention } = deps;
  const ofApp = { tag, path: `${appApiPath}/retention`, access: access.byKey(deps.managedApp) } as const;
  const ofOwner = {
    tag,
    path: '/api/v1/owners/:owner/retention',
    access: access.byUserKey(ownerAccess.ownerOrAdministrator('user', 'project')),
  } as const;
  const appRules = async (appId: string) => {
    const ruled = await retentionQueries(data).findApp(appId);
    if (!ruled) throw new NotFound();
    return retentionJson(ruled.rules, 'app');
  };
  const appTarget = (app: {
    id: string;
    packageName: string;
    platform: string;
    owner: { id: string };
  }): RetentionTarget => ({
    place: 'app',
    id: app.id,
    name: `${app.packageName} (${app.platform})`,
    ownerId: app.owner.id,
  });
  const ownerTarget = ({ id, name }: { id: string; name: string }): RetentionTarget => ({
    place: 'owner',
    id,
    name,
    ownerId: id,
  });
  const ofWorkspace = {
    tag,
    path: '/api/v1/workspaces/:workspace/retention',
    access: access.byUserKey(ownerAccess.workspaceOwnerOrAdministrator),
  } as const;
  const workspaceRules = async ({ id }: Workspace) =>
    retentionJson(
      { app: null, owner: null, workspace: await retentionQueries(data).ruleOf('workspace', id) },
      'workspace',
    );
  const workspaceTarget = ({ id, name }: Workspace): RetentionTarget => ({
    place: 'workspace',
    id,
    name,
    ownerId: null,
  });
  return [
    defineRoute({
      ...ofWorkspace,
      method: 'GET',
      operationId: 'getWorkspaceRetention',
      summary: 'Show the retention rule of a Workspace',
      description: about,
      keyScope: 'read',
      answer: retentionShape,
      handle: async ({ subject }) => json(await workspaceRules(subject)),
    }),
    defineRoute({
      ...ofWorkspace,
      method: 'PUT',
      operationId: 'setWorkspaceRetention',
      summary: 'Set the retention rule of a Workspace',
      description: `${about} Deletes builds soon.`,
      keyScope: 'manage',
      json: ruleFields,
      answer: retentionShape,
      handle: async ({ caller, subject, json: rule }) => {
        await changeRetention(caller.actor, workspaceTarget(subject), rule);
        return json(await workspaceRules(subject));
      },
    }),
    defineRoute({
      ...ofWorkspace,
      method: 'DELETE',
      operationId: 'deleteWorkspaceRetention',
      summary: 'Remove the retention rule of a Workspace',
      keyScope: 'manage',
      handle: async ({ caller, subject }) => {
        await changeRetention(caller.actor, workspaceTarget(subject), null);
        return empty(204);
      },
    }),
    defineRoute({
      ...ofApp,
      method: 'GET',
      operationId: 'getAppRetention',
      summary: 'Show the retention rule of an app',
      description: about,
      keyScope: 'read',
      answer: retentionShape,
      handle: async ({ subject: { id } }) => json(await appRules(id)),
    }),
    defineRoute({
      ...ofApp,
      method: 'PUT',
      operationId: 'setAppRetention',
      summary: 'Set the retention rule of an app',
      description: `${about} Deletes builds soon.`,
      keyScope: 'manage',
      json: ruleFields,
      answer: retentionShape,
      handle: async ({ caller, subject: app, json: rule }) => {
        await changeRetention(caller.actor, appTarget(app), rule);
        return json(await appRules(app.id));
      },
    }),
    defineRoute({
      ...ofApp,
      method: 'DELETE',
      operationId: 'deleteAppRetention',
      summary: 'Remove the retention rule of an app, so that the one of its owner applies',
      keyScope: 'manage',
      handle: async ({ caller, subject: app }) => {
        await changeRetention(caller.actor, appTarget(app), null);
        return empty(204);
      },
    }),
    defineRoute({
      ...ofOwner,
      method: 'GET',
      operationId: 'getRetention',
      summary: 'Show the retention rule of an owner',
      description: about,
      keyScope: 'read',
      answer: retentionShape,
      handle: async ({ subject: { owner } }) => json(retentionJson(await rulesOf(data, owner), 'owner')),
    }),
    defineRoute({
      ...ofOwner,
      method: 'PUT',
      operationId: 'setRetention',
      summary: 'Set the retention rule of an owner',
      description: `${about} Deletes builds soon.`,
      keyScope: 'manage',
      json: ruleFields,
      answer: retentionShape,
      handle: async ({ caller, subject: { owner }, json: rule }) => {
        await changeRetention(caller.actor, ownerTarget(owner), rule);
        return json(retentionJson(await rulesOf(data, owner), 'owner'));
      },
    }),
    defineRoute({
      ...ofOwner,
      method: 'DELETE',
      operationId: 'deleteRetention',
      summary: 'Remove the retention rule of an owner, so that the one of its Workspace applies',
      keyScope: 'manage',
      handle: async ({ caller, subject: { owner } }) => {
        await changeRetention(caller.actor, ownerTarget(owner), null);
        return empty(204);
      },
    }),
  ];
}
