/** Which version each member had on each day, and installs by version. Days are UTC days. Pure. */
import type { MemberInstall } from '../../apps/activity/member-activity.ts';
import { versionText } from '../../apps/builds/version-text.ts';
import type { DayInstalls } from './page-count.ts';

/** The numbers of one version, for each day. */
export interface PlotSeries {
  label: string;
  values: number[];
}

export interface Adoption {
  /** Newest version first, at most five. The last one may be the sum of all older versions. */
  series: PlotSeries[];
  /** The revision that each member installed last. */
  revisions: number[];
}

export const maxSeries = 5;
const dayMs = 24 * 60 * 60_000;

interface Version {
  label: string;
  revision: number;
}

/** `installs`: earliest first. `older`: label of the series with the sum of all versions beyond the newest. */
export function adoptionByDay(
  installs: readonly MemberInstall[],
  days: readonly string[],
  older: string,
): Adoption {
  const events = installs.map((install) => ({ ...install, label: versionText(install) }));
  const current = new Map<string, Version>();
  const perDay: Map<string, number>[] = [];
  let next = 0;
  for (const day of days) {
    const end = Date.parse(`${day}T00:00:00Z`) + dayMs;
    for (let event = events[next]; event && event.at < end; event = events[++next]) {
      current.set(event.userId, event);
    }
    const counts = new Map<string, number>();
    for (const { label } of current.values()) counts.set(label, (counts.get(label) ?? 0) + 1);
    perDay.push(counts);
  }
  return {
    series: seriesOf(perDay, newestFirst(events), older),
    revisions: [...current.values()].map(({ revision }) => revision),
  };
}

export function installsByVersion(
  installs: readonly DayInstalls[],
  days: readonly string[],
  older: string,
): PlotSeries[] {
  const counts = new Map<string, Map<string, number>>(days.map((day) => [day, new Map()]));
  for (const { day, installs: count, ...version } of installs) {
    const label = versionText(version);
    const ofDay = counts.get(day);
    ofDay?.set(label, (ofDay.get(label) ?? 0) + count);
  }
  const versions = installs.map((build) => ({ label: versionText(build), revision: build.revision }));
  return seriesOf([...counts.values()], newestFirst(versions), older);
}

/** Several builds can have the same version. The newest one determines its position. */
function newestFirst(versions: readonly Version[]): string[] {
  const newest = new Map<string, number>();
  for (const { label, revision } of versions) newest.set(label, Math.max(revision, newest.get(label) ?? 0));
  return [...newest].sort(([, one], [, other]) => other - one).map(([label]) => label);
}

function seriesOf(
  perDay: readonly ReadonlyMap<string, number>[],
  labels: readonly string[],
  older: string,
): PlotSeries[] {
  const shown = labels.filter((label) => perDay.some((counts) => counts.has(label)));
  const own = shown.length > maxSeries ? shown.slice(0, maxSeries - 1) : shown;
  const rest = shown.slice(own.length);
  const valuesOf = (summed: readonly string[]) =>
    perDay.map((counts) => summed.reduce((sum, label) => sum + (counts.get(label) ?? 0), 0));
  return [
    ...own.map((label) => ({ label, values: valuesOf([label]) })),
    ...(rest.length > 0 ? [{ label: older, values: valuesOf(rest) }] : []),
  ];
}
