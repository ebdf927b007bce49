/** Retention in a real browser: previews, and saving without JavaScript. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserTimeoutMs, hasChromium, openPage, visit } from '../support/chromium.ts';
import { faultsOf } from '../support/page-checks.ts';
import { addApp } from '../support/sample-rows.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const packageName = 'com.example.tidewatch.with.a.rather.long.name';
const ofApp = `/users/ferry/platforms/android/apps/${packageName}/retention`;

describe.skipIf(!hasChromium)(
  'the retention page in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: TestService;

    beforeAll(async () => {
      slipway = await startTestService({ blobs: 'memory' });
      await slipway.workspace('harbour', 'admin', 'Harbour Labs');
      await slipway.project('ferry', { workspace: 'harbour' });
      const ferry = await slipway.data.owners.findOwner('ferry');
      await addApp(slipway.data, ferry?.id ?? '', { packageName, count: 70 });
      await addApp(slipway.data, ferry?.id ?? '', { packageName, platform: 'ios', count: 12 });
    });
    afterAll(async () => {
      await slipway?.close();
    });

    it.each([
      ['an app', `${ofApp}?keep=some&newest=20&days=`, 200],
      ['an app when it is refused', `${ofApp}?keep=some&newest=many&days=`, 400],
      ['a Project', '/organizations/ferry/retention?keep=some&newest=5&days=30', 200],
      ['a Workspace', '/enterprises/harbour/retention?keep=some&newest=5&days=', 200],
    ])('is small and accessible with a preview for %s', async (_, path, status) => {
      const page = await openPage(slipway, { person: 'admin' });
      await visit(page, path, status);
      expect(await faultsOf(page)).toEqual([]);
    });

    it('previews and saves a rule without scripts', async () => {
      const page = await openPage(slipway, { person: 'admin', javaScriptEnabled: false });
      const text = () => page.textContent('main');
      await visit(page, `/users/ferry/platforms/android/apps/${packageName}`);
      await page.locator('.tabs').getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('link', { name: 'Retention' }).click();
      expect(await text()).toContain('Slipway keeps every build.');
      await page.getByLabel('Delete old builds').check();
      await page.getByRole('button', { name: 'Preview' }).click();
      expect(await text()).toContain('Enter a number of builds');
      await page.getByLabel('Newest builds').fill('10');
      await page.getByRole('button', { name: 'Preview' }).click();
      expect(await text()).toContain('Slipway keeps the newest 10 builds and deletes older ones.');
      expect(
        await page.getByRole('list', { name: 'Builds that will be deleted' }).getByRole('listitem').count(),
      ).toBe(50);
      await page.getByRole('link', { name: 'Next' }).click();
      expect(
        await page.getByRole('list', { name: 'Builds that will be deleted' }).getByRole('listitem').count(),
      ).toBe(10);
      await page.getByRole('button', { name: 'Save and delete 60 builds' }).click();
      await page.getByRole('status').filter({ hasText: 'Saved.' }).waitFor();
      expect(await text()).toContain('Set for this app.');
      expect(await page.getByLabel('Newest builds').inputValue()).toBe('10');
      await slipway.service.outbox.idle();
      await page.getByRole('button', { name: 'Preview' }).click();
      expect(await text()).toContain('No builds will be deleted now.');
      await visit(page, '/organizations/ferry/audit');
      expect(await page.textContent('.audit')).toContain('deleted builds by retention rule');
    });
  },
);
