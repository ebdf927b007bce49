/** Paths in results and pages. `absolute` prepends the public origin. */
import { ownerPath, pageOptionsPath } from '../owners/owner-paths.ts';
import type { Platform } from '../packages/package-info.ts';
import { sitePaths } from '../web/shell/site-paths.ts';
import type { App, OwnerName } from './app.ts';

const segment = encodeURIComponent;

export const devicesPath = (owner: OwnerName) => `${ownerPath(owner)}/devices`;
/** The documented form, which also works for Projects. */
export const appPath = (owner: OwnerName, packageName: string) =>
  `/users/${segment(owner.name)}/apps/${segment(packageName)}`;
export const platformAppPath = (owner: Pick<OwnerName, 'name'>, platform: Platform, packageName: string) =>
  `/users/${segment(owner.name)}/platforms/${platform}/apps/${segment(packageName)}`;
export const revisionPath = (owner: OwnerName, platform: Platform, packageName: string, revision: number) =>
  `${platformAppPath(owner, platform, packageName)}/binaries/${revision}`;
export const filePath = (buildId: string) => `/builds/${segment(buildId)}/file`;
export const apkPath = (buildId: string) => `/builds/${segment(buildId)}/apk`;
export const iconPath = (buildId: string) => `/builds/${segment(buildId)}/icon`;
export const simulatorPath = (buildId: string) => `/builds/${segment(buildId)}/simulator`;
export const distributionPath = (accessKey: string) => `/distributions/${segment(accessKey)}`;
export const pageSettingsPath = pageOptionsPath;
/** The part of the page's settings about access. */
export const pageAccessSettingsPath = (accessKey: string) => `${pageSettingsPath(accessKey)}/access`;
/** Explains why someone can or cannot install from the page. */
export const checkInstallPath = (accessKey: string) => `${pageSettingsPath(accessKey)}/check-install`;
export const newPagePath = (owner: OwnerName, platform: Platform, packageName: string) =>
  `${platformAppPath(owner, platform, packageName)}/pages/new`;
export const createPagePath = ({ owner, platform, packageName }: AppIdentity) =>
  `${platformAppPath(owner, platform, packageName)}/pages/create`;
export const peoplePath = (owner: OwnerName, platform: Platform, packageName: string) =>
  `${platformAppPath(owner, platform, packageName)}/people`;
export const inviteLinksPath = ({ owner, platform, packageName }: AppIdentity) =>
  `${peoplePath(owner, platform, packageName)}/invite-links`;
/** Prefix of the forms that change several builds of an app. */
export const buildsPath = ({ owner, platform, packageName }: AppIdentity) =>
  `${platformAppPath(owner, platform, packageName)}/binaries`;
export const appDeletionPath = ({ owner, platform, packageName }: AppIdentity) =>
  `${platformAppPath(owner, platform, packageName)}/delete`;

export const requireTrustedPath = ({ owner, platform, packageName }: AppIdentity) =>
  `${platformAppPath(owner, platform, packageName)}/require-trusted`;
export const rotateSecretPath = ({ owner, platform, packageName }: AppIdentity) =>
  `${platformAppPath(owner, platform, packageName)}/secret/rotate`;

/** Browser upload without a chosen owner. */
export const uploadPath = sitePaths.upload;
export const ownerUploadPath = (owner: OwnerName) => `${ownerPath(owner)}/upload`;
export const appUploadPath = ({ owner, platform, packageName }: AppIdentity) =>
  `${platformAppPath(owner, platform, packageName)}/upload`;
/** `days`: one of the periods that the page offers. */
export const activityPath = ({ owner, platform, packageName }: AppIdentity) =>
  `${platformAppPath(owner, platform, packageName)}/activity`;
/** The result of an upload from a browser. */
export const uploadedPath = (app: AppIdentity, revision: number) => `${buildsPath(app)}/${revision}/uploaded`;
/** Where a build comes from. */
export const provenancePath = (app: AppIdentity, revision: number) =>
  `${buildsPath(app)}/${revision}/provenance`;
export const buildPath = (app: AppIdentity, revision: number) => `${buildsPath(app)}/${revision}`;
/** What is in a build, and what grew. */
export const buildSizePath = (app: AppIdentity, revision: number) => `${buildPath(app, revision)}/size`;
/** The size of the builds of an app over time. */
export const sizeTrendPath = ({ owner, platform, packageName }: AppIdentity) =>
  `${platformAppPath(owner, platform, packageName)}/size`;
export const publishPath = (app: AppIdentity, revision: number) => `${buildsPath(app)}/${revision}/publish`;
export const appPagesPath = ({ owner, platform, packageName }: AppIdentity) =>
  `${platformAppPath(owner, platform, packageName)}/pages`;
export const appSettingsPath = ({ owner, platform, packageName }: AppIdentity) =>
  `${platformAppPath(owner, platform, packageName)}/settings`;
export const developerVerificationPath = ({ owner, platform, packageName }: AppIdentity) =>
  `${platformAppPath(owner, platform, packageName)}/developer-verification`;
export const appRetentionPath = ({ owner, platform, packageName }: AppIdentity) =>
  `${platformAppPath(owner, platform, packageName)}/retention`;
/** The settings of the checks of an app. */
export const checkSettingsPath = ({ owner, platform, packageName }: AppIdentity) =>
  `${platformAppPath(owner, platform, packageName)}/settings/checks`;
/** The libraries of a build. */
export const buildDependenciesPath = (app: AppIdentity, revision: number) =>
  `${buildsPath(app)}/${revision}/dependencies`;
export const buildSbomPath = (app: AppIdentity, revision: number) => `${buildsPath(app)}/${revision}/sbom`;
/** The security facts of a build. */
export const buildSecurityPath = (app: AppIdentity, revision: number) =>
  `${buildPath(app, revision)}/security`;
/** The symbol files of a build. */
export const buildSymbolsPath = (app: AppIdentity, revision: number) => `${buildPath(app, revision)}/symbols`;
/** The checks of a build. */
export const buildChecksPath = (app: AppIdentity, revision: number) =>
  `${buildsPath(app)}/${revision}/checks`;
export const latestBuildPath = ({ owner, platform, packageName }: AppIdentity) =>
  `${platformAppPath(owner, platform, packageName)}/latest`;
export const livePath = ({ owner, platform, packageName }: AppIdentity) =>
  `${platformAppPath(owner, platform, packageName)}/live`;
export const appWebhooksPath = ({ owner, platform, packageName }: AppIdentity) =>
  `${platformAppPath(owner, platform, packageName)}/hooks`;

export const appFeedbackPath = ({ owner, platform, packageName }: AppIdentity) =>
  `${platformAppPath(owner, platform, packageName)}/feedback`;

type AppIdentity = Pick<App, 'owner' | 'platform' | 'packageName'>;

/** Comparison of two builds. Contains the app secret if the current page was opened with it. */
export function comparePath(
  { owner, platform, packageName }: AppIdentity,
  revisions: { from: number; to: number },
  appKey: string | null,
): string {
  const query = new URLSearchParams({ from: String(revisions.from), to: String(revisions.to) });
  if (appKey !== null) query.set('key', appKey);
  return `${platformAppPath(owner, platform, packageName)}/compare?${query}`;
}
