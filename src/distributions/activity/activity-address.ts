import type { App } from '../../apps/app.ts';
import { activityPath } from '../../apps/app-paths.ts';
import type { Period } from './activity-plot.ts';

export type PlotKind = 'people' | 'installs';

/** The selection in an address of the activity page. */
export interface ActivityView {
  period: Period;
  /** Null for the default, which is people if any are known. */
  plot: PlotKind | null;
  /** Filters of the list of people. */
  revision: number | null;
  accessKey: string | null;
}

export const defaultPeriod: Period = 30;

/** Returns the address of the view, of one of its exports, or of the next people. */
export function activityAddress(
  app: App,
  view: ActivityView,
  { file = '', before }: { file?: '' | '.csv' | '/people.csv'; before?: string } = {},
): string {
  const query = new URLSearchParams();
  if (view.period !== defaultPeriod) query.set('days', String(view.period));
  if (file === '' && view.plot !== null) query.set('plot', view.plot);
  if (file !== '.csv' && view.revision !== null) query.set('build', String(view.revision));
  if (file !== '.csv' && view.accessKey !== null) query.set('page', view.accessKey);
  if (before !== undefined) query.set('before', before);
  const text = query.toString();
  return `${activityPath(app)}${file}${text === '' ? '' : `?${text}`}`;
}
