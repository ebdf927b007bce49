/** Addresses of Owners and Workspaces, as paths; `absolute` puts the public origin in front. */
const segment = encodeURIComponent;

export const userPath = (name: string) => `/users/${segment(name)}`;
export const projectPath = (name: string) => `/organizations/${segment(name)}`;
export const workspacePath = (name: string) => `/enterprises/${segment(name)}`;

type Named = { kind: 'user' | 'project'; name: string };

export const newProjectPath = '/projects/new';
export const newWorkspacePath = '/workspaces/new';
export const pathOf = (owner: Named) =>
  owner.kind === 'project' ? projectPath(owner.name) : userPath(owner.name);
/** Who is in which team. */
export const teamsPath = (projectName: string) => `${projectPath(projectName)}/people`;
export const ownerSettingsPath = (owner: Named) => `${pathOf(owner)}/settings`;
export const ownerDeletionPath = (owner: Named) => `${pathOf(owner)}/delete`;
export const quotaPath = (owner: Named) => `${pathOf(owner)}/quota`;
export const auditPath = (owner: Named) => `${pathOf(owner)}/audit`;
export const wholeAuditPath = '/administration/audit';
export const workspaceSettingsPath = (name: string) => `${workspacePath(name)}/settings`;
export const workspaceDeletionPath = (name: string) => `${workspacePath(name)}/delete`;

export const absolute = (origin: string, path: string) => `${origin}${path}`;
