/** Ten questions about builds, each answered from the page of the app in three clicks or fewer. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildElf } from '../packages/analysis/android-fixtures.ts';
import { encode } from '../packages/bundle/bundle-messages.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildBundle } from '../support/build-bundle.ts';
import { browserTimeoutMs, hasChromium, openPage, visit } from '../support/chromium.ts';
import { send } from '../support/http-client.ts';
import { bearer, uploaded } from '../support/interface-client.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

/** Links, buttons, checkboxes and shortcuts; typing does not count. */
const maxClicks = 3;
const packageName = 'com.example.tides';
const commit = 'c0ffee14c0ffee14c0ffee14c0ffee14c0ffee14';
const builds = '/users/admin/platforms/android/apps';

interface Question {
  asked: string;
  /** Whose page it starts on; `tides` unless given. */
  app?: 'com.example.bundle';
  /** Answers with at most three clicks, and checks the answer. */
  answer(page: Page, click: (control: Locator) => Promise<void>): Promise<void>;
}

const tab = (page: Page, name: string) =>
  page.locator('.build-tabs').getByRole('link', { name, exact: true });
const build = (page: Page, revision: number) =>
  page.locator(`main a[href="${new URL(page.url()).pathname}/binaries/${revision}"]`).first();
const size = (page: Page, revision: number) =>
  page.locator(`main a[href$="/binaries/${revision}/size"]`).first();
const sees = (page: Page, text: string | RegExp) => page.locator('main').getByText(text).first().waitFor();

const questions: Question[] = [
  {
    asked: 'What grew most since #12?',
    answer: async (page, click) => {
      await click(build(page, 14));
      await click(page.getByRole('link', { name: 'Compare with #13' }));
      await page.fill('#compare-from', '12');
      await click(page.getByRole('button', { name: 'Compare', exact: true }));
      await page.waitForURL(/from=12&to=14/);
      const grown = page.getByRole('table', { name: 'File' });
      const first = grown.locator('tbody tr').first();
      await first.getByText('assets/maps/tiles.bin').waitFor();
      expect(await first.textContent()).toContain('+195.3 KiB');
    },
  },
  {
    asked: 'Why did the download size grow?',
    answer: async (page, click) => {
      await click(size(page, 14));
      await sees(page, 'What changed since #13');
      await sees(page, 'assets/maps/tiles.bin');
    },
  },
  {
    asked: 'Which libraries are duplicated?',
    app: 'com.example.bundle',
    answer: async (page, click) => {
      await click(size(page, 1));
      await click(tab(page, 'Dependencies'));
      const note = page.getByRole('note').filter({ hasText: 'Listed in more than one version' });
      expect(await note.locator('li').allTextContents()).toEqual([
        'com.squareup.okhttp3:okhttp 3.14.9, 4.9.3',
      ]);
    },
  },
  {
    asked: 'What would removing an ABI save?',
    answer: async (page, click) => {
      await click(size(page, 14));
      await click(page.locator('summary', { hasText: 'Libraries for other architectures' }));
      const saved = page.locator('.saving-items:visible li', { hasText: 'x86_64' });
      expect(await saved.textContent()).toMatch(/\d B$|KiB$/);
    },
  },
  {
    asked: 'Which apps break on 1 February 2027?',
    answer: async (page, click) => {
      await click(build(page, 14));
      await click(tab(page, 'Checks'));
      await click(page.getByRole('link', { name: 'Store rules' }));
      const rule = page
        .locator('main li', { hasText: /1 Feb 2027|Feb 1, 2027/ })
        .filter({ hasText: '16 KB' });
      await rule.first().getByText('Tides').waitFor();
    },
  },
  {
    asked: 'Who accepted this, and why?',
    answer: async (page, click) => {
      await click(build(page, 14));
      await click(tab(page, 'Checks'));
      await sees(page, /Accepted by\s+admin/);
      await sees(page, 'The camera scans harbor signs');
    },
  },
  {
    asked: 'Which apps contain okhttp below 4.12?',
    answer: async (page, click) => {
      await click(page.locator('#find'));
      await page.keyboard.type('libraries');
      await click(page.locator('.palette-list [role=option]', { hasText: 'Search libraries' }));
      await page.fill('#library', 'okhttp');
      await page.fill('#version', '<4.12');
      await click(page.locator('main').getByRole('button', { name: 'Search' }));
      await sees(page, 'com.squareup.okhttp3:okhttp');
    },
  },
  {
    asked: 'Which commit does the build itself name?',
    answer: async (page, click) => {
      await click(build(page, 14));
      await click(tab(page, 'Provenance'));
      expect(await page.locator('section:has(#commit)').textContent()).toContain(`In the file${commit}`);
    },
  },
  {
    asked: 'Which permissions are new since the last build?',
    answer: async (page, click) => {
      await click(build(page, 14));
      await click(page.getByRole('link', { name: 'Compare with #13' }));
      await sees(page, 'android.permission.CAMERA');
    },
  },
  {
    asked: 'Is the 16 KB rule met, and which library breaks it?',
    answer: async (page, click) => {
      await click(build(page, 14));
      await click(tab(page, 'Checks'));
      const rule = page.locator('.check-rows > li', { hasText: '16 KB pages' }).first();
      expect(await rule.textContent()).toContain('lib/arm64-v8a/libtide.so');
      expect(await rule.locator('.badge').textContent()).toBe('Warning');
    },
  },
];

describe.skipIf(!hasChromium)(
  'ten questions in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: TestService;

    beforeAll(async () => {
      slipway = await startTestService({ blobs: 'memory' });
      for (let revision = 1; revision <= 14; revision++) {
        const isLast = revision === 14;
        await uploaded(slipway, {
          file: buildApk({
            packageName,
            label: 'Tides',
            versionCode: revision,
            versionName: `1.${revision}`,
            permissions: isLast ? ['android.permission.CAMERA'] : [],
            extraEntries: [
              {
                name: 'assets/maps/tiles.bin',
                content: Buffer.alloc(isLast ? 300_000 : 100_000, 'x'),
              },
              { name: 'assets/waves.bin', content: Buffer.alloc(revision * 1000, 'y') },
              { name: 'lib/arm64-v8a/libtide.so', content: buildElf({ alignment: 4096 }) },
              { name: 'lib/x86_64/libtide.so', content: buildElf({ alignment: 16_384 }) },
              {
                name: 'META-INF/version-control-info.textproto',
                content: Buffer.from(
                  `repositories {\n  system: GIT\n  local_root_path: "$PROJECT_DIR"\n  revision: "${commit}"\n}\n`,
                ),
              },
            ],
          }),
        });
      }
      const library = (version: string) =>
        [1, encode([1, encode([1, 'com.squareup.okhttp3'], [2, 'okhttp'], [5, version])])] as const;
      const dependencies = encode(library('3.14.9'), library('4.9.3'));
      await uploaded(slipway, {
        file: buildBundle({
          files: { 'BUNDLE-METADATA/com.android.tools.build.libraries/dependencies.pb': dependencies },
        }),
      });
      await slipway.service.outbox.idle();
      const api = `/api/v1/apps/admin/android/${packageName}`;
      const change = async (method: string, path: string, body: object) => {
        const answer = await send(slipway.port, api + path, {
          method,
          headers: { ...bearer(slipway.adminKey), 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        });
        expect([path, answer.status]).toEqual([path, 200]);
      };
      await change('PATCH', '/check-settings', { destinations: ['google_play'] });
      await change('POST', '/builds/14/checks/new-permissions/accept', {
        reason: 'The camera scans harbor signs',
      });
    });
    afterAll(async () => {
      await slipway?.close();
    });

    it.each(questions)('answers “$asked” in at most three clicks', async ({ app = packageName, answer }) => {
      const page = await openPage(slipway, {
        person: 'admin',
        viewport: { width: 1440, height: 900 },
      });
      await visit(page, `${builds}/${app}`);
      let clicks = 0;
      await answer(page, async (control) => {
        await control.click();
        clicks += 1;
      });
      expect(clicks).toBeLessThanOrEqual(maxClicks);
    });
  },
);
