import { Readable } from 'node:stream';
import * as v from 'valibot';
import type { Caller } from '../../accounts/authorization/identify-http.ts';
import type { App } from '../../apps/app.ts';
import type { AppHeads } from '../../apps/app-heads.ts';
import type { ManagedAppAccess } from '../../apps/managed-app-access-http.ts';
import { csvContentType } from '../../core/csv.ts';
import { timeField } from '../../core/signed-token.ts';
import type { Data } from '../../db/data.ts';
import { content, html } from '../../http/routes/answer.ts';
import { lenient, type Values } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import { revisionParam } from '../distribution-routes.ts';
import { type ActivityView, defaultPeriod } from './activity-address.ts';
import { countLines, peopleLines } from './activity-export.ts';
import { lastDays, periods } from './activity-plot.ts';
import { renderAppActivity } from './app-activity-page.tsx';
import { loadActivity, loadPeople, peopleFilter } from './load-activity.ts';

export interface AppActivityRouteDeps {
  data: Data;
  managedApp: ManagedAppAccess['managedApp'];
  managedAppReport: ManagedAppAccess['managedAppReport'];
  appHeads: AppHeads;
}

const periodQuery = { days: lenient(v.picklist(periods.map(String))) };
const peopleQuery = {
  ...periodQuery,
  build: lenient(revisionParam),
  page: lenient(v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/))),
};
const pageQuery = {
  ...peopleQuery,
  plot: lenient(v.picklist(['people', 'installs'])),
  /** The last entry of the previous people. */
  before: lenient(
    v.pipe(
      v.string(),
      v.regex(/^[0-9a-z]{1,11}\.[0-9a-z]{26}$/),
      v.transform((text) => {
        const [time = '', id = ''] = text.split('.');
        return { lastAt: timeField.read(time), id };
      }),
    ),
  ),
};

/** Routes of the activity page, for people who manage the app. API keys read the counts but no names. */
export function appActivityRoutes(deps: AppActivityRouteDeps): Route[] {
  const { data, managedApp, managedAppReport } = deps;
  const path = '/users/:owner/platforms/:platform/apps/:package/activity';
  return [
    defineRoute({
      method: 'GET',
      path,
      summary: 'Show who opens and installs an app',
      access: managedAppReport,
      keyScope: 'read',
      query: pageQuery,
      handle: async (context) => html(await renderActivity(deps, context)),
    }),
    defineRoute({
      method: 'GET',
      path: `${path}.csv`,
      summary: 'Export the daily activity of an app as CSV',
      access: managedAppReport,
      keyScope: 'read',
      query: periodQuery,
      handle: async ({ subject: app, query, frame }) => {
        const days = lastDays(frame.now, viewOf(query).period);
        return csv(countLines(data, app.id, days), 'activity.csv');
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/people.csv`,
      summary: 'Export who opened and installed an app as CSV',
      access: managedApp,
      query: peopleQuery,
      handle: async ({ subject: app, query, frame }) => {
        const filter = await peopleFilter(data, app, viewOf(query), frame.now);
        return csv(peopleLines(data, filter), 'people.csv');
      },
    }),
  ];
}

function csv(lines: AsyncGenerator<string>, name: string) {
  return content(csvContentType, Readable.from(lines), {
    headers: {
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'private, no-store',
    },
  });
}

type Query = Partial<Values<typeof pageQuery>>;

function viewOf({ days, plot, build, page }: Query): ActivityView {
  return {
    period: periods.find((period) => String(period) === days) ?? defaultPeriod,
    plot: plot ?? null,
    revision: build ?? null,
    accessKey: page ?? null,
  };
}

async function renderActivity(
  { data, appHeads }: AppActivityRouteDeps,
  { subject: app, caller, query, frame }: RouteContext<Caller, App> & { query: Values<typeof pageQuery> },
): Promise<string> {
  const view = viewOf(query);
  const { now } = frame;
  const isPerson = caller.sessionToken !== null;
  return renderAppActivity({
    frame,
    app,
    head: await appHeads.ofManaged(app),
    view,
    ...(await loadActivity(data, app, view, now)),
    people: isPerson ? await loadPeople(data, app, view, { now, before: query.before ?? null }) : null,
  });
}
