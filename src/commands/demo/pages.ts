/** Distribution pages that people create, and their changes to them. */
import { appPath, findApp, releaseNotes } from './apps.ts';
import { notePage } from './builds.ts';
import { type Demo, type DemoSubject, daysBefore } from './demo.ts';

interface CreatedPage {
  app: string;
  name: string;
  by: string;
  daysAgo: number;
  note: string;
  settings: Record<string, string>;
}

export const clientPasscode = 'low-tide';

const created: readonly CreatedPage[] = [
  {
    app: 'tideline-android',
    name: 'QA',
    by: 'priya',
    daysAgo: 20,
    note: 'Regression run. The checklist is in the team folder.',
    settings: { access: 'members' },
  },
  {
    app: 'tideline-android',
    name: 'Client preview',
    by: 'jonas',
    daysAgo: 12,
    note: releaseNotes[0],
    settings: { access: 'passcode', passcode: clientPasscode, installs: '25' },
  },
  {
    app: 'courier-android',
    name: 'Depot Gothenburg',
    by: 'tomas',
    daysAgo: 9,
    note: 'For the depot in Gothenburg only.',
    settings: {},
  },
];

export const planPages: DemoSubject = (endsAt) => [
  ...created.map((page) => ({
    at: daysBefore(endsAt, page.daysAgo, 13),
    run: (demo: Demo) => createPage(demo, page),
  })),
  {
    at: daysBefore(endsAt, 6, 16),
    run: (demo) => rollBack(demo, 'courier-android Drivers', 'tomas'),
  },
];

async function createPage(demo: Demo, { app: id, name, by, note, settings }: CreatedPage): Promise<void> {
  const app = findApp(id);
  const browser = await demo.as(by);
  const response = await browser.submit(`${appPath(app)}/pages/new`, '/pages/create', { name, note });
  const [, accessKey = ''] = /\/distributions\/([^/]+)\//.exec(response.headers.get('location') ?? '') ?? [];
  notePage(demo, app, name, accessKey);
  if (Object.keys(settings).length > 0)
    await browser.submit(`/distributions/${accessKey}/settings/access`, '/access/save', settings);
}

/** Publishes the build before the current one again. */
async function rollBack(demo: Demo, pageId: string, by: string): Promise<void> {
  const page = demo.pages.get(pageId);
  if (!page) throw new Error(`the demo has no page ${pageId}`);
  const browser = await demo.as(by);
  await browser.submit(`/distributions/${page.accessKey}/settings`, '/settings/roll-back');
}
