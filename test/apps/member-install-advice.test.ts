/** Advice to a signed-in member before an install: the advice of the distribution page, and their own registered devices. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BrowserSession, signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildIpa, createSigningIdentity } from '../support/build-ipa.ts';
import { get, uploaded } from '../support/interface-client.ts';
import { phones, setRules } from '../support/page-visits.ts';
import { signApk } from '../support/sign-apk.ts';
import { createTestKey } from '../support/test-key.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { readElements } from '../web/elements.ts';

const ipad =
  'Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
const mac =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15';
const instagram =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 330.0.0';
const listed = '00008110-000A1B2C3D4E5F60';
const unlisted = '00008120-00FFFFFFFFFFFFFF';
const packageName = 'com.example.adhoc';

describe('a member who opens a build for registered devices', () => {
  let slipway: TestService;
  let tess: BrowserSession;
  let key = '';
  const buildPath = `/users/harbour/platforms/ios/apps/${packageName}/binaries/1`;
  beforeAll(async () => {
    slipway = await startTestService({
      blobs: 'memory',
      settings: { SLIPWAY_URL: 'https://apps.example.com', SLIPWAY_TRUST_PROXY: '127.0.0.1' },
    });
    key = await slipway.user('dora');
    await slipway.user('tess');
    await slipway.project('harbour', { members: { dora: 'developer', tess: 'tester' } });
    tess = await signIn(slipway, 'tess');
    const identity = createSigningIdentity();
    const file = buildIpa({
      bundleIdentifier: packageName,
      identity,
      profile: { type: 'ad-hoc', identity, devices: [listed, 'someone-elses'] },
    });
    await uploaded(slipway, { owner: 'harbour', key, file });
    await slipway.service.outbox.idle();
  });
  afterAll(() => slipway?.close());
  beforeEach(async () => {
    for (const { device } of await slipway.data.devices.devicesOfUser(await idOf('tess'), 99)) {
      await slipway.data.devices.deleteDevice(device.ownerId, device.id);
    }
  });

  const idOf = async (name: string) => (await slipway.data.owners.findOwner(name))?.id ?? '';
  const register = async (udid: string, product: string, by = 'tess') => {
    const pageId = (await slipway.data.distributions.findPage(await pageKey()))?.id ?? '';
    const device = { ownerId: await idOf('harbour'), udid, name: '', product, osVersion: '' };
    const registrant = { userId: await idOf(by), browser: `${by} ${udid}`, pageId };
    await slipway.data.devices.putDevice({ ...device, ...registrant, now: 1 }, 99);
  };
  let page = '';
  /** A page that serves another build of the app. */
  const pageKey = async () => {
    if (page !== '') return page;
    const file = buildIpa({ bundleIdentifier: packageName, version: '2' });
    const sent = await uploaded(slipway, {
      ...{ owner: 'harbour', key, file },
      fields: { distribution_name: 'beta' },
    });
    page = sent.distribution?.access_key ?? '';
    return page;
  };
  const open = async (userAgent: string, path = buildPath, headers: Record<string, string> = {}) =>
    (await tess.get(path, { headers: { 'User-Agent': userAgent, ...headers } })).text;
  const adviceIn = (html: string) => {
    const [panel = ''] = /<section class="panel member-install"[\s\S]*?<\/section>/.exec(html) ?? [];
    const elements = readElements(panel);
    const find = (name: string) =>
      elements.find(({ attributes }) => attributes.get('class')?.split(' ').includes(name))?.text.trim();
    const link = elements.find(({ attributes }) => attributes.has('data-install'));
    return { title: find('callout-title'), line: find('device-line'), button: link?.text };
  };

  it('installs on the only iPhone they registered if the profile includes it', async () => {
    await register(listed, 'iPhone15,4');
    expect(adviceIn(await open(phones.iphone))).toEqual({
      title: undefined,
      line: 'Signed for this iPhone',
      button: 'Install',
    });
  });

  it('is refused like on the distribution page if the profile includes none of their iPhones', async () => {
    await register(unlisted, 'iPhone15,4');
    await register('00008120-00EEEEEEEEEEEEEE', 'iPhone16,1');
    const html = await open(phones.iphone);
    expect(adviceIn(html)).toEqual({
      title: 'This iPhone cannot install it',
      line: 'Check this device again',
      button: 'Install anyway',
    });
    expect(html).toContain('The provisioning profile of this build does not include this device.');
    expect(html).toContain('Ask the developer to add this device and upload a new build.');
    expect(html).toContain(`href="/distributions/${page}/device"`);
  });

  it('is not refused if it may be the one of several iPhones that the profile includes', async () => {
    await register(unlisted, 'iPhone15,4');
    await register(listed, 'iPhone16,1');
    const { title, line, button } = adviceIn(await open(phones.iphone));
    expect([title, button]).toEqual([undefined, 'Install']);
    expect(line).toMatch(/^Only for 2 registered devices\.\s+Check your device$/);
  });

  it('is asked to check the device if they registered none of its kind', async () => {
    await pageKey();
    const unknown = /^Only for 2 registered devices\.\s+Check your device$/;
    expect(adviceIn(await open(phones.iphone)).line).toMatch(unknown);
    await register(unlisted, 'iPhone15,4');
    expect(adviceIn(await open(ipad))).toMatchObject({ title: undefined, button: 'Install' });
    expect(adviceIn(await open(ipad)).line).toMatch(unknown);
    expect(adviceIn(await open(phones.iphone)).button).toBe('Install anyway');
  });

  it('gets no link to a registration that does not admit them', async () => {
    await setRules(slipway, await pageKey(), { access: 'groups' });
    expect(adviceIn(await open(phones.iphone)).line).toBe('Only for 2 registered devices.');
    await setRules(slipway, page, { access: 'members', active: false });
    expect(adviceIn(await open(phones.iphone)).line).toBe('Only for 2 registered devices.');
    await setRules(slipway, page, { active: true });
    expect(adviceIn(await open(phones.iphone)).line).toContain('Check your device');
    await setRules(slipway, page, { access: 'unlisted' });
  });

  it('is judged by their own devices, not by those of others', async () => {
    await slipway.user('tom');
    await register(unlisted, 'iPhone15,4', 'tom');
    expect(adviceIn(await open(phones.iphone)).button).toBe('Install');
  });

  it('learns on a computer how many devices it is for, and can install if the computer is an iPad', async () => {
    await register(unlisted, 'iPhone15,4');
    const html = await open(mac);
    expect(html).toContain('Only for 2 registered devices.');
    const touch = readElements(html).filter(({ attributes }) => attributes.has('data-touch'));
    expect(touch.map(({ attributes }) => attributes.has('hidden'))).toEqual([false, true, false]);
    expect(touch[1]?.text).toContain('Install');
    expect(html).toContain('Is this an iPad?');
  });

  it('is told to leave the browser of an app, with the link to copy', async () => {
    const html = await open(instagram);
    expect(adviceIn(html)).toMatchObject({ title: 'Open this page in Safari', button: 'Install anyway' });
    expect(html).toContain(`data-copy-link="https://apps.example.com${buildPath}"`);
  });

  it('is told that Android is too old from the hint that Chrome sends after the first visit', async () => {
    const apk = buildApk({ packageName: 'com.example.new', minSdk: 34 });
    const file = signApk(apk, { v2: [{ key: createTestKey('ec') }] });
    await uploaded(slipway, { owner: 'harbour', key, file });
    await slipway.service.outbox.idle();
    const path = '/users/harbour/platforms/android/apps/com.example.new';
    const answer = await tess.get(path, { headers: { 'User-Agent': phones.android } });
    expect(answer.headers['accept-ch']).toBe('Sec-CH-UA-Platform-Version, Sec-CH-UA-Model');
    expect(adviceIn(answer.text).button).toBe('Install');
    const html = await open(phones.android, path, { 'Sec-CH-UA-Platform-Version': '"13.0.0"' });
    expect(adviceIn(html)).toMatchObject({ title: 'This phone cannot install it', button: 'Install anyway' });
    const byKey = await get(slipway, path, key, { headers: { 'User-Agent': phones.android } });
    expect(byKey.headers['accept-ch']).toBe('Sec-CH-UA-Platform-Version');
  });
});
