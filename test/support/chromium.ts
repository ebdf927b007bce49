/** Debian's Chromium, and the checks that every page must pass in it. */
import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { runsEverything } from './runs-everything.ts';

const program = '/usr/bin/chromium';
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const hasChromium = existsSync(program);
/** Running all of axe on every page takes long on a busy machine. */
export const browserTimeoutMs = 180_000;
/** A phone in light mode and a desktop in dark mode, which cover both widths and both color schemes. */
/** Opens the menu with the settings and the button that signs out. */
export const openAccountMenu = (page: Page) => page.locator('.account > summary').click();

export const looks = [
  { width: 390, scheme: 'light' },
  { width: 1440, scheme: 'dark' },
] as const;

/**
 * What axe checks in each scheme; null: everything. Contrast is all that depends on the colors, so the other rules look at a
 * page in the dark too only in `npm run test:all`.
 */
export const axeRules = { light: null, dark: runsEverything ? null : ['color-contrast'] };

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: program, args: flags, headless: process.env.HEADED !== '1' });
}

/** Runs axe-core for WCAG 2.2 and best practices; null `rules` means all. */
export async function violationsOf(page: Page, rules: readonly string[] | null = null): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  return page.evaluate(async (only) => {
    const loaded = (globalThis as unknown as { axe: typeof axe }).axe;
    const found = await loaded.run(
      document,
      only
        ? { runOnly: { type: 'rule', values: [...only] } }
        : { rules: { 'target-size': { enabled: true } } },
    );
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }, rules);
}

/** Returns by how many pixels the page is wider than the window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

/** Returns the transferred bytes of the document and of everything that it loaded, images included, cached or not. */
export function bytesOf(page: Page): Promise<number> {
  return page.evaluate(() => {
    const entries = [
      ...performance.getEntriesByType('navigation'),
      ...performance.getEntriesByType('resource'),
    ] as PerformanceResourceTiming[];
    return entries.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
  });
}

/**
 * Returns the layout shift score since the navigation, without shifts right after input. Reading it waits for two
 * frames, so that scripts that run after the load event have painted.
 */
export function layoutShiftOf(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    await nextFrame();
    await nextFrame();
    return new Promise<number>((resolve) => {
      let score = 0;
      const observer = new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & {
          value: number;
          hadRecentInput: boolean;
        })[]) {
          if (!entry.hadRecentInput) score += entry.value;
        }
      });
      observer.observe({ type: 'layout-shift', buffered: true });
      // Buffered entries are delivered in a task of their own.
      setTimeout(() => resolve(score), 50);
    });
  });
}
