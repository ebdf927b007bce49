import type { AppHeads } from '../../apps/app-heads.ts';
import type { ManagedAppAccess } from '../../apps/managed-app-access-http.ts';
import type { Data } from '../../db/data.ts';
import { html } from '../../http/routes/answer.ts';
import { lenientText } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { lastDays, type Period, periods } from './activity-plot.ts';
import { renderAppActivity } from './app-activity-page.tsx';
import { pageCountQueries } from './page-count-queries.ts';

export interface AppActivityRouteDeps {
  data: Data;
  managedAppReport: ManagedAppAccess['managedAppReport'];
  appHeads: AppHeads;
}

const listedBuilds = 25;

/** Routes of the activity page, for people who manage the app. */
export function appActivityRoutes({ data, managedAppReport, appHeads }: AppActivityRouteDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/users/:owner/platforms/:platform/apps/:package/activity',
      summary: 'Show the views and installs of an app',
      access: managedAppReport,
      keyScope: 'read',
      query: { days: lenientText() },
      handle: async ({ subject: app, query: { days }, frame }) => {
        const period = readPeriod(days);
        const [fromDay = ''] = lastDays(frame.now, period);
        const builds = await pageCountQueries(data).countsByBuild(app.id, fromDay, listedBuilds + 1);
        return html(
          renderAppActivity({
            frame,
            app,
            head: await appHeads.ofManaged(app),
            period,
            counts: await pageCountQueries(data).countsByDay(app.id, fromDay),
            builds: builds.slice(0, listedBuilds),
            moreBuilds: builds.length > listedBuilds,
          }),
        );
      },
    }),
  ];
}

function readPeriod(text: string | undefined): Period {
  return periods.find((days) => String(days) === text) ?? 30;
}
