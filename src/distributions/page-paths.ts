/** Paths below a distribution page. */
import type { App } from '../apps/app.ts';
import { distributionPath, revisionPath } from '../apps/app-paths.ts';

export const pageBuildPath = (accessKey: string, revision: number) =>
  `${distributionPath(accessKey)}/${revision}`;
/** Starts the installation on a phone. */
export const installPath = (accessKey: string, revision: number) =>
  `${pageBuildPath(accessKey, revision)}/install`;
export const passcodePath = (accessKey: string) => `${distributionPath(accessKey)}/passcode`;
export const devicePath = (accessKey: string) => `${distributionPath(accessKey)}/device`;

/** Last parts of the paths of its pictures. */
export const pagePictures = { badge: 'latest.svg', qrPng: 'qr.png', qrSvg: 'qr.svg' } as const;

export const sendFeedbackPath = (accessKey: string) => `${distributionPath(accessKey)}/feedback`;

type InstallLink = 'file' | 'manifest.plist' | 'icon';

/** `member`: a token that identifies the member who opened the page. */
export const installLinkPath = (
  accessKey: string,
  revision: number,
  what: InstallLink,
  tokens: { ticket: string; member: string | null },
) => {
  const member = tokens.member === null ? '' : `&by=${tokens.member}`;
  return `${pageBuildPath(accessKey, revision)}/${what}?ticket=${tokens.ticket}${member}`;
};

/** Leads to the place where the visitor can install the build. `accessKey`: key of a page to prefer, if there is one. */
export function installTargetPath(
  { owner, platform, packageName }: Pick<App, 'owner' | 'platform' | 'packageName'>,
  revision: number,
  accessKey: string | null,
): string {
  const path = `${revisionPath(owner, platform, packageName, revision)}/install`;
  return accessKey === null ? path : `${path}?page=${accessKey}`;
}

/** The install manifest of a build that no page serves. */
export const directManifestPath = (buildId: string) =>
  `/builds/${encodeURIComponent(buildId)}/manifest.plist`;

/** Returns the key of a page from its URL on the server at `origin`. Other text is returned unchanged. */
export function readPageKey(text: string, origin: string): string {
  const url = URL.parse(text);
  const key = url?.origin === origin ? /^\/distributions\/([^/]+)/.exec(url.pathname)?.[1] : undefined;
  return key ?? text;
}
