/** Builds with URLs for the browser. */

import type { App, Build } from '../app.ts';
import { filePath, iconPath, simulatorPath } from '../app-addresses.ts';
import type { AppListItem } from '../app-list.tsx';
import type { AppListing } from '../app-list-queries.ts';
import type { LinkPurpose, LinkSigner } from '../files/link-signer.ts';
import type { BuildLine } from './build-list.tsx';

const keyed = (links: LinkSigner, path: string, purpose: LinkPurpose, app: App, buildId: string) =>
  `${path}?key=${links.signForPage(purpose, app, buildId)}`;

const iconAddress = (links: LinkSigner, app: App, buildId: string) =>
  keyed(links, iconPath(buildId), 'icon', app, buildId);
const fileAddress = (links: LinkSigner, app: App, buildId: string) =>
  keyed(links, filePath(buildId), 'file', app, buildId);
export const simulatorAddress = (links: LinkSigner, app: App, build: Build) =>
  build.simulatorBlob === null ? null : keyed(links, simulatorPath(build.id), 'simulator', app, build.id);

/** Link header (RFC 8288) that lets programs discover the simulator build of a page. For members only. */
export const simulatorLink = (address: string) =>
  `<${address}>; rel="enclosure"; type="application/zip"; title="simulator"`;

export function buildLine(links: LinkSigner, app: App, build: Build): BuildLine {
  return {
    build,
    iconAddress: iconAddress(links, app, build.id),
    downloadAddress: fileAddress(links, app, build.id),
  };
}

export function appLine(links: LinkSigner, { app, latest }: AppListing): AppListItem {
  return { app, latest, iconAddress: latest ? iconAddress(links, app, latest.id) : null };
}
