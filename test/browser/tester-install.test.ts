/** A tester's install on a phone, from the link to the count. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { browserTimeoutMs, complaintsOf, hasChromium, openPage, visit } from '../support/chromium.ts';
import { uploaded } from '../support/interface-client.ts';
import { faultsOf } from '../support/page-checks.ts';
import { findPage, phones } from '../support/page-visits.ts';
import { maxTesterPageBytes } from '../support/page-weight.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { signApk } from '../support/sign-apk.ts';
import { createTestKey } from '../support/test-key.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

describe.skipIf(!hasChromium)(
  'a tester with an Android phone in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: TestService;
    let accessKey: string;

    beforeAll(async () => {
      slipway = await startTestService({ blobs: 'memory' });
      const apk = buildApk({ packageName: 'com.example.tides', label: 'Tides', minSdk: 26, targetSdk: 35 });
      const { distribution } = await uploaded(slipway, {
        file: signApk(apk, { v2: [{ key: createTestKey('ec') }] }),
        fields: { distribution_name: 'main', release_note: 'Check the new **banner**' },
      });
      accessKey = distribution?.access_key ?? '';
    });
    afterAll(() => slipway?.close());

    const phone = { userAgent: phones.android, isMobile: true, hasTouch: true };
    const installs = async () => {
      const { id, appId } = await findPage(slipway, accessKey);
      return (await slipway.data.appPages.listPages({ kind: 'manager' }, appId, 10)).find(
        (page) => page.id === id,
      )?.installs;
    };

    it.each(runsEverything ? [true, false] : [true])(
      'sees the note and installs the app, which is counted (scripts: %s)',
      async (javaScriptEnabled) => {
        const page = await openPage(slipway, { ...phone, javaScriptEnabled });
        const complaints = complaintsOf(page, slipway.origin);
        const before = (await installs()) ?? 0;
        await visit(page, `/distributions/${accessKey}`);
        expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Tides');
        expect(await page.locator('main strong', { hasText: 'banner' }).isVisible()).toBe(true);
        const button = page.getByRole('link', { name: 'Install', exact: true });
        const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
        expect(download.suggestedFilename()).toMatch(/\.apk$/);
        await expect.poll(installs).toBe(before + 1);
        expect(complaints).toEqual([]);
      },
    );

    it('gets an accessible page that fits the phone', async () => {
      const page = await openPage(slipway, phone);
      await visit(page, `/distributions/${accessKey}`);
      expect(await faultsOf(page, maxTesterPageBytes)).toEqual([]);
    });
  },
);
