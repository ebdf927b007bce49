/** Administration pages in a real browser: with script, and with the keyboard and without. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lanes } from '../../src/jobs/outbox.ts';
import { type AccountsService, startAccountsService } from '../support/accounts-service.ts';
import { buildIpa } from '../support/build-ipa.ts';
import { browserTimeoutMs, hasChromium, openAccountMenu, openPage, visit } from '../support/chromium.ts';
import { uploaded } from '../support/interface-client.ts';
import { addPerson, settleOutbox } from '../support/mail-service.ts';
import { faultsOf } from '../support/page-checks.ts';
import { addDevice, addPage } from '../support/sample-rows.ts';

const peopleHere = 60;

describe.skipIf(!hasChromium)(
  'administration pages in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: AccountsService;
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
    });
    afterAll(async () => {
      await slipway?.close();
    });

    it('are small and accessible with many people and a failed job', async () => {
      const page = await openPage(slipway, { person: 'admin' });
      for (const path of ['/administration', '/administration/people', '/administration/background-work']) {
        await visit(page, path);
        expect([path, await faultsOf(page)]).toEqual([path, []]);
      }
    });

    it('search people while typing', async () => {
      const page = await openPage(slipway, { person: 'admin' });
      await visit(page, '/administration/people');
      expect(await page.locator('#people tbody tr').count()).toBe(50);
      await page.locator('#q').pressSequentially('person-4');
      await page.locator('[data-found="10 people"]').waitFor();
      expect(await page.locator('#people tbody tr').count()).toBe(10);
      expect(await page.locator('search [role=status]').textContent()).toBe('10 people');
      expect(new URL(page.url()).searchParams.get('q')).toBe('person-4');
    });

    it('work with the keyboard only and without scripts', async () => {
      const page = await openPage(slipway, { person: 'admin', javaScriptEnabled: false });
      await visit(page, '/');
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
      expect(await page.locator('.made-key code').textContent()).toContain('/reset-password/');
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
  const page = await addPage(data, app[0].id, build.id, { accessKey: 'ab'.repeat(20), now: clock.now });
  await addDevice(data, harbour?.id ?? '', page.id, {
    udid: '00008030-001A35E11A88003A',
    product: 'iPhone15,4',
    userId: mina.id,
    now: clock.now,
  });
}
