export type CountedKind = 'view' | 'install';

export type CountedSystem = 'ios' | 'android' | 'desktop';

/** Counts of one day and system. */
export interface DayCount {
  /** `2026-11-21`, in UTC. */
  day: string;
  system: CountedSystem;
  kind: CountedKind;
  times: number;
  people: number;
  /** How many of `people` were members, who are also recorded by name. */
  members: number;
}

export interface SystemCount {
  /** Platform and major version, for example `Android 16`. */
  system: string;
  installs: number;
}

export interface PageCount {
  pageId: string;
  name: string;
  accessKey: string;
  access: string;
  views: number;
  installs: number;
  guests: number;
}

/** Counts of one day, build and page, for exports. */
export interface ExportedCount {
  /** Empty without a page. */
  page: string;
  revision: number;
  versionName: string | null;
  versionCode: string;
  views: number;
  installs: number;
  members: number;
  guests: number;
}

/** Installs of one day and build. */
export interface DayInstalls {
  day: string;
  revision: number;
  versionName: string | null;
  versionCode: string;
  installs: number;
}

export interface BuildCount {
  id: string;
  revision: number;
  versionName: string | null;
  versionCode: string;
  views: number;
  installs: number;
}
