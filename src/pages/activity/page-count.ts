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
}

export interface BuildCount {
  revision: number;
  versionName: string | null;
  versionCode: string;
  views: number;
  installs: number;
}
