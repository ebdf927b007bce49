/** Which members, by name, opened or installed a build, on distribution pages or on pages of the app. Guests are counted, never stored. */

/** Activity of one member with one build on one page. */
export interface MemberActivity {
  id: string;
  userId: string;
  userName: string;
  revision: number;
  versionName: string | null;
  versionCode: string;
  /** Null if opened or installed from the pages of the app. */
  page: { name: string; accessKey: string } | null;
  /** Platform and major version at the last visit, for example `Android 16`. */
  system: string;
  /** For example `Pixel 9`. Null if the browser hides it. */
  model: string | null;
  opens: number;
  /** When the member last opened it, in epoch milliseconds. Null if only the install was recorded. */
  openedAt: number | null;
  installs: number;
  /** When the member last installed it, in epoch milliseconds. Null if never. */
  installedAt: number | null;
  /** The later of the two. */
  lastAt: number;
}

/** The build and the page must belong to the app. */
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
  /** Members, each counted once. */
  members: number;
  /** Guests, each counted once per day and page. */
  guests: number;
}

/** Installs by members on one page. */
export interface PageInstallers {
  /** How many people with access to the app, and to the page, have installed a build of it. */
  installed: number;
  /** How many are allowed to. Null if anyone with the link is. */
  allowed: number | null;
}

/** How long after their last visit a member's activity is deleted. */
export const memberActivityRetentionDays = 400;
