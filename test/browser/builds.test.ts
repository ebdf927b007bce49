/** Build management in a real browser: after actions, and without JavaScript. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { buildIpa } from '../support/build-ipa.ts';
import { browserTimeoutMs, hasChromium, openPage, visit } from '../support/chromium.ts';
import { uploaded } from '../support/interface-client.ts';
import { faultsOf } from '../support/page-checks.ts';
import { signApk } from '../support/sign-apk.ts';
import { createTestKey } from '../support/test-key.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const packageName = 'com.example.tides';
const appPath = `/users/admin/platforms/android/apps/${packageName}`;
const iosPath = appPath.replace('android', 'ios');

describe.skipIf(!hasChromium)(
  'build management in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: TestService;

    beforeAll(async () => {
      slipway = await startTestService({ blobs: 'memory' });
      const keys = [createTestKey('ec'), createTestKey('ec')];
      for (let revision = 1; revision <= 6; revision++) {
        const key = keys[revision < 5 ? 0 : 1];
        if (!key) throw new Error('no key');
        const label = { '': 'Tidewatch', de: revision < 5 ? 'Gezeiten' : 'Gezeitenwache' };
        const permissions = [`android.permission.${revision < 5 ? 'READ_CONTACTS' : 'CAMERA'}`];
        const apk = buildApk({
          packageName,
          label,
          permissions,
          versionName: `2.${revision}.0`,
          versionCode: 400 + revision,
          minSdk: revision < 5 ? 26 : 29,
          nativeAbis: ['arm64-v8a'],
          fillerBytes: revision * 10_000,
        });
        const branch = 'feature/a-branch-with-a-long-name-for-storms-and-floods';
        await uploaded(slipway, {
          file: signApk(apk, { v2: [{ key }] }),
          fields: {
            message: `Build ${revision}: a banner for storms`,
            branch,
            ...(revision === 5 ? { distribution_name: 'main' } : {}),
          },
        });
      }
      for (const revision of [1, 2]) {
        const devices = Array.from(
          { length: 40 },
          (_, at) => `00008030-${String(at + revision * 30).padStart(16, '0')}`,
        );
        const profile = { type: 'ad-hoc', devices, teamIdentifier: `TEAM${revision}` } as const;
        await uploaded(slipway, {
          file: buildIpa({ bundleIdentifier: packageName, version: `${revision}`, profile }),
        });
      }
      await slipway.service.outbox.idle();
    });
    afterAll(async () => {
      await slipway?.close();
    });

    it('is accessible after actions, at both widths and in both color schemes', async () => {
      const page = await openPage(slipway, { person: 'admin' });
      const look = async (name: string) => expect([name, await faultsOf(page)]).toEqual([name, []]);
      await visit(page, appPath);
      await look('app');
      await page.getByLabel('Select build #3').check();
      await page.getByLabel('Select build #2').check();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('status').first().waitFor();
      await look('app after deleting');
      await page.getByRole('button', { name: 'Undo: restore 2 builds' }).click();
      await page.getByText('Builds #2, #3 restored.').waitFor();
      await visit(page, appPath);
      await page.getByLabel('Select build #3').check();
      await page.getByLabel('Select build #2').check();
      const beside = await page.context().newPage();
      await visit(beside, `${appPath}/binaries/3`);
      await beside.getByRole('button', { name: 'Protect' }).click();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByText('Nothing was deleted').first().waitFor();
      await look('refused deletion');
      await beside.getByRole('button', { name: 'Remove protection' }).click();
      await visit(page, `${appPath}/binaries/6`);
      await page.getByText('Edit message').click();
      await look('build');
      await page.fill('#new-message', 'x'.repeat(32_767));
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').waitFor();
      await look('refused message');
      await visit(page, `${appPath}/binaries/5`);
      await look('build that a page serves');
      await visit(page, `${appPath}/compare?from=4&to=6`);
      await page.getByText('Unchanged').click();
      await look('comparison');
      await visit(page, `${iosPath}/compare?from=1&to=2`);
      for (const fold of await page.locator('main details').all()) await fold.locator('summary').click();
      await look('iOS comparison');
      await visit(page, `${appPath}/delete`);
      await page.fill('#confirmation', 'another');
      await page.getByRole('button', { name: 'Delete app permanently' }).click();
      await page.getByRole('alert').waitFor();
      await look('refused deletion of the app');
    });

    it('works without scripts', async () => {
      const page = await openPage(slipway, { person: 'admin', javaScriptEnabled: false });
      await visit(page, `${appPath}/binaries/4`);
      await page.getByRole('button', { name: 'Protect' }).click();
      await page.getByRole('status').filter({ hasText: 'Build protected.' }).waitFor();
      expect(await page.getByRole('button', { name: 'Delete build' }).count()).toBe(0);
      await page.getByRole('button', { name: 'Remove protection' }).click();
      await page.getByRole('button', { name: 'Delete build' }).click();
      await page.getByRole('button', { name: 'Undo', exact: false }).first().click();
      await page.getByRole('status').filter({ hasText: 'Build restored.' }).waitFor();
      await page.getByText('Edit message').click();
      await page.fill('#new-message', 'Written by hand');
      await page.getByRole('button', { name: 'Save' }).click();
      expect(await page.textContent('main')).toContain('Written by hand');
      await page.getByRole('link', { name: 'Compare with #3' }).click();
      await page.fill('#compare-to', '6');
      await page.getByRole('button', { name: 'Compare' }).click();
      expect(await page.textContent('main')).toContain('Different signer');
      await page.getByRole('link', { name: 'Swap builds' }).click();
      expect(await page.textContent('main')).toContain('lower version code');
      await visit(page, iosPath);
      await page.locator('.tabs').getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('link', { name: 'Delete' }).click();
      await page.fill('#confirmation', packageName);
      await page.getByRole('button', { name: 'Delete app permanently' }).click();
      await page.getByRole('status').filter({ hasText: 'App deleted.' }).waitFor();
      await visit(page, iosPath, 404);
    });
  },
);
