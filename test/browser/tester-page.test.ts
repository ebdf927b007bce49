/** The tester page in a real browser, in each of its states, served as rendered. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readStaticFiles } from '../../src/web/shell/static-files.ts';
import { axeRules, hasChromium, launchChromium, violationsOf } from '../support/chromium.ts';
import { everyTesterPage } from '../web/every-page.ts';
import { plainText } from '../web/hostile.ts';

const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; connect-src 'self'";
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPj/HwADAgH/kzV8AAAAAABJRU5ErkJggg==',
  'base64',
);
const pages = everyTesterPage(plainText);
const names = Object.keys(pages);
const addressOf = (name: string) => `/page/${encodeURIComponent(name)}`;
/** The minimum size of touch targets in CSS pixels. */
const minTarget = 44;

// Some tests open every state in turn, which takes long on a busy machine.
const options = { timeout: 180_000 };

describe.skipIf(!hasChromium)('the tester page in Chromium (needs /usr/bin/chromium)', options, () => {
  let server: Server;
  let origin: string;
  let browser: Browser;
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
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await new Promise((closed) => server?.close(closed));
  });

  /** Fails afterwards if the browser reported an error or requested anything from another host. */
  async function look(
    settings: BrowserContextOptions,
    work: (page: Page, context: BrowserContext) => Promise<void>,
  ) {
    const context = await browser.newContext({
      viewport: { width: 390, height: 844 },
      baseURL: origin,
      ...settings,
    });
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) errors.push(request.url());
    });
    await work(page, context);
    await context.close();
    expect(errors).toEqual([]);
  }

  const screens = ['light', 'dark'].flatMap((scheme) => [390, 1440].map((width) => ({ scheme, width })));
  it.each(screens)('passes the axe checks, $scheme at $width px', async ({ scheme, width }) => {
    const colorScheme = scheme === 'dark' ? 'dark' : 'light';
    await look({ colorScheme, viewport: { width, height: 900 } }, async (page) => {
      for (const name of names) {
        await page.goto(addressOf(name));
        for (const fold of await page.locator('summary').all())
          if (await fold.isVisible()) await fold.click();
        expect(await violationsOf(page, axeRules[colorScheme]), name).toEqual([]);
      }
    });
  });

  const sizes = [320, 390, 768, 1440].map((width) => ({ width, text: '100%' }));
  // Zooming a page equals a narrower screen; larger text does not.
  it.each([...sizes, { width: 390, text: '200%' }])(
    'fits a screen of $width px with $text text',
    async (screen) => {
      await look({ viewport: { width: screen.width, height: 800 } }, async (page) => {
        for (const name of names) {
          await page.goto(addressOf(name));
          const overflow = await page.evaluate((fontSize) => {
            document.documentElement.style.fontSize = fontSize;
            return document.documentElement.scrollWidth - innerWidth;
          }, screen.text);
          expect(overflow, name).toBeLessThanOrEqual(0);
        }
      });
    },
  );

  it('has touch targets of sufficient size', async () => {
    await look({}, async (page) => {
      for (const name of names) {
        await page.goto(addressOf(name));
        const small = await page.evaluate((minimum) => {
          const wanted =
            'main .button, main button, main summary, .history-link, main .paging a, .device-line a, .kind a';
          return [...document.querySelectorAll(`${wanted}, main input:not([type=hidden])`)]
            .filter(
              (element) => element.checkVisibility() && element.getBoundingClientRect().height < minimum,
            )
            .map((element) => element.outerHTML);
        }, minTarget);
        expect(small, name).toEqual([]);
      }
    });
  });

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
