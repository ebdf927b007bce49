/** What members, by name, opened and installed, on distribution pages or on those of the app. Guests are counted, never stored. */

/** Activity of one member with one build on one page. */
export interface MemberActivity {
  id: string;
  userId: string;
  userName: string;
  revision: number;
  versionName: string | null;
  versionCode: string;
  /** Null without a page: opened or installed from the pages of the app. */
  page: { name: string; accessKey: string } | null;
  /** Platform and major version at the last visit, for example `Android 16`. */
  system: string;
  /** For example `Pixel 9`. Null if the browser hides it. */
  model: string | null;
  opens: number;
  /** Epoch milliseconds of the last time. Null if only the install was recorded. */
  openedAt: number | null;
  installs: number;
  /** Epoch milliseconds of the last time. Null if the member has not installed the build. */
  installedAt: number | null;
  /** The later of both. */
  lastAt: number;
}

/** Build and page are those of the app. */
export interface MemberActivityFilter {
  appId: string;
  buildId: string | null;
  pageId: string | null;
  /** Epoch milliseconds. */
  since: number;
}

export interface MemberActivityPosition {
  lastAt: number;
  id: string;
}

/** The last build that a member installed on a day. */
export interface MemberInstall {
  userId: string;
  revision: number;
  versionName: string | null;
  versionCode: string;
  at: number;
}

export interface InstallCount {
  installs: number;
  /** Members by name. */
  members: number;
  /** Everyone else, each counted once a day and page. */
  guests: number;
}

/** Members of one page. */
export interface PageInstallers {
  /** How many people with access to the app, and to the page, have installed a build of it. */
  installed: number;
  /** How many could. Null if anyone with the link can. */
  allowed: number | null;
}

/** After this time without a visit, what a member opened and installed is deleted. */
export const memberActivityRetentionDays = 400;
