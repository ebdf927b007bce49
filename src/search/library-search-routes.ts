import * as v from 'valibot';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { Data } from '../db/data.ts';
import { encodeCursor, listQuery } from '../http/api/pagination.ts';
import { html } from '../http/routes/answer.ts';
import { lenient, lenientText } from '../http/routes/form.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import { sitePaths, withQuery } from '../web/shell/site-paths.ts';
import { libraryScopes, maxLibraryLength, maxVersionLength, searchLibraries } from './library-search.ts';
import { renderLibrarySearch } from './library-search-page.tsx';
import { searchLimit } from './search-query.ts';

export function librarySearchRoutes({ data, access }: { data: Data; access: RouteAccess }): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: sitePaths.librarySearch,
      summary: 'Find the builds that contain a library',
      access: access.signedIn,
      query: {
        library: lenientText(),
        version: lenientText(),
        scope: lenient(v.picklist(libraryScopes)),
        cursor: lenient(cursor),
      },
      rateLimit: searchLimit,
      handle: async ({ caller, query, frame }) => {
        const search = {
          library: shortened(query.library, maxLibraryLength),
          version: shortened(query.version, maxVersionLength),
          scope: query.scope ?? 'latest',
        } as const;
        const results = await searchLibraries(data, caller.actor, search, {
          after: query.cursor ?? null,
          limit: shownLibraries,
        });
        const next =
          results.next &&
          withQuery(sitePaths.librarySearch, { ...search, cursor: encodeCursor(results.next) });
        return html(renderLibrarySearch({ frame, search, results, next }));
      },
    }),
  ];
}

const cursor = listQuery(v.tuple([v.string(), v.string(), v.string()])).cursor.wrapped;
const shownLibraries = 100;

const shortened = (text: string | undefined, length: number) =>
  text === undefined || text.includes('\0') ? '' : text.slice(0, length).toWellFormed();
