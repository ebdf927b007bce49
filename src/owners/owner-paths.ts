/** Paths of Owners and Workspaces. `absolute` prepends the public origin. */
import { sitePaths } from '../web/shell/site-paths.ts';

const segment = encodeURIComponent;

export const userPath = (name: string) => `/users/${segment(name)}`;
export const projectPath = (name: string) => `/organizations/${segment(name)}`;
export const workspacePath = (name: string) => `/enterprises/${segment(name)}`;

type Named = { kind: 'user' | 'project'; name: string };

/** Lists the Projects that the user is a member of, and the Workspaces that the user owns. */
export const projectsPath = '/projects';
export const workspacesPath = '/workspaces';
export const newProjectPath = '/projects/new';
export const newWorkspacePath = '/workspaces/new';
export const ownerPath = (owner: Named) =>
  owner.kind === 'project' ? projectPath(owner.name) : userPath(owner.name);
export const teamsPath = (projectName: string) => `${projectPath(projectName)}/people`;
export const teamMemberPath = (projectName: string, userId: string) =>
  `${teamsPath(projectName)}/${segment(userId)}`;
/** The page that lists everything that a person will be removed from. */
export const removalPath = (projectName: string, userId: string) =>
  `${teamMemberPath(projectName, userId)}/removal`;
export const removeEverywherePath = (projectName: string, userId: string) =>
  `${teamMemberPath(projectName, userId)}/remove-everywhere`;
export const ownerSettingsPath = (owner: Named) => `${ownerPath(owner)}/settings`;
export const signingKeysPath = (owner: Named) => `${ownerSettingsPath(owner)}/signing-keys`;
export const trustedPublishingPath = (owner: Named) => `${ownerSettingsPath(owner)}/trusted-publishing`;
export const newTrustedPublisherPath = (owner: Named) => `${trustedPublishingPath(owner)}/new`;
export const trustedPublisherPath = (owner: Named, id: string) =>
  `${trustedPublishingPath(owner)}/${segment(id)}`;
export const ownerDeletionPath = (owner: Named) => `${ownerPath(owner)}/delete`;
/** Settings of a distribution page. */
export const pageOptionsPath = (accessKey: string) => `/distributions/${segment(accessKey)}/settings`;
/** Explains uploads from CI. */
export const ciPath = (owner: Pick<Named, 'name'>) => `${userPath(owner.name)}/ci`;
export const groupsPath = (owner: Named) => `${ownerPath(owner)}/groups`;
export const groupPath = (owner: Named, groupId: string) => `${groupsPath(owner)}/${segment(groupId)}`;
export const quotaPath = (owner: Named) => `${ownerPath(owner)}/quota`;
export const ownerRetentionPath = (owner: Named) => `${ownerPath(owner)}/retention`;
export const ownerWebhooksPath = (owner: Named) => `${ownerPath(owner)}/hooks`;
export const auditPath = (owner: Named) => `${ownerPath(owner)}/audit`;
export const fullAuditPath = sitePaths.audit;
export const workspaceSettingsPath = (name: string) => `${workspacePath(name)}/settings`;
export const workspacePeoplePath = (name: string) => `${workspacePath(name)}/people`;
export const workspacePersonPath = (name: string, userId: string) =>
  `${workspacePeoplePath(name)}/${segment(userId)}`;
export const workspaceBrandingPath = (name: string) => `${workspacePath(name)}/branding`;
export const workspaceRetentionPath = (name: string) => `${workspacePath(name)}/retention`;
export const workspacePoliciesPath = (name: string) => `${workspacePath(name)}/policies`;
export const workspaceProvisioningPath = (name: string) => `${workspacePath(name)}/provisioning`;
export const workspaceSignOnPath = (name: string) => `${workspacePath(name)}/single-sign-on`;
export const workspaceAccessPath = (name: string, userId?: string) =>
  `${workspacePath(name)}/access${userId === undefined ? '' : `/${segment(userId)}`}`;
/** Who has access to the Project, or why one person has it. */
export const projectAccessPath = (name: string, userId?: string) =>
  `${projectPath(name)}/access${userId === undefined ? '' : `/${segment(userId)}`}`;
export const workspaceDeletionPath = (name: string) => `${workspacePath(name)}/delete`;

export const absolute = (origin: string, path: string) => `${origin}${path}`;

export const projectKeysPath = (name: string) => `/organizations/${segment(name)}/keys`;

export const projectInviteLinksPath = (project: string) => `/organizations/${segment(project)}/invite-links`;
export const projectInvitationsPath = (name: string) => `/organizations/${segment(name)}/invitations`;
