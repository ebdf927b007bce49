import * as v from 'valibot';
import type { Data } from '../../db/data.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { lenient, lenientText } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { withSubject } from '../../http/routes/route-facts.ts';
import type { Owner, Workspace } from '../../owners/owner.ts';
import { ownerRetentionPath, workspaceRetentionPath } from '../../owners/owner-paths.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import type { ChangeRetention } from '../../owners/retention/change-retention.ts';
import { effectiveRule, withRule } from '../../owners/retention/retention.ts';
import type { OwnerAccess, OwnerSubject } from '../../projects/owner-access-http.ts';
import type { App } from '../app.ts';
import type { AppHeads } from '../app-heads.ts';
import { appRetentionPath } from '../app-paths.ts';
import type { ManagedAppAccess } from '../managed-app-access-http.ts';
import { renderAppRetention, renderOwnerRetention, renderWorkspaceRetention } from './retention-page.tsx';
import { previewApp, previewScope } from './retention-preview.ts';
import { readRule, readRuleValues } from './retention-request.ts';
import { loadRetentionView, type RetentionContext } from './retention-view.ts';
import { ruledApp, ruledOwner, ruledWorkspace } from './ruled-places.ts';

export interface RetentionRouteDeps {
  data: Data;
  managedApp: ManagedAppAccess['managedApp'];
  appHeads: AppHeads;
  ownerAccess: OwnerAccess;
  changeRetention: ChangeRetention;
  now: () => number;
}

const query = {
  keep: lenientText(),
  newest: lenientText(),
  days: lenientText(),
  page: lenient(v.pipe(v.string(), v.regex(/^[1-9]\d{0,4}$/), v.transform(Number))),
  done: lenient(v.literal('saved')),
};
const fields = { keep: v.string(), newest: v.string(), days: v.string() };

/**
 * Routes of retention rules: of an app, an owner or a Workspace. Previews are GET requests with the rule in the query
 * string and change nothing.
 */
export function retentionRoutes(deps: RetentionRouteDeps): Route[] {
  const { changeRetention } = deps;
  return placesOf(deps).flatMap(({ path, access, whose }) => [
    defineRoute({
      method: 'GET',
      path,
      access,
      query,
      summary: `Show the retention rule of ${whose}`,
      handle: async ({ subject, query, frame }) => {
        const view = await loadRetentionView(subject, query);
        const isInvalid = Object.keys(view.errors).length > 0;
        return html(subject.render({ ...view, frame }), isInvalid ? { status: 400 } : {});
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/save`,
      page: path,
      access,
      reauthentication: false,
      summary: `Save the retention rule of ${whose}`,
      form: fields,
      handle: async ({ caller, subject: given, form }) => {
        await changeRetention(caller.actor, given.target, readRule(readRuleValues(form)));
        return redirect(`${given.subject.address}?done=saved`);
      },
      renderErrors: async ({ submitted, errors }, { subject, frame }) => {
        const view = await loadRetentionView(subject, {});
        return subject.render({ ...view, frame, submitted: readRuleValues(submitted), errors });
      },
    }),
  ]);
}

function placesOf(deps: RetentionRouteDeps) {
  const { managedApp, ownerAccess } = deps;
  return [
    {
      path: '/users/:owner/platforms/:platform/apps/:package/retention',
      access: withSubject(managedApp, (app) => contextOfApp(deps, app)),
      whose: 'an app',
    },
    {
      path: '/organizations/:owner/retention',
      access: withSubject(ownerAccess.ownerOrAdministrator('project'), (known) =>
        contextOfOwner(deps, known),
      ),
      whose: 'a Project',
    },
    {
      path: '/users/:owner/retention',
      access: withSubject(ownerAccess.ownerOrAdministrator('user'), (known) => contextOfOwner(deps, known)),
      whose: 'an account',
    },
    {
      path: '/enterprises/:workspace/retention',
      access: withSubject(ownerAccess.workspaceOwnerOrAdministrator, (workspace) =>
        contextOfWorkspace(deps, workspace),
      ),
      whose: 'a Workspace',
    },
  ] as const;
}

async function contextOfApp(
  { data, appHeads, now }: RetentionRouteDeps,
  app: App,
): Promise<RetentionContext> {
  const { target, rules } = await ruledApp(data, app);
  const owner = await ownerQueries(data).findOwnerById(app.owner.id);
  const head = await appHeads.ofManaged(app);
  return {
    subject: {
      place: 'app',
      address: appRetentionPath(app),
      owner: app.owner,
      workspaceName: owner && workspaceOf(owner),
    },
    target,
    rules,
    preview: async (rule, slice) => {
      const { rule: effective } = effectiveRule(withRule(rules, 'app', rule));
      const found = await previewApp(data, app.id, effective, now(), slice);
      return { shown: { of: 'app', app, found }, lines: found.builds };
    },
    render: (view) => renderAppRetention({ ...view, head }),
  };
}

const workspaceOf = (owner: Owner) =>
  owner.kind === 'project' ? (owner.workspace?.displayName ?? null) : null;

async function contextOfOwner(
  { data, now }: RetentionRouteDeps,
  { owner, permissions }: OwnerSubject,
): Promise<RetentionContext> {
  return {
    subject: {
      place: 'owner',
      address: ownerRetentionPath(owner),
      owner,
      workspaceName: workspaceOf(owner),
    },
    ...(await ruledOwner(data, owner)),
    preview: async (rule, slice) => {
      const found = await previewScope(data, { kind: 'owner', id: owner.id }, rule, now(), slice);
      const listed = permissions.views;
      return { shown: { of: 'owner', found, listed }, lines: listed ? found.lineCount : 0 };
    },
    render: (view) => renderOwnerRetention({ ...view, owner, permissions }),
  };
}

async function contextOfWorkspace(
  { data, now }: RetentionRouteDeps,
  workspace: Workspace,
): Promise<RetentionContext> {
  const { id, name } = workspace;
  return {
    subject: {
      place: 'workspace',
      address: workspaceRetentionPath(name),
      owner: null,
      workspaceName: workspace.displayName,
    },
    ...(await ruledWorkspace(data, workspace)),
    preview: async (rule, slice) => {
      const found = await previewScope(data, { kind: 'workspace', id }, rule, now(), slice);
      return { shown: { of: 'workspace', found, listed: true }, lines: found.lineCount };
    },
    render: (view) => renderWorkspaceRetention({ ...view, workspace }),
  };
}
