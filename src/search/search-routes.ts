import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { FileTokens } from '../apps/files/file-token.ts';
import type { Data } from '../db/data.ts';
import { html } from '../http/routes/answer.ts';
import { lenientText } from '../http/routes/form.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import { sitePaths } from '../web/shell/site-paths.ts';
import { search } from './search.ts';
import { searchGroups } from './search-items.ts';
import { renderSearchOptions, renderSearchPage } from './search-page.tsx';
import { maxFound, readQuery, searchLimit } from './search-query.ts';

export interface SearchRouteDeps {
  data: Data;
  access: RouteAccess;
  fileTokens: FileTokens;
}

/** `part=results` returns the options of the palette instead of a page. */
export function searchRoutes({ data, access, fileTokens }: SearchRouteDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: sitePaths.search,
      summary: 'Search apps, builds, pages and people',
      access: access.signedIn,
      query: { q: lenientText(), part: lenientText(), show: lenientText() },
      rateLimit: searchLimit,
      handle: async ({ caller, subject: user, query: asked, frame }) => {
        const query = readQuery(asked.q);
        // Requests one more to find out whether there are more.
        const results = await search(data, caller.actor, query, frame.now, maxFound + 1);
        const groups = searchGroups(results, {
          user,
          query,
          show: asked.show ?? null,
          fileTokens,
          now: frame.now,
        });
        const render = asked.part === 'results' ? renderSearchOptions : renderSearchPage;
        return html(render({ frame, query, groups }));
      },
    }),
  ];
}
