/** Paths below a distribution page. */
import { distributionPath } from '../apps/app-addresses.ts';

export const pageBuildPath = (accessKey: string, revision: number) =>
  `${distributionPath(accessKey)}/${revision}`;
export const passcodePath = (accessKey: string) => `${distributionPath(accessKey)}/passcode`;
export const devicePath = (accessKey: string) => `${distributionPath(accessKey)}/device`;

type Ticketed = 'file' | 'manifest.plist' | 'icon';

export const ticketedPath = (accessKey: string, revision: number, what: Ticketed, ticket: string) =>
  `${pageBuildPath(accessKey, revision)}/${what}?ticket=${ticket}`;
