/** Forms of the console with script: local times, unsaved changes, and errors where the server would show them. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { browserTimeoutMs, hasChromium, newPage, openPage } from '../support/chromium.ts';
import { uploaded } from '../support/interface-client.ts';
import { faultsOf } from '../support/page-checks.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

describe.skipIf(!hasChromium)(
  'forms of the console in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: TestService;
    let page: Page;
    let settings: string;
    const app = '/users/admin/platforms/android/apps/com.example.tides';
    beforeAll(async () => {
      slipway = await startTestService({ blobs: 'memory' });
      const file = buildApk({ packageName: 'com.example.tides' });
      await uploaded(slipway, { file, fields: { distribution_name: 'QA' } });
      page = await newPage(slipway, { person: 'admin', timezoneId: 'Asia/Tokyo', locale: 'en-GB' });
      await page.goto(`${app}/pages`);
      settings = (await page.locator('tbody th a').getAttribute('href')) ?? '';
    });
    afterAll(async () => {
      await page?.context().close();
      await slipway?.close();
    });

    const open = (part: '/access' | '/appearance') => page.goto(`${settings}${part}`);
    const storedPage = async () => {
      const appId = (
        await slipway.data.apps.findAppsByPackageName(
          (await slipway.data.owners.findOwner('admin'))?.id ?? '',
          'com.example.tides',
        )
      )[0]?.id;
      return (await slipway.data.appPages.listPages({ kind: 'manager' }, appId ?? '', 1))[0];
    };

    it('show fields only when they apply', async () => {
      await open('/access');
      for (const id of ['#passcode', '#expires_at', '#max_installs', '#networks']) {
        expect([id, await page.locator(id).isVisible()]).toEqual([id, false]);
      }
      await page.getByLabel('Anyone with the link and a passcode').check();
      await page.getByLabel('Limit the number of installs').check();
      expect(await page.locator('#passcode').isVisible()).toBe(true);
      expect(await page.locator('#max_installs').isVisible()).toBe(true);
      page.once('dialog', (dialog) => dialog.accept());
    });

    it('take and show times in the time zone of the visitor', async () => {
      await open('/access');
      await page.getByLabel('On a date').check();
      expect(await page.textContent('[data-time-zone]')).toContain('Asia/Tokyo');
      await page.fill('#expires_at', '2099-01-31T18:00');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      expect((await storedPage())?.expiresAt).toBe(Date.UTC(2099, 0, 31, 9));
      expect(await page.inputValue('#expires_at')).toBe('2099-01-31T18:00');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      expect((await storedPage())?.expiresAt).toBe(Date.UTC(2099, 0, 31, 9));
    });

    it('say that there are unsaved changes, and ask before they are lost', async () => {
      await open('/appearance');
      const note = page.getByText('Unsaved changes');
      expect(await note.isVisible()).toBe(false);
      await page.fill('#name', 'Beta');
      expect(await note.isVisible()).toBe(true);
      const asked = page.waitForEvent('dialog');
      const left = page.goto('/').catch(() => null);
      const dialog = await asked;
      expect(dialog.type()).toBe('beforeunload');
      await dialog.dismiss();
      await left;
      expect(await page.inputValue('#name')).toBe('Beta');
      await page.fill('#name', 'QA');
      expect(await note.isVisible()).toBe(false);
    });

    it('show the sentence of the server below a field that breaks its rule', async () => {
      await open('/appearance');
      await page.fill('#name', '');
      await page.getByRole('button', { name: 'Save' }).click();
      const error = page.locator('#name-invalid');
      await error.waitFor();
      expect(await error.textContent()).toBe('Enter a name.');
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('name');
      expect(await page.getAttribute('#name', 'aria-describedby')).toContain('name-invalid');
      await page.fill('#name', 'QA');
      await page.locator('#name').blur();
      expect(await error.count()).toBe(0);
    });

    it('bring the focus to the group of choices that was refused, also without script', async () => {
      for (const javaScriptEnabled of [true, false]) {
        const other = await openPage(slipway, { person: 'admin', javaScriptEnabled });
        await other.goto(`${settings}/access`);
        await other.getByLabel('Only people in chosen groups').check();
        await other.getByRole('button', { name: 'Save' }).click();
        await other.getByRole('alert').waitFor();
        const focused = other.locator('#groups:focus');
        await focused.waitFor();
        expect([javaScriptEnabled, await focused.textContent()]).toEqual([
          ...[javaScriptEnabled, expect.stringContaining('Choose at least one group.')],
        ]);
      }
    });

    it('let somebody pick a color or type its code', async () => {
      await page.goto('/administration/branding');
      const picker = page.getByLabel('Pick the accent color');
      await picker.fill('#123456');
      expect(await page.inputValue('#accent')).toBe('#123456');
      await page.fill('#accent', '#ABCDEF');
      expect(await picker.inputValue()).toBe('#abcdef');
      page.once('dialog', (dialog) => dialog.accept());
    });

    it.each([
      ['/settings', '#email', 'Enter a valid email address.'],
      ['/users/admin/settings', '#max-builds', 'The number of builds must be between'],
    ])('guard what somebody entered at %s, and repeat the rule', async (path, field, sentence) => {
      await page.goto(path);
      await page.fill(field, 'nobody');
      await page.locator(field).blur();
      expect(await page.locator(`${field}-invalid`).textContent()).toContain(sentence);
      const asked = page.waitForEvent('dialog');
      const leaving = page.evaluate(() => location.assign('/'));
      const dialog = await asked;
      expect(dialog.type()).toBe('beforeunload');
      await dialog.accept();
      await leaving;
      await page.waitForURL(`${slipway.origin}/`);
    });

    it('suggest pages by name, and create one that does not exist', async () => {
      await page.goto(`${app}/binaries/1/publish`);
      const field = page.getByRole('combobox', { name: 'Page' });
      const shown = () => page.getByRole('option').allTextContents();
      expect(await field.inputValue()).toBe('QA');
      await field.focus();
      expect(await field.getAttribute('aria-expanded')).toBe('false');
      await page.keyboard.press('ArrowDown');
      expect(await shown()).toEqual(['QA Serving #1']);
      const active = await field.getAttribute('aria-activedescendant');
      expect(await page.locator(`#${active}`).getAttribute('aria-selected')).toBe('true');
      expect(await faultsOf(page)).toEqual([]);
      await page.keyboard.press('Escape');
      expect(await field.getAttribute('aria-expanded')).toBe('false');
      expect(await field.inputValue()).toBe('QA');
      await field.fill('q');
      expect(await shown()).toEqual(['QA Serving #1', 'Create “q”']);
      await field.fill('qa');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      expect(await field.inputValue()).toBe('QA');
      expect(await shown()).toEqual([]);
      await field.fill('Beta $& <b>');
      expect(await shown()).toEqual(['Create “Beta $& <b>”']);
      await page.getByRole('option').click();
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByRole('heading', { name: 'Beta $& <b>' }).first().waitFor();
    });

    it('leave a plain field with suggestions of the browser when there is no script', async () => {
      const plain = await openPage(slipway, { person: 'admin', javaScriptEnabled: false });
      await plain.goto(`${app}/binaries/1/publish`);
      expect(await plain.getAttribute('#page', 'list')).toBe('pages');
      expect(await plain.locator('#pages option').count()).toBeGreaterThan(0);
    });
  },
);
