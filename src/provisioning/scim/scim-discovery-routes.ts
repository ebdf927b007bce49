/** What the directory interface supports (RFC 7644, section 4). */
import { NotFound } from '../../core/errors.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { ScimError } from './scim.ts';
import { resourceTypes, schemas, serviceProviderConfig } from './scim-discovery-json.ts';
import { baseOf, change, filterQuery, root, type Shared, scim } from './scim-http.ts';
import { errorJson, listJson } from './scim-json.ts';

export function discoveryRoutes(shared: Shared): Route[] {
  const get = { ...shared, method: 'GET' } as const;
  const listOf = (resources: readonly Record<string, unknown>[]) =>
    scim(listJson({ total: resources.length, startIndex: 1, resources }));
  const one = (resources: readonly Record<string, unknown>[], id: string) => {
    const found = resources.find((resource) => String(resource.id).toLowerCase() === id.toLowerCase());
    if (!found) throw new NotFound();
    return scim(found);
  };
  /** A filter could be misunderstood as a restriction (RFC 7644, section 4). */
  const refuseFilter = (filter: string) => {
    if (filter !== '') throw new ScimError('invalidFilter', 'cannot be filtered', 'forbidden');
  };
  const unsupported = (what: string) => scim(errorJson(501, `${what} is not supported`), 501);
  return [
    defineRoute({
      ...get,
      path: `${root}/ServiceProviderConfig`,
      summary: 'Show what the directory interface of a Workspace supports (SCIM)',
      query: filterQuery,
      handle: async (context) => {
        refuseFilter(context.query.filter);
        return scim(serviceProviderConfig(baseOf(context)));
      },
    }),
    defineRoute({
      ...get,
      path: `${root}/ResourceTypes`,
      summary: 'List the resource types of SCIM',
      query: filterQuery,
      handle: async (context) => {
        refuseFilter(context.query.filter);
        return listOf(resourceTypes(baseOf(context)));
      },
    }),
    defineRoute({
      ...get,
      path: `${root}/ResourceTypes/:type`,
      summary: 'Show a resource type of SCIM',
      handle: async (context) => one(resourceTypes(baseOf(context)), context.params.type),
    }),
    defineRoute({
      ...get,
      path: `${root}/Schemas`,
      summary: 'List the schemas of SCIM',
      query: filterQuery,
      handle: async (context) => {
        refuseFilter(context.query.filter);
        return listOf(schemas(baseOf(context)));
      },
    }),
    defineRoute({
      ...get,
      path: `${root}/Schemas/:schema`,
      summary: 'Show a schema of SCIM',
      handle: async (context) => one(schemas(baseOf(context)), context.params.schema),
    }),
    defineRoute({
      ...get,
      path: `${root}/Me`,
      summary: 'Answer 501, because a directory is no person (SCIM)',
      handle: async () => unsupported('/Me'),
    }),
    defineRoute({
      ...shared,
      ...change,
      method: 'POST',
      path: `${root}/Bulk`,
      summary: 'Answer 501, because bulk operations are not supported (SCIM)',
      handle: async () => unsupported('bulk'),
    }),
  ];
}
