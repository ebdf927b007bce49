/** Distribution pages serve the builds of one app to people who have the link. */

export interface DistributionPage extends PageRules {
  id: string;
  appId: string;
  /** 40 hexadecimal digits: the last segment of `/distributions/<accessKey>`. */
  accessKey: string;
  /** Unique per app, in the form of `normalizeName`. */
  name: string;
  /** The live build. */
  buildId: string;
  releaseNote: string;
  /** Installs counted towards `maxInstalls`. */
  installs: number;
  createdAt: number;
  updatedAt: number;
}

/** Access rules of a page, enforced on the page and again on download. */
export interface PageRules {
  active: boolean;
  access: PageAccessKind;
  /** Argon2id in PHC format. Set only for `passcode`. */
  passcodeHash: string | null;
  /** Epoch milliseconds. Null: never. */
  expiresAt: number | null;
  /** Null: unlimited. */
  maxInstalls: number | null;
  /** CIDRs. Empty: every network. */
  networks: readonly string[];
  /** Whether visitors can send feedback. */
  feedback: boolean;
  /** The update check calls updates of builds with a lower revision mandatory. Null: none. */
  mandatoryFrom: number | null;
}

/**
 * `unlisted`: anyone with the link. `members`: signed-in people who can see the app. `groups`: only those of them in a chosen
 * group of the owner, and people who manage the app.
 */
export type PageAccessKind = 'unlisted' | 'passcode' | 'members' | 'groups';
export const pageAccessKinds: readonly PageAccessKind[] = ['unlisted', 'passcode', 'members', 'groups'];

/** An entry in the publish history of a page. */
export interface DistributionUpdate {
  id: string;
  buildId: string;
  revision: number;
  versionName: string | null;
  versionCode: string;
  releaseNote: string;
  /** The build was withdrawn from the page. */
  withdrawn: boolean;
  createdAt: number;
}

export const maxDistributionNameLength = 255;

export const maxNetworks = 32;
export const minimumPasscodeLength = 4;
export const maxPasscodeLength = 128;
