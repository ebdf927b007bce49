/** Page settings in a real browser: after actions, and without JavaScript. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { browserTimeoutMs, hasChromium, openPage, visit } from '../support/chromium.ts';
import { uploaded } from '../support/interface-client.ts';
import { faultsOf } from '../support/page-checks.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const appPath = '/users/admin/platforms/android/apps/com.example.tides';

describe.skipIf(!hasChromium)(
  'page settings in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: TestService;
    let settings: string;

    beforeAll(async () => {
      slipway = await startTestService({ blobs: 'memory' });
      for (const name of ['jo', 'a-person-with-a-rather-long-name-of-sixty-three-characters-in-a']) {
        await slipway.user(name);
      }
      const put = (versionName: string, fields: Record<string, string>) =>
        uploaded(slipway, {
          file: buildApk({ packageName: 'com.example.tides', label: 'Tidewatch', versionName }),
          fields,
        });
      const first = await put('2.3.0', {
        distribution_name: 'main',
        message: 'Offline tables',
        branch: 'main',
      });
      const key = first.distribution?.access_key ?? '';
      await put('2.3.1', {
        distribution_key: key,
        message: 'Fixes a **crash** at the start',
        branch: 'release/2.3',
      });
      await put('2.4.0', {
        distribution_key: key,
        message: 'A banner for storms.\n\n- red\n- amber',
        label: 'PR 412',
      });
      await put('2.4.1', { distribution_name: 'feature/storm-banner-with-a-long-branch-name' });
      settings = `/distributions/${key}/settings`;
    });
    afterAll(async () => {
      await slipway?.close();
    });

    it('are accessible after actions, at both widths and in both color schemes', async () => {
      const page = await openPage(slipway, { person: 'admin' });
      const look = async (name: string) => expect([name, await faultsOf(page)]).toEqual([name, []]);
      await visit(page, settings);
      await page
        .getByRole('link', { name: /^Roll back to this build/ })
        .last()
        .click();
      await page.getByRole('button', { name: 'Roll back', exact: true }).waitFor();
      await look('roll back');
      for (const part of ['/history', '/delete', '/access']) {
        await visit(page, `${settings}${part}`);
        for (const fold of await page.locator('main details').all()) await fold.locator('summary').click();
        await look(`open ${part}`);
      }
      await page.getByLabel('Anyone with the link and a passcode').check();
      await page.fill('#passcode', 'abc');
      await page.getByLabel('Allow only certain networks').check();
      await page.fill('#networks', 'the office\n10.0.0.0/8');
      await page.getByLabel('Limit the number of installs').check();
      await page.fill('#max_installs', 'a few');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').waitFor();
      await look('refused settings');
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('passcode');
      await page.getByRole('alert').getByRole('link', { name: 'Networks' }).click();
      expect(await page.evaluate(() => document.activeElement?.id ?? location.hash)).toMatch(/networks|^$/);
      await visit(page, `${settings}/appearance`);
      await page.fill('#name', 'feature/storm-banner-with-a-long-branch-name');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').waitFor();
      await look('refused name');
      await visit(page, `${appPath}/people`);
      for (const login of [
        'jo',
        'a-person-with-a-rather-long-name-of-sixty-three-characters-in-a',
        'nobody',
      ]) {
        await page.fill('#login', login);
        await page.getByRole('button', { name: 'Give access' }).click();
        await look(`people after ${login}`);
      }
    });

    it('work without scripts', async () => {
      const page = await openPage(slipway, { person: 'admin', javaScriptEnabled: false });
      await visit(page, appPath);
      await page.getByRole('link', { name: 'New page' }).click();
      await page.fill('#name', 'beta testers');
      await page.selectOption('#revision', '2');
      await page.getByRole('button', { name: 'Create page' }).click();
      await page.getByRole('status').waitFor();
      const part = (name: string) => page.locator('.settings-nav').getByRole('link', { name }).click();
      const save = async () => {
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('status').filter({ hasText: 'Saved.' }).waitFor();
      };
      await page.selectOption('#revision', '3');
      await save();
      await part('Access');
      await page.getByLabel('Anyone with the link and a passcode').check();
      await page.fill('#passcode', 'high tide');
      await page.getByLabel('On a date').check();
      await page.fill('#expires_at', '2099-01-31T18:00');
      await save();
      expect(await page.inputValue('#expires_at')).toBe('2099-01-31T18:00');
      expect(await page.inputValue('#passcode')).toBe('');

      const address = page.url().replace(/\/settings.*/, '');
      const tester = await openPage(slipway, { javaScriptEnabled: false });
      await visit(tester, address, 403);
      expect(await tester.textContent('body')).not.toContain('Tidewatch');

      await part('History');
      await page.getByRole('button', { name: 'Withdraw build #2' }).click();
      await page.getByRole('button', { name: 'Restore build #2' }).waitFor();
      await part('Access');
      await page.locator('summary', { hasText: 'Rotate link' }).click();
      await page.getByRole('button', { name: 'Rotate link' }).click();
      await page.getByRole('status').waitFor();
      await visit(tester, address, 404);
      await part('Delete');
      await page.fill('#confirmation', 'beta testers');
      await page.getByRole('button', { name: 'Delete page' }).click();
      expect(new URL(page.url()).pathname).toBe(appPath);
      expect(await page.textContent('main')).not.toContain('beta testers');
    });
  },
);
