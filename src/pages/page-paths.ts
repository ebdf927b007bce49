/** Paths below a distribution page. */
import { distributionPath } from '../apps/app-paths.ts';

export const pageBuildPath = (accessKey: string, revision: number) =>
  `${distributionPath(accessKey)}/${revision}`;
export const passcodePath = (accessKey: string) => `${distributionPath(accessKey)}/passcode`;
export const devicePath = (accessKey: string) => `${distributionPath(accessKey)}/device`;

export const sendFeedbackPath = (accessKey: string) => `${distributionPath(accessKey)}/feedback`;

type InstallLink = 'file' | 'manifest.plist' | 'icon';

export const installLinkPath = (accessKey: string, revision: number, what: InstallLink, token: string) =>
  `${pageBuildPath(accessKey, revision)}/${what}?ticket=${token}`;
