/** Testers open pages and install builds, mostly in the days after a build is published. */
import { findApp } from './apps.ts';
import { type Demo, type DemoPage, type DemoSubject, dayMs, daysBefore, demoDays, hourMs } from './demo.ts';
import { createBrowser, type DemoBrowser } from './demo-browser.ts';
import { unescapeHtml } from './html-forms.ts';
import { clientPasscode } from './pages.ts';
import { projects } from './projects.ts';
import { createRandom, type Random } from './random.ts';

export const phones = {
  android: [
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
    'Mozilla/5.0 (Linux; Android 16; Pixel 10 Pro) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
    'Mozilla/5.0 (Linux; Android 14; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Mobile Safari/537.36',
  ],
  ios: [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  ],
  desktop: [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 Safari/605.1.15',
  ],
} as const;

/** Number of people who use each page, by app and name; 2 for any other page. */
const audiences: Readonly<Record<string, number>> = {
  'tideline-android Beta': 26,
  'tideline-android Main': 7,
  // Only visited by members, and by people with the passcode.
  'tideline-android QA': 0,
  'tideline-android Client preview': 0,
  'tideline-ios Beta': 10,
  'courier-android Drivers': 10,
  'pulse-ios Client': 6,
  'orbit-android RC': 6,
};
const hours = [9, 16];

export const planVisits: DemoSubject = (endsAt) => {
  const random = createRandom('visits');
  return Array.from({ length: demoDays + 1 }, (_, day) => day).flatMap((day) =>
    hours.map((hour) => ({
      at: daysBefore(endsAt, demoDays - day, hour) - (day === demoDays ? hourMs : 0),
      run: async (demo: Demo) => {
        const visits = [...demo.pages.values()].flatMap((page) => visitsOf(page, demo.now(), random));
        // They only have to happen at the same time.
        await Promise.all(visits.map((visit) => openPage(demo, visit)));
      },
    })),
  );
};

interface Visit {
  page: DemoPage;
  from: string;
  userAgent: string;
  installs: boolean;
}

function visitsOf(page: DemoPage, now: number, random: Random): Visit[] {
  const age = (now - page.publishedAt) / dayMs;
  const weekday = new Date(now).getUTCDay();
  const isWeekend = weekday === 0 || weekday === 6;
  const audience = audiences[`${page.app} ${page.name}`] ?? 2;
  // Most people update in the first days.
  const expected = (audience * (isWeekend ? 0.35 : 1) * Math.exp(-age / 2)) / hours.length;
  const count = Math.floor(expected * 0.36 + random.next());
  return Array.from({ length: count }, () => {
    const isDesktop = random.chance(0.1);
    const agents = phones[isDesktop ? 'desktop' : page.platform];
    return {
      page,
      from: `203.0.113.${random.between(1, audience * 2)}`,
      userAgent: random.pick(agents as readonly [string, ...string[]]),
      installs: !isDesktop && random.chance(0.7),
    };
  });
}

async function openPage(demo: Demo, { page, from, userAgent, installs }: Visit): Promise<void> {
  const browser = createBrowser(demo.server, { from, userAgent });
  const opened = await browser.get(`/distributions/${page.accessKey}`);
  if (installs && opened.status === 200) await install(browser, opened.text);
}

/** Follows the install link as the platform does: Android downloads the file, iOS the manifest. */
async function install(browser: DemoBrowser, page: string): Promise<void> {
  const html = unescapeHtml(page);
  const [, file] = /href="(\/distributions\/[^"]+\/file\?ticket=[^"]+)"/.exec(html) ?? [];
  const [, manifest] = /itms-services:\/\/\?action=download-manifest&url=([^"&]+)/.exec(html) ?? [];
  const link = file ?? (manifest && decodeURIComponent(manifest));
  if (link) await browser.get(link);
}

/** Each member has one phone of each kind. Some update the same day, others skip builds. */
export const planMemberVisits: DemoSubject = (endsAt) => {
  const random = createRandom('members');
  return Array.from({ length: demoDays }, (_, index) => demoDays - 1 - index).map((daysAgo) => ({
    at: daysBefore(endsAt, daysAgo, 11) - (daysAgo === 0 ? hourMs / 2 : 0),
    run: async (demo: Demo) => {
      for (const page of demo.pages.values()) {
        const project = projects.find(({ name }) => name === findApp(page.app).owner);
        const members = project ? [...project.teams.tester, ...project.teams.developer] : [];
        const age = (demo.now() - page.publishedAt) / dayMs;
        for (const [index, name] of members.entries()) {
          const habit = 0.2 + ((index * 3) % 5) / 10;
          if (!random.chance(habit * Math.exp(-age / 3))) continue;
          const agents = phones[page.platform];
          const browser = await demo.as(name, agents[index % agents.length]);
          const opened = await browser.get(`/distributions/${page.accessKey}`);
          if (random.chance(0.8)) await install(browser, opened.text);
        }
      }
    },
  }));
};

/** A client opens the page with the passcode. */
export const planProtectedVisits: DemoSubject = (endsAt) => {
  const [userAgent] = phones.android;
  return [7, 11, 12].map((hour, index) => ({
    at: daysBefore(endsAt, 11 - index, hour),
    run: async (demo: Demo) => {
      const browser = createBrowser(demo.server, { from: `203.0.113.${90 + index}`, userAgent });
      const path = `/distributions/${demo.pages.get('tideline-android Client preview')?.accessKey}`;
      await browser.submit(path, '/passcode', { passcode: clientPasscode });
      await install(browser, (await browser.get(path)).text);
    },
  }));
};
