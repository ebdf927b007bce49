/** Administration pages in a real browser: phone and desktop, light and dark, and with the keyboard. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lanes } from '../../src/jobs/outbox.ts';
import { type AccountsService, startAccountsService } from '../support/accounts-service.ts';
import { buildIpa } from '../support/build-ipa.ts';
import {
  axeRules,
  browserTimeoutMs,
  bytesOf,
  hasChromium,
  launchChromium,
  looks,
  openAccountMenu,
  violationsOf,
} from '../support/chromium.ts';
import { uploaded } from '../support/interface-client.ts';
import { addPerson, settleOutbox } from '../support/mail-service.ts';
import { maxPageBytes } from '../support/page-weight.ts';
import { testPassword } from '../support/test-service.ts';

const peopleHere = 60;
const ownPages = [
  '/administration',
  '/administration/people',
  '/administration/people/mina',
  '/administration/owners',
  '/administration/background-work',
];
/** They have separate tests; only their frame differs. */
const framedPages = [
  '/administration/mail',
  '/administration/doctor',
  '/administration/audit',
  '/administration/invitations',
];

describe.skipIf(!hasChromium)(
  'administration pages in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: AccountsService;
    let browser: Browser;
    beforeAll(async () => {
      slipway = await startAccountsService('sqlite', ['mina'], { mail: false });
      await slipway.project('harbour', { members: { mina: 'owner' } });
      for (let at = 0; at < peopleHere; at++) {
        await addPerson(slipway, `person-${String(at).padStart(2, '0')}`);
      }
      await uploaded(slipway, {
        owner: 'harbour',
        file: buildIpa({ bundleIdentifier: 'com.example.fixture', name: 'Tidewatch' }),
      });
      await addTroubles(slipway);
      browser = await launchChromium();
    });
    afterAll(async () => {
      await browser?.close();
      await slipway?.close();
    });

    const open = async (page: Page, path: string) => {
      const answer = await page.goto(`${slipway.origin}${path}`, { waitUntil: 'load' });
      expect(answer?.status(), path).toBe(200);
    };
    const signIn = async (page: Page, login: string) => {
      await open(page, '/sign-in');
      await page.fill('#login', login);
      await page.fill('#password', testPassword);
      await page.click('main button[type=submit]');
      await page.waitForURL(`${slipway.origin}/`);
    };

    it.each(looks)(
      'render completely, stay small and are accessible at $width px, $scheme',
      async ({ width, scheme }) => {
        const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
        const page = await context.newPage();
        const look = async (path: string) => {
          await open(page, path);
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          expect(overflow, `${path} scrolls sideways`).toBeLessThanOrEqual(0);
          expect(await violationsOf(page, axeRules[scheme]), path).toEqual([]);
          expect(await bytesOf(page), path).toBeLessThan(maxPageBytes);
        };
        await signIn(page, 'admin');
        const both = (width === 390) === (scheme === 'light');
        for (const path of both ? [...ownPages, ...framedPages] : ownPages) {
          await look(path);
        }
        await context.clearCookies();
        await signIn(page, 'mina');
        await look('/settings/devices');
        await context.close();
      },
    );

    it('search people while typing', async () => {
      const context = await browser.newContext();
      const page = await context.newPage();
      await signIn(page, 'admin');
      await open(page, '/administration/people');
      expect(await page.locator('#people tbody tr').count()).toBe(50);
      await page.locator('#q').pressSequentially('person-4');
      await page.locator('[data-found="10 people"]').waitFor();
      expect(await page.locator('#people tbody tr').count()).toBe(10);
      expect(await page.locator('search [role=status]').textContent()).toBe('10 people');
      expect(new URL(page.url()).searchParams.get('q')).toBe('person-4');
      await context.close();
    });

    it('work with the keyboard only and without scripts', async () => {
      const context = await browser.newContext({
        javaScriptEnabled: false,
        viewport: { width: 390, height: 844 },
      });
      const page = await context.newPage();
      await signIn(page, 'admin');
      const press = async (name: string, role: 'link' | 'button' = 'link') => {
        await page.getByRole(role, { name, exact: true }).focus();
        await page.keyboard.press('Enter');
      };
      await openAccountMenu(page);
      await press('Administration');
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await press('1 background job has failed permanently');
      await page.getByRole('heading', { name: 'Background work' }).waitFor();
      await page.locator('summary', { hasText: 'Discard' }).focus();
      await page.keyboard.press('Enter');
      await press('Discard job', 'button');
      await page.getByRole('status').filter({ hasText: 'Job discarded.' }).waitFor();
      await press('People');
      await page.focus('#q');
      await page.keyboard.type('person-07');
      await page.keyboard.press('Enter');
      await press('person-07');
      await page.locator('summary', { hasText: 'Disable account' }).focus();
      await page.keyboard.press('Enter');
      await press('Disable account', 'button');
      await page.getByRole('status').filter({ hasText: 'Account disabled.' }).waitFor();
      await press('Enable account', 'button');
      await page.getByRole('status').filter({ hasText: 'Account enabled.' }).waitFor();
      await press('Create reset link', 'button');
      expect(await page.getByLabel('Password reset link').textContent()).toContain('/reset-password/');
      await context.close();
    });
  },
);

/** Adds a failed job, a disabled account and a device, so that the pages have content. */
async function addTroubles(slipway: AccountsService): Promise<void> {
  await settleOutbox(slipway);
  await slipway.service.outbox.stop();
  const { data, clock } = slipway;
  await data.outbox.add({ kind: 'draw-icon', buildId: 'gone' }, clock.now);
  for (let tries = 0; tries < lanes.builds.maxAttempts; tries++) {
    const [claimed] = await data.outbox.claim(lanes.builds, clock.now, 1);
    await data.outbox.retryLater(claimed?.id ?? '', clock.now, 'Error: the store answered 503');
  }
  await data.outbox.add({ kind: 'remove-blobs', blobs: [] }, clock.now);
  const [harbour, mina] = [await data.owners.findOwner('harbour'), await data.owners.findOwner('mina')];
  const app = await data.apps.findAppsByPackageName(harbour?.id ?? '', 'com.example.fixture');
  const build = app[0] && (await data.builds.listBuilds(app[0].id, { limit: 1 }))[0];
  if (!app[0] || !build || !mina) throw new Error('the app is missing');
  const page = await data.distributions.putPageByName({
    appId: app[0].id,
    name: 'main',
    accessKey: 'ab'.repeat(20),
    buildId: build.id,
    releaseNote: '',
    now: clock.now,
  });
  await data.devices.putDevice(
    {
      ownerId: harbour?.id ?? '',
      udid: '00008030-001A35E11A88003A',
      name: 'Phone',
      product: 'iPhone15,4',
      browser: 'one',
      osVersion: '22B83',
      userId: mina.id,
      pageId: page.id,
      now: clock.now,
    },
    9,
  );
}
