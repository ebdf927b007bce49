/** The checks that every page must pass in a browser. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { maxPageBytes } from './page-weight.ts';
import { pointerFaultsOf } from './pointer-checks.ts';

/** A phone in light mode and a desktop in dark mode, which cover both widths and both color schemes. */
export const looks = {
  phone: { viewport: { width: 390, height: 900 }, colorScheme: 'light' },
  desktop: { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
} as const;

/** Returns what is wrong with how the page looks, on a phone in light mode and on a desktop in dark mode. */
export async function faultsOf(page: Page, maxBytes = maxPageBytes): Promise<string[]> {
  const before = page.viewportSize();
  const faults = await weightFaultsOf(page, maxBytes);
  for (const look of before?.width === looks.desktop.viewport.width
    ? [looks.desktop, looks.phone]
    : [looks.phone, looks.desktop]) {
    await show(page, look);
    faults.push(...(await lookFaultsOf(page)), ...(await pointerFaultsOf(page)));
  }
  await show(page, { viewport: before ?? looks.phone.viewport, colorScheme: 'light' });
  return faults;
}

export async function weightFaultsOf(page: Page, maxBytes: number): Promise<string[]> {
  const bytes = await bytesOf(page);
  return bytes > maxBytes ? [`transfers ${bytes} bytes`] : [];
}

const colorSchemes = new WeakMap<Page, string>();

export async function show(
  page: Page,
  { viewport, colorScheme }: { viewport: { width: number; height: number }; colorScheme: 'light' | 'dark' },
): Promise<void> {
  if (page.viewportSize()?.width !== viewport.width) await page.setViewportSize(viewport);
  if ((colorSchemes.get(page) ?? 'light') !== colorScheme) await page.emulateMedia({ colorScheme });
  colorSchemes.set(page, colorScheme);
}

/** As the page is shown now. Contrast is all that depends on the colors, so it is all that axe checks in dark mode. */
export async function lookFaultsOf(page: Page): Promise<string[]> {
  const { overflow, isDark } = await page.evaluate(() => ({
    overflow: document.documentElement.scrollWidth - innerWidth,
    isDark: matchMedia('(prefers-color-scheme: dark)').matches,
  }));
  const faults = overflow > 0 ? [`is ${overflow} px wider than the window`] : [];
  return [...faults, ...(await violationsOf(page, isDark ? ['color-contrast'] : null))];
}

const withAxe = new WeakSet<Page>();

/** Sending half a megabyte takes longer than most runs: the browser keeps it for the pages that follow. */
async function loadAxe(page: Page): Promise<void> {
  if (await page.evaluate(() => 'axe' in globalThis)) return;
  await page.evaluate(axe.source);
  if (!withAxe.has(page)) await page.addInitScript(axe.source);
  withAxe.add(page);
}

/** Runs axe-core for WCAG 2.2 and best practices; null `rules` means all. */
async function violationsOf(page: Page, rules: readonly string[] | null = null): Promise<string[]> {
  await loadAxe(page);
  return page.evaluate(async (only) => {
    const loaded = (globalThis as unknown as { axe: typeof axe }).axe;
    const found = await loaded.run(document, {
      ...(only
        ? { runOnly: { type: 'rule', values: [...only] } }
        : { rules: { 'target-size': { enabled: true } } }),
      // Details of passed rules take most of the time.
      resultTypes: ['violations'],
      selectors: false,
      preload: false,
    });
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }, rules);
}

/** Returns by how many pixels the page is wider than the window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

/** Returns the transferred bytes of the document and of everything that it loaded, images included, cached or not. */
function bytesOf(page: Page): Promise<number> {
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
