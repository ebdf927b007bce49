/** Why a tester or a device can or cannot install: the answers are those of the page that the tester opens. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PageRules } from '../../src/distributions/distribution-page.ts';
import { type BrowserSession, signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildIpa, createSigningIdentity } from '../support/build-ipa.ts';
import { json } from '../support/http-client.ts';
import { bearer, get, uploaded } from '../support/interface-client.ts';
import { findPage, phones, setRules } from '../support/page-visits.ts';
import { signApk } from '../support/sign-apk.ts';
import { createTestKey } from '../support/test-key.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

interface InstallCheckJson {
  installable: boolean | null;
  next_step: string;
  user: string | null;
  device: { id: string } | null;
  checks: { check: string; state: string; reason: string | null; text: string }[];
  last_refusal: { reason: string; system: string } | null;
}

const origin = 'https://apps.example.test';
const listed = '00008110-000A1C2E3D41801E';
const unlisted = '00008110-000A1C2E3D41801F';
const open: Partial<PageRules> = {
  active: true,
  access: 'members',
  expiresAt: null,
  maxInstalls: null,
  networks: [],
};

describe('the install check of a page', () => {
  let slipway: TestService;
  let key = '';
  let tess: BrowserSession;
  let dora: BrowserSession;
  let clock = Date.UTC(2026, 10, 20, 9);
  const pages = { android: '', ios: '' };
  const identity = createSigningIdentity();
  beforeAll(async () => {
    slipway = await startTestService({
      blobs: 'memory',
      now: () => clock,
      settings: { SLIPWAY_URL: origin, SLIPWAY_TRUST_PROXY: '127.0.0.1' },
    });
    key = await slipway.user('dora');
    for (const name of ['tess', 'sam']) await slipway.user(name);
    await slipway.project('harbour', { members: { dora: 'developer', tess: 'tester' } });
    [tess, dora] = [await signIn(slipway, 'tess'), await signIn(slipway, 'dora')];
    const apk = signApk(buildApk({ packageName: 'com.example.boat', minSdk: 28 }), {
      v2: [{ key: createTestKey() }],
    });
    const ipa = buildIpa({
      bundleIdentifier: 'com.example.boat',
      identity,
      profile: { devices: [listed], identity },
    });
    for (const [platform, file] of [
      ['android', apk],
      ['ios', ipa],
    ] as const) {
      const fields = { distribution_name: 'Crew' };
      const { distribution } = await uploaded(slipway, { owner: 'harbour', key, file, fields });
      pages[platform] = distribution?.access_key ?? '';
    }
  });
  afterAll(() => slipway.close());

  const idOf = async (name: string) => (await slipway.data.owners.findOwner(name))?.id ?? '';
  const check = async (page: string, query: string) => {
    const answer = await get(slipway, `/api/v1/pages/${page}/install-check?${query}`, null, {
      headers: bearer(key),
    });
    expect(answer.status, answer.text).toBe(200);
    return json<InstallCheckJson>(answer);
  };
  const refusedBy = ({ checks }: InstallCheckJson) => checks.find(({ state }) => state === 'refused');
  const stateOf = ({ checks }: InstallCheckJson, name: string) =>
    checks.find((one) => one.check === name)?.state;
  const addDevice = async (udid: string, person: string | null, osVersion = '22B83') => {
    const device = await slipway.data.devices.putDevice(
      {
        ownerId: await idOf('harbour'),
        udid,
        name: '',
        product: 'iPhone14,5',
        osVersion,
        userId: person === null ? null : await idOf(person),
        browser: `browser-${udid}-${person}`,
        pageId: (await findPage(slipway, pages.ios)).id,
        now: clock,
      },
      99,
    );
    return device?.id ?? '';
  };
  const visit = (page: string, userAgent: string = phones.android) =>
    tess.get(`/distributions/${page}`, { headers: { 'User-Agent': userAgent, Accept: 'text/html' } });

  it.each<[string, Partial<PageRules>, string, string]>([
    ['is closed', { active: false }, 'closed', 'Open the page in its settings.'],
    ['has expired', { expiresAt: 1 }, 'expired', 'Set a later expiry in the settings of the page.'],
    ['admits other groups', { access: 'groups' }, 'no-access', 'Add tess to a group of the page.'],
    [
      'has no installs left',
      { maxInstalls: 0 },
      'install-limit',
      'Raise the install limit, or reset the install count.',
    ],
  ])('names the reason that the tester meets when a page %s', async (_, rules, reason, step) => {
    await setRules(slipway, pages.android, { ...open, ...rules });
    await visit(pages.android);
    await expect
      .poll(async () => (await check(pages.android, 'user=tess')).last_refusal)
      .toMatchObject({ reason, system: 'Android' });
    const found = await check(pages.android, 'user=TESS');
    expect(refusedBy(found)?.reason).toBe(reason);
    expect(found).toMatchObject({ installable: false, user: 'tess', next_step: step });
    await setRules(slipway, pages.android, open);
    expect(await check(pages.android, 'user=tess')).toMatchObject({
      installable: null,
      last_refusal: { reason },
    });
  });

  it('names every reason at once, and the first one first', async () => {
    await setRules(slipway, pages.android, { ...open, access: 'groups', active: false, maxInstalls: 0 });
    const refused = (await check(pages.android, 'user=tess')).checks.filter(
      ({ state }) => state === 'refused',
    );
    expect(refused.map(({ reason }) => reason)).toEqual(['closed', 'no-access', 'install-limit']);
    // The group does not bind people who manage the page.
    const manager = await check(pages.android, 'user=dora');
    expect(stateOf(manager, 'group')).toBe('unneeded');
    expect(stateOf(manager, 'membership')).toBe('passed');
    await setRules(slipway, pages.android, open);
  });

  it('does not know from which network someone visits', async () => {
    await setRules(slipway, pages.android, { ...open, networks: ['10.0.0.0/8'] });
    const found = await check(pages.android, 'user=tess');
    expect(stateOf(found, 'network')).toBe('unknown');
    expect(found.installable).toBeNull();
    await visit(pages.android);
    await expect
      .poll(async () => (await check(pages.android, 'user=tess')).last_refusal?.reason)
      .toBe('wrong-network');
    await setRules(slipway, pages.android, open);
  });

  it('compares the system of the last visit with what the build needs', async () => {
    const old =
      'Mozilla/5.0 (Linux; Android 8.1.0; SM-G930F) AppleWebKit/537.36 Chrome/90.0.0.0 Mobile Safari/537.36';
    clock += 60_000;
    await visit(pages.android, old);
    await expect
      .poll(async () => (await check(pages.android, 'user=tess')).last_refusal)
      .toMatchObject({ reason: 'too-old', system: 'Android 8' });
    const found = await check(pages.android, 'user=tess');
    expect(refusedBy(found)).toMatchObject({ check: 'system', reason: 'too-old' });
    expect(refusedBy(found)?.text).toContain('Android 8');
  });

  it('looks for the devices of the person in the profile', async () => {
    await setRules(slipway, pages.ios, open);
    const none = await check(pages.ios, 'user=tess');
    expect(stateOf(none, 'profile')).toBe('unknown');
    expect(none.next_step).toContain('Ask tess to register');
    const other = await addDevice(unlisted, 'tess');
    const missing = await check(pages.ios, 'user=tess');
    expect(refusedBy(missing)).toMatchObject({ check: 'profile', reason: 'not-listed' });
    expect(missing.next_step).toContain('provisioning profile');
    clock += 60_000;
    const fits = await addDevice(listed, 'tess');
    expect(await check(pages.ios, 'user=tess')).toMatchObject({ installable: true, device: { id: fits } });
    // A device leads to the person who registered it.
    expect(await check(pages.ios, `device=${other}`)).toMatchObject({ user: 'tess', installable: false });
    const outdated = await addDevice('00008110-000A1C2E3D418020', null, '18H107');
    const anonymous = await check(pages.ios, `device=${outdated}`);
    expect(anonymous.user).toBeNull();
    expect(stateOf(anonymous, 'membership')).toBe('unknown');
    expect(refusedBy(anonymous)?.reason).toBe('not-listed');
    expect(stateOf(anonymous, 'system')).toBe('refused');
  });

  it('reveals no account outside, and is only for people who manage the page', async () => {
    const rename = (text: string, name: string) => text.replaceAll(name, 'NAME');
    const asked = async (name: string) =>
      rename(JSON.stringify(await check(pages.ios, `user=${name}`)), name);
    expect(await asked('sam')).toBe(await asked('nobody'));
    expect((await check(pages.ios, 'user=sam')).checks).toContainEqual(
      expect.objectContaining({ check: 'membership', state: 'refused', reason: 'no-access' }),
    );
    const path = `/distributions/${pages.ios}/settings/check-install`;
    for (const query of ['', '?person=tess', '?part=choices']) {
      expect((await tess.get(`${path}${query}`)).status).toBe(404);
      expect((await dora.get(`${path}${query}`)).status).toBe(200);
    }
    const api = `/api/v1/pages/${pages.ios}/install-check`;
    const sam = await slipway.user('sue');
    expect((await get(slipway, `${api}?user=tess`, null, { headers: bearer(sam) })).status).toBe(404);
    for (const query of ['', '?device=00000000000000000000000000', `?user=${'x'.repeat(300)}`])
      expect((await get(slipway, `${api}${query}`, null, { headers: bearer(key) })).status, query).toBe(
        query.includes('device') ? 404 : 400,
      );
  });

  it('records refusals of members and devices only, and forgets those who lost access', async () => {
    await setRules(slipway, pages.android, { ...open, active: false });
    const sam = await signIn(slipway, 'sam');
    await sam.get(`/distributions/${pages.android}`);
    await get(slipway, `/distributions/${pages.android}`);
    await visit(pages.android);
    const { id } = await findPage(slipway, pages.android);
    const refused = async () => slipway.data.refusedVisits.listRefused(id, 9);
    await expect
      .poll(async () => (await refused()).map(({ userName, refusal }) => [userName, refusal.reason]))
      .toEqual([['tess', 'closed']]);
    // Nothing about them is stored, even if they get access later.
    expect(
      await slipway.data.refusedVisits.findLast(id, { userId: await idOf('sam'), deviceId: null }),
    ).toBeNull();
    const choices = (await dora.get(`/distributions/${pages.android}/settings/check-install`)).text;
    expect(choices).toContain('Recently refused');
    expect(choices).toContain('The page was closed');
    await slipway.data.owners.removeTeamMember(await idOf('harbour'), 'tester', await idOf('tess'));
    expect(await refused()).toEqual([]);
    await slipway.data.refusedVisits.deleteBefore(clock + 1);
    expect(
      await slipway.data.refusedVisits.findLast(id, { userId: await idOf('tess'), deviceId: null }),
    ).toBeNull();
  });

  it('leads from a closed page to the settings that open it', async () => {
    await setRules(slipway, pages.ios, { ...open, active: false });
    const { text } = await dora.get(`/distributions/${pages.ios}/settings/check-install?person=dora`);
    expect(text).toContain(`href="/distributions/${pages.ios}/settings/access"`);
    await setRules(slipway, pages.ios, open);
  });

  it('leads from a result to the place of the one thing to do', async () => {
    const text = (await dora.get(`/distributions/${pages.ios}/settings/check-install?person=sam`)).text;
    expect(text).toContain('sam can’t install');
    expect(text).toContain('Give sam access to the app.');
    expect(text).toContain('href="/organizations/harbour/people"');
    const found = (
      await dora.get(`/distributions/${pages.ios}/settings/check-install?part=choices&q=${listed}`)
    ).text;
    expect(found).toContain(listed);
    expect(found).not.toContain(unlisted);
  });
});
