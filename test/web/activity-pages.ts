/** The activity page, with all its fields filled through `text`. */
import type { MemberActivity } from '../../src/apps/activity/member-activity.ts';
import { lastDays } from '../../src/pages/activity/activity-plot.ts';
import type { AppActivityProps } from '../../src/pages/activity/activity-props.ts';
import { renderAppActivity } from '../../src/pages/activity/app-activity-page.tsx';
import { makeApp, makeAppHead, makeFrame, now, type TextOf } from './hostile.ts';

const accessKey = '0f'.repeat(20);

/** Someone who installed, and someone who only opened the page. */
export function someActivity(text: TextOf): MemberActivity[] {
  const person: MemberActivity = {
    id: '01m7ybcc98wtz1q5a2s2heyb68',
    userId: 'u1',
    userName: text('jo'),
    revision: 128,
    versionName: text('2.4.0'),
    versionCode: text('418'),
    page: { name: text('Beta'), accessKey },
    system: text('Android 16'),
    model: text('Pixel 9'),
    opens: 3,
    openedAt: now - 7_200_000,
    installs: 1,
    installedAt: now - 3_600_000,
    lastAt: now - 3_600_000,
  };
  const id = '01m7ybcc98wtz1q5a2s2heyb69';
  return [person, { ...person, id, page: null, model: null, installs: 0, installedAt: null }];
}

export function activityPages(text: TextOf): Record<string, string> {
  const view = { period: 7, plot: null, revision: null, accessKey: null } as const;
  const days = lastDays(now, view.period);
  const count = { day: '2026-11-21', system: 'ios', times: 12, people: 3, members: 2 } as const;
  const version = { versionName: text('2.4.0'), versionCode: text('418') };
  const build = { id: 'b1', ...version, views: 12, installs: 3, people: 2 };
  const page = { pageId: 'd1', name: text('Beta'), accessKey, views: 12, installs: 3, guests: 1 };
  const values = days.map((_, day) => day);
  const full: AppActivityProps = {
    frame: makeFrame(text),
    app: makeApp(text),
    head: makeAppHead(text),
    view,
    days,
    counts: [
      { ...count, kind: 'view' },
      { ...count, day: '2026-11-17', kind: 'install' },
    ],
    countsBefore: [{ ...count, day: '2026-11-10', times: 20, kind: 'install' }],
    installers: 2,
    newest: { revision: 128, people: 1, all: 2 },
    plot: {
      kind: 'people',
      series: [
        { label: text('2.4.0 (418)'), values },
        { label: text('2.3.0 (410)'), values: [...values].reverse() },
      ],
    },
    systems: [16, 15, 14, 13, 12, 11, 10, 9].map((major) => ({
      system: text(`Android ${major}`),
      installs: major,
    })),
    pages: [
      { ...page, access: 'members', installed: 2, allowed: 4 },
      { ...page, pageId: 'd2', access: 'unlisted', installed: 0, allowed: null },
    ],
    builds: [
      { ...build, revision: 128 },
      { ...build, id: 'b2', revision: 127, views: 1, installs: 0, people: 0 },
    ],
    moreBuilds: true,
    people: { people: someActivity(text), newer: null, older: '/activity?before=1' },
  };
  const nothing = { ...full, counts: [], countsBefore: [], installers: 0, newest: null };
  const nobody = { people: [], newer: null, older: null };
  return {
    activity: renderAppActivity(full),
    'activity for an API key': renderAppActivity({ ...full, people: null }),
    'activity of guests': renderAppActivity({
      ...full,
      newest: { revision: 128, people: 0, all: 0 },
      plot: { kind: 'installs', series: [] },
      people: nobody,
    }),
    'activity of nobody on a build': renderAppActivity({
      ...full,
      view: { ...view, revision: 128, accessKey },
      plot: { kind: 'people', series: [] },
      systems: [],
      people: nobody,
    }),
    'activity without visits': renderAppActivity({ ...nothing, people: nobody }),
  };
}
