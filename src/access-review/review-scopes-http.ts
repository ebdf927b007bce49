/** The three scopes of reviews, with their addresses and access rules. */
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { RouteCaller } from '../http/routes/client.ts';
import type { Access } from '../http/routes/route-facts.ts';
import type { OwnerAccess } from '../projects/owner-access-http.ts';
import type { ReviewSubject } from './access-review.ts';

type Params = { owner: string; workspace: string };
/** Maps the subject of an access rule. */
const reviewing = <Caller extends RouteCaller, Subject>(
  access: Access<Params, Caller, Subject>,
  subjectOf: (subject: Subject) => ReviewSubject,
): Access<Params, Caller, ReviewSubject> => ({
  ...access,
  authorize: async (...context) => subjectOf(await access.authorize(...context)),
});

export function reviewPlaces({ access, ownerAccess }: { access: RouteAccess; ownerAccess: OwnerAccess }) {
  const project = ownerAccess.ownerOrAdministrator('project');
  const workspace = ownerAccess.workspaceOwnerOrAdministrator;
  const ofProject = ({
    owner,
    permissions,
  }: Awaited<ReturnType<typeof project.authorize>>): ReviewSubject => ({
    scope: { kind: 'project', project: owner },
    permissions,
  });
  const ofWorkspace = (subject: Awaited<ReturnType<typeof workspace.authorize>>): ReviewSubject => ({
    scope: { kind: 'workspace', workspace: subject },
    permissions: null,
  });
  const ofAll = (): ReviewSubject => ({ scope: { kind: 'installation' }, permissions: null });
  return [
    {
      page: '/organizations/:owner/access',
      path: '/api/v1/projects/:owner/access',
      idPart: 'Project',
      of: 'a Project',
      tag: 'People',
      keyScope: 'manage',
      byPerson: reviewing(project, ofProject),
      byKey: reviewing(access.byUserKey(project), ofProject),
    },
    {
      page: '/enterprises/:workspace/access',
      path: '/api/v1/workspaces/:workspace/access',
      idPart: 'Workspace',
      of: 'a Workspace',
      tag: 'Workspaces',
      keyScope: 'manage',
      byPerson: reviewing(workspace, ofWorkspace),
      byKey: reviewing(access.byUserKey(workspace), ofWorkspace),
    },
    {
      page: '/administration/access',
      path: '/api/v1/administration/access',
      idPart: 'Installation',
      of: 'the installation',
      tag: 'Administration',
      keyScope: 'admin',
      byPerson: reviewing(access.administrator, ofAll),
      byKey: reviewing(access.byUserKey(access.administrator), ofAll),
    },
  ] as const;
}
