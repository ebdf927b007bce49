/** Paths below a distribution page. */
import { distributionPath } from '../apps/app-paths.ts';

export const pageBuildPath = (accessKey: string, revision: number) =>
  `${distributionPath(accessKey)}/${revision}`;
export const passcodePath = (accessKey: string) => `${distributionPath(accessKey)}/passcode`;
export const devicePath = (accessKey: string) => `${distributionPath(accessKey)}/device`;

export const sendFeedbackPath = (accessKey: string) => `${distributionPath(accessKey)}/feedback`;

type InstallLink = 'file' | 'manifest.plist' | 'icon';

/** `member`: token that names the member who opened the page. */
export const installLinkPath = (
  accessKey: string,
  revision: number,
  what: InstallLink,
  tokens: { ticket: string; member: string | null },
) => {
  const member = tokens.member === null ? '' : `&by=${tokens.member}`;
  return `${pageBuildPath(accessKey, revision)}/${what}?ticket=${tokens.ticket}${member}`;
};
