import type { MemberActivity } from '../../apps/activity/member-activity.ts';
import type { App } from '../../apps/app.ts';
import type { AppHead } from '../../apps/app-head.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { ActivityView, PlotKind } from './activity-address.ts';
import type { PlotSeries } from './adoption.ts';
import type { BuildCount, DayCount, PageCount, SystemCount } from './page-count.ts';

export interface CountedBuild extends BuildCount {
  /** Members by name, and guests once per day. */
  people: number;
}

export interface CountedPage extends PageCount {
  /** Members who have ever installed a build of the page. */
  installed: number;
  /** How many are allowed to; null if anyone with the link is. */
  allowed: number | null;
}

export interface AppActivityProps {
  frame: PageFrame;
  app: App;
  head: AppHead;
  view: ActivityView;
  /** `2026-11-21`, oldest first, ending with today. */
  days: readonly string[];
  counts: readonly DayCount[];
  /** Counts of the preceding period of the same length. */
  countsBefore: readonly DayCount[];
  /** Members who installed any build in this period. */
  installers: number;
  /** The newest build on an open page, and how many of all members with an install have that build. */
  newest: { revision: number; people: number; all: number } | null;
  plot: { kind: PlotKind; series: readonly PlotSeries[] };
  /** Most frequent first. */
  systems: readonly SystemCount[];
  pages: readonly CountedPage[];
  /** Newest first. */
  builds: readonly CountedBuild[];
  /** Whether more builds have activity than listed. */
  moreBuilds: boolean;
  /** Null for API keys, which may not read names. */
  people: ListedPeople | null;
}

export interface ListedPeople {
  /** Latest activity first. */
  people: readonly MemberActivity[];
  newer: string | null;
  older: string | null;
}
