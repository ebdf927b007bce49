/** Pages in a real browser: phone and desktop, light and dark. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { hasChromium, launchChromium, openAccountMenu } from '../support/chromium.ts';
import { signApk } from '../support/sign-apk.ts';
import { createTestKey } from '../support/test-key.ts';
import { startTestService, type TestService, testPassword } from '../support/test-service.ts';

const widths = [390, 1440];
const schemes = ['light', 'dark'] as const;

describe.skipIf(!hasChromium)('pages in Chromium (needs /usr/bin/chromium)', () => {
  let slipway: TestService;
  let browser: Browser;
  let addresses: Record<string, string>;

  beforeAll(async () => {
    slipway = await startTestService();
    browser = await launchChromium();
    await slipway.project('weather', { workspace: 'acme' });
    const results = await upload(slipway, 'weather', {
      distribution_name: 'main',
      message: 'Faster start.\nNew icon.',
    });
    addresses = {
      app: results.path,
      revision: results.revision_url,
      tester: results.distribution.url,
      project: '/organizations/weather',
      workspace: '/enterprises/acme',
      home: '/',
      docs: '/docs',
      missing: '/organizations/nobody',
    };
  });
  afterAll(async () => {
    await browser?.close();
    await slipway?.close();
  });

  it.each(widths.flatMap((width) => schemes.map((scheme) => ({ width, scheme }))))(
    'render completely at $width px, $scheme',
    async ({ width, scheme }) => {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
      const page = await context.newPage();
      const errors = watch(page, slipway.origin);
      await signIn(page, slipway.origin);
      for (const [name, address] of Object.entries(addresses)) {
        const response = await page.goto(new URL(address, slipway.origin).href, { waitUntil: 'load' });
        expect(response?.status(), name).toBe(name === 'missing' ? 404 : 200);
        expect(await page.locator('h1').count(), name).toBe(1);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overflow, `${name} scrolls sideways`).toBeLessThanOrEqual(0);
        const broken = await page.evaluate(
          () => [...document.images].filter((image) => image.complete && image.naturalWidth === 0).length,
        );
        expect(broken, `${name} has broken pictures`).toBe(0);
      }
      // The browser also reports the page that is missing intentionally.
      expect(errors.filter((fault) => !fault.includes('404'))).toEqual([]);
      await context.close();
    },
  );

  it('let a tester install without scripts and without an account', async () => {
    const context = await browser.newContext({
      javaScriptEnabled: false,
      viewport: { width: 390, height: 844 },
    });
    const page = await context.newPage();
    await page.goto(addresses.tester ?? '');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('a.button').first().click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.apk$/);
    await context.close();
  });

  it('handle sign-in with a wrong and a correct password, and sign-out', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${slipway.origin}${addresses.app}`);
    await page.fill('#login', 'admin');
    await page.fill('#password', 'wrong password');
    await page.click('main button[type=submit]');
    await page.getByRole('alert').waitFor();
    await page.fill('#password', testPassword);
    await page.click('main button[type=submit]');
    expect(new URL(page.url()).pathname).toBe(addresses.app);
    await openAccountMenu(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect((await context.cookies()).map((cookie) => cookie.name)).not.toContain('slipway_session');
    await context.close();
  });
});

/** Errors that the browser reports, and its requests to other hosts. */
function watch(page: Page, origin: string): string[] {
  const errors: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) errors.push(request.url());
  });
  return errors;
}

async function signIn(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/sign-in`);
  await page.fill('#login', 'admin');
  await page.fill('#password', testPassword);
  await page.click('main button[type=submit]');
}

interface UploadResults {
  path: string;
  revision_url: string;
  distribution: { url: string };
}

async function upload(
  slipway: TestService,
  owner: string,
  fields: Record<string, string>,
): Promise<UploadResults> {
  const form = new FormData();
  const unsigned = buildApk({
    packageName: 'com.example.weather',
    versionName: '2.4.0',
    label: 'Weather',
    minSdk: 26,
    targetSdk: 35,
  });
  const apk = signApk(unsigned, { v2: [{ key: createTestKey('ec') }] });
  form.set('file', new File([new Uint8Array(apk)], 'weather.apk'));
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const response = await fetch(`${slipway.origin}/api/users/${owner}/apps`, {
    method: 'POST',
    headers: { authorization: `Bearer ${slipway.adminKey}` },
    body: form,
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { results: UploadResults }).results;
}
