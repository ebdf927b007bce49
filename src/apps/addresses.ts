/** Every address that results and pages name, as paths; `absolute` of the Owners' addresses puts the public origin in front. */
import type { Platform } from '../packages/package-info.ts';
import type { OwnerName } from './app.ts';

const segment = encodeURIComponent;

/** The documented form, for Projects too. */
export const appPath = (owner: OwnerName, packageName: string) =>
  `/users/${segment(owner.name)}/apps/${segment(packageName)}`;
export const platformAppPath = (owner: OwnerName, platform: Platform, packageName: string) =>
  `/users/${segment(owner.name)}/platforms/${platform}/apps/${segment(packageName)}`;
export const revisionPath = (owner: OwnerName, platform: Platform, packageName: string, revision: number) =>
  `${platformAppPath(owner, platform, packageName)}/binaries/${revision}`;
export const filePath = (buildId: string) => `/builds/${segment(buildId)}/file`;
export const iconPath = (buildId: string) => `/builds/${segment(buildId)}/icon`;
export const simulatorPath = (buildId: string) => `/builds/${segment(buildId)}/simulator`;
export const manifestPath = (buildId: string) => `/builds/${segment(buildId)}/manifest.plist`;
export const distributionPath = (accessKey: string) => `/distributions/${segment(accessKey)}`;
