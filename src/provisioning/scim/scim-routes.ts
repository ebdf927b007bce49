/** SCIM 2.0 at `/scim/v2/:workspace` (RFC 7644). */
import { empty } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { DirectoryAccess } from '../directory-access-http.ts';
import { discoveryRoutes } from './scim-discovery-routes.ts';
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
import { listJson, readSelection, selectAttributes, versionTag } from './scim-json.ts';
import { groupKind, type ScimKind, searchIn, userKind } from './scim-kinds.ts';
import { searchRoutes } from './scim-search-routes.ts';
import type { ScimUsers } from './scim-users.ts';

export interface ScimRouteDeps {
  directoryAccess: DirectoryAccess;
  scimUsers: ScimUsers;
  scimGroups: ScimGroups;
}

export function scimRoutes({ directoryAccess, scimUsers, scimGroups }: ScimRouteDeps): Route[] {
  const shared = { access: directoryAccess, renderRefusal } as const;
  const [users, groups] = [userKind(scimUsers), groupKind(scimGroups)];
  return [
    ...discoveryRoutes(shared),
    ...searchRoutes(searchIn(users), searchIn(groups), shared),
    ...resourceRoutes(users, shared),
    ...resourceRoutes(groups, shared),
  ];
}

type Selecting = Context & { query: { attributes: string; excludedAttributes: string } };

function resourceRoutes<Resource extends { id: string; version: number }>(
  kind: ScimKind<Resource>,
  shared: Shared,
): Route[] {
  const path = `${root}/${kind.path}` as const;
  const onePath = `${path}/:id` as const;
  const { summaries } = kind;
  const search = searchIn(kind);
  const show = (resource: Resource, context: Selecting) =>
    selectAttributes(kind.json(resource, baseOf(context)), readSelection(context.query));
  const changed = (resource: Resource, context: Selecting, status: 200 | 201 = 200) => {
    const location = `${baseOf(context)}/${kind.path}/${resource.id}`;
    return scim(show(resource, context), status, {
      ETag: versionTag(resource.version),
      ...(status === 201 ? { Location: location } : { 'Content-Location': location }),
    });
  };
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path,
      summary: summaries.list,
      query: listQuery,
      handle: async (context) => {
        const asked = readListRequest(context.query);
        const selection = readSelection(context.query);
        const found = await search({ directory: context.subject, base: baseOf(context), asked, selection });
        return scim(listJson({ ...found, startIndex: asked.startIndex }));
      },
    }),
    defineRoute({
      ...shared,
      ...change,
      method: 'POST',
      path,
      summary: summaries.create,
      query: selectionQuery,
      handle: async (context) =>
        changed(await kind.create(context.subject, await readBody(context.body)), context, 201),
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: onePath,
      summary: summaries.show,
      query: selectionQuery,
      headers: knownHeaders,
      handle: async (context) => {
        const { subject, params, query, headers } = context;
        const resource = await kind.find(subject, params.id, readSelection(query));
        return representation(resource, headers, () => show(resource, context));
      },
    }),
    defineRoute({
      ...shared,
      ...change,
      method: 'PUT',
      path: onePath,
      summary: summaries.replace,
      query: selectionQuery,
      headers: matchHeaders,
      handle: async (context) => {
        const { subject, params, headers, body } = context;
        const resource = await kind.replace(subject, params.id, expectedIn(headers), await readBody(body));
        return changed(resource, context);
      },
    }),
    defineRoute({
      ...shared,
      ...change,
      method: 'PATCH',
      path: onePath,
      summary: summaries.change,
      query: selectionQuery,
      headers: matchHeaders,
      handle: async (context) => {
        const { subject, params, headers, body } = context;
        const resource = await kind.change(subject, params.id, expectedIn(headers), await readBody(body));
        if (!kind.changesSilently) return changed(resource, context);
        return empty(204, { headers: { ETag: versionTag(resource.version) } });
      },
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      path: onePath,
      csrfExempt: change.csrfExempt,
      summary: summaries.remove,
      headers: matchHeaders,
      handle: async ({ subject, params, headers }) => {
        await kind.remove(subject, params.id, expectedIn(headers));
        return empty(204);
      },
    }),
  ];
}
