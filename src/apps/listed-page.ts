/** What the pages of an app list and count. */
/** A distribution page as the pages of its app list it, with the build that it serves. */
export interface ListedPage {
  id: string;
  name: string;
  /** 40 hexadecimal digits. */
  accessKey: string;
  active: boolean;
  /** Who may open it: `unlisted`, `passcode`, `members`, `groups`. */
  access: string;
  buildId: string;
  revision: number;
  versionName: string | null;
  versionCode: string;
  /** Epoch ms. */
  updatedAt: number;
  expiresAt: number | null;
  installs: number;
}

/** What the tabs of an app count. */
export interface AppTabCounts {
  builds: number;
  pages: number;
  /** People with access; the owner of a User's app does not count. */
  testers: number;
  /** Not yet worked on. */
  feedback: number;
  webhooks: number;
}

/** Of the last page of the previous part of a list. */
export type ListedPagePosition = Pick<ListedPage, 'updatedAt' | 'id'>;
