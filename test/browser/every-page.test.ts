/** Every declared page in a real browser: small, complete, accessible, and usable with the keyboard only. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../src/http/routes/route.ts';
import {
  browserTimeoutMs,
  bytesOf,
  hasChromium,
  launchChromium,
  layoutShiftOf,
  overflowOf,
  violationsOf,
} from '../support/chromium.ts';
import { expectedOf, ownerPath } from '../support/declared-routes.ts';
import { isTesterPage, maxPageBytes, maxTesterPageBytes } from '../support/page-weight.ts';
import { type Person, persons, type RouteCallers, startCallers } from '../support/route-callers.ts';
import { startTestService } from '../support/test-service.ts';

/** Public pages differ for signed-in users, so they are checked twice. */
const visitorsOf = (route: Route): (Person | 'nobody')[] => {
  const { roles } = route.access;
  if (roles.includes('public')) return ['nobody', 'owner'];
  const visitors = persons.filter((person) => expectedOf(route, person) === 'in');
  if (roles.join() === 'link holder') return ['nobody'];
  return visitors.length === 0 ? ['owner'] : visitors.slice(0, 1);
};
const isPage = ({ method, path }: Route) =>
  method === 'GET' &&
  !/^\/(\.well-known|api|assets|branding|qr|favicon|robots|cli|healthz|readyz|doctor|builds)\b|\.(csv|jsonl|txt|plist|mobileconfig)$|\/(file|icon|html|latest|live|install|screenshots\/:number)$/.test(
    path,
  ) &&
  // Redirects to a provider, and the same pages under the other addresses of a Project's app.
  !/^\/(sign-in\/sso|organizations\/:owner\/(apps|platforms))\b/.test(path) &&
  path !== '/welcome';

/** A line of text that moves by its height scores more. */
const maxLayoutShift = 0.005;

/** The maximum number of Tab presses through a page. */
const maxStops = 300;

describe.skipIf(!hasChromium)(
  'every page in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  async () => {
    const slipway = await startTestService({ blobs: 'memory' });
    const pages = slipway.service.declared.filter(isPage);
    let kit: RouteCallers;
    let browser: Browser;
    let page: Page;
    let complaints: string[] = [];
    beforeAll(async () => {
      kit = await startCallers(slipway);
      browser = await launchChromium();
      const context = await browser.newContext({ reducedMotion: 'reduce' });
      page = await context.newPage();
      page.on('console', (message) => {
        // The browser's console reports a missing page as an error.
        if (message.type() === 'error' && !/status of 40[14]/.test(message.text())) {
          complaints.push(message.text());
        }
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('request', (request) => {
        if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(slipway.origin)) {
          complaints.push(`asked for ${request.url()}`);
        }
      });
    });
    afterAll(async () => {
      await browser?.close();
      await slipway.close();
    });

    const visit = async (visitor: Person | 'nobody', route: Route) => {
      complaints = [];
      await page.context().clearCookies();
      const [name, value] = kit.cookieOf(visitor)?.split('=') ?? [];
      if (name && value) await page.context().addCookies([{ name, value, url: slipway.origin }]);
      await page.goto(`${slipway.origin}${ownerPath(route, kit)}`, { waitUntil: 'load' });
    };
    const look = async (width: number, colorScheme: 'light' | 'dark') => {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    };

    it('includes at least one page', () => {
      expect(pages.length).toBeGreaterThan(50);
    });

    it.each(pages.map((route) => [route.path, route] as const))('renders %s', async (_, route) => {
      for (const visitor of visitorsOf(route)) {
        await look(390, 'light');
        await visit(visitor, route);
        expect(await layoutShiftOf(page), visitor).toBeLessThan(maxLayoutShift);
        expect([visitor, await page.title()]).not.toEqual([visitor, '']);
        expect(await bytesOf(page), visitor).toBeLessThanOrEqual(
          isTesterPage(route.path) ? maxTesterPageBytes : maxPageBytes,
        );
        expect([visitor, await violationsOf(page)]).toEqual([visitor, []]);
        expect([visitor, await overflowOf(page)]).toEqual([visitor, 0]);
        await walk(page, visitor);
        // Only contrast depends on the colors.
        await look(1440, 'dark');
        await visit(visitor, route);
        expect(await layoutShiftOf(page), visitor).toBeLessThan(maxLayoutShift);
        expect([visitor, await violationsOf(page, ['color-contrast'])]).toEqual([visitor, []]);
        expect([visitor, await overflowOf(page)]).toEqual([visitor, 0]);
        expect([visitor, complaints]).toEqual([visitor, []]);
      }
    });
  },
);

/** Tabs through the page: every control is reached once, in reading order, and shows its focus. */
async function walk(page: Page, seen: string): Promise<void> {
  const expected = await page.evaluate(() => {
    // From the top, wherever the page set the focus.
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute('tabindex');
    const usable =
      'a[href], button:not([disabled]), input:not([type=hidden], [disabled]), select:not([disabled]), textarea:not([disabled]), summary, [tabindex="0"]';
    const groups = new Set<string>();
    return [...document.querySelectorAll<HTMLElement>(usable)].filter((element) => {
      if (!element.checkVisibility({ visibilityProperty: true })) return false;
      // In a group of radio buttons, Tab reaches the selected one, or the first.
      if (!(element instanceof HTMLInputElement) || element.type !== 'radio') return true;
      const group = `${element.form?.action} ${element.name}`;
      if (groups.has(group)) return false;
      groups.add(group);
      return true;
    }).length;
  });
  let reached = 0;
  for (let stop = 0; stop <= maxStops; stop++) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const element = document.activeElement;
      if (!(element instanceof HTMLElement) || element === document.body) return null;
      // A date field has several tab stops.
      if (element.dataset.walked === 'last') return 'inside';
      if (element.dataset.walked) return null;
      document.querySelector<HTMLElement>('[data-walked=last]')?.setAttribute('data-walked', 'yes');
      element.dataset.walked = 'last';
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      const box = element.getBoundingClientRect();
      const shown = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1;
      return {
        what: element.outerHTML.slice(0, 120),
        shown,
        inWindow: box.width > 0 && box.top < innerHeight && box.bottom > 0,
      };
    });
    if (!at) break;
    if (at === 'inside') continue;
    reached++;
    expect([seen, at]).toEqual([seen, { ...at, shown: true, inWindow: true }]);
  }
  expect([seen, reached]).toEqual([seen, expected]);
}
