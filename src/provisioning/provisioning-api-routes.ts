/** SCIM tokens, email domains, and the rules of groups of a directory, in `/api/v1`. */
import * as v from 'valibot';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import { newKeyLimit } from '../accounts/keys/issue-key.ts';
import { groupSources, maxGroupClaimLength } from '../accounts/single-sign-on/group-claims.ts';
import { NotFound } from '../core/errors.ts';
import { nameField } from '../core/name-text.ts';
import { listAnswer } from '../http/api/pagination.ts';
import { empty, json } from '../http/routes/answer.ts';
import { checkWith } from '../http/routes/form.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import { teams } from '../owners/owner.ts';
import { claimedGroupQueries } from './claimed-group-queries.ts';
import { directoryQueries } from './directory-queries.ts';
import { groupMappingQueries } from './group-mapping-queries.ts';
import type { DirectoryGroup, GroupMapping } from './mapping-target.ts';
import { checkDomain, maxTokenNameLength } from './provisioning.ts';
import { listDirectoryGroups, type ProvisioningRouteDeps } from './provisioning-routes.ts';
import type { DirectoryToken } from './scim/scim.ts';

const path = '/api/v1/workspaces/:workspace/scim-tokens';
const domainsPath = '/api/v1/workspaces/:workspace/domains';
const rulesPath = '/api/v1/workspaces/:workspace/group-rules';
const groupsPath = '/api/v1/workspaces/:workspace/directory-groups';
const time = v.nullable(v.pipe(v.string(), v.isoTimestamp()));

const tokenFields = {
  id: v.string(),
  name: v.string(),
  created_by: v.string(),
  created_at: v.pipe(v.string(), v.isoTimestamp()),
  expires_at: time,
  last_used_at: time,
};
const tokenShape = v.pipe(v.object(tokenFields), v.title('ScimToken'));
const newTokenShape = v.pipe(
  v.object({ ...tokenFields, token: v.pipe(v.string(), v.description('Shown only once.')) }),
  v.title('NewScimToken'),
);

const isoOrNull = (at: number | null) => (at === null ? null : new Date(at).toISOString());
const tokenJson = (token: DirectoryToken) => ({
  id: token.id,
  name: token.name,
  created_by: token.createdBy,
  created_at: new Date(token.createdAt).toISOString(),
  expires_at: isoOrNull(token.expiresAt),
  last_used_at: isoOrNull(token.lastUsedAt),
});

const domainShape = v.pipe(v.object({ domain: v.string() }), v.title('WorkspaceDomain'));
const directoryGroupShape = v.pipe(
  v.object({
    id: v.string(),
    name: v.string(),
    source: v.pipe(
      v.picklist(['scim', ...groupSources]),
      v.description(
        '`scim`: the directory of the Workspace. `workspace`: its SAML provider. Otherwise, an identity provider of the installation.',
      ),
    ),
  }),
  v.title('DirectoryGroup'),
);
const directoryGroupJson = ({ id, displayName: name, source }: DirectoryGroup) => ({ id, name, source });

const mappingShape = v.pipe(
  v.object({
    id: v.string(),
    directory_group: directoryGroupShape,
    kind: v.picklist(['team', 'testers', 'members', 'owners']),
    project: v.nullable(v.string()),
    team: v.nullable(v.picklist(teams)),
    group: v.nullable(v.object({ id: v.string(), name: v.string() })),
    created_by: v.string(),
    created_at: v.pipe(v.string(), v.isoTimestamp()),
  }),
  v.title('GroupRule'),
);

const mappingJson = ({ id, group, target, createdBy, createdAt }: GroupMapping) => ({
  id,
  directory_group: directoryGroupJson(group),
  kind: target.kind,
  project: 'project' in target ? target.project.name : null,
  team: target.kind === 'team' ? target.team : null,
  group: target.kind === 'testers' ? target.group : null,
  created_by: createdBy,
  created_at: new Date(createdAt).toISOString(),
});

const dayMs = 24 * 60 * 60_000;
const maxLifetimeDays = 3650;

export function provisioningApiRoutes(deps: ProvisioningRouteDeps & { access: RouteAccess }): Route[] {
  const { data, provisioning, groupMappings, claimedGroups, now } = deps;
  const access = deps.access.byUserKey(deps.ownerAccess.workspaceOwnerOrAdministrator);
  const reading = { tag: 'Workspaces', access, keyScope: 'read' } as const;
  const changing = { ...reading, keyScope: 'manage' } as const;
  return [
    defineRoute({
      ...reading,
      method: 'GET',
      path,
      operationId: 'listScimTokens',
      summary: 'List the SCIM tokens of a Workspace',
      description: 'All of them, the oldest first.',
      answer: listAnswer(tokenShape),
      handle: async ({ subject }) => {
        const tokens = await directoryQueries(data).listTokens(subject.id);
        return json({ data: tokens.map(tokenJson), next_cursor: null });
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path,
      rateLimit: newKeyLimit,
      operationId: 'createScimToken',
      summary: 'Create a SCIM token for a Workspace',
      description: 'The directory of the Workspace uses it at `/scim/v2/:workspace`.',
      json: {
        name: nameField(maxTokenNameLength),
        expires_in_days: v.optional(
          v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(maxLifetimeDays))),
          null,
        ),
      },
      status: 201,
      answer: newTokenShape,
      handle: async ({ caller, subject, json: given }) => {
        const days = given.expires_in_days;
        const expiresAt = days === null ? null : now() + days * dayMs;
        const made = await provisioning.createToken(caller.actor, subject, { name: given.name, expiresAt });
        const tokens = await directoryQueries(data).listTokens(subject.id);
        const token = tokens.find(({ id }) => id === made.id);
        if (!token) throw new NotFound();
        return json({ ...tokenJson(token), token: made.token });
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path: `${path}/:token/revoke`,
      json: {},
      operationId: 'revokeScimToken',
      summary: 'Revoke a SCIM token of a Workspace',
      handle: async ({ caller, subject, params }) => {
        await provisioning.revokeToken(caller.actor, subject, params.token);
        return empty(204);
      },
    }),
    defineRoute({
      ...reading,
      method: 'GET',
      path: domainsPath,
      operationId: 'listWorkspaceDomains',
      summary: 'List the email domains of a Workspace',
      description: 'All of them, by name.',
      answer: listAnswer(domainShape),
      handle: async ({ subject }) => {
        const domains = await directoryQueries(data).listDomains(subject.id);
        return json({ data: domains.map((domain) => ({ domain })), next_cursor: null });
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path: domainsPath,
      operationId: 'assignWorkspaceDomain',
      summary: 'Assign an email domain to a Workspace, as an administrator',
      description: 'Its directory then manages existing accounts with confirmed addresses in the domain.',
      json: { domain: v.pipe(v.string(), v.trim(), checkWith(checkDomain)) },
      status: 201,
      answer: domainShape,
      handle: async ({ caller, subject, json: { domain } }) => {
        await provisioning.assignDomain(caller.actor, subject, domain);
        return json({ domain: checkDomain(domain) });
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path: `${domainsPath}/:domain/remove`,
      json: {},
      operationId: 'removeWorkspaceDomain',
      summary: 'Remove an email domain from a Workspace, as an administrator',
      description: 'The directory keeps the people that it manages now.',
      handle: async ({ caller, subject, params }) => {
        await provisioning.removeDomain(caller.actor, subject, params.domain);
        return empty(204);
      },
    }),
    defineRoute({
      ...reading,
      method: 'GET',
      path: groupsPath,
      operationId: 'listDirectoryGroups',
      summary: 'List the groups that rules of a Workspace can map',
      description: 'Groups of its directory, then identity provider groups that are assigned to it, by name.',
      answer: listAnswer(directoryGroupShape),
      handle: async ({ subject }) => {
        const groups = await listDirectoryGroups(data, subject);
        return json({ data: groups.map(directoryGroupJson), next_cursor: null });
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path: groupsPath,
      operationId: 'assignDirectoryGroup',
      summary: 'Assign an identity provider group to a Workspace',
      description:
        'For administrators; groups of the provider of the Workspace for its owners, too. Rules of the Workspace can then map it. Slipway learns who is in the group when people sign in.',
      json: { source: v.picklist(groupSources), group: nameField(maxGroupClaimLength) },
      status: 201,
      answer: directoryGroupShape,
      handle: async ({ caller, subject, json: { source, group: name } }) => {
        const id = await claimedGroups.assign(caller.actor, subject, { source, name });
        const made = await claimedGroupQueries(data).find(subject.id, id);
        if (!made) throw new NotFound();
        return json({ id, name: made.name, source: made.source });
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path: `${groupsPath}/:claimed/remove`,
      operationId: 'removeDirectoryGroup',
      summary: 'Remove an identity provider group from a Workspace',
      description:
        'For those who may assign it. Its rules are removed too. People added only by these rules lose their membership.',
      json: {},
      handle: async ({ caller, subject, params }) => {
        await claimedGroups.remove(caller.actor, subject, params.claimed);
        return empty(204);
      },
    }),
    defineRoute({
      ...reading,
      method: 'GET',
      path: rulesPath,
      operationId: 'listGroupRules',
      summary: 'List the rules that map directory groups',
      description: 'All of them, the oldest first.',
      answer: listAnswer(mappingShape),
      handle: async ({ subject }) => {
        const mappings = await groupMappingQueries(data).list(subject.id);
        return json({ data: mappings.map(mappingJson), next_cursor: null });
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path: rulesPath,
      operationId: 'addGroupRule',
      summary: 'Map a directory group to a team, a tester group or a role in the Workspace',
      description:
        'Applies at once. Rules for the owner, developer and auditor teams of a Project need one of its owners or an administrator.',
      json: {
        directory_group: v.pipe(v.string(), v.description('Id of the group.')),
        kind: v.picklist(['team', 'testers', 'members', 'owners']),
        project: v.optional(v.nullable(v.string()), null),
        team: v.optional(v.nullable(v.picklist(teams)), null),
        group: v.optional(v.nullable(v.pipe(v.string(), v.description('Id of a tester group.'))), null),
      },
      status: 201,
      answer: mappingShape,
      handle: async ({ caller, subject, json: given }) => {
        const { directory_group: directoryGroup, ...target } = given;
        const id = await groupMappings.add(caller.actor, subject, { directoryGroup, ...target });
        const made = await groupMappingQueries(data).find(subject.id, id);
        if (!made) throw new NotFound();
        return json(mappingJson(made));
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path: `${rulesPath}/:mapping/remove`,
      operationId: 'removeGroupRule',
      summary: 'Remove a rule that maps a directory group',
      description: 'People added only by this rule lose their membership.',
      json: {},
      handle: async ({ caller, subject, params }) => {
        await groupMappings.remove(caller.actor, subject, params.mapping);
        return empty(204);
      },
    }),
  ];
}
