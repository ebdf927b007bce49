import type { InviteLinks } from '../../accounts/invitations/invite-link.ts';
import { inviteLinkRoutes } from '../../accounts/invitations/invite-link-routes.ts';
import type { RouteAccess } from '../../accounts/sign-in/route-access-http.ts';
import type { Data } from '../../db/data.ts';
import type { Route } from '../../http/routes/route.ts';
import { managerPermissions, renderOwnerArea } from '../../owners/owner-area.tsx';
import { projectInviteLinksPath } from '../../owners/owner-paths.ts';

export function projectInviteLinkRoutes(deps: {
  data: Data;
  access: RouteAccess;
  inviteLinks: InviteLinks;
}): Route[] {
  return inviteLinkRoutes({
    ...deps,
    access: deps.access.managedProject,
    page: '/organizations/:owner/invite-links',
    of: 'a Project',
    placeOf: ({ id, name }) => ({ kind: 'project', id, name, team: 'tester' }),
    pathOf: ({ name }) => projectInviteLinksPath(name),
    render: async ({ frame, subject }, area) =>
      renderOwnerArea({
        ...area,
        frame,
        owner: subject,
        permissions: managerPermissions,
        part: 'invitations',
      }),
  });
}
