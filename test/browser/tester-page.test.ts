/** Scripts and forms of the tester page in a real browser. `every-page.test.ts` covers its appearance. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderPageGate } from '../../src/distributions/access/page-gate.tsx';
import { renderTesterPage } from '../../src/distributions/install/tester-page.tsx';
import { readStaticFiles } from '../../src/web/shell/static-files.ts';
import { complaintsOf, hasChromium, openPage, type PageOptions } from '../support/chromium.ts';
import { makeFrame, makeIosInfo, plainText } from '../web/hostile.ts';
import { testerProps, visitors } from '../web/page-props.ts';

const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; connect-src 'self'";
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPj/HwADAgH/kzV8AAAAAABJRU5ErkJggg==',
  'base64',
);
const ios = testerProps(plainText, makeIosInfo(plainText));
const passcode = { kind: 'passcode', action: '/distributions/c/passcode', error: null } as const;
/** Rendered directly: over plain HTTP, the server offers no install on iOS. */
const pages: Readonly<Record<string, string>> = {
  tester: renderTesterPage(testerProps(plainText)),
  'tester inside an app': renderTesterPage({ ...ios, visitor: visitors.instagram }),
  'tester with a Macintosh or an iPad': renderTesterPage({ ...ios, visitor: visitors.mac }),
  'page with a passcode': renderPageGate({
    ...{ frame: makeFrame(plainText, false), managePath: null, appPath: null, signInPath: null },
    gate: passcode,
  }),
};
const addressOf = (name: string) => `/page/${encodeURIComponent(name)}`;

// Some tests open every state in turn, which takes long on a busy machine.
const options = { timeout: 180_000 };

describe.skipIf(!hasChromium)('the tester page in Chromium (needs /usr/bin/chromium)', options, () => {
  let server: Server;
  let origin: string;
  const shown = new Map<string, number>();

  beforeAll(async () => {
    const files = readStaticFiles();
    server = createServer((request, response) => {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname;
      const file = files.get(path.replace('/assets/', ''));
      const html = pages[decodeURIComponent(path.replace('/page/', ''))];
      if (file) return response.setHeader('Content-Type', file.type).end(file.bytes);
      if (path.endsWith('/icon')) return response.setHeader('Content-Type', 'image/png').end(pixel);
      if (path.endsWith('/file')) return response.writeHead(204).end();
      shown.set(path, (shown.get(path) ?? 0) + 1);
      response.setHeader('Content-Security-Policy', policy).setHeader('Cache-Control', 'private, no-store');
      return response.setHeader('Content-Type', 'text/html; charset=utf-8').end(html);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await new Promise((closed) => server?.close(closed));
  });

  /** Fails afterwards if the browser reported an error or requested anything from another host. */
  async function look(settings: PageOptions, work: (page: Page, context: BrowserContext) => Promise<void>) {
    const page = await openPage({ origin, port: 0 }, settings);
    const complaints = complaintsOf(page, origin);
    await work(page, page.context());
    expect(complaints).toEqual([]);
  }

  it('shows the keyboard focus', async () => {
    await look({}, async (page) => {
      await page.goto(addressOf('tester'));
      const button = page.getByRole('link', { name: 'Install', exact: true });
      for (let step = 0; step < 20; step += 1) {
        await page.keyboard.press('Tab');
        if (await button.evaluate((element) => element === document.activeElement)) break;
      }
      const outline = await button.evaluate((element) => getComputedStyle(element).outlineWidth);
      expect(Number.parseFloat(outline)).toBeGreaterThanOrEqual(2);
    });
  });

  it('copies its link and confirms it', async () => {
    await look({ permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
      await page.goto(addressOf('tester inside an app'));
      const button = page.locator('.address-box button');
      await button.click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      const address = await page.locator('.address-box code').textContent();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address);
      expect(address).toMatch(/^https:\/\/apps\.example\.com\/distributions\/c{40}$/);
    });
  });

  it('copies its link without the clipboard API, as over http and inside apps', async () => {
    await look({}, async (page) => {
      await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
      await page.goto(addressOf('tester inside an app'));
      await page.locator('.address-box button').click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      const selected = await page.evaluate(() => getSelection()?.toString());
      expect(selected).toBe(await page.locator('.address-box code').textContent());
    });
  });

  it('lets people select the link by hand without scripts', async () => {
    await look({ javaScriptEnabled: false }, async (page) => {
      await page.goto(addressOf('tester inside an app'));
      expect(await page.locator('.address-box code').isVisible()).toBe(true);
      expect(await page.locator('.address-box button').count()).toBe(0);
      expect(await page.getByRole('link', { name: 'Install anyway' }).isVisible()).toBe(true);
    });
  });

  const tablet = 'tester with a Macintosh or an iPad';
  it.each([
    ['a Macintosh', 0, true],
    ['an iPad', 5, false],
  ] as const)('detects %s by its touch screen', async (_, maxTouchPoints, showsCode) => {
    await look({ viewport: { width: 1024, height: 768 } }, async (page) => {
      await page.addInitScript((points) => {
        Object.defineProperty(navigator, 'maxTouchPoints', { get: () => points });
      }, maxTouchPoints);
      await page.goto(addressOf(tablet));
      const button = page.getByRole('link', { name: 'Install', exact: true });
      await button.waitFor({ state: showsCode ? 'hidden' : 'visible' });
      expect(await page.locator('.qr').isVisible()).toBe(showsCode);
      expect(await page.getByRole('link', { name: 'Install on this iPad' }).isVisible()).toBe(showsCode);
    });
  });

  it('supports installs on an iPad without scripts', async () => {
    await look({ javaScriptEnabled: false }, async (page) => {
      await page.goto(addressOf(tablet));
      expect(await page.getByRole('link', { name: 'Install on this iPad' }).isVisible()).toBe(true);
    });
  });

  it('shows the next step after the tap', async () => {
    await look({}, async (page) => {
      await page.goto(addressOf('tester'));
      const next = page.getByRole('status');
      expect(await next.textContent()).toContain('download');
      expect(await next.locator('span').isVisible()).toBe(false);
      await page.getByRole('link', { name: 'Install', exact: true }).click();
      await next.locator('span').waitFor({ state: 'visible' });
    });
  });

  describe('when left open for a long time', () => {
    const path = addressOf('tester');
    const comeBack = (page: Page) =>
      page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    const timesShown = () => shown.get(path) ?? 0;
    const open = async (page: Page) => {
      await page.clock.install({ time: new Date('2026-11-21T09:40:00Z') });
      await page.goto(path);
    };

    it('reloads once when it becomes visible again, and not before', async () => {
      await look({}, async (page) => {
        await open(page);
        const before = timesShown();
        await page.clock.fastForward('44:00');
        await comeBack(page);
        await page.clock.fastForward('02:00');
        expect(timesShown()).toBe(before);
        await Promise.all([page.waitForEvent('load'), comeBack(page)]);
        expect(timesShown()).toBe(before + 1);
        await comeBack(page);
        await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
        await page.getByRole('link', { name: 'Install', exact: true }).click();
        await page.getByRole('status').locator('span').waitFor({ state: 'visible' });
        expect(timesShown()).toBe(before + 1);
      });
    });

    it('reloads when someone taps an expired link', async () => {
      await look({}, async (page) => {
        await open(page);
        const before = timesShown();
        await page.clock.fastForward('50:00');
        const button = page.getByRole('link', { name: 'Install', exact: true });
        await Promise.all([page.waitForEvent('load'), button.click()]);
        expect(timesShown()).toBe(before + 1);
      });
    });

    it('does not change while offline', async () => {
      await look({}, async (page, context) => {
        await open(page);
        const before = timesShown();
        await page.clock.fastForward('50:00');
        await context.setOffline(true);
        await comeBack(page);
        expect(await page.getByRole('link', { name: 'Install', exact: true }).isVisible()).toBe(true);
        await context.setOffline(false);
        expect(timesShown()).toBe(before);
      });
    });
  });

  it('submits the passcode form without scripts', async () => {
    await look({ javaScriptEnabled: false }, async (page) => {
      await page.goto(addressOf('page with a passcode'));
      await page.getByLabel('Passcode').fill('high water');
      const [request] = await Promise.all([
        page.waitForRequest((one) => one.method() === 'POST'),
        page.getByRole('button', { name: 'Continue' }).click(),
      ]);
      expect(new URL(request.url()).pathname).toBe('/distributions/c/passcode');
      expect(new URLSearchParams(request.postData() ?? '').get('passcode')).toBe('high water');
    });
  });
});
