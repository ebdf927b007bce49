/** Common tasks, each from the home page in four clicks or five, with the mouse and with the keyboard only. */
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newIdentifier } from '../../src/core/identifier.ts';
import { signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { browserTimeoutMs, hasChromium, newPage, visit } from '../support/chromium.ts';
import { send } from '../support/http-client.ts';
import { bearer, get, type UploadResult, uploaded } from '../support/interface-client.ts';
import { reach } from '../support/keyboard.ts';
import { linksOf, phones } from '../support/page-visits.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { signApk } from '../support/sign-apk.ts';
import { createTestKey } from '../support/test-key.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const packageName = 'com.example.tides';
const builds = 5;
/** Revision of the commit and the install that tasks look for. */
const sought = 3;
const commit = 'c0ffee14c0ffee14c0ffee14c0ffee14c0ffee14';
/** The maximum number of links and buttons to activate; typing doesn't count. */
const maxClicks = 4;
type Hand = 'mouse' | 'keyboard';
const hands: readonly Hand[] = runsEverything ? ['mouse', 'keyboard'] : ['mouse'];

interface Tools {
  page: Page;
  hand: Hand;
  /** Activates a control and counts it. */
  click(control: Locator): Promise<void>;
  /** Presses a shortcut, or Enter where the focus already is, and counts it. */
  press(key: string): Promise<void>;
  type(field: Locator, text: string): Promise<void>;
  choose(field: Locator, file: { name: string; buffer: Buffer }): Promise<void>;
}

interface Task {
  what: string;
  /** Four unless given. */
  clicks?: number;
  /** The person on whose home page it starts. */
  person: 'olga' | 'tess' | 'nora' | 'admin';
  work(tools: Tools): Promise<void>;
}

const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name }).first();
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();
const app = (page: Page) => page.locator('.app-table').getByRole('link', { name: 'Tides' }).first();
const tab = (page: Page, name: string) => page.locator('.tabs').getByRole('link', { name }).first();
const sees = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
const testersOf = (hand: Hand) => Array.from({ length: 10 }, (_, at) => `${hand}-${at}`);

let receiver: WebhookReceiver;

const tasks: Task[] = [
  {
    what: 'Upload a build',
    person: 'olga',
    work: async ({ page, hand, click, choose }) => {
      await click(link(page, 'Upload build'));
      await click(link(page, 'harbour'));
      const versionCode = hand === 'mouse' ? 100 : 101;
      await choose(page.locator('#file'), {
        name: 'app.apk',
        buffer: buildApk({ packageName: 'com.example.fresh', versionCode }),
      });
      await click(page.locator('form[data-upload] button[type=submit]'));
      await page.waitForSelector('.upload-row[data-state=done]');
    },
  },
  {
    what: 'Share an app with ten testers',
    person: 'olga',
    work: async ({ page, hand, click, type }) => {
      await click(link(page, 'harbour'));
      await click(link(page, /^People/));
      await type(page.locator('#login'), testersOf(hand).join(', '));
      await click(page.locator('.add-person button'));
      await sees(page, `${hand}-9`);
    },
  },
  {
    what: 'Roll a page back',
    person: 'olga',
    work: async ({ page, hand, click }) => {
      await click(app(page));
      await click(page.locator('.tile a.live').first());
      const revision = hand === 'mouse' ? 4 : 3;
      await click(link(page, `Roll back to this build, #${revision}`));
      await click(button(page, 'Roll back'));
      await sees(page, /^Rolled back\./);
    },
  },
  {
    what: 'Find who installed a build',
    person: 'olga',
    work: async ({ page, click }) => {
      await click(app(page));
      await click(page.locator(`a[href$="/binaries/${sought}"]`).first());
      await page.locator('.timeline', { hasText: 'tess installed' }).waitFor();
    },
  },
  {
    what: 'Rotate an API key',
    person: 'olga',
    work: async ({ page, click }) => {
      await click(page.locator('.account > summary'));
      await click(link(page, 'API keys'));
      await click(page.locator('summary', { hasText: 'Rotate' }).first());
      await click(button(page, 'Rotate key'));
      await sees(page, 'The key has a new secret');
    },
  },
  {
    what: 'Create a key that can upload one app',
    person: 'olga',
    clicks: 3,
    work: async ({ page, click }) => {
      await click(app(page));
      await click(link(page, 'Upload from CI'));
      await click(button(page, 'Create key'));
      await sees(page, /It can upload to this app and nothing else/);
    },
  },
  {
    what: 'Find the build of a commit',
    person: 'olga',
    work: async ({ page, hand, click, press, type }) => {
      if (hand === 'mouse') await click(page.locator('#find'));
      else await press('/');
      const field = page.locator('dialog [role=combobox]');
      await field.waitFor();
      await type(field, commit.slice(0, 10));
      const found = page.locator(`.palette-list a[href$="/binaries/${sought}"]`);
      await found.waitFor();
      if (hand === 'mouse') await click(found);
      else await press('Enter');
      await page.waitForURL(`**/binaries/${sought}`);
    },
  },
  {
    what: 'Remove someone who left',
    // One opens the menu of the row, which keeps what cannot be undone out of the list.
    clicks: 5,
    person: 'olga',
    work: async ({ page, hand, click }) => {
      await click(link(page, 'harbour'));
      await click(link(page, /^People/));
      await click(page.getByLabel(`Actions for leaver-${hand}`));
      await click(page.getByRole('link', { name: new RegExp(`leaver-${hand}`) }));
      await click(page.locator('form[action$="/remove-everywhere"] button').first());
      await sees(page, 'Removed from everything that you manage.');
      expect(await page.getByLabel(`Actions for leaver-${hand}`).count()).toBe(0);
    },
  },
  {
    what: 'Set a logo',
    person: 'admin',
    work: async ({ page, click, choose }) => {
      await click(link(page, 'Administration'));
      await click(link(page, 'Branding'));
      const logo = sharp({ create: { width: 64, height: 64, channels: 4, background: '#2255aa' } });
      await choose(page.locator('#logo'), { name: 'logo.png', buffer: await logo.png().toBuffer() });
      await click(button(page, 'Upload logo'));
      await button(page, 'Remove logo').waitFor();
    },
  },
  {
    what: 'Install as a signed-in tester',
    person: 'tess',
    work: async ({ page, click }) => {
      await click(app(page));
      const download = page.waitForEvent('download', { timeout: 8000 });
      await click(link(page, /^Install/));
      expect((await download).suggestedFilename()).toMatch(/\.apk$/);
    },
  },
  {
    what: 'Limit a page to a group',
    person: 'olga',
    work: async ({ page, hand, click }) => {
      await click(app(page));
      await click(link(page, /^Who can open Beta/));
      // The keyboard activates a checkbox with Space.
      const group = page.getByLabel(`Pilots ${hand}`);
      if (hand === 'mouse') await click(group);
      else {
        await reach(group);
        await page.keyboard.press('Space');
      }
      await click(button(page, 'Save'));
      await sees(page, 'Saved.');
      expect(await page.locator('#access-groups').isChecked()).toBe(true);
      expect(await group.isChecked()).toBe(true);
    },
  },
  {
    what: 'See why a tester cannot install',
    clicks: 3,
    person: 'olga',
    work: async ({ page, click }) => {
      await click(app(page));
      await click(link(page, /^Why can’t someone install/));
      await click(link(page, 'tess'));
      await sees(page, /^Last visit/);
    },
  },
  {
    what: 'Set up an authenticator app, up to its code',
    person: 'nora',
    work: async ({ page, click }) => {
      await click(page.locator('.account > summary'));
      await click(link(page, 'Settings'));
      await click(link(page, 'Security'));
      await click(link(page, 'Set up app'));
      await page.locator('#code:focus').waitFor();
    },
  },
  {
    what: 'Add a webhook and test it',
    person: 'olga',
    work: async ({ page, click, type }) => {
      await click(app(page));
      await click(tab(page, 'Webhooks'));
      await type(page.locator('#url'), receiver.address);
      await click(button(page, 'Add webhook'));
      await click(button(page, 'Send test'));
      await page.getByRole('status').getByText('returned 204').waitFor();
    },
  },
  {
    what: 'Keep the newest builds only',
    person: 'olga',
    work: async ({ page, hand, click, type }) => {
      await click(app(page));
      await click(link(page, 'Retention'));
      const newest = page.locator('#newest');
      await newest.clear();
      await type(newest, hand === 'mouse' ? '50' : '60');
      await click(button(page, 'Preview'));
      await click(button(page, 'Save'));
      await sees(page, hand === 'mouse' ? /newest 50/ : /newest 60/);
    },
  },
  {
    what: 'Read feedback',
    person: 'olga',
    work: async ({ page, click }) => {
      await click(app(page));
      await click(tab(page, 'Feedback'));
      await sees(page, 'The map stays gray');
    },
  },
];

describe.skipIf(!hasChromium)(
  'tasks from the home page in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: TestService;
    const pages = new Map<string, Page>();

    beforeAll(async () => {
      receiver = await startWebhookReceiver();
      slipway = await startTestService({
        blobs: 'memory',
        settings: { SLIPWAY_HOOK_NETWORKS: '127.0.0.1' },
      });
      const key = await slipway.user('olga');
      const members: Record<string, string> = { olga: 'owner', tess: 'tester' };
      await slipway.user('tess');
      await slipway.user('nora');
      for (const hand of hands) {
        await slipway.user(`leaver-${hand}`);
        members[`leaver-${hand}`] = 'tester';
        for (const name of testersOf(hand)) await slipway.user(name);
      }
      await slipway.project('harbour', { members });
      for (const hand of hands) await addGroup(slipway, key, `Pilots ${hand}`);
      await publishBuilds(slipway, key);
    }, browserTimeoutMs);
    afterAll(async () => {
      for (const page of pages.values()) await page.context().close();
      await slipway?.close();
      await receiver?.close();
    });

    const openHome = async (person: string): Promise<Page> => {
      const options =
        person === 'tess' ? { userAgent: phones.android } : { viewport: { width: 1440, height: 900 } };
      const page = pages.get(person) ?? (await newPage(slipway, { person, ...options }));
      pages.set(person, page);
      page.setDefaultTimeout(8_000);
      await visit(page, '/');
      return page;
    };

    it.each(tasks.flatMap((task) => hands.map((hand) => ({ ...task, hand }))))(
      '$what takes few clicks with the $hand',
      async ({ person, work, hand, clicks = maxClicks }) => {
        const tools = createTools(await openHome(person), hand);
        await work(tools);
        expect(tools.clicks()).toBeLessThanOrEqual(clicks);
      },
    );
  },
);

function createTools(page: Page, hand: Hand): Tools & { clicks(): number } {
  let clicks = 0;
  const click = async (control: Locator) => {
    clicks++;
    if (hand === 'mouse') return control.click();
    await reach(control);
    await page.keyboard.press('Enter');
  };
  return {
    page,
    hand,
    clicks: () => clicks,
    click,
    press: async (key) => {
      clicks++;
      await page.keyboard.press(key);
    },
    type: async (field, text) => {
      if (hand === 'mouse') await field.focus();
      else await reach(field);
      await page.keyboard.insertText(text);
    },
    choose: async (field, { name, buffer }) => {
      const opened = page.waitForEvent('filechooser');
      if (hand === 'mouse') await click(field);
      else {
        clicks++;
        await reach(field);
        await page.keyboard.press('Space');
      }
      await (await opened).setFiles({ name, mimeType: '', buffer });
    },
  };
}

async function addGroup({ port }: TestService, key: string, name: string): Promise<void> {
  const headers = { ...bearer(key), 'Content-Type': 'application/json' };
  const answer = await send(port, '/api/v1/owners/harbour/groups', {
    method: 'POST',
    headers,
    body: JSON.stringify({ name }),
  });
  expect(answer.status).toBe(201);
}

/** Builds on one page, one of them installed by `tess`, and feedback. */
async function publishBuilds(slipway: TestService, key: string): Promise<void> {
  const testKey = createTestKey('ec');
  let result: UploadResult | undefined;
  for (let versionCode = 1; versionCode <= builds; versionCode++) {
    const apk = buildApk({ packageName, label: 'Tides', minSdk: 24, versionCode });
    result = await uploaded(slipway, {
      owner: 'harbour',
      key,
      file: signApk(apk, { v2: [{ key: testKey }] }),
      fields: { distribution_name: 'Beta', ...(versionCode === sought ? { commit } : {}) },
    });
    if (versionCode === sought) await install(slipway, result);
  }
  const page = await slipway.data.distributions.findPage(result?.distribution?.access_key ?? '');
  if (!page) throw new Error('there is no page');
  const feedback = {
    id: newIdentifier(Date.now()),
    appId: page.appId,
    buildId: page.buildId ?? '',
    pageId: page.id,
    pageName: page.name,
    text: 'The map stays gray',
    email: null,
    sender: null,
    device: 'Pixel 9',
    status: 'new',
    createdAt: Date.now(),
  } as const;
  await slipway.data.feedback.insert(feedback, []);
}

async function install(slipway: TestService, { distribution }: UploadResult): Promise<void> {
  const headers = { Accept: 'text/html', 'User-Agent': phones.android };
  const tess = await signIn(slipway, 'tess');
  const { file } = linksOf((await tess.get(`/distributions/${distribution?.access_key}`, { headers })).text);
  expect((await get(slipway, file ?? '', null, { headers })).status).toBe(200);
}
