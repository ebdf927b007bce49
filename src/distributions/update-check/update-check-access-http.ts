/** Access rule of the update check. */
import { NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import { decideOpening } from '../access/page-rules.ts';
import { distributionQueries, type PageWithApp } from '../distribution-queries.ts';

export interface OpenPageDeps {
  data: Data;
  now: () => number;
}

/** The page in the path, while it is open to the caller's network. The caller is not identified. */
export function createOpenPageAccess({
  data,
  now,
}: OpenPageDeps): Access<{ accessKey: string }, null, PageWithApp> {
  return {
    roles: ['link holder'],
    credentials: ['link'],
    others: 'missing',
    identify: async () => null,
    authorize: async (_caller, { accessKey }, request) => {
      const found = await distributionQueries(data).findPageWithApp(accessKey);
      if (!found || decideOpening(found.page, { now: now(), address: request.ip })) throw new NotFound();
      return found;
    },
  };
}
