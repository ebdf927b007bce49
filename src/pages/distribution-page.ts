/** A page that hands one App's builds to the people who have its address. */

export interface DistributionPage extends PageRules {
  id: string;
  appId: string;
  /** 40 hexadecimal digits: the last segment of `/distributions/<accessKey>`. */
  accessKey: string;
  /** Unique within an App, and as `normalizeDistributionName` writes it. */
  name: string;
  /** The build that the page hands out now. */
  buildId: string;
  releaseNote: string;
  /** Installs that counted towards `maxInstalls`. */
  installs: number;
  createdAt: number;
  updatedAt: number;
}

/** Who may open the page, install from it, and until when. Each is enforced at the page and again at the download. */
export interface PageRules {
  active: boolean;
  access: PageAccessKind;
  /** Argon2id, in its PHC form; only with `passcode`. */
  passcodeHash: string | null;
  /** Epoch milliseconds; null: never. */
  expiresAt: number | null;
  /** Null: any number. */
  maxInstalls: number | null;
  /** CIDRs; empty: every network. */
  networks: readonly string[];
}

/** `unlisted`: whoever has the address. `members`: those who may see the app when signed in. */
export type PageAccessKind = 'unlisted' | 'passcode' | 'members';
export const pageAccessKinds: readonly PageAccessKind[] = ['unlisted', 'passcode', 'members'];

/** One line of a page's history: which build it handed out from when, with which note. */
export interface DistributionUpdate {
  id: string;
  buildId: string;
  revision: number;
  versionName: string | null;
  versionCode: string;
  releaseNote: string;
  /** The owner no longer lets the page hand this build out. */
  withdrawn: boolean;
  createdAt: number;
}

export const maxDistributionNameLength = 255;

/**
 * One spelling for names that look alike: tools differ in how they write accents (file names on macOS are decomposed) and
 * add blanks (Unicode Standard Annex 15).
 */
export function normalizeDistributionName(name: string): string {
  return name.normalize('NFC').trim();
}

export const maxNetworks = 32;
export const minimumPasscodeLength = 4;
export const maxPasscodeLength = 128;
