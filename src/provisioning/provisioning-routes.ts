import * as v from 'valibot';
import type { Person } from '../accounts/authorization/identify-http.ts';
import { newKeyLimit } from '../accounts/keys/issue-key.ts';
import { workspaceProviderQueries } from '../accounts/saml/workspace/workspace-provider-queries.ts';
import {
  type GroupSource,
  groupSources,
  maxGroupClaimLength,
} from '../accounts/single-sign-on/group-claims.ts';
import { FormInvalid, toSentence } from '../core/errors.ts';
import { nameField } from '../core/name-text.ts';
import type { Data } from '../db/data.ts';
import { html, redirect } from '../http/routes/answer.ts';
import { checkWith, lenient } from '../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../http/routes/route.ts';
import { groupQueries } from '../owners/group-queries.ts';
import { teams, type Workspace } from '../owners/owner.ts';
import { workspaceProvisioningPath } from '../owners/owner-paths.ts';
import { projectListQueries } from '../projects/lists/project-list-queries.ts';
import type { OwnerAccess } from '../projects/owner-access-http.ts';
import { claimedGroupQueries } from './claimed-group-queries.ts';
import type { ClaimedGroups } from './claimed-groups.ts';
import { directoryQueries } from './directory-queries.ts';
import type { GroupMappings, MappingRequest } from './group-mapping-changes.ts';
import { groupMappingQueries } from './group-mapping-queries.ts';
import type { TargetChoice } from './group-mappings-section.tsx';
import type { DirectoryGroup, MappingTarget } from './mapping-target.ts';
import { checkDomain, maxTokenNameLength, type Provisioning } from './provisioning.ts';
import { type ProvisioningPageProps, renderProvisioning, tokenLifetimes } from './provisioning-page.tsx';
import { provisioningTexts } from './provisioning-texts.ts';
import { scimGroupQueries } from './scim/scim-group-queries.ts';

export interface ProvisioningRouteDeps {
  data: Data;
  ownerAccess: OwnerAccess;
  provisioning: Provisioning;
  groupMappings: GroupMappings;
  claimedGroups: ClaimedGroups;
  /** The configured sources of groups in the installation. */
  sources: readonly GroupSource[];
  now: () => number;
}

type Context = Pick<RouteContext<Person, Workspace>, 'caller' | 'frame' | 'subject'>;

/** Rules for other Projects are added through the API. */
const maxListedProjects = 100;
const dayMs = 24 * 60 * 60_000;
const t = provisioningTexts;
const successMessages = () => ({
  revoked: t.tokens.revoked,
  assigned: t.domains.assigned,
  removed: t.domains.removed,
  'group-assigned': t.groups.assigned,
  'group-removed': t.groups.removed,
  'rule-added': t.mappings.created,
  'rule-removed': t.mappings.removed,
});

const doneNames = [
  'revoked',
  'assigned',
  'removed',
  'group-assigned',
  'group-removed',
  'rule-added',
  'rule-removed',
] as const;

/** `owners`, `members`, `team <team> <project>` or `testers <group id> <project>`. */
const targetValue = (target: MappingTarget) =>
  !('project' in target)
    ? target.kind
    : `${target.kind} ${target.kind === 'team' ? target.team : target.group.id} ${target.project.name}`;

function readTarget(text: string): Omit<MappingRequest, 'directoryGroup'> {
  const [kind, part = '', project = ''] = text.split(' ');
  const none = { project, team: null, group: null };
  if (kind === 'owners' || kind === 'members') return { ...none, kind };
  if (kind === 'testers') return { ...none, kind, group: part };
  const team = teams.find((one) => one === part);
  if (kind !== 'team' || !team) throw new FormInvalid({ target: [toSentence(t.mappings.errors.target)] });
  return { ...none, kind, team };
}

/** The provisioning settings of a Workspace, for its owners and administrators. */
export function provisioningRoutes(deps: ProvisioningRouteDeps): Route[] {
  const { provisioning, groupMappings, claimedGroups, now } = deps;
  const page = '/enterprises/:workspace/provisioning';
  const access = deps.ownerAccess.workspaceOwnerOrAdministrator;
  const form = { method: 'POST', access, page } as const;
  const back = ({ name }: Workspace, done: keyof ReturnType<typeof successMessages>) =>
    redirect(`${workspaceProvisioningPath(name)}?done=${done}`);
  return [
    defineRoute({
      method: 'GET',
      path: page,
      access,
      summary: 'Show the provisioning settings of a Workspace',
      query: { done: lenient(v.picklist(doneNames)) },
      handle: async (context) => {
        const { done } = context.query;
        return html(await render(deps, context, { done: done ? successMessages()[done] : null }));
      },
    }),
    defineRoute({
      ...form,
      path: '/enterprises/:workspace/provisioning/tokens/create',
      summary: 'Create a SCIM token',
      reauthentication: true,
      rateLimit: newKeyLimit,
      form: { name: nameField(maxTokenNameLength), expires: v.picklist(tokenLifetimes) },
      handle: async (context) => {
        const { caller, subject, form } = context;
        const expiresAt = form.expires === 'never' ? null : now() + Number(form.expires) * dayMs;
        const made = await provisioning.createToken(caller.actor, subject, { name: form.name, expiresAt });
        return html(await render(deps, context, { made: made.token }));
      },
      renderErrors: ({ submitted, errors }, context) => render(deps, context, { submitted, errors }),
    }),
    defineRoute({
      ...form,
      path: '/enterprises/:workspace/provisioning/tokens/:token/revoke',
      summary: 'Revoke a SCIM token',
      reauthentication: false,
      form: {},
      handle: async ({ caller, subject, params }) => {
        await provisioning.revokeToken(caller.actor, subject, params.token);
        return back(subject, 'revoked');
      },
    }),
    defineRoute({
      ...form,
      path: '/enterprises/:workspace/provisioning/domains/assign',
      summary: 'Assign an email domain to a Workspace, as an administrator',
      reauthentication: true,
      form: { domain: v.pipe(v.string(), v.trim(), checkWith(checkDomain)) },
      handle: async ({ caller, subject, form: { domain } }) => {
        await provisioning.assignDomain(caller.actor, subject, domain);
        return back(subject, 'assigned');
      },
      renderErrors: ({ submitted, errors }, context) => render(deps, context, { submitted, errors }),
    }),
    defineRoute({
      ...form,
      path: '/enterprises/:workspace/provisioning/domains/:domain/remove',
      summary: 'Remove an email domain from a Workspace, as an administrator',
      reauthentication: false,
      form: {},
      handle: async ({ caller, subject, params }) => {
        await provisioning.removeDomain(caller.actor, subject, params.domain);
        return back(subject, 'removed');
      },
    }),
    defineRoute({
      ...form,
      path: '/enterprises/:workspace/provisioning/groups/assign',
      summary: 'Assign a group of an identity provider to a Workspace',
      reauthentication: true,
      form: { source: v.picklist(groupSources), group: nameField(maxGroupClaimLength) },
      handle: async ({ caller, subject, form: { source, group: name } }) => {
        await claimedGroups.assign(caller.actor, subject, { source, name });
        return back(subject, 'group-assigned');
      },
      renderErrors: ({ submitted, errors }, context) => render(deps, context, { submitted, errors }),
    }),
    defineRoute({
      ...form,
      path: '/enterprises/:workspace/provisioning/groups/:claimed/remove',
      summary: 'Remove a group of an identity provider from a Workspace',
      reauthentication: false,
      form: {},
      handle: async ({ caller, subject, params }) => {
        await claimedGroups.remove(caller.actor, subject, params.claimed);
        return back(subject, 'group-removed');
      },
    }),
    defineRoute({
      ...form,
      path: '/enterprises/:workspace/provisioning/mappings/add',
      summary: 'Add a rule that maps a directory group',
      reauthentication: true,
      form: { directory_group: v.string(), target: v.string() },
      handle: async ({ caller, subject, form: { directory_group: directoryGroup, target } }) => {
        await groupMappings.add(caller.actor, subject, { directoryGroup, ...readTarget(target) });
        return back(subject, 'rule-added');
      },
      renderErrors: ({ submitted, errors }, context) => {
        const { directory_group, ...others } = errors;
        const target = Object.values(others).flat();
        return render(deps, context, {
          submitted,
          errors: { directory_group, ...(target.length > 0 ? { target } : {}) },
        });
      },
    }),
    defineRoute({
      ...form,
      path: '/enterprises/:workspace/provisioning/mappings/:mapping/remove',
      summary: 'Remove a rule that maps a directory group',
      reauthentication: false,
      form: {},
      handle: async ({ caller, subject, params }) => {
        await groupMappings.remove(caller.actor, subject, params.mapping);
        return back(subject, 'rule-removed');
      },
    }),
  ];
}

async function render(
  { data, sources }: ProvisioningRouteDeps,
  { caller, frame, subject: workspace }: Context,
  shown: Partial<Pick<ProvisioningPageProps, 'made' | 'done' | 'submitted' | 'errors'>>,
): Promise<string> {
  return renderProvisioning({
    frame,
    workspace,
    tokens: await directoryQueries(data).listTokens(workspace.id),
    domains: await directoryQueries(data).listDomains(workspace.id),
    mappings: await groupMappingQueries(data).list(workspace.id),
    claimedGroups: await claimedGroupQueries(data).list(workspace.id),
    sources: [
      ...(caller.actor.user.administrator ? sources : []),
      ...((await workspaceProviderQueries(data).find(workspace.id)) ? (['workspace'] as const) : []),
    ],
    directoryGroups: await listDirectoryGroups(data, workspace),
    targets: await listTargets(data, workspace),
    isAdministrator: caller.actor.user.administrator,
    made: null,
    done: null,
    submitted: {},
    errors: {},
    ...shown,
  });
}

/** Everything that a rule of the Workspace can map. */
export async function listDirectoryGroups(data: Data, workspace: Workspace): Promise<DirectoryGroup[]> {
  const provisioned = await scimGroupQueries(data).listAll(workspace.id);
  const claimed = await claimedGroupQueries(data).list(workspace.id);
  return [
    ...provisioned.map(({ id, displayName }) => ({ id, displayName, source: 'scim' as const })),
    ...claimed.map(({ id, name, source }) => ({ id, displayName: name, source })),
  ];
}

/** Everything in the Workspace that a group can be mapped to. What gives the most access is last, because the first is preselected. */
async function listTargets(data: Data, workspace: Workspace): Promise<TargetChoice[]> {
  const targets: MappingTarget[] = [];
  const scope = { workspaceId: workspace.id, within: null };
  const found = await projectListQueries(data).listProjects(scope, [], { limit: maxListedProjects });
  for (const { project } of found) {
    const place = { id: project.id, name: project.name };
    for (const team of [...teams].reverse()) targets.push({ kind: 'team', project: place, team });
    for (const { id, name } of await groupQueries(data).listGroups(project.id))
      targets.push({ kind: 'testers', project: place, group: { id, name } });
  }
  targets.push({ kind: 'members' }, { kind: 'owners' });
  return targets.map((target) => ({ target, value: targetValue(target) }));
}
