/** SCIM 2.0 at `/scim/v2/:workspace` (RFC 7644). */
import { empty } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { DirectoryAccess } from '../directory-access-http.ts';
import { patchUser, readPatch, readUser } from './scim-attributes.ts';
import { discoveryRoutes } from './scim-discovery-routes.ts';
import { readGroup, readGroupChanges } from './scim-group-attributes.ts';
import type { ScimGroups } from './scim-groups.ts';
import {
  baseOf,
  type Context,
  change,
  expectedIn,
  knownHeaders,
  listQuery,
  matchHeaders,
  readBody,
  readListRequest,
  renderRefusal,
  representation,
  root,
  type Shared,
  scim,
  selectionQuery,
} from './scim-http.ts';
import {
  groupJson,
  listJson,
  readSelection,
  type Selection,
  selectAttributes,
  selects,
  userJson,
  versionTag,
} from './scim-json.ts';
import { searchRoutes } from './scim-search-routes.ts';
import type { ScimUsers } from './scim-users.ts';

export interface ScimRouteDeps {
  directoryAccess: DirectoryAccess;
  scimUsers: ScimUsers;
  scimGroups: ScimGroups;
}

export function scimRoutes(deps: ScimRouteDeps): Route[] {
  const shared = { access: deps.directoryAccess, renderRefusal } as const;
  return [
    ...discoveryRoutes(shared),
    ...searchRoutes(deps, shared),
    ...userRoutes(deps, shared),
    ...groupRoutes(deps, shared),
  ];
}

function userRoutes({ scimUsers }: ScimRouteDeps, shared: Shared): Route[] {
  const path = `${root}/Users`;
  const onePath = `${path}/:id`;
  const show = (user: Parameters<typeof userJson>[0], context: Context, selection: Selection) =>
    selectAttributes(userJson(user, baseOf(context)), selection);
  const changed = (
    user: Parameters<typeof userJson>[0],
    context: Context & { query: { attributes: string; excludedAttributes: string } },
    status = 200,
  ) => {
    const location = `${baseOf(context)}/Users/${user.id}`;
    return scim(show(user, context, readSelection(context.query)), status, {
      ETag: versionTag(user.version),
      ...(status === 201 ? { Location: location } : { 'Content-Location': location }),
    });
  };
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path,
      summary: 'List the people of a directory (SCIM)',
      query: listQuery,
      handle: async (context) => {
        const asked = readListRequest(context.query);
        const { total, resources } = await scimUsers.list(context.subject, asked);
        const selection = readSelection(context.query);
        const shown = resources.map((user) => show(user, context, selection));
        return scim(listJson({ total, startIndex: asked.startIndex, resources: shown }));
      },
    }),
    defineRoute({
      ...shared,
      ...change,
      method: 'POST',
      path,
      summary: 'Create a person in a directory (SCIM)',
      query: selectionQuery,
      handle: async (context) => {
        const user = await scimUsers.create(context.subject, readUser(await readBody(context.body)));
        return changed(user, context, 201);
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: onePath,
      summary: 'Show a person of a directory (SCIM)',
      query: selectionQuery,
      headers: knownHeaders,
      handle: async (context) => {
        const user = await scimUsers.find(context.subject, context.params.id);
        return representation(user, context.headers, () => show(user, context, readSelection(context.query)));
      },
    }),
    defineRoute({
      ...shared,
      ...change,
      method: 'PUT',
      path: onePath,
      summary: 'Replace the attributes of a person of a directory (SCIM)',
      query: selectionQuery,
      headers: matchHeaders,
      handle: async (context) => {
        const { subject, params, headers } = context;
        const attributes = readUser(await readBody(context.body));
        return changed(
          await scimUsers.change(subject, params.id, expectedIn(headers), () => attributes),
          context,
        );
      },
    }),
    defineRoute({
      ...shared,
      ...change,
      method: 'PATCH',
      path: onePath,
      summary: 'Change attributes of a person of a directory (SCIM)',
      query: selectionQuery,
      headers: matchHeaders,
      handle: async (context) => {
        const { subject, params, headers } = context;
        const operations = readPatch(await readBody(context.body));
        const patch = (user: Parameters<typeof patchUser>[0]) => patchUser(user, operations);
        return changed(await scimUsers.change(subject, params.id, expectedIn(headers), patch), context);
      },
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      path: onePath,
      csrfExempt: change.csrfExempt,
      summary: 'Deactivate a person and remove them from a directory (SCIM)',
      headers: matchHeaders,
      handle: async ({ subject, params, headers }) => {
        await scimUsers.remove(subject, params.id, expectedIn(headers));
        return empty(204);
      },
    }),
  ];
}

function groupRoutes({ scimGroups }: ScimRouteDeps, shared: Shared): Route[] {
  const path = `${root}/Groups`;
  const onePath = `${path}/:id`;
  const show = (group: Parameters<typeof groupJson>[0], context: Context, selection: Selection) =>
    selectAttributes(groupJson(group, baseOf(context)), selection);
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path,
      summary: 'List the groups of a directory (SCIM)',
      query: listQuery,
      handle: async (context) => {
        const asked = readListRequest(context.query);
        const selection = readSelection(context.query);
        const withMembers = selects(selection, 'members');
        const { total, resources } = await scimGroups.list(context.subject, asked, withMembers);
        const shown = resources.map((group) => show(group, context, selection));
        return scim(listJson({ total, startIndex: asked.startIndex, resources: shown }));
      },
    }),
    defineRoute({
      ...shared,
      ...change,
      method: 'POST',
      path,
      summary: 'Create a group in a directory (SCIM)',
      query: selectionQuery,
      handle: async (context) => {
        const group = await scimGroups.create(context.subject, readGroup(await readBody(context.body)));
        return scim(show(group, context, readSelection(context.query)), 201, {
          ETag: versionTag(group.version),
          Location: `${baseOf(context)}/Groups/${group.id}`,
        });
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: onePath,
      summary: 'Show a group of a directory (SCIM)',
      query: selectionQuery,
      headers: knownHeaders,
      handle: async (context) => {
        const selection = readSelection(context.query);
        const withMembers = selects(selection, 'members');
        const group = await scimGroups.find(context.subject, context.params.id, withMembers);
        return representation(group, context.headers, () => show(group, context, selection));
      },
    }),
    defineRoute({
      ...shared,
      ...change,
      method: 'PUT',
      path: onePath,
      summary: 'Replace a group of a directory (SCIM)',
      query: selectionQuery,
      headers: matchHeaders,
      handle: async (context) => {
        const { subject, params, headers } = context;
        const attributes = readGroup(await readBody(context.body));
        const group = await scimGroups.replace(subject, params.id, expectedIn(headers), attributes);
        const shown = show(group, context, readSelection(context.query));
        return scim(shown, 200, { ETag: versionTag(group.version) });
      },
    }),
    defineRoute({
      ...shared,
      ...change,
      method: 'PATCH',
      path: onePath,
      summary: 'Change a group of a directory or its members (SCIM)',
      headers: matchHeaders,
      handle: async (context) => {
        const { subject, params, headers } = context;
        const changes = readGroupChanges(readPatch(await readBody(context.body)));
        const { version } = await scimGroups.change(subject, params.id, expectedIn(headers), changes);
        // Without a body, because a group can have thousands of members.
        return empty(204, { headers: { ETag: versionTag(version) } });
      },
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      path: onePath,
      csrfExempt: change.csrfExempt,
      summary: 'Delete a group of a directory (SCIM)',
      headers: matchHeaders,
      handle: async ({ subject, params, headers }) => {
        await scimGroups.remove(subject, params.id, expectedIn(headers));
        return empty(204);
      },
    }),
  ];
}
