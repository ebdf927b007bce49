/** The activity of an app in `/api/v1`. */
import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { memberActivityQueries } from '../../apps/activity/member-activity-queries.ts';
import { appApiPath } from '../../apps/app-api-routes.ts';
import type { ManagedAppAccess } from '../../apps/managed-app-access-http.ts';
import { formatNullableTime, textShape, timeShape } from '../../core/json-shapes.ts';
import type { Data } from '../../db/data.ts';
import { listAnswer, listPage, listQuery, positionNumber } from '../../http/api/pagination.ts';
import { json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { lastDays, periods } from './activity-plot.ts';
import { pageCountQueries } from './page-count-queries.ts';

export interface ActivityApiRouteDeps {
  data: Data;
  access: RouteAccess;
  managedApp: ManagedAppAccess['managedApp'];
  now: () => number;
}

const days = v.optional(
  v.pipe(v.picklist(periods.map(String)), v.transform(Number), v.description('How many days back.')),
  String(periods[0]),
);

/** The name of a page. */
const pageShape = v.pipe(
  v.nullable(v.string()),
  v.description('Null for opens and installs by signed-in people without a page.'),
);

const countsShape = v.pipe(
  v.object({
    days: v.array(
      v.object({
        day: textShape('In UTC, for example `2026-11-21`.'),
        counts: v.array(
          v.object({
            revision: v.number(),
            version_name: v.nullable(v.string()),
            version_code: v.string(),
            page: pageShape,
            views: v.number(),
            installs: v.number(),
            people_signed_in: v.number(),
            guests: v.number(),
          }),
        ),
      }),
    ),
  }),
  v.title('Activity'),
);

const memberShape = v.pipe(
  v.object({
    person: v.string(),
    revision: v.number(),
    version_name: v.nullable(v.string()),
    version_code: v.string(),
    page: pageShape,
    opens: v.number(),
    opened_at: v.nullable(timeShape('The last time.')),
    installs: v.number(),
    installed_at: v.nullable(timeShape('The last time; null if the person did not install the build.')),
    system: textShape('For example `Android 16`.'),
    model: v.nullable(v.string()),
  }),
  v.title('MemberActivity'),
);

export function activityApiRoutes({ data, access, managedApp, now }: ActivityApiRouteDeps): Route[] {
  const path = `${appApiPath}/activity` as const;
  return [
    defineRoute({
      method: 'GET',
      path,
      operationId: 'getActivity',
      summary: 'Show the views and installs of an app, by day, build and page',
      description: 'Days without any are left out.',
      tag: 'Activity',
      access: access.byKey(managedApp),
      keyScope: 'read',
      query: { days },
      answer: countsShape,
      handle: async ({ subject: app, query }) => {
        const shown = [];
        for (const day of lastDays(now(), query.days as (typeof periods)[number])) {
          const counts = await pageCountQueries(data).countsOfDay(app.id, day);
          if (counts.length === 0) continue;
          shown.push({
            day,
            counts: counts.map((count) => ({
              revision: count.revision,
              version_name: count.versionName,
              version_code: count.versionCode,
              page: count.page === '' ? null : count.page,
              views: count.views,
              installs: count.installs,
              people_signed_in: count.members,
              guests: count.guests,
            })),
          });
        }
        return json({ days: shown });
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/people`,
      operationId: 'listMemberActivity',
      summary: 'List what signed-in people opened and installed',
      description: 'The latest comes first. Guests are counted, never named.',
      tag: 'Activity',
      access: access.byUserKey(managedApp),
      keyScope: 'manage',
      query: { ...listQuery(v.tuple([positionNumber, v.string()])), days },
      answer: listAnswer(memberShape),
      handle: async ({ subject: app, query: { limit, cursor, days: period }, client }) => {
        const since = now() - period * 24 * 60 * 60_000;
        const filter = { appId: app.id, buildId: null, pageId: null, since };
        const found = await memberActivityQueries(data).list(filter, {
          limit: limit + 1,
          before: cursor ? { lastAt: cursor[0], id: cursor[1] } : null,
        });
        return listPage(found, {
          limit,
          client,
          positionOf: ({ lastAt, id }) => [lastAt, id],
          show: (row) => ({
            person: row.userName,
            revision: row.revision,
            version_name: row.versionName,
            version_code: row.versionCode,
            page: row.page?.name ?? null,
            opens: row.opens,
            opened_at: formatNullableTime(row.openedAt),
            installs: row.installs,
            installed_at: formatNullableTime(row.installedAt),
            system: row.system,
            model: row.model,
          }),
        });
      },
    }),
  ];
}
