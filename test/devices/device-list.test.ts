/** The device list of an Owner: permissions, content, and the file for Apple and fastlane. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postForm, signIn } from '../support/browser-session.ts';
import { buildIpa } from '../support/build-ipa.ts';
import { get, uploaded } from '../support/interface-client.ts';
import { fetchProfile, iphone13, registerLikeIos } from '../support/profile-service-peer.ts';
import { addDevice } from '../support/sample-rows.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const header = 'Device ID\tDevice Name\tDevice Platform\n';
const udid = (last: number) => `00008130-${last.toString(16).padStart(16, '0').toUpperCase()}`;

describe('device list', () => {
  let slipway: TestService;
  let clock = Date.now();
  let key: string;
  let admin: Awaited<ReturnType<typeof signIn>>;

  /** Cookies of tess, and of the browser that registered the second device. */
  let tess = '';
  let second = '';

  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory', now: () => clock });
    for (const name of ['dev', 'tess', 'stranger']) await slipway.user(name);
    await slipway.project('weather', { members: { dev: 'developer', tess: 'tester' } });
    const dev = await slipway.projectKey('weather');
    const { distribution } = await uploaded(slipway, {
      owner: 'weather',
      key: dev,
      file: buildIpa({ name: 'Storm <3', profile: { devices: [udid(1).toLowerCase()] } }),
      fields: { distribution_name: 'main & <more>' },
    });
    key = distribution?.access_key ?? '';
    admin = await signIn(slipway, 'admin');
    const session = await signIn(slipway, 'tess');
    tess = session.cookie;
    const register = (last: number, name: string, headers = {}) =>
      registerLikeIos(slipway, key, { ...iphone13, UDID: udid(last), DEVICE_NAME: name }, headers);
    expect((await register(1, 'Tess’s', { Cookie: session.cookie })).status).toBe(301);
    clock += 1000;
    const registered = await register(2, 'With "quotes"\tand\ttabs');
    expect(registered.status).toBe(301);
    second = registered.cookie.split(';')[0] ?? '';
    clock += 1000;
    expect((await register(3, '')).status).toBe(301);
  });
  afterAll(() => slipway.close());

  const weather = async () => (await slipway.data.owners.findOwner('weather'))?.id ?? '';
  const deviceOf = async (last: number) => {
    const devices = await slipway.data.devices.allDevices(await weather(), 100);
    return devices.find((device) => device.udid === udid(last)) ?? null;
  };
  const rowOf = (html: string, last: number) =>
    html.split('<tr>').find((row) => row.includes(udid(last))) ?? '';

  it('shows uploaders each device with its person, page and profiles', async () => {
    const dev = await signIn(slipway, 'dev');
    for (const owner of ['/users/weather', '/organizations/weather']) {
      const page = await dev.get(`${owner}/devices`);
      expect(page.status).toBe(200);
      const first = rowOf(page.text, 1);
      expect(first).toContain('iPhone 13 (iPhone14,5)');
      expect(first).toContain('iOS 18.1');
      expect(first).toContain('<bdi>tess</bdi>');
      expect(first).toContain('main &amp; &lt;more>');
      expect(first).toContain('Storm &lt;3');
      expect(rowOf(page.text, 2)).not.toContain('Storm');
      expect(page.text.indexOf(udid(3))).toBeLessThan(page.text.indexOf(udid(1)));
    }
  });

  it('is linked from the owner page only for people who can open it', async () => {
    const link = 'href="/organizations/weather/devices"';
    expect((await (await signIn(slipway, 'dev')).get('/organizations/weather')).text).toContain(link);
    expect((await (await signIn(slipway, 'tess')).get('/organizations/weather')).text).not.toContain(link);
  });

  const csrfOf = async (name: string, session: typeof admin) => {
    const page = await session.get(`/users/${name}`);
    return /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  };

  it('provides the file for Apple and fastlane to sessions and API keys', async () => {
    const byKey = await get(slipway, '/users/weather/devices.txt', await slipway.projectKey('weather'));
    expect(byKey.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(byKey.headers['content-disposition']).toBe('attachment; filename="devices.txt"');
    expect(byKey.text).toBe(
      [
        header,
        `${udid(1)}\tTess’s\tios\n`,
        `${udid(2)}\tWith 'quotes' and tabs\tios\n`,
        `${udid(3)}\tiPhone14,5 0003\tios\n`,
      ].join(''),
    );
    const bySession = await (await signIn(slipway, 'dev')).get('/organizations/weather/devices.txt');
    expect(bySession.text).toBe(byKey.text);
    expect((await admin.get('/users/admin/devices.txt')).text).toBe(header);
    expect((await admin.get('/users/admin/devices')).text).toContain('No devices yet');
  });

  it('renames a device, and keeps the name after another registration', async () => {
    const dev = await signIn(slipway, 'dev');
    const csrf = await csrfOf('dev', dev);
    const device = await deviceOf(1);
    const path = `/organizations/weather/devices/${device?.id}/rename`;
    const rename = (fields: Record<string, string>) =>
      postForm(slipway, path, fields, { Cookie: dev.cookie });
    expect((await rename({ name: 'x' })).status).toBe(403);
    expect((await rename({ name: 'x', csrf: 'wrong' })).status).toBe(403);
    expect((await rename({ csrf })).status).toBe(400);
    expect((await deviceOf(1))?.name).toBe('Tess’s');
    const answer = await rename({ csrf, name: ' QA\tphone <1> ' });
    expect([answer.status, answer.headers.location]).toEqual([303, '/organizations/weather/devices']);
    await registerLikeIos(
      slipway,
      key,
      { ...iphone13, UDID: udid(1), DEVICE_NAME: 'again' },
      { Cookie: tess },
    );
    expect((await deviceOf(1))?.name).toBe('QA phone <1>');
    const rows = await slipway.data.audit.list(await weather(), 20);
    expect(rows.find(({ action }) => action === 'device.renamed')).toMatchObject({
      actorName: 'dev',
      action: 'device.renamed',
      subject: udid(1),
      details: { name: 'QA phone <1>' },
    });
    // The device's own description replaces a name that was removed.
    await rename({ csrf, name: '' });
    await registerLikeIos(
      slipway,
      key,
      { ...iphone13, UDID: udid(1), DEVICE_NAME: 'again' },
      { Cookie: tess },
    );
    expect((await deviceOf(1))?.name).toBe('again');
  });

  it('lets API keys read but not change the list', async () => {
    const bearer = await slipway.projectKey('weather');
    const page = await get(slipway, '/users/weather/devices', bearer, { headers: { Accept: 'text/html' } });
    expect(page.status).toBe(200);
    expect(page.text).not.toContain('<form');
    const device = await deviceOf(2);
    const path = `/users/weather/devices/${device?.id}/delete`;
    const posted = await postForm(slipway, path, {}, { Authorization: `Bearer ${bearer}` });
    expect(posted.status).toBe(404);
    expect(await deviceOf(2)).toEqual(device);
  });

  it('deletes a device once, with an audit log entry, and for the browser that registered it', async () => {
    const { cookie } = await registerLikeIos(
      slipway,
      key,
      { ...iphone13, UDID: udid(2) },
      { Cookie: second },
    );
    const dev = await signIn(slipway, 'dev');
    const csrf = await csrfOf('dev', dev);
    const device = await deviceOf(2);
    const path = `/organizations/weather/devices/${device?.id}/delete`;
    const other = `/users/dev/devices/${device?.id}/delete`;
    expect((await postForm(slipway, path, {}, { Cookie: dev.cookie })).status).toBe(403);
    // The address of another owner that the same person can manage.
    expect((await postForm(slipway, other, { csrf }, { Cookie: dev.cookie })).status).toBe(404);
    expect(await deviceOf(2)).toEqual(device);
    expect((await postForm(slipway, path, { csrf }, { Cookie: dev.cookie })).status).toBe(303);
    expect(await deviceOf(2)).toBeNull();
    expect((await postForm(slipway, path, { csrf }, { Cookie: dev.cookie })).status).toBe(404);
    const rows = await slipway.data.audit.list(await weather(), 20);
    expect(rows.filter(({ action }) => action === 'device.deleted')).toMatchObject([
      { actorName: 'dev', subject: udid(2), details: { product: 'iPhone14,5' } },
    ]);
    const page = await get(slipway, `/distributions/${key}/device`, null, { headers: { Cookie: cookie } });
    expect([page.status, page.text.includes(udid(2))]).toEqual([200, false]);
    expect((await fetchProfile(slipway, key)).answer.status).toBe(200);
  });

  it('is paginated', async () => {
    const page = await slipway.data.distributions.findPage(key);
    for (let at = 100; at < 205; at++) {
      await addDevice(slipway.data, await weather(), page?.id ?? '', {
        udid: udid(at),
        name: `device ${at}`,
        osVersion: '',
        now: clock + at,
      });
    }
    const dev = await signIn(slipway, 'dev');
    const first = await dev.get('/users/weather/devices');
    expect(first.text).toContain('/organizations/weather/devices?page=2');
    expect(first.text).toContain(udid(204));
    expect(first.text).not.toContain(udid(1));
    const second = await dev.get('/organizations/weather/devices?page=2');
    expect(second.text).toContain(udid(1));
    expect(second.text).not.toContain(udid(204));
    expect((await dev.get('/users/weather/devices?page=x')).text).toContain(udid(204));
  });
});
