/** Common tasks with the keyboard only: after each step, the focus is where the next step begins. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { browserTimeoutMs, hasChromium, newPage } from '../support/chromium.ts';
import { uploaded } from '../support/interface-client.ts';
import { tabTo } from '../support/keyboard.ts';
import { startTestService, type TestService, testPassword } from '../support/test-service.ts';

const packageName = 'com.example.tides';
const app = `/users/harbour/platforms/android/apps/${packageName}`;
/** The maximum number of Tab presses to reach any control of these pages. */
const maxStops = 40;

describe.skipIf(!hasChromium)(
  'a keyboard user in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: TestService;
    let page: Page;

    beforeAll(async () => {
      slipway = await startTestService({ blobs: 'memory' });
      await slipway.user('olga');
      await slipway.project('harbour', { members: { olga: 'owner' } });
      const key = await slipway.projectKey('harbour');
      for (const versionCode of [1, 2]) {
        const file = buildApk({ packageName, label: 'Tides', versionCode });
        await uploaded(slipway, { owner: 'harbour', key, file });
      }
      page = await newPage(slipway, {
        permissions: ['clipboard-read', 'clipboard-write'],
        viewport: { width: 1280, height: 720 },
      });
    });
    afterAll(async () => {
      await page?.context().close();
      await slipway?.close();
    });

    const open = (path: string) => page.goto(path, { waitUntil: 'load' });
    const reach = (selector: string) => tabTo(page, selector, maxStops);
    const enter = () => Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
    const focused = () => page.evaluate(() => document.activeElement?.id);
    const focusedText = () => page.evaluate(() => document.activeElement?.textContent);

    it('is near the content of the API reference on a phone, and sees its contents on a desktop', async () => {
      const phone = await newPage(slipway);
      await phone.goto('/docs', { waitUntil: 'load' });
      const groups = phone.locator('.contents-list a');
      expect(await groups.locator('visible=true').count()).toBe(0);
      await tabTo(phone, '.docs a, .docs .scroll', 8);
      await phone.getByText('Contents', { exact: true }).click();
      await groups.last().waitFor();
      await phone.setViewportSize({ width: 1440, height: 900 });
      await phone.reload();
      expect(await groups.locator('visible=true').count()).toBeGreaterThan(15);
      await groups.last().focus();
      expect(await phone.evaluate(() => document.activeElement?.closest('.contents-list') !== null)).toBe(
        true,
      );
      await phone.context().close();
    });

    it('signs in with the focus on the next field', async () => {
      await open('/sign-in');
      expect(await focused()).toBe('login');
      await page.keyboard.type('olga');
      await page.keyboard.press('Tab');
      await page.keyboard.type('not the password');
      await enter();
      expect([await focused(), await page.inputValue('#login')]).toEqual(['password', 'olga']);
      await page.keyboard.type(testPassword);
      await enter();
      expect(new URL(page.url()).pathname).toBe('/');
    });

    it('finds an app by search', async () => {
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await reach('#q');
      await page.keyboard.type('tid');
      await page.waitForSelector('[data-found]:not([data-found=""])');
      await reach('.app-table .plain');
      await enter();
      expect(await page.textContent('h1')).toBe('Tides');
    });

    it('uploads a file and continues from the result', async () => {
      await open('/users/olga/upload');
      const buffer = buildApk({ packageName: 'com.example.fresh' });
      await page.setInputFiles('#file', { name: 'app.apk', mimeType: '', buffer });
      await page.keyboard.press('Enter');
      await page.waitForSelector('.upload-row[data-state=done]');
      await page.keyboard.press('Tab');
      expect(await focusedText()).toBe('View build');
    });

    it('edits a message and gets the confirmation first', async () => {
      await open(`${app}/binaries/1`);
      await reach('.quiet-fold summary');
      await page.keyboard.press('Enter');
      await reach('#new-message');
      await page.keyboard.type('High water');
      await page.keyboard.press('Tab');
      await enter();
      expect(await focusedText()).toBe('Message saved.');
    });

    it('creates a page after a rejected name, and copies its link', async () => {
      await open(`${app}/pages/new`);
      await reach('#name');
      await page.keyboard.type('x'.repeat(10));
      await enter();
      const address = await page.textContent('.copy-line code');
      await reach('.copy-line [data-copy-link]');
      await page.keyboard.press('Enter');
      const note = page.getByRole('status').filter({ hasText: 'Copied' });
      await note.waitFor();
      expect((await note.boundingBox())?.y).toBeGreaterThan(0);
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address);
      await open(`${app}/pages/new`);
      await reach('#name');
      await page.keyboard.type('x'.repeat(10));
      await enter();
      expect(await focused()).toBe('name');
    });

    it('invites someone and cancels the invitation', async () => {
      await open('/organizations/harbour/invitations');
      await reach('#team');
      await reach('main form button');
      await enter();
      expect(await focusedText()).toContain('/invitation/');
      await reach('main .confirm summary');
      await page.keyboard.press('Enter');
      await reach('main .confirm-form button');
      await enter();
      expect(await focusedText()).toBe('Invitation revoked.');
    });

    it('adds someone without tabbing through the list, and returns to the field after an unknown name', async () => {
      await open('/organizations/harbour/people');
      await reach('.to-form');
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => document.activeElement?.id === 'login');
      await page.keyboard.type('nobody-here');
      await reach('.add-person button');
      await enter();
      expect(await focused()).toBe('login');
    });

    it('deletes a build and restores it with the next two keys', async () => {
      await open(app);
      await reach('tbody tr:last-child input');
      await page.keyboard.press('Space');
      await reach('.bulk .button-danger');
      await enter();
      await page.keyboard.press('Tab');
      await enter();
      expect(await focusedText()).toBe('Build restored.');
    });

    it('sees the current page in a navigation wider than the phone', async () => {
      await page.setViewportSize({ width: 390, height: 844 });
      // The last entries: a strip fades out at its end, where the current entry must not be.
      const fadesAt = 390 - 40;
      for (const path of [
        '/organizations/harbour/settings',
        '/organizations/harbour/delete',
        '/settings/mail',
      ]) {
        await open(path);
        const entries = await page.locator(':is(.tabs, .settings-nav) [aria-current=page]').all();
        expect(entries.length).toBeGreaterThan(0);
        for (const entry of entries) {
          const box = await entry.boundingBox();
          expect([path, box && box.x >= 0 && box.x + box.width <= fadesAt]).toEqual([path, true]);
        }
      }
    });
  },
);
