/** The state of a distribution page: decided once, told by everything that shows the page. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  isInstallable,
  type PageConditions,
  type PageState,
  pageStateOf,
  pageStates,
} from '../../src/apps/distributions/page-state.ts';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { type BrowserSession, signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { send } from '../support/http-client.ts';
import { uploaded } from '../support/interface-client.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const now = Date.UTC(2026, 10, 25, 12);
const open: PageConditions = {
  active: true,
  access: 'unlisted',
  expiresAt: null,
  maxInstalls: null,
  installs: 3,
  networks: [],
  isServable: true,
};

describe('pageStateOf', () => {
  it.each<[PageState, Partial<PageConditions>]>([
    ['open', {}],
    ['open', { expiresAt: now + 1, maxInstalls: 4 }],
    ['passcode', { access: 'passcode' }],
    ['members', { access: 'members' }],
    ['members', { access: 'an unknown kind' }],
    ['groups', { access: 'groups' }],
    ['networks', { access: 'groups', networks: ['10.0.0.0/8'] }],
    ['not_yet', { networks: ['10.0.0.0/8'], isServable: false }],
    ['no_installs_left', { maxInstalls: 3, isServable: false }],
    ['expired', { expiresAt: now, maxInstalls: 3 }],
    ['closed', { active: false, expiresAt: now, maxInstalls: 3 }],
  ])('is %s with %o', (state, conditions) => {
    expect(pageStateOf({ ...open, ...conditions }, now)).toBe(state);
  });
});

const words: Readonly<Record<PageState, string>> = {
  closed: 'badge-plain">Closed',
  expired: 'badge-warning">Expired',
  no_installs_left: 'badge-warning">No installs left',
  not_yet: 'badge-warning">Not ready yet',
  networks: 'badge-good">Certain networks',
  groups: 'badge-good">Groups',
  members: 'badge-good">Members',
  passcode: 'badge-good">Passcode',
  open: 'badge-good">Open',
};

/** Visitors see the state as the title. */
const gates: Partial<Record<PageState, string>> = {
  closed: '<h1>This page is closed</h1>',
  expired: '<h1>This page has expired</h1>',
};

describe('the state of a page', () => {
  let slipway: TestService;
  let admin: BrowserSession;
  let key: string;
  let database: Database;
  const app = '/users/admin/platforms/android/apps/com.example.tides';

  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory', now: () => now });
    const { distribution } = await uploaded(slipway, {
      file: buildApk({ packageName: 'com.example.tides', versionName: '1.0' }),
      fields: { distribution_name: 'Beta' },
    });
    database = await openDatabase(slipway.config.database);
    key = distribution?.access_key ?? '';
    admin = await signIn(slipway, 'admin');
  });
  afterAll(async () => {
    await database?.close();
    await slipway?.close();
  });

  const become = async (state: PageState) => {
    const { data } = slipway;
    const { page } = (await data.distributions.findPageWithApp(key)) ?? {};
    if (!page) throw new Error('no page');
    const access = ['passcode', 'members', 'groups'].includes(state) ? (state as 'passcode') : 'unlisted';
    await data.pageSettings.saveRules(page.id, {
      ...page,
      access,
      passcodeHash: access === 'passcode' ? 'x' : null,
      active: state !== 'closed',
      expiresAt: state === 'expired' ? now - 1 : null,
      maxInstalls: state === 'no_installs_left' ? 1 : null,
      networks: state === 'networks' ? ['127.0.0.0/8', '::1/128'] : [],
      recount: false,
    });
    await database.queries.updateTable('distribution_pages').set({ installs: 1 }).execute();
    const apk_state = state === 'not_yet' ? 'converting' : null;
    await database.queries.updateTable('builds').set({ apk_state }).execute();
  };

  it.each(pageStates)('is %s on every page that shows it, and in the API', async (state) => {
    await become(state);
    const shows = async (path: string) => {
      const { text } = await admin.get(path);
      return /badge-\w+">(?!Android|1\.0|Live|Verified)[^<]+/.exec(text.slice(text.indexOf('<main')))?.[0];
    };
    const places = [
      ...[`${app}/pages`, `${app}/binaries/1`, `/distributions/${key}/settings`],
      ...(gates[state] ? [] : [`/distributions/${key}`]),
      // A closed page is not among those that an app offers.
      ...(state === 'closed' ? [] : [app]),
    ];
    for (const path of places) expect([path, await shows(path)]).toEqual([path, words[state]]);
    const visited = await admin.get(`/distributions/${key}`);
    expect(visited.text).toContain(gates[state] ?? words[state]);
    const listed = (await admin.get('/')).text.includes(`href="/distributions/${key}"`);
    expect(listed).toBe(isInstallable(state));
    const headers = { Authorization: `Bearer ${slipway.adminKey}` };
    const answer = await send(slipway.port, `/api/v1/pages/${key}`, { headers });
    expect(JSON.parse(answer.text)).toMatchObject({ state });
  });
});
