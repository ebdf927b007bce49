/** Loads the activity page. */
import type { MemberActivityPosition } from '../../apps/activity/member-activity.ts';
import { memberActivityQueries } from '../../apps/activity/member-activity-queries.ts';
import type { App } from '../../apps/app.ts';
import { appPageQueries } from '../../apps/app-page-queries.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import type { Data } from '../../db/data.ts';
import { distributionQueries } from '../distribution-queries.ts';
import { type ActivityView, activityAddress, type PlotKind } from './activity-address.ts';
import { lastDays } from './activity-plot.ts';
import type { AppActivityProps, ListedPeople } from './activity-props.ts';
import { activityTexts } from './activity-texts.ts';
import { adoptionByDay, installsByVersion } from './adoption.ts';
import { pageCountQueries } from './page-count-queries.ts';

const listedBuilds = 25;
const listedPages = 10;
const listedPeople = 25;
/** More than the number of pages that a live build usually has. */
const maxPagesRead = 50;

export type LoadedActivity = Omit<AppActivityProps, 'frame' | 'app' | 'head' | 'people' | 'view'>;

export async function loadActivity(
  data: Data,
  app: App,
  { period, plot }: ActivityView,
  now: number,
): Promise<LoadedActivity> {
  const counts = pageCountQueries(data);
  const members = memberActivityQueries(data);
  const days = lastDays(now, period);
  const [fromDay = ''] = days;
  const [beforeDay = ''] = lastDays(now, 2 * period);
  const since = startOf(fromDay);
  const byDay = await counts.countsByDay(app.id, beforeDay);
  const memberInstalls = await members.installsByMembers(app.id);
  const adoption = adoptionByDay(memberInstalls, days, activityTexts.plot.older);
  const shown: PlotKind = plot ?? (adoption.revisions.length > 0 ? 'people' : 'installs');
  const series =
    shown === 'people'
      ? adoption.series
      : installsByVersion(await counts.installsByDay(app.id, fromDay), days, activityTexts.plot.older);
  const pages = await counts.countsByPage(app.id, fromDay, listedPages);
  const installers = await members.installersOf(
    app,
    pages.map(({ pageId: id, access }) => ({ id, access })),
  );
  const builds = await counts.countsByBuild(app.id, fromDay, listedBuilds + 1);
  const listed = builds.slice(0, listedBuilds);
  const installCounts = await members.installCountsOf(
    listed.map(({ id }) => id),
    { day: fromDay, at: since },
  );
  return {
    days,
    counts: byDay.filter(({ day }) => day >= fromDay),
    countsBefore: byDay.filter(({ day }) => day < fromDay),
    installers: await members.countInstallers(app.id, since),
    newest: await newestLive(data, app, adoption.revisions),
    plot: { kind: shown, series },
    systems: await counts.countsBySystem(app.id, fromDay),
    pages: pages.map((page) => ({
      ...page,
      installed: installers.get(page.pageId)?.installed ?? 0,
      allowed: installers.get(page.pageId)?.allowed ?? null,
    })),
    builds: listed.map((build) => {
      const { members: signedIn = 0, guests = 0 } = installCounts.get(build.id) ?? {};
      return { ...build, people: signedIn + guests };
    }),
    moreBuilds: builds.length > listedBuilds,
  };
}

const startOf = (day: string) => Date.parse(`${day}T00:00:00Z`);

/** Returns the newest build that an open page serves, and how many members installed it last. */
async function newestLive(
  data: Data,
  app: App,
  revisions: readonly number[],
): Promise<AppActivityProps['newest']> {
  const pages = await appPageQueries(data).listPages({ kind: 'manager' }, app.id, maxPagesRead);
  const live = pages.filter(({ active }) => active).map(({ revision }) => revision);
  if (live.length === 0) return null;
  const revision = Math.max(...live);
  const some = revisions.filter((installed) => installed >= revision).length;
  return { revision, people: some, all: revisions.length };
}

/** Ignores `view.revision` and `view.accessKey` if the app does not have them. */
export async function loadPeople(
  data: Data,
  app: App,
  view: ActivityView,
  { now, before }: { now: number; before: MemberActivityPosition | null },
): Promise<ListedPeople> {
  const filter = await peopleFilter(data, app, view, now);
  const page = { limit: listedPeople + 1, before };
  const found = await memberActivityQueries(data).list(filter, page);
  const people = found.slice(0, listedPeople);
  const last = found.length > listedPeople ? people.at(-1) : undefined;
  return {
    people,
    newer: before === null ? null : `${activityAddress(app, view)}#people`,
    older: last
      ? `${activityAddress(app, view, { before: `${last.lastAt.toString(36)}.${last.id}` })}#people`
      : null,
  };
}

export async function peopleFilter(data: Data, app: App, view: ActivityView, now: number) {
  const [fromDay = ''] = lastDays(now, view.period);
  const { revision, accessKey } = view;
  const build = revision === null ? null : await buildQueries(data).findBuildByRevision(app.id, revision);
  const page = accessKey === null ? null : await distributionQueries(data).findPage(accessKey);
  return {
    appId: app.id,
    buildId: build?.id ?? null,
    pageId: page?.appId === app.id ? page.id : null,
    since: startOf(fromDay),
  };
}
