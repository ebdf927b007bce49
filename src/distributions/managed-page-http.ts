/** A distribution page, for those who manage its App; for everybody else its settings are not there. */
import type { Person } from '../access/identify-http.ts';
import type { RouteAccess } from '../access/route-access-http.ts';
import type { ViewAccess } from '../apps/view-access.ts';
import type { Data } from '../data.ts';
import { NotFound } from '../errors.ts';
import type { Access } from '../http/routes/route.ts';
import type { PageChange } from './page-settings-change.ts';

export type ManagedPage = Access<{ accessKey: string }, Person, PageChange>;

export function createManagedPage(parts: {
  data: Data;
  viewAccess: ViewAccess;
  access: RouteAccess;
}): ManagedPage {
  const { data, viewAccess, access } = parts;
  return {
    roles: ['developer'],
    credentials: ['session'],
    others: 'missing',
    identify: access.person,
    authorize: async ({ actor }, { accessKey }) => {
      const page = await data.distributions.findPage(accessKey);
      const app = page && (await data.apps.findAppById(page.appId));
      if (!page || !app || !(await viewAccess.manages(actor, app))) throw new NotFound();
      return { by: actor, app, page };
    },
  };
}
