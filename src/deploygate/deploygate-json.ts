/**
 * Apps, builds, pages, Projects and people in the JSON of DeployGate’s API, which its clients decode into fixed types. Times are Unix
 * seconds, except those of Workspace people.
 */
import { inviteeOf, type NamedInvitation } from '../accounts/invitations/invitation.ts';
import { type App, appName, type Build } from '../apps/app.ts';
import { distributionPath, platformAppPath } from '../apps/app-paths.ts';
import type { DistributionPage, PageAccessKind } from '../distributions/distribution-page.ts';
import { defaultWorkspaceIcon } from '../owners/create-owners.ts';
import type { Project, ProjectMember, Team } from '../owners/owner.ts';
import { absolute, ownerPath, projectPath, userPath, workspacePath } from '../owners/owner-paths.ts';
import { uploadingTeams } from '../owners/permissions.ts';
import { localLabels } from '../packages/package-info.ts';
import {
  type BuildResultContext,
  buildResult,
  numberedUser,
  osNames,
  wholeSdkVersion,
} from '../uploads/upload-json.ts';

export const noError = { error: false } as const;

/** Returns the path of an app in DeployGate's format, in which Projects are `organizations`. */
const appPathOf = ({ owner, platform, packageName }: App) =>
  platformAppPath(owner, platform, packageName).replace(
    /^\/users\//,
    owner.kind === 'project' ? '/organizations/' : '/users/',
  );

/** The result of an upload, with integers where clients other than uploaders expect them. */
export function deploygateBuild(app: App, build: Build, context: BuildResultContext) {
  const { secret: _secret, warnings: _warnings, ...result } = buildResult(app, build, null, context);
  const { signing } = build.info;
  return {
    ...result,
    sdk_version: wholeSdkVersion(build.info.sdkVersion),
    // DeployGate also returns the MD5 of each certificate, which Slipway does not compute.
    fingerprints: signing.certificates.map(({ sha1, sha256 }) => ({
      md5: null,
      sha1,
      sha256,
      max_sdk_version: 2_147_483_647,
      min_sdk_version: 0,
    })),
    lineages: signing.lineage,
    info: '',
    embedded_sdk: null,
    sdk_abilities: [],
    user: numberedUser(app.owner, context.origin),
  };
}

/** `latest`: the newest build, for the labels. */
export function deploygateApp(app: App, latest: Build | null, project: Project | null, origin: string) {
  const address = appPathOf(app);
  const revision = latest?.revision ?? app.lastRevision;
  return {
    name: appName(app),
    package_name: app.packageName,
    labels: localLabels(latest?.info.labels ?? {}),
    os_name: osNames[app.platform],
    current_revision: revision,
    url: absolute(origin, address),
    icon_url: absolute(origin, `/api${address}/binaries/${revision}/download/icon`),
    owner: project
      ? deploygateProject(project, origin)
      : {
          type: 'User' as const,
          name: app.owner.name,
          description: '',
          url: absolute(origin, ownerPath(app.owner)),
        },
  };
}

const releaseScopes: Record<PageAccessKind, string> = {
  unlisted: 'unlisted',
  passcode: 'passcode',
  members: 'authorized_only',
  groups: 'authorized_only',
};

/** Means that the number of people on a page is unlimited. */
const unlimitedMembers = 2_147_483_647;

export function deploygatePage(app: App, page: DistributionPage, build: Build, context: BuildResultContext) {
  const { file: _file, message: _message, user: _user, ...shown } = deploygateBuild(app, build, context);
  return {
    access_key: page.accessKey,
    active: page.active,
    title: page.name,
    release_note: page.releaseNote,
    release_scope: releaseScopes[page.access],
    max_members: page.maxInstalls ?? unlimitedMembers,
    updated_at: Math.floor(page.updatedAt / 1000),
    flags: { norobot: true },
    extension_type: null,
    application: { ...shown, path: appPathOf(app) },
    display_name: page.name,
    url: absolute(context.origin, distributionPath(page.accessKey)),
  };
}

export function deploygateProject(project: Project, origin: string) {
  const { workspace } = project;
  return {
    type: 'Organization' as const,
    name: project.name,
    description: project.description,
    url: absolute(origin, projectPath(project.name)),
    ...(workspace
      ? {
          enterprise: {
            type: 'Enterprise' as const,
            name: workspace.name,
            display_name: workspace.displayName,
            url: absolute(origin, workspacePath(workspace.name)),
            icon_url: workspace.iconUrl,
          },
        }
      : {}),
  };
}

export const deploygateMember = (name: string, origin: string) => ({
  type: 'User' as const,
  name,
  icon_url: absolute(origin, defaultWorkspaceIcon),
  url: absolute(origin, userPath(name)),
});

/** A person who was invited and has not joined yet. */
export const deploygateInvited = (origin: string) => (invitation: NamedInvitation) => ({
  ...deploygateMember(inviteeOf(invitation), origin),
  inviting: true,
});

/** Its clients know no auditors, who therefore appear as testers: both see and install every build. */
export const deploygateTeams: readonly Team[] = ['owner', 'developer', 'tester'];

export const membersIn = (team: Team, members: readonly ProjectMember[]) =>
  members.filter(({ teams }) => teams.includes(team) || (team === 'tester' && teams.includes('auditor')));

export const deploygateTeam = (team: Team, members: number) => ({
  name: team,
  role: team,
  member_count: members,
});

/** DeployGate’s number for a person's permissions for an app. */
export const roleOf = (team: Team) => (uploadingTeams.includes(team) ? 1 : 2);
