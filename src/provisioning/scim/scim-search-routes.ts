/** Lists whose query is in the body (RFC 7644, section 3.4.3). */
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { type ListRequest, ScimError } from './scim.ts';
import { attributesOf, type JsonObject } from './scim-attributes.ts';
import { baseOf, change, readBody, readListRequest, root, type Shared, scim } from './scim-http.ts';
import { listJson, readSelection } from './scim-json.ts';
import type { Found, Search } from './scim-kinds.ts';

export function searchRoutes(users: Search, groups: Search, shared: Shared): Route[] {
  const search = (path: '' | '/Users' | '/Groups', summary: string, find: Search) =>
    defineRoute({
      ...shared,
      ...change,
      method: 'POST',
      path: `${root}${path}/.search`,
      summary,
      handle: async (context) => {
        const query = readSearch(await readBody(context.body));
        const asked = readListRequest(query);
        const selection = readSelection(query);
        const found = await find({ directory: context.subject, base: baseOf(context), asked, selection });
        return scim(listJson({ ...found, startIndex: asked.startIndex }));
      },
    });
  return [
    search('', 'Search people and groups of a directory (SCIM)', both(users, groups)),
    search('/Users', 'Search people of a directory (SCIM)', users),
    search('/Groups', 'Search groups of a directory (SCIM)', groups),
  ];
}

/** First all people, then all groups. A kind without an attribute of the filter has no matches. */
const both =
  (first: Search, second: Search): Search =>
  async (query) => {
    const { asked } = query;
    const refusals: ScimError[] = [];
    const find = (search: Search, part: ListRequest): Promise<Found> =>
      search({ ...query, asked: part }).catch((error: unknown) => {
        if (!(error instanceof ScimError) || error.scimType !== 'invalidFilter') throw error;
        refusals.push(error);
        return { total: 0, resources: [] };
      });
    const before = await find(first, asked);
    const after = await find(second, {
      ...asked,
      startIndex: Math.max(1, asked.startIndex - before.total),
      count: asked.count - before.resources.length,
    });
    if (refusals.length === 2) throw refusals[0];
    return {
      total: before.total + after.total,
      resources: [...before.resources, ...after.resources],
    };
  };

const names = [
  'filter',
  'sortBy',
  'sortOrder',
  'startIndex',
  'count',
  'attributes',
  'excludedAttributes',
] as const;
type Name = (typeof names)[number];

/** Returns the parameters as they would be in the query. */
function readSearch(body: JsonObject): Record<Name, string> {
  const given = attributesOf(body);
  given.delete('schemas');
  const query = {} as Record<Name, string>;
  for (const name of names) {
    query[name] = textOf(name, given.get(name.toLowerCase()));
    given.delete(name.toLowerCase());
  }
  const [unknown] = given.keys();
  if (unknown !== undefined)
    throw new ScimError('invalidSyntax', `unknown parameter: ${unknown.slice(0, 100)}`);
  return query;
}

function textOf(name: Name, value: unknown): string {
  if (value === undefined || value === null) return '';
  const isList = name === 'attributes' || name === 'excludedAttributes';
  if (isList && Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join();
  if ((name === 'startIndex' || name === 'count') && Number.isInteger(value)) return String(value);
  if (typeof value === 'string') return value;
  throw new ScimError('invalidSyntax', `${name} has the wrong type`);
}
