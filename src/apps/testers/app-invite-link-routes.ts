import type { InviteLinks } from '../../accounts/invitations/invite-link.ts';
import { inviteLinkRoutes } from '../../accounts/invitations/invite-link-routes.ts';
import type { Data } from '../../db/data.ts';
import type { Route } from '../../http/routes/route.ts';
import { renderAppArea } from '../app-head.tsx';
import type { AppHeads } from '../app-heads.ts';
import { inviteLinksPath } from '../app-paths.ts';
import type { ManagedAppAccess } from '../managed-app-access-http.ts';
import { inviteLinkPlaceOf } from './invite-link-place.ts';

/** Invite links of a User's app. For an app of a Project, people join the Project, whose teams decide about access. */
export function appInviteLinkRoutes(deps: {
  data: Data;
  managedApp: ManagedAppAccess['managedApp'];
  appHeads: AppHeads;
  inviteLinks: InviteLinks;
}): Route[] {
  return inviteLinkRoutes({
    ...deps,
    access: deps.managedApp,
    page: '/users/:owner/platforms/:platform/apps/:package/people/invite-links',
    of: 'an app',
    placeOf: inviteLinkPlaceOf,
    pathOf: (app) => inviteLinksPath(app),
    render: async ({ frame, subject }, area) =>
      renderAppArea({ ...area, frame, head: await deps.appHeads.ofManaged(subject), tab: 'testers' }),
  });
}
