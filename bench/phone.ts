/** How soon pages are interactive on a slow phone: Chromium with a slowed-down processor and network, an empty cache. */
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';
import { fetchedSessionCookie, fetchSignIn } from '../test/support/fetch-sign-in.ts';
import { loadOnSlowPhone, type PhoneLoad } from '../test/support/slow-phone.ts';
import { atMost, median, type Result } from './measure.ts';
import { openBenchData } from './open-bench-data.ts';
import { startSlipway } from './run-server.ts';
import { seedActivity } from './seed-activity.ts';
import { createSeeding, seededPlaces } from './seed-builds.ts';

const runs = 7;
const password = 'a passphrase of the benchmark';
const userAgent =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36';
/** Seconds. The target is for testers; the console has none. */
const maxTesterSeconds = 1.5;
const maxTesterKib = 30;
const maxPageKib = 60;

export async function benchPhone(folder: string): Promise<Result[]> {
  const settings = {
    SLIPWAY_DATA_DIR: join(folder, 'phone'),
    SLIPWAY_PORT: '18759',
    SLIPWAY_ADMIN_PASSWORD: password,
  };
  await (await startSlipway(settings)).stop();
  const { database, ownerId } = await openBenchData(settings);
  const shape = { buildsOfApp: 9, appsOfProject: 50, buildsOfPerson: 20 };
  await (await createSeeding(database, ownerId, shape)).growTo(10_000);
  await seedActivity(database, ownerId, 500);
  await database.close();
  const slipway = await startSlipway(settings);
  const cookie = fetchedSessionCookie(await fetchSignIn(slipway.origin, 'admin', password)) ?? '';
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const measure = async (path: string, signedIn: boolean): Promise<PhoneLoad[]> => {
    const loads: PhoneLoad[] = [];
    for (let run = 0; run < runs; run++) {
      // A new context has an empty cache.
      const context: BrowserContext = await browser.newContext({
        viewport: { width: 390, height: 844 },
        isMobile: true,
        hasTouch: true,
        userAgent,
      });
      const [name = '', value = ''] = cookie.split('=');
      if (signedIn) await context.addCookies([{ name, value, url: slipway.origin }]);
      loads.push(await loadOnSlowPhone(await context.newPage(), `${slipway.origin}${path}`));
      await context.close();
    }
    return loads;
  };
  const app = `/users/admin/platforms/android/apps/${seededPlaces.bigApp}`;
  const results: Result[] = [];
  try {
    for (const [what, path, signedIn] of [
      ['distribution page', `/distributions/${seededPlaces.mainKey}`, false],
      ['app', app, true],
      ['home', '/', true],
    ] as const) {
      const loads = await measure(path, signedIn);
      const of = (pick: (load: PhoneLoad) => number) => median(loads.map(pick));
      const paint = `first paint ${of(({ paintedMs }) => paintedMs).toFixed(0)} ms`;
      results.push(
        atMost(
          `${what}: interactive`,
          of(({ interactiveMs }) => interactiveMs) / 1000,
          maxTesterSeconds,
          ' s',
          paint,
        ),
        atMost(
          `${what}: transferred without images`,
          of(({ bytes }) => bytes) / 1024,
          signedIn ? maxPageKib : maxTesterKib,
          ' KiB',
        ),
        atMost(
          `${what}: layout shift`,
          of(({ layoutShift }) => layoutShift),
          0,
          '',
        ),
      );
    }
  } finally {
    await browser.close();
    await slipway.stop();
  }
  return results;
}
