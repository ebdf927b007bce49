import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { inviteLinkApiRoutes } from '../../accounts/invitations/invitation-api-routes.ts';
import type { InviteLinks } from '../../accounts/invitations/invite-link.ts';
import { inviteLinkRoutes } from '../../accounts/invitations/invite-link-routes.ts';
import type { Data } from '../../db/data.ts';
import type { Route } from '../../http/routes/route.ts';
import type { Project } from '../../owners/owner.ts';
import { managerPermissions, renderOwnerArea } from '../../owners/owner-area.tsx';
import { projectInviteLinksPath } from '../../owners/owner-paths.ts';

export function projectInviteLinkRoutes(deps: {
  data: Data;
  access: RouteAccess;
  inviteLinks: InviteLinks;
}): Route[] {
  const { access } = deps;
  const placeOf = ({ id, name }: Project) => ({ kind: 'project', id, name, team: 'tester' }) as const;
  const api = inviteLinkApiRoutes({
    ...deps,
    access: access.byUserKey(access.projectLinks),
    path: '/api/v1/projects/:owner/invite-links',
    idPart: 'Project',
    of: 'a Project',
    placeOf,
  });
  const pages = inviteLinkRoutes({
    ...deps,
    access: access.projectLinks,
    page: '/organizations/:owner/invite-links',
    of: 'a Project',
    placeOf,
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
  return [...pages, ...api];
}
