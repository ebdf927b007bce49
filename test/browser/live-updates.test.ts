/** Changes that appear on open pages without a reload. */
import type { BrowserContext, Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildDeletionQueries } from '../../src/apps/deletion/build-deletion-queries.ts';
import { defineQueries } from '../../src/db/data.ts';
import { installation } from '../../src/jobs/outbox.ts';
import { buildApk } from '../support/build-apk.ts';
import { browserTimeoutMs, hasChromium, newPage, visit } from '../support/chromium.ts';
import { uploaded } from '../support/interface-client.ts';
import { faultsOf } from '../support/page-checks.ts';
import { signApk } from '../support/sign-apk.ts';
import { createTestKey } from '../support/test-key.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const packageName = 'com.example.tides';
const appPath = `/users/admin/platforms/android/apps/${packageName}`;
const buildPath = `${appPath}/binaries/1`;

const states = defineQueries((db) => ({
  /** Returns the results, and makes them pending. */
  unverify: async () => {
    const row = await db
      .selectFrom('builds')
      .select('verification')
      .where('revision', '=', 1)
      .executeTakeFirst();
    await db.updateTable('builds').set({ verification: null }).where('revision', '=', 1).execute();
    return row?.verification ?? null;
  },
  verify: (verification: string | null) =>
    db.updateTable('builds').set({ verification }).where('revision', '=', 1).execute(),
  addRunningJob: (now: number) =>
    db
      .insertInto('outbox')
      .values({
        id: 'job',
        kind: 'draw-icon',
        payload: JSON.stringify({ buildId: 'missing' }),
        attempts: 1,
        run_at: now,
        leased_until: now + 3_600_000,
        last_error: null,
        created_at: now,
        queued_for: installation,
      })
      .execute(),
  deleteApps: (at: number | null) => db.updateTable('apps').set({ deleted_at: at }).execute(),
  removeJob: () => db.deleteFrom('outbox').where('id', '=', 'job').execute(),
}));

describe.skipIf(!hasChromium)(
  'live updates in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: TestService;
    let context: BrowserContext;
    let page: Page;
    let version = 0;
    const key = createTestKey('ec');
    const upload = () => {
      const apk = buildApk({ packageName, versionName: `1.${++version}`, versionCode: version });
      return uploaded(slipway, { file: signApk(apk, { v2: [{ key }] }) });
    };
    const begin = async (before: (context: BrowserContext) => Promise<unknown> = async () => undefined) => {
      page = await newPage(slipway, { person: 'admin', viewport: { width: 1280, height: 720 } });
      context = page.context();
      await before(context);
    };
    const roundTrip = () => page.evaluate(() => fetch('/healthz').then((response) => response.text()));
    /** The requests of the page while its clock runs. */
    const requestsWithin = async (ms: number) => {
      const asked: string[] = [];
      const note = (request: Request) => asked.push(new URL(request.url()).pathname);
      page.on('request', note);
      await page.clock.runFor(ms);
      await roundTrip();
      page.off('request', note);
      return asked.filter((path) => path !== '/healthz');
    };
    const idOf = async (revision: number) => {
      const admin = await slipway.data.owners.findOwner('admin');
      const app = await slipway.data.apps.findApp(admin?.id ?? '', 'android', packageName);
      return (await slipway.data.builds.findBuildByRevision(app?.id ?? '', revision))?.id ?? '';
    };
    const row = (revision: number) => page.locator(`#build-${revision}`);
    const streamOpened = () =>
      page.waitForResponse((response) => new URL(response.url()).pathname.endsWith('/live'));
    const news = () => page.getByRole('status').filter({ hasText: `New build #${version}.` });
    const blockStream = (context: BrowserContext) =>
      context.route('**/live', (route) => route.fulfill({ status: 502, body: '' }));

    beforeAll(async () => {
      slipway = await startTestService({
        blobs: 'memory',
        limits: { accessCheckMs: 500 },
      });
      await upload();
      await slipway.service.outbox.idle();
    });
    afterEach(() => context?.close());
    afterAll(async () => {
      await slipway?.close();
    });

    it('show new builds in the list of apps, and the first app where there was none', async () => {
      await begin();
      await page.clock.install();
      await states(slipway.service.data).deleteApps(1);
      await visit(page, '/');
      const app = page.locator('.app-table tbody tr');
      expect(await app.count()).toBe(0);
      await states(slipway.service.data).deleteApps(null);
      await page.clock.fastForward(15_000);
      await expect.poll(() => app.textContent()).toContain(`1.${version}`);
      // A link in use stays in place.
      await app.locator('a').first().focus();
      await upload();
      await page.clock.fastForward(15_000);
      await roundTrip();
      expect(await app.textContent()).toContain(`1.${version - 1}`);
      await page.locator('h1').click();
      await page.clock.fastForward(15_000);
      await expect.poll(() => app.textContent()).toContain(`1.${version}`);
      expect(await faultsOf(page)).toEqual([]);
    });

    it('announce a new build through the stream, add no row by themselves, and show it on request', async () => {
      await begin();
      let asked = 0;
      page.on('request', (request) => {
        if (request.url().endsWith('/latest')) asked++;
      });
      const opened = streamOpened();
      await visit(page, appPath);
      expect((await opened).status()).toBe(200);
      const rows = await page.locator('tbody tr').count();
      await upload();
      await news().waitFor();
      expect(await page.locator('tbody tr').count()).toBe(rows);
      expect(asked).toBe(0);
      expect(await faultsOf(page)).toEqual([]);
      await news().getByRole('link', { name: 'Show' }).click();
      await page
        .getByRole('link', { name: `#${version}` })
        .first()
        .waitFor();
      expect(await page.locator('tbody tr').count()).toBe(rows + 1);
      expect(await page.locator('.news').count()).toBe(0);
    });

    it('refresh rows of builds that change, and keep the selection and the focus', async () => {
      await upload();
      await slipway.service.outbox.idle();
      await begin();
      const opened = streamOpened();
      await visit(page, appPath);
      await opened;
      await row(version).locator('input[name=revision]').check();
      await row(version).locator('input[name=revision]').blur();
      await row(1).locator('th a.strong').focus();
      await slipway.data.builds.changeLabel(await idOf(version), 'beta');
      await slipway.data.builds.changeLabel(await idOf(1), 'old');
      await row(version).getByText('beta').waitFor({ timeout: 4000 });
      expect(await row(version).locator('input[name=revision]').isChecked()).toBe(true);
      expect(await row(version).getAttribute('class')).toContain('picked');
      expect(await page.locator('.bulk-count').textContent()).toBe('1 selected');
      expect(await row(1).getByText('old').count()).toBe(0);
      expect(
        await row(1)
          .locator('th a.strong')
          .evaluate((link) => link === document.activeElement),
      ).toBe(true);
      await page.keyboard.press('k');
      expect(
        await row(2)
          .locator('th a.strong')
          .evaluate((link) => link === document.activeElement),
      ).toBe(true);
      await row(1).getByText('old').waitFor({ timeout: 8000 });
      // The bar of the selection lies over the row to which the focus has scrolled.
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
      expect(await faultsOf(page)).toEqual([]);
    });

    it('remove rows of deleted builds, but not those that a new build moves to the next page', async () => {
      while (version < 25) await upload();
      await slipway.service.outbox.idle();
      await begin();
      const opened = streamOpened();
      await visit(page, appPath);
      await opened;
      await row(5).locator('input[name=revision]').check();
      await row(5).locator('input[name=revision]').blur();
      await upload();
      await news().waitFor();
      await buildDeletionQueries(slipway.service.data).hideBuilds([await idOf(5)], 'admin', Date.now());
      await row(5).waitFor({ state: 'detached', timeout: 8000 });
      expect(await page.locator('.bulk').isVisible()).toBe(false);
      expect(await row(1).count()).toBe(1);
      expect(await row(version).count()).toBe(0);
    });

    it('fall back to polling when the stream is blocked', async () => {
      await begin(blockStream);
      await page.clock.install();
      await visit(page, appPath);
      await upload();
      // The second attempt.
      const again = streamOpened();
      await page.clock.fastForward(5000);
      expect((await again).status()).toBe(502);
      await roundTrip();
      const asked = page.waitForResponse((response) => response.url().endsWith('/latest'));
      await page.clock.fastForward(15_000);
      expect((await asked).status()).toBe(200);
      await news().waitFor();
    });

    it('end with the stream when the session ends, and do not start to poll', async () => {
      await begin();
      await page.addInitScript(() => {
        const opened: EventSource[] = [];
        const Original = EventSource;
        window.EventSource = class extends Original {
          constructor(address: string | URL) {
            super(address);
            opened.push(this);
          }
        };
        Object.assign(window, { opened });
      });
      await page.clock.install();
      const opened = streamOpened();
      await visit(page, appPath);
      await opened;
      await page.evaluate(async () => {
        const form = document.querySelector<HTMLFormElement>('form[action="/sign-out"]');
        if (!form) throw new Error('there is no form to sign out');
        const body = new URLSearchParams(
          [...new FormData(form)].map(([name, value]) => [name, String(value)]),
        );
        await fetch(form.action, { method: 'POST', body, redirect: 'manual' });
      });
      const states = () =>
        page.evaluate(() =>
          (window as unknown as { opened: EventSource[] }).opened.map((one) => one.readyState),
        );
      // Closed by the page: a stream that only the server has ended would reconnect.
      await expect.poll(states, { timeout: 5000 }).toEqual([2]);
      expect(await requestsWithin(60_000)).toEqual([]);
    });

    it('stop polling when the session ends', async () => {
      await begin(blockStream);
      await page.clock.install();
      await visit(page, appPath);
      const again = streamOpened();
      await page.clock.fastForward(5000);
      await again;
      await roundTrip();
      await context.clearCookies();
      const refused = page.waitForResponse((response) => response.url().endsWith('/latest'));
      await page.clock.fastForward(15_000);
      await refused;
      await roundTrip();
      expect(await requestsWithin(10 * 60_000)).toEqual([]);
    });

    it('show the verification result on the build page, but not while its part has the focus', async () => {
      const facts = states(slipway.service.data);
      const verification = await facts.unverify();
      expect(verification).not.toBeNull();
      await begin();
      const opened = streamOpened();
      await visit(page, buildPath);
      await opened;
      const signing = page.locator('#build-signing');
      expect(await signing.getByText('Verified').count()).toBe(0);
      await signing.evaluate((part) => {
        part.tabIndex = -1;
        part.focus();
      });
      const fetched = page.waitForResponse((response) => response.url().endsWith(buildPath));
      await facts.verify(verification);
      await fetched;
      await roundTrip();
      expect(await signing.getByText('Verified').count()).toBe(0);
      await signing.evaluate((part) => part.blur());
      await signing.getByText('Verified').waitFor({ timeout: 8000 });
    });

    it('show on lists without a stream what becomes of pending jobs, and then stop asking', async () => {
      const facts = states(slipway.service.data);
      await facts.addRunningJob(Date.now());
      await begin();
      await page.clock.install();
      await visit(page, '/administration/background-work');
      const list = page.locator('#work');
      await list.getByText('Running').first().waitFor();
      await facts.removeJob();
      await page.clock.fastForward(5000);
      await list.getByText('No background jobs').waitFor();
      expect(await requestsWithin(60_000)).toEqual([]);
    });

    it('turn the page for uploads from CI green with the first upload, also after it has shown a new key', async () => {
      await slipway.project('tides', { members: { admin: 'owner' } });
      await begin();
      await visit(page, '/users/tides/ci?system=jenkins');
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByText('Key created').waitFor();
      await page.getByText('Waiting for the first upload').waitFor();
      await uploaded(slipway, { owner: 'tides', file: buildApk({ packageName }), fields: {} });
      await page.locator('#ci-upload').getByText('It works').waitFor({ timeout: 20_000 });
      await page.getByText('Key created').waitFor();
      expect(await faultsOf(page)).toEqual([]);
    });
  },
);
