/** Device registration as iOS performs it, and protection against unauthorized and invalid requests. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxDeviceResponseBytes } from '../../src/devices/device-response.ts';
import { deviceStepLifetimeMs } from '../../src/distributions/access/device-tokens.ts';
import { postForm, signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildIpa, createSigningIdentity, type IpaSpec } from '../support/build-ipa.ts';
import { chunkedBody, openRaw, rawRequest } from '../support/http-client.ts';
import { get, uploaded } from '../support/interface-client.ts';
import { findPage, phones, setRules } from '../support/page-visits.ts';
import {
  attributesFor,
  fetchProfile,
  iphone13,
  postAnswer,
  registerLikeIos,
  signAnswer,
  testUdid,
} from '../support/profile-service-peer.ts';
import { hashCheaply, startTestService, type TestService } from '../support/test-service.ts';

const origin = 'https://apps.example.test';
const desktop =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';
const ipad =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15';
const chromeOnIphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/131.0.0.0 Mobile/15E148 Safari/604.1';

describe('device registration', () => {
  let slipway: TestService;
  let clock = Date.now();
  const identity = createSigningIdentity({ commonName: 'Apple Distribution: Test' });

  beforeAll(async () => {
    slipway = await startTestService({
      blobs: 'memory',
      settings: { SLIPWAY_URL: origin, SLIPWAY_TRUST_PROXY: '127.0.0.1' },
      limits: { deviceResponsesPerHour: 1000 },
      now: () => clock,
    });
    await slipway.user('tess');
    await slipway.user('mona');
    await slipway.project('phones', { members: { mona: 'tester' } });
  });
  afterAll(() => slipway.close());

  let pages = 0;
  const publish = async (spec: IpaSpec = {}, owner = 'admin'): Promise<string> => {
    pages += 1;
    const file = buildIpa({ identity, profile: { devices: [] }, name: 'Tide & <Watch>', ...spec });
    const result = await uploaded(slipway, {
      file,
      owner,
      fields: { distribution_name: `page ${pages}` },
      ...(owner === 'admin' ? {} : { key: await slipway.projectKey(owner) }),
    });
    return result.distribution?.access_key ?? '';
  };
  const ownerId = async (name: string) => (await slipway.data.owners.findOwner(name))?.id ?? '';
  const devicesOf = async (name: string) => slipway.data.devices.allDevices(await ownerId(name), 100);
  const deviceWith = async (name: string, wanted: string) =>
    (await devicesOf(name)).find((one) => one.udid === wanted) ?? null;
  const rememberDevices = async () => JSON.stringify([await devicesOf('admin'), await devicesOf('phones')]);
  const visit = (key: string, headers: Record<string, string> = {}, rest = '') =>
    get(slipway, `/distributions/${key}/device${rest}`, null, {
      headers: { Accept: 'text/html', 'User-Agent': phones.iphone, ...headers },
    });
  /** Follows the 301 as Safari does; returns the page and the cookie. */
  const follow = async (location: string | undefined, headers: Record<string, string> = {}) => {
    expect(location).toMatch(new RegExp(`^${origin}/distributions/[0-9a-f]{40}/device/[\\w.-]+$`));
    const page = await get(slipway, location ?? '', null, {
      headers: { Accept: 'text/html', 'User-Agent': phones.iphone, ...headers },
    });
    // A link started in another browser does not bind this browser.
    expect(page.headers['set-cookie']).toBeUndefined();
    return { page };
  };
  const cookiePart = (cookie: string) => ({ Cookie: cookie.split(';')[0] ?? '' });
  const udid = (last: number) => `00008110-${last.toString(16).padStart(16, '0').toUpperCase()}`;

  it('requests exactly four attributes, in a profile that names the page and the owner', async () => {
    const key = await publish();
    const { answer, profile } = await fetchProfile(slipway, key);
    expect(answer.headers['cache-control']).toBe('private, no-store');
    expect(profile).toMatchObject({
      PayloadType: 'Profile Service',
      PayloadVersion: 1,
      PayloadOrganization: 'admin',
      PayloadDisplayName: 'Register for Tide & <Watch>',
    });
    expect(profile.PayloadContent.DeviceAttributes).toEqual(['UDID', 'PRODUCT', 'VERSION', 'DEVICE_NAME']);
    const { URL: address, Challenge: challenge } = profile.PayloadContent;
    expect(address).toBe(`${origin}/distributions/${key}/device?challenge=${challenge}`);
    expect(profile.PayloadUUID).toMatch(
      /^[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}$/,
    );
    const again = (await fetchProfile(slipway, key)).profile;
    expect([again.PayloadUUID, again.PayloadIdentifier]).toEqual([
      profile.PayloadUUID,
      profile.PayloadIdentifier,
    ]);
    const other = (await fetchProfile(slipway, await publish())).profile;
    expect(other.PayloadUUID).not.toBe(profile.PayloadUUID);
  });

  it('registers the device, redirects Safari with a 301 and reports that the profile lacks the device', async () => {
    const key = await publish();
    const answer = await registerLikeIos(slipway, key);
    expect(answer.status).toBe(301);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['set-cookie']).toBeUndefined();
    const [device] = await devicesOf('admin');
    expect(device).toMatchObject({
      udid: testUdid,
      product: 'iPhone14,5',
      osVersion: '22B83',
      name: 'Mina’s iPhone',
      userId: null,
      pageId: (await findPage(slipway, key)).id,
      createdAt: clock,
    });
    const { page } = await follow(answer.headers.location);
    const { cookie } = answer;
    expect(page.status).toBe(200);
    expect(page.text).toContain('Registered. Waiting for the developer');
    expect(page.text).toContain('iPhone 13 (iPhone14,5)');
    expect(page.text).toContain(testUdid);
    expect(cookie).toMatch(
      /^__Secure-slipway_device=[\w.-]+; Max-Age=31536000; Path=\/distributions; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect((await visit(key, cookiePart(cookie))).text).toContain('Registered. Waiting for the developer');
    expect((await visit(key)).text).toContain('Register this iPhone');
  });

  it('reports immediately whether the build installs on the device', async () => {
    const device = { ...iphone13, UDID: udid(1) };
    const verdict = async (
      spec: IpaSpec,
      answer: Record<string, string> = device,
      agent: string = phones.iphone,
    ) => {
      const { location } = (await registerLikeIos(slipway, await publish(spec), answer)).headers;
      return (await follow(location, { 'User-Agent': agent })).page.text;
    };
    const listed = { devices: [udid(1).toLowerCase(), testUdid] };
    expect(await verdict({ profile: listed })).toContain('You can install this build on this iPhone');
    expect(await verdict({ profile: { type: 'enterprise' } })).toContain(
      'You can install this build on this iPhone',
    );
    expect(await verdict({ profile: { type: 'development', ...listed } })).toContain(
      'You can install this build on this iPhone',
    );
    expect(await verdict({ profile: { type: 'app-store' } })).toContain('signed for the App Store');
    const newer = await verdict({ profile: listed, minimumOsVersion: '26.0' });
    expect(newer).toContain('You cannot install this build on this iPhone');
    expect(newer).toContain('The build requires iOS 26.0 or newer, but this device runs iOS 17.5.1.');
    // If the browser does not state its system, that of the device response is used.
    const chrome = await verdict({ profile: listed, minimumOsVersion: '18.2' }, device, desktop);
    expect(chrome).toContain('The build requires iOS 18.2 or newer, but this device runs iOS 18.1.');
    expect(await verdict({ profile: listed, deviceFamilies: [2] })).toContain('The build is for iPad');
    const tablet = { ...device, PRODUCT: 'iPad14,1' };
    expect(await verdict({ profile: listed, deviceFamilies: [1] }, tablet)).toContain(
      'You can install this build on this iPad',
    );
    const late = { ...listed, expiresAt: new Date(clock - 1000) };
    expect(await verdict({ profile: late })).toContain('The provisioning profile expired');
  });

  it('records the signed-in user, and keeps that user when another registers the device', async () => {
    const key = await publish();
    const device = { ...iphone13, UDID: udid(2) };
    const find = async () => deviceWith('admin', udid(2));
    const session = await signIn(slipway, 'tess');
    const registered = await registerLikeIos(slipway, key, device, { Cookie: session.cookie });
    expect(registered.status).toBe(301);
    const first = await find();
    expect(first?.userId).toBe(await ownerId('tess'));
    clock += 5000;
    const other = await publish();
    const reencrypt = { ...device, VERSION: '23A341', DEVICE_NAME: 'Somebody else' };
    // Signed out in the same browser.
    const again = await registerLikeIos(slipway, other, reencrypt, cookiePart(registered.cookie));
    expect(again.status).toBe(301);
    expect(await find()).toEqual({
      ...first,
      osVersion: '23A341',
      pageId: (await findPage(slipway, other)).id,
      updatedAt: clock,
    });
  });

  it('never shows or reassigns registrations of another browser', async () => {
    const key = await publish();
    const device = { ...iphone13, UDID: udid(20), DEVICE_NAME: 'Secret name' };
    await registerLikeIos(slipway, key, device);
    const before = await deviceWith('admin', udid(20));
    const tess = await signIn(slipway, 'tess');
    clock += 5000;
    const forged = { ...device, DEVICE_NAME: 'Forged', PRODUCT: 'iPad14,1', VERSION: '23A341' };
    for (const headers of [{ Cookie: '' }, { Cookie: tess.cookie }]) {
      const { headers: answered, cookie } = await registerLikeIos(slipway, key, forged, headers);
      const { page } = await follow(answered.location);
      expect(page.text).not.toContain('Secret name');
      // A forged registration for another owner's page does not affect this one.
      expect((await visit(await publish({}, 'phones'), cookiePart(cookie))).text).toContain(
        'device.mobileconfig',
      );
    }
    expect((await devicesOf('admin')).find(({ id }) => id === before?.id)).toEqual(before);
    const own = (await tess.get('/settings/devices')).text;
    expect([own.includes('Secret name'), own.includes('Forged')]).toEqual([false, true]);
    const { get: open } = await signIn(slipway, 'admin');
    const list = await open('/users/admin/devices');
    expect(list.text.split('Registered more than once').length - 1).toBeGreaterThanOrEqual(3);
    // The list for Apple has the UDID once, under the name of the first registration.
    const lines = (await open('/users/admin/devices.txt')).text.split('\n');
    expect(lines.filter((line) => line.startsWith(udid(20)))).toEqual([`${udid(20)}\tSecret name\tios`]);
  });

  it('assigns an anonymous registration to the person who signs in with the same browser', async () => {
    const key = await publish();
    const device = { ...iphone13, UDID: udid(21) };
    const { cookie } = await registerLikeIos(slipway, key, device);
    const tess = await signIn(slipway, 'tess');
    const both: Record<string, string> = { Cookie: `${tess.cookie}; ${cookiePart(cookie).Cookie}` };
    await registerLikeIos(slipway, key, device, both);
    clock += 1;
    // Another person who uses the same browser gets a separate registration.
    const mona = await signIn(slipway, 'mona');
    await registerLikeIos(slipway, key, device, { Cookie: `${mona.cookie}; ${cookiePart(cookie).Cookie}` });
    const users = (await devicesOf('admin')).filter(({ udid: one }) => one === udid(21));
    expect(users.map(({ userId }) => userId)).toEqual([await ownerId('tess'), await ownerId('mona')]);
  });

  it('keeps separate registrations per owner, and recognizes the device on the pages of both', async () => {
    const device = { ...iphone13, UDID: udid(3) };
    const first = await registerLikeIos(slipway, await publish(), device);
    const { cookie } = first;
    const key = await publish({ profile: { devices: [udid(3)] } }, 'phones');
    const elsewhere = await visit(key, cookiePart(cookie));
    expect(elsewhere.text).toContain('You can install this build on this iPhone');
    expect(elsewhere.text).toContain('device.mobileconfig');
    expect(await devicesOf('phones')).toEqual([]);
    await registerLikeIos(slipway, key, device, cookiePart(cookie));
    expect((await devicesOf('phones')).map((one) => one.udid)).toEqual([udid(3)]);
    expect((await visit(key, cookiePart(cookie))).text).not.toContain('device.mobileconfig');
  });

  it('shows each browser the steps that work for it', async () => {
    const key = await publish();
    const page = async (agent: string) => (await visit(key, { 'User-Agent': agent })).text;
    const button = 'device.mobileconfig';
    expect(await page(phones.iphone)).toContain(button);
    expect(await page(phones.iphone)).not.toContain('class="qr"');
    expect(await page(desktop)).not.toContain(button);
    expect(await page(desktop)).toContain('class="qr"');
    expect(await page(ipad)).toContain(button);
    expect(await page(ipad)).toContain('class="qr"');
    expect(await page(chromeOnIphone)).toContain('Open this page in Safari');
    expect(await page(chromeOnIphone)).not.toContain(button);
  });

  it('returns 404 for Android pages and missing pages', async () => {
    const { distribution } = await uploaded(slipway, {
      file: buildApk(),
      fields: { distribution_name: 'a' },
    });
    for (const key of [distribution?.access_key ?? '', 'f'.repeat(40)]) {
      for (const rest of ['', '.mobileconfig', '/a.b.c'])
        expect((await visit(key, {}, rest)).status).toBe(404);
      expect((await postAnswer(slipway, `/distributions/${key}/device`, signAnswer(iphone13))).status).toBe(
        404,
      );
    }
  });

  it('rejects a challenge that is missing, invalid, expired or from another page', async () => {
    const key = await publish();
    const { profile } = await fetchProfile(slipway, key);
    const foreign = (await fetchProfile(slipway, await publish())).profile.PayloadContent;
    const { Challenge: challenge } = profile.PayloadContent;
    const body = signAnswer(attributesFor(profile, { ...iphone13, UDID: udid(4) }));
    const before = await rememberDevices();
    const statusOf = async (query: string, sent = body) =>
      (await postAnswer(slipway, `/distributions/${key}/device${query}`, sent)).status;
    expect(await statusOf('')).toBe(404);
    expect(await statusOf('?challenge=')).toBe(404);
    // The last character contains unused bits, so another one is changed.
    const broken = challenge.replace(/[\w-](?=[\w-]{42}$)/, (first) => (first === 'A' ? 'B' : 'A'));
    expect(await statusOf(`?challenge=${broken}`)).toBe(404);
    expect(await statusOf(`?challenge=${challenge}&challenge=${challenge}`)).toBe(404);
    expect(await statusOf(`?challenge=${foreign.Challenge}`)).toBe(404);
    // The tokens of the result and of the cookie are signed for other purposes.
    const other = await registerLikeIos(slipway, key);
    const { cookie } = other;
    for (const text of [other.headers.location?.split('/').at(-1), cookie.split(/[=;]/)[1]]) {
      expect(await statusOf(`?challenge=${text}`)).toBe(404);
    }
    const mixed = signAnswer({ ...iphone13, UDID: udid(4), CHALLENGE: foreign.Challenge });
    expect(await statusOf(`?challenge=${challenge}`, mixed)).toBe(400);
    clock += deviceStepLifetimeMs;
    const late = await postAnswer(slipway, profile.PayloadContent.URL, body);
    expect([late.status, late.text]).toEqual([403, expect.stringContaining('after 15 minutes')]);
    expect((await devicesOf('admin')).some((one) => one.udid === udid(4))).toBe(false);
    expect(JSON.parse(before)[1]).toEqual(await devicesOf('phones'));
  });

  it('rejects an unsigned response with a clear message, and stores nothing', async () => {
    const key = await publish();
    const { profile } = await fetchProfile(slipway, key);
    const device = attributesFor(profile, { ...iphone13, UDID: udid(5) });
    const before = await rememberDevices();
    const rows = await slipway.data.builds.countRows();
    const refused = async (body: Buffer, headers: Record<string, string> = {}) => {
      const answer = await postAnswer(slipway, profile.PayloadContent.URL, body, headers);
      return [answer.status, (JSON.parse(answer.text) as { message: string }).message];
    };
    const whole = signAnswer(device, { indefiniteLengths: false });
    const damaged = Buffer.from(whole);
    damaged.writeUInt8(damaged.readUInt8(damaged.length - 5) ^ 1, damaged.length - 5);
    expect(await refused(damaged)).toEqual([400, expect.stringContaining('does not match its certificate')]);
    expect(await refused(Buffer.from('hello'))).toEqual([400, 'the device response is not signed']);
    expect(await refused(Buffer.alloc(0))).toEqual([400, 'the device response is missing']);
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    expect(await refused(whole, form)).toEqual([400, expect.stringContaining('pkcs7-signature')]);
    expect(await refused(whole, { 'Content-Type': 'application/octet-stream' })).toEqual([
      400,
      expect.stringContaining('pkcs7-signature'),
    ]);
    expect(await refused(signAnswer({ ...device, UDID: 7 }))).toEqual([
      400,
      expect.stringContaining('contains no device UDID'),
    ]);
    expect(await refused(signAnswer({ ...device, UDID: '8B4C1A52-0F5B-4A8C-9E38-0E6F5A3F2D11' }))).toEqual([
      400,
      expect.stringContaining('simulator'),
    ]);
    expect(await refused(signAnswer({ ...device, PRODUCT: 'Mac14,2' }))).toEqual([
      400,
      expect.stringContaining('only iPhone'),
    ]);
    expect(await rememberDevices()).toBe(before);
    expect(await slipway.data.builds.countRows()).toEqual(rows);
    expect((await postAnswer(slipway, profile.PayloadContent.URL, whole)).status).toBe(301);
  });

  it(`accepts at most ${maxDeviceResponseBytes} bytes, with or without a content length`, async () => {
    const key = await publish();
    const { profile } = await fetchProfile(slipway, key);
    const device = attributesFor(profile, { ...iphone13, UDID: udid(6) });
    const empty = signAnswer({ ...device, DEVICE_NAME: '' }, { indefiniteLengths: false }).length;
    const padded = signAnswer(
      { ...device, DEVICE_NAME: 'x'.repeat(maxDeviceResponseBytes - empty - 100) },
      { indefiniteLengths: false },
    );
    const exact = Buffer.concat([padded, Buffer.alloc(maxDeviceResponseBytes - padded.length)]);
    const { URL: address } = profile.PayloadContent;
    expect((await postAnswer(slipway, address, exact)).status).toBe(301);
    const before = await rememberDevices();
    const over = Buffer.concat([exact, Buffer.alloc(1)]);
    expect((await postAnswer(slipway, address, over)).status).toBe(413);
    const connection = await openRaw(slipway.port);
    const headers = { 'Content-Type': 'application/pkcs7-signature', 'Transfer-Encoding': 'chunked' };
    const path = address.slice(origin.length);
    await connection.write(rawRequest('POST', path, headers, chunkedBody(over)));
    expect((await connection.answer()).status).toBe(413);
    connection.destroy();
    expect(await rememberDevices()).toBe(before);
  });

  it('escapes the device name everywhere', async () => {
    const hostile = '"><script>alert(1)</script>\u202e\t<b>';
    const device = { ...iphone13, UDID: udid(7), DEVICE_NAME: hostile };
    const { location } = (await registerLikeIos(slipway, await publish(), device)).headers;
    const { page } = await follow(location);
    expect(page.text).not.toContain('<script>alert');
    const { get: open } = await signIn(slipway, 'admin');
    const list = (await open('/users/admin/devices')).text;
    expect(list).not.toContain('<script>alert');
    expect(list).toContain('&quot;>&lt;script>alert(1)&lt;/script> &lt;b>');
  });

  it('shows the result for 15 minutes, then redirects to the page', async () => {
    const key = await publish();
    const { location = '' } = (await registerLikeIos(slipway, key)).headers;
    const asSafari = (address: string) => get(slipway, address, null, { headers: { Accept: 'text/html' } });
    for (const wrong of [`${location}A`, location.replace(/\/device\/./, '/device/_')]) {
      const led = await asSafari(wrong);
      expect([led.status, led.headers.location]).toEqual([303, `/distributions/${key}/device`]);
      expect(led.headers['set-cookie']).toBeUndefined();
    }
    const elsewhere = location.replace(key, await publish());
    expect((await asSafari(elsewhere)).status).toBe(303);
    clock += deviceStepLifetimeMs;
    expect((await asSafari(location)).status).toBe(303);
  });

  it('ignores forged cookies', async () => {
    const key = await publish();
    const { cookie } = await registerLikeIos(slipway, key);
    const value = cookie.split(/[=;]/)[1] ?? '';
    const [device] = await devicesOf('admin');
    for (const wrong of [`${value}A`, value.replace(/^./, '_'), device?.id ?? '', '', '..']) {
      const page = await visit(key, { Cookie: `__Secure-slipway_device=${wrong}` });
      expect([page.status, page.text.includes(testUdid)]).toEqual([200, false]);
    }
    expect((await visit(key, cookiePart(cookie))).text).toContain(testUdid);
    // Anyone can set a cookie without the prefix over http.
    expect((await visit(key, { Cookie: `slipway_device=${value}` })).text).not.toContain(testUdid);
  });

  describe('page rules', () => {
    const tx = { 'X-Forwarded-For': '10.1.2.3', 'X-Forwarded-Proto': 'https' };
    const outside = { 'X-Forwarded-For': '192.0.2.7', 'X-Forwarded-Proto': 'https' };

    it('block the page, profile, response and result when the page is closed or expired', async () => {
      for (const rules of [{ active: false }, { expiresAt: clock - 1 }]) {
        const key = await publish();
        const { profile } = await fetchProfile(slipway, key);
        const device = { ...iphone13, UDID: udid(8) };
        const body = signAnswer(attributesFor(profile, device));
        const open = await registerLikeIos(slipway, key);
        await setRules(slipway, key, rules);
        const before = await rememberDevices();
        expect((await visit(key)).status).toBe(404);
        expect((await visit(key, {}, '.mobileconfig')).status).toBe(404);
        expect((await postAnswer(slipway, profile.PayloadContent.URL, body)).status).toBe(404);
        expect((await get(slipway, open.headers.location ?? '')).status).toBe(404);
        expect(await rememberDevices()).toBe(before);
      }
    });

    it('require the response to come from an allowed network, too', async () => {
      const key = await publish();
      await setRules(slipway, key, { networks: ['10.0.0.0/8'] });
      expect((await visit(key, outside)).status).toBe(403);
      expect((await visit(key, outside, '.mobileconfig')).status).toBe(403);
      const { profile } = await fetchProfile(slipway, key, tx);
      const body = signAnswer(attributesFor(profile, { ...iphone13, UDID: udid(9) }));
      const { URL: address } = profile.PayloadContent;
      expect((await postAnswer(slipway, address, body, outside)).status).toBe(403);
      expect((await devicesOf('admin')).some((one) => one.udid === udid(9))).toBe(false);
      const taken = await postAnswer(slipway, address, body, tx);
      expect(taken.status).toBe(301);
      expect((await get(slipway, taken.headers.location ?? '', null, { headers: outside })).status).toBe(403);
      expect((await get(slipway, taken.headers.location ?? '', null, { headers: tx })).status).toBe(200);
    });

    it('redirect anonymous visitors to sign-in on a members-only page, and let members register without a cookie', async () => {
      const key = await publish({}, 'phones');
      await setRules(slipway, key, { access: 'members' });
      for (const rest of ['', '.mobileconfig']) {
        const nobody = await visit(key, {}, rest);
        expect([nobody.status, nobody.headers.location]).toEqual([
          303,
          expect.stringContaining('/sign-in?to='),
        ]);
        const { cookie } = await signIn(slipway, 'tess');
        expect((await visit(key, { Cookie: cookie }, rest)).status).toBe(404);
      }
      const { cookie } = await signIn(slipway, 'mona');
      const device = { ...iphone13, UDID: udid(10) };
      expect((await registerLikeIos(slipway, key, device, { Cookie: cookie })).status).toBe(301);
      const found = await deviceWith('phones', udid(10));
      expect(found?.userId).toBe(await ownerId('mona'));
    });

    it('require the passcode first, and invalidate pending registrations when it changes', async () => {
      const key = await publish();
      await setRules(slipway, key, { access: 'passcode', passcodeHash: await hashCheaply('open sesame') });
      expect((await visit(key)).status).toBe(403);
      expect((await visit(key, {}, '.mobileconfig')).status).toBe(403);
      const entered = await postForm(slipway, `/distributions/${key}/passcode`, { passcode: 'open sesame' });
      const pass = entered.headers['set-cookie']?.[0] ?? '';
      expect(pass).toMatch(/^__Secure-slipway_passcode=[\w.-]+; .*; Secure/);
      const cookie = { Cookie: pass.split(';')[0] ?? '' };
      const planted = { Cookie: cookie.Cookie.replace('__Secure-', '') };
      expect((await visit(key, planted)).status).toBe(403);
      const { profile } = await fetchProfile(slipway, key, cookie);
      const body = signAnswer(attributesFor(profile, { ...iphone13, UDID: udid(11) }));
      await setRules(slipway, key, { passcodeHash: await hashCheaply('another word') });
      expect((await postAnswer(slipway, profile.PayloadContent.URL, body)).status).toBe(404);
      expect((await devicesOf('admin')).some((one) => one.udid === udid(11))).toBe(false);
    });
  });
});

describe('device registration limits', () => {
  let slipway: TestService;
  let clock = Date.now();
  let key: string;
  const device = (last: number) => ({ ...iphone13, UDID: last.toString(16).padStart(40, '0') });
  beforeAll(async () => {
    slipway = await startTestService({
      blobs: 'memory',
      limits: { maxDevicesPerOwner: 3, deviceResponsesPerHour: 8 },
      settings: { SLIPWAY_TRUST_PROXY: '127.0.0.1' },
      now: () => clock,
    });
    const { distribution } = await uploaded(slipway, {
      file: buildIpa(),
      fields: { distribution_name: 'main' },
    });
    key = distribution?.access_key ?? '';
  });
  afterAll(() => slipway.close());
  const browsers = new Map<number, string>();
  /** Uses a separate browser for each device. */
  const register = async (last: number, from: string) => {
    const Cookie = browsers.get(last) ?? '';
    const answer = await registerLikeIos(slipway, key, device(last), { 'X-Forwarded-For': from, Cookie });
    browsers.set(last, answer.cookie.split(';')[0] ?? '');
    return answer.status;
  };

  it('limit the devices of an owner, but still update existing ones', async () => {
    expect(await register(1, '192.0.2.1')).toBe(301);
    expect(await register(2, '192.0.2.1')).toBe(301);
    expect(await register(3, '192.0.2.1')).toBe(301);
    expect(await register(4, '192.0.2.1')).toBe(409);
    expect(await register(2, '192.0.2.1')).toBe(301);
    // For another browser, a known UDID counts as new.
    expect((await registerLikeIos(slipway, key, device(2))).status).toBe(409);
    const admin = await slipway.data.owners.findOwner('admin');
    expect(await slipway.data.devices.countDevices(admin?.id ?? '')).toBe(3);
  });

  it('limit the responses from a network per hour', async () => {
    const statuses: number[] = [];
    for (let at = 0; at < 9; at++) statuses.push(await register(1, '192.0.2.2'));
    expect(statuses).toEqual([...Array.from({ length: 8 }, () => 301), 429]);
    expect(await register(1, '192.0.2.3')).toBe(301);
    clock += 60 * 60_000;
    expect(await register(1, '192.0.2.2')).toBe(301);
  });

  it('allow the cookie over http when there is no https', async () => {
    const { headers, cookie } = await registerLikeIos(slipway, key, device(1), {
      'X-Forwarded-For': '192.0.2.4',
      Cookie: browsers.get(1) ?? '',
    });
    const { location = '' } = headers;
    expect([cookie.includes('slipway_device='), cookie.includes('Secure')]).toEqual([true, false]);
    expect((await get(slipway, location)).text).not.toContain('requires HTTPS');
  });
});
