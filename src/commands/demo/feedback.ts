/** Testers report problems from the distribution page, and developers work through the inbox. */
import { appPath, findApp } from './apps.ts';
import { type Demo, type DemoSubject, daysBefore, hourMs } from './demo.ts';
import { createBrowser } from './demo-browser.ts';
import { phones } from './visits.ts';

interface Report {
  page: string;
  /** A member, or the email address of a guest. */
  from: { member: string } | { email: string };
  daysAgo: number;
  text: string;
  status?: 'closed';
}

const reports: readonly Report[] = [
  {
    page: 'tideline-android Beta',
    from: { member: 'wanjiru' },
    daysAgo: 11,
    text: 'The widget shows yesterday’s high tide until I open the app once.',
    status: 'closed',
  },
  {
    page: 'tideline-android Beta',
    from: { email: 'skipper.anna@example.com' },
    daysAgo: 6,
    text: 'Search for “Båstad” finds nothing if I type it without the ring. My crew all type it that way.',
  },
  {
    page: 'tideline-android Beta',
    from: { member: 'lena' },
    daysAgo: 2,
    text: 'Steps: open a harbor, turn the phone, turn it back. The chart stays blank for about ten seconds.\n\nWorked in 3.7.2.',
  },
  {
    page: 'tideline-android Beta',
    from: { member: 'mateo' },
    daysAgo: 0,
    text: 'Love the wind in knots! Could the unit also be on the widget?',
  },
  {
    page: 'tideline-ios Beta',
    from: { member: 'chloe' },
    daysAgo: 1,
    text: 'VoiceOver reads the tide curve twice on the harbor page.',
  },
];

export const planFeedback: DemoSubject = (endsAt) => [
  ...['tideline-android Beta', 'tideline-ios Beta'].map((page) => ({
    at: daysBefore(endsAt, 14, 9),
    run: async (demo: Demo) => {
      const path = `/distributions/${accessKeyOf(demo, page)}/settings/appearance`;
      await (await demo.as('priya')).submit(path, '/appearance/save', { feedback: 'on' });
    },
  })),
  ...reports.map((report) => ({
    at: daysBefore(endsAt, report.daysAgo, 12) - (report.daysAgo === 0 ? hourMs / 4 : 0),
    run: (demo: Demo) => send(demo, report),
  })),
];

async function send(demo: Demo, { page, from, text, status }: Report): Promise<void> {
  const { platform, app } = demo.pages.get(page) ?? { platform: 'android', app: '' };
  const [userAgent] = phones[platform];
  const browser =
    'member' in from
      ? await demo.as(from.member, userAgent)
      : createBrowser(demo.server, { from: '203.0.113.77', userAgent });
  const path = `/distributions/${accessKeyOf(demo, page)}/feedback`;
  await browser.submit(path, '/feedback', 'email' in from ? { text, email: from.email } : { text });
  if (!status) return;
  const developer = await demo.as('kenji');
  const inbox = `${appPath(findApp(app))}/feedback`;
  const [, item] = /\/feedback\/([0-9a-z]{26})/.exec((await developer.get(inbox)).text) ?? [];
  await developer.submit(`${inbox}/${item}`, '/status', { status });
}

function accessKeyOf(demo: Demo, page: string): string {
  const found = demo.pages.get(page);
  if (!found) throw new Error(`the demo has no page ${page}`);
  return found.accessKey;
}
