/** The search for libraries in `/api/v1`. */
import * as v from 'valibot';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import { appJson, appShape, buildJson, buildShape } from '../apps/app-json.ts';
import { InputInvalid } from '../core/errors.ts';
import { textShape } from '../core/json-shapes.ts';
import type { Data } from '../db/data.ts';
import { listAnswer, listQuery, pageBefore } from '../http/api/pagination.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import { libraryScopes, maxLibraryLength, maxVersionLength, searchLibraries } from './library-search.ts';
import { searchLimit } from './search-query.ts';
import { searchTexts } from './search-texts.ts';

const foundShape = v.pipe(
  v.object({
    app: appShape,
    build: buildShape,
    library: textShape('`group:name`, or the name of a library without a group.'),
    version: v.nullable(textShape('Null if it is unknown; such builds are listed for every range.')),
  }),
  v.title('FoundLibrary'),
);
const position = v.tuple([v.string(), v.string(), v.string()]);

export function librarySearchApiRoutes({ data, access }: { data: Data; access: RouteAccess }): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/search/libraries',
      operationId: 'searchLibraries',
      summary: 'Find the builds that contain a library',
      description:
        'Among the builds that the user of the key may see. `version` is a range such as `<4.12`, `>=4.0 <4.12` or `[4.0,4.12)`, ordered as in Maven. `scope` is `latest` (the newest build of each app, and those that pages serve) or `all`. The newest builds come first. A page may have fewer items than `limit`, or none, although another follows.',
      tag: 'Search',
      access: access.byUserKey(access.unrestricted),
      keyScope: 'read',
      rateLimit: searchLimit,
      query: {
        library: v.pipe(v.string(), v.minLength(1), v.maxLength(maxLibraryLength)),
        version: v.optional(v.pipe(v.string(), v.maxLength(maxVersionLength))),
        scope: v.optional(v.picklist(libraryScopes)),
        ...listQuery(position),
      },
      answer: listAnswer(foundShape),
      handle: async ({ caller, query, client }) => {
        const { library, version = '', scope = 'latest', cursor = null, limit } = query;
        const search = { library, version, scope };
        const { found, next, isVersionInvalid } = await searchLibraries(data, caller.actor, search, {
          after: cursor,
          limit,
        });
        if (isVersionInvalid)
          throw new InputInvalid([{ parameter: 'version', detail: searchTexts.libraries.versionInvalid }]);
        const shown = found.map(({ app, build, library: name, version: known }) => ({
          app: appJson(app, client.origin),
          build: buildJson(app, build, client.origin),
          library: name,
          version: known,
        }));
        return pageBefore(shown, next, client);
      },
    }),
  ];
}
