/** Access rules of addresses that programs request, such as apps and READMEs. The caller is not identified. */
import { NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import { distributionQueries, type PageWithApp } from '../distribution-queries.ts';
import { decideOpening, decideVisit } from './page-rules.ts';

export interface OpenPageDeps {
  data: Data;
  now: () => number;
}

type OpenPageAccess = Access<{ accessKey: string }, null, PageWithApp>;

/** The page in the path, while it is open to the caller's network. */
export const createOpenPageAccess = (deps: OpenPageDeps): OpenPageAccess => ({
  roles: ['link holder'],
  credentials: ['link'],
  others: 'missing',
  identify: async () => null,
  authorize: async (_caller, { accessKey }, request) => {
    const found = await distributionQueries(deps.data).findPageWithApp(accessKey);
    if (!found || decideOpening(found.page, { now: deps.now(), address: request.ip })) throw new NotFound();
    return found;
  },
});

/** Also requires that the page admits everyone who has the link. */
export function createPublicPageAccess(deps: OpenPageDeps): OpenPageAccess {
  const open = createOpenPageAccess(deps);
  const anyone = { member: false, inGroup: false, signedIn: false, knowsPasscode: false };
  return {
    ...open,
    authorize: async (caller, params, request) => {
      const found = await open.authorize(caller, params, request);
      const visit = { ...anyone, now: deps.now(), address: request.ip };
      if (decideVisit(found.page, visit).kind !== 'admitted') throw new NotFound();
      return found;
    },
  };
}
