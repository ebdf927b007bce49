/** Builds with URLs for the browser. */

import type { App, Build } from '../app.ts';
import { apkPath, filePath, iconPath, simulatorPath } from '../app-paths.ts';
import type { FileTokenPurpose, FileTokens } from '../files/file-token.ts';
import type { AppListItem } from '../lists/app-list.tsx';
import type { AppListing } from '../lists/app-list-queries.ts';
import type { BuildLine } from './build-list.tsx';

const keyed = (fileTokens: FileTokens, path: string, purpose: FileTokenPurpose, app: App, buildId: string) =>
  `${path}?key=${fileTokens.issueForPage(purpose, app, buildId)}`;

export const iconAddress = (fileTokens: FileTokens, app: App, buildId: string) =>
  keyed(fileTokens, iconPath(buildId), 'icon', app, buildId);
const fileAddress = (fileTokens: FileTokens, app: App, buildId: string) =>
  keyed(fileTokens, filePath(buildId), 'file', app, buildId);
export const simulatorAddress = (fileTokens: FileTokens, app: App, build: Build) =>
  build.simulatorBlob === null
    ? null
    : keyed(fileTokens, simulatorPath(build.id), 'simulator', app, build.id);

/** Link header (RFC 8288) that lets programs discover the simulator build of a page. For members only. */
export const simulatorLink = (address: string) =>
  `<${address}>; rel="enclosure"; type="application/zip"; title="simulator"`;

export function buildLine(fileTokens: FileTokens, app: App, build: Build): BuildLine {
  return {
    build,
    iconAddress: iconAddress(fileTokens, app, build.id),
    downloadAddress: fileAddress(fileTokens, app, build.id),
    apkAddress:
      build.apk?.state === 'ready' ? keyed(fileTokens, apkPath(build.id), 'file', app, build.id) : null,
  };
}

export function appLine(
  fileTokens: FileTokens,
  { app, latest }: AppListing,
  live: AppListItem['live'],
): AppListItem & { app: App } {
  return { app, latest, live, iconAddress: latest ? iconAddress(fileTokens, app, latest.id) : null };
}
