/** Every declared page in a real browser: small, complete, accessible, and usable with the keyboard only. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../src/http/routes/route.ts';
import { bringCookie, browserTimeoutMs, complaintsOf, hasChromium, newPage } from '../support/chromium.ts';
import { expectedOf, ownerPath } from '../support/declared-routes.ts';
import { keyboardFaultsOf } from '../support/keyboard.ts';
import { layoutShiftOf, lookFaultsOf, looks, show, weightFaultsOf } from '../support/page-checks.ts';
import { isTesterPage, maxPageBytes, maxTesterPageBytes } from '../support/page-weight.ts';
import { type Person, persons, type RouteCallers, startCallers } from '../support/route-callers.ts';
import { startTestService } from '../support/test-service.ts';

/** Public pages differ for signed-in users, so they are checked twice, except the longest one by far. */
const visitorsOf = (route: Route): (Person | 'nobody')[] => {
  const { roles } = route.access;
  if (roles.includes('public')) return route.path === '/docs' ? ['nobody'] : ['nobody', 'owner'];
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

/** Axe ignores what is folded up, but reads all of it, which is most of `/docs`. */
const removeFolded = (page: Page) =>
  page.evaluate(() => {
    for (const folded of document.querySelectorAll('details:not([open]) > :not(summary)')) folded.remove();
  });

/** A line of text that moves by its height scores more. */
const maxLayoutShift = 0.005;

describe.skipIf(!hasChromium)(
  'every page in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  async () => {
    const slipway = await startTestService({ blobs: 'memory' });
    const pages = slipway.service.declared.filter(isPage);
    let kit: RouteCallers;
    let phone: Page;
    let desktop: Page;
    let complaints: string[];
    beforeAll(async () => {
      kit = await startCallers(slipway);
      // Icons that are drawn later change open pages.
      await slipway.service.outbox.idle();
      phone = await newPage(slipway);
      desktop = await phone.context().newPage();
      await show(desktop, looks.desktop);
      complaints = complaintsOf(phone, slipway.origin);
    });
    afterAll(async () => {
      await phone?.context().close();
      await slipway.close();
    });

    it('includes at least one page', () => {
      expect(pages.length).toBeGreaterThan(50);
    });

    it.each(pages.map((route) => [route.path, route] as const))('renders %s', async (_, route) => {
      const maxBytes = isTesterPage(route.path) ? maxTesterPageBytes : maxPageBytes;
      for (const visitor of visitorsOf(route)) {
        complaints.length = 0;
        await phone.context().clearCookies();
        const cookie = kit.cookieOf(visitor);
        if (cookie) await bringCookie(phone, cookie, slipway.origin);
        for (const page of [phone, desktop]) {
          await page.goto(ownerPath(route, kit), { waitUntil: 'load' });
          expect(await layoutShiftOf(page), visitor).toBeLessThan(maxLayoutShift);
          await removeFolded(page);
          expect([visitor, await lookFaultsOf(page)]).toEqual([visitor, []]);
        }
        expect([visitor, await phone.title()]).not.toEqual([visitor, '']);
        expect([visitor, await phone.locator('h1').count()]).toEqual([visitor, 1]);
        expect([visitor, await weightFaultsOf(phone, maxBytes)]).toEqual([visitor, []]);
        expect([visitor, await keyboardFaultsOf(phone)]).toEqual([visitor, []]);
        expect([visitor, complaints]).toEqual([visitor, []]);
      }
    });
  },
);
