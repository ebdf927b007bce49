/** Decisions about devices: compatibility of a build, iOS version names, and the device file. */
import { describe, expect, it } from 'vitest';
import { cleanDeviceName, type Device, maxDeviceNameLength } from '../../src/devices/device.ts';
import { checkDeviceCompatibility } from '../../src/devices/device-compatibility.ts';
import { renderDeviceFile } from '../../src/devices/device-file.ts';
import { deviceFamilyOf, deviceModelName } from '../../src/devices/device-models.ts';
import { iosVersionOf, isOlderIos } from '../../src/devices/ios-version.ts';
import type { KnownDevice } from '../../src/devices/known-device.ts';
import { createDeviceTokens, deviceStepLifetimeMs } from '../../src/distributions/access/device-tokens.ts';
import { renderProfileService } from '../../src/distributions/access/profile-service.ts';
import type { IosFacts, PackageInfo, ProvisioningProfile } from '../../src/packages/package-info.ts';
import { sampleInfo } from '../support/sample-rows.ts';

const udid = '00008110-000A1C2E3D41801E';
const phone: KnownDevice = { udid, product: 'iPhone14,5', osVersion: '18.1', name: null };

function infoOf(changes: {
  profile?: Partial<ProvisioningProfile> | null;
  ios?: Partial<IosFacts>;
  minimum?: string | null;
}): PackageInfo {
  const profile: ProvisioningProfile = {
    type: 'ad-hoc',
    name: '',
    uuid: '',
    teamName: null,
    teamIdentifier: null,
    createdAt: null,
    expiresAt: null,
    devices: [udid],
    entitlements: {},
    certificateSha1s: [],
    intact: true,
    ...changes.profile,
  };
  const ios: IosFacts = {
    deviceFamilies: ['iphone', 'ipad'],
    executable: null,
    simulator: false,
    encrypted: false,
    profile: changes.profile === null ? null : profile,
    extensions: [],
    appClips: [],
    watchApps: [],
    ...changes.ios,
  };
  const sdkVersion = changes.minimum === undefined ? '15.0' : changes.minimum;
  return sampleInfo({ platform: 'ios', sdkVersion, rawSdkVersion: sdkVersion, ios });
}

describe('device compatibility of a build', () => {
  it('requires the device in the profile, ignoring the case of the UDID', () => {
    const fits = { fits: true, awaitsProfile: false, refusals: [] };
    expect(checkDeviceCompatibility(infoOf({}), phone)).toEqual(fits);
    expect(
      checkDeviceCompatibility(infoOf({ profile: { devices: ['x', udid.toLowerCase()] } }), phone),
    ).toEqual(fits);
    expect(checkDeviceCompatibility(infoOf({ profile: { devices: [] } }), phone)).toMatchObject({
      fits: false,
      awaitsProfile: true,
    });
    expect(checkDeviceCompatibility(infoOf({ profile: { type: 'enterprise', devices: [] } }), phone)).toEqual(
      fits,
    );
  });

  it.each([
    ['of the App Store', { profile: { type: 'app-store' as const, devices: [] } }],
    ['without a profile', { profile: null }],
    ['for the simulator', { ios: { simulator: true } }],
    ['for a newer iOS, listed', { minimum: '18.2' }],
    ['for a newer iOS, not listed', { minimum: '19.0', profile: { devices: [] } }],
    ['for iPad alone', { ios: { deviceFamilies: ['ipad' as const] } }],
    ['for Apple TV', { ios: { deviceFamilies: ['apple-tv' as const] } }],
  ])('rejects a device %s for more than the profile', (_name, changes) => {
    const fit = checkDeviceCompatibility(infoOf(changes), phone);
    expect(fit).toMatchObject({ fits: false, awaitsProfile: false });
    const sentences = fit.refusals.map(({ sentence }) => sentence);
    expect(new Set(sentences).size).toBe(sentences.length);
    expect(sentences.length).toBeGreaterThan(0);
  });

  it('lets an iPad run iPhone apps, and assumes compatibility for unknown values', () => {
    const forPhones = infoOf({ ios: { deviceFamilies: ['iphone'] } });
    expect(checkDeviceCompatibility(forPhones, { ...phone, product: 'iPad14,1' }).fits).toBe(true);
    expect(checkDeviceCompatibility(forPhones, { ...phone, product: 'Other1,1' }).fits).toBe(true);
    expect(checkDeviceCompatibility(infoOf({ minimum: '99.0' }), { ...phone, osVersion: null }).fits).toBe(
      true,
    );
    expect(checkDeviceCompatibility(infoOf({ minimum: null }), phone).fits).toBe(true);
    expect(checkDeviceCompatibility(infoOf({ ios: { deviceFamilies: [] } }), phone).fits).toBe(true);
  });
});

describe('iOS version', () => {
  it.each([
    ['22B83', '18.1'],
    ['22A3354', '18.0'],
    ['21G93', '17.6'],
    ['19H12', '15'],
    ['19G71', '15.6'],
    ['18A373', '14'],
    ['16A366', '12'],
    ['7A341', '3'],
    ['23A341', '26.0'],
    ['23B5044l', '26.1'],
    ['18.1.1', '18.1.1'],
    ['17', '17'],
    ['', null],
    ['6A1', null],
    ['22B', null],
    ['iOS 18', null],
    ['18.1.1.1', null],
  ])('parses %s as %s', (told, expected) => {
    expect(iosVersionOf(told)).toBe(expected);
  });

  it('is older only if that is certain', () => {
    const older = (version: string, minimum: string) => isOlderIos(version, minimum);
    expect(older('17.6', '18.0')).toBe(true);
    expect(older('9.3', '10')).toBe(true);
    expect(older('18.1', '18.2')).toBe(true);
    expect(older('18.1', '18.1.1')).toBe(false);
    expect(older('14', '14.5')).toBe(false);
    expect(older('14', '15.0')).toBe(true);
    expect(older('18.1', '18')).toBe(false);
    expect(older('26.0', '18.4')).toBe(false);
  });
});

describe('device models', () => {
  it('are shown with the known name and always with the identifier', () => {
    expect(deviceModelName('iPhone14,5')).toBe('iPhone 13 (iPhone14,5)');
    expect(deviceModelName('iPhone99,9')).toBe('iPhone (iPhone99,9)');
    expect(deviceModelName('iPad14,1')).toBe('iPad (iPad14,1)');
    expect(deviceModelName('Other1,1')).toBe('Other1,1');
    expect(deviceFamilyOf('iPadPro')).toBeNull();
    expect(deviceFamilyOf('constructor')).toBeNull();
    expect(deviceModelName('constructor')).toBe('constructor');
  });
});

describe('device file', () => {
  const device = (changes: Partial<Device>): Device => ({
    id: 'd',
    ownerId: 'o',
    udid,
    name: 'Phone',
    product: 'iPhone14,5',
    osVersion: '',
    userId: null,
    pageId: null,
    createdAt: 1,
    updatedAt: 1,
    ...changes,
  });

  it('has three columns on every line for any device name', () => {
    const names = ['a\tb', 'a\nb', '"', '"quoted"', '', '\u202e', '株'.repeat(60), 'x\r\ny', '\ud800'];
    const lines = renderDeviceFile(names.map((name, at) => device({ name, udid: `${udid}${at}` }))).split(
      '\n',
    );
    expect(lines[0]).toBe('Device ID\tDevice Name\tDevice Platform');
    expect(lines.pop()).toBe('');
    for (const line of lines.slice(1)) {
      const cells = line.split('\t');
      expect(cells).toHaveLength(3);
      expect(cells[1]).toMatch(/^[^"\p{Cc}]+$/u);
      expect([...(cells[1] ?? '')].length).toBeLessThanOrEqual(maxDeviceNameLength);
      expect([cells[0]?.slice(0, -1), cells[2]]).toEqual([udid, 'ios']);
    }
    expect(lines).toHaveLength(names.length + 1);
    expect(cleanDeviceName('a'.repeat(49).concat('  b'))).toBe('a'.repeat(49));
  });
});

describe('registration tokens', () => {
  const page = { id: '01page', access: 'passcode' as const, passcodeHash: 'h' };

  it('are bound to their purpose, page, rules, time and secret', () => {
    const tokens = createDeviceTokens('secret one');
    const expiresAt = 1000 + deviceStepLifetimeMs;
    const challenge = tokens.challenge.issue({ browser: '01browser', userId: '01user', expiresAt }, page);
    const check = (changes: Partial<typeof page>, now: number, by = tokens) =>
      by.challenge.check(challenge, now, { ...page, ...changes }).kind;
    expect(tokens.challenge.read(challenge, 1000, page)).toEqual({
      browser: '01browser',
      userId: '01user',
      expiresAt,
    });
    expect(check({}, 999 + deviceStepLifetimeMs)).toBe('valid');
    expect(check({}, 1000 + deviceStepLifetimeMs)).toBe('expired');
    expect(check({ id: '01other' }, 1000)).toBe('invalid');
    expect(check({ passcodeHash: 'g' }, 1000)).toBe('invalid');
    expect(check({}, 1000, createDeviceTokens('secret two'))).toBe('invalid');
    expect(tokens.outcome.check(challenge, 1000, page).kind).toBe('invalid');
    expect(tokens.browser.readExpired(challenge)).toBeNull();
    const outcome = tokens.outcome.issue({ deviceId: '01user', expiresAt }, page);
    expect(tokens.challenge.check(outcome, 1000, page).kind).toBe('invalid');
    for (const text of [
      undefined,
      null,
      7,
      '',
      '..',
      challenge.toUpperCase(),
      `${challenge}=`,
      [challenge],
    ]) {
      expect(tokens.challenge.check(text, 1000, page).kind).toBe('invalid');
    }
    const swapped = challenge.replace('01user', '01used');
    expect(tokens.challenge.check(swapped, 1000, page).kind).toBe('invalid');
    const anonymous = { browser: '01browser', userId: null, expiresAt };
    expect(tokens.challenge.read(tokens.challenge.issue(anonymous, page), 1, page)).toEqual(anonymous);
    const cookie = tokens.browser.issue({ browser: '01browser' });
    expect(tokens.browser.readExpired(cookie)).toEqual({ browser: '01browser' });
    expect(tokens.browser.readExpired(cookie.replace('01b', '02b'))).toBeNull();
  });
});

describe('profile', () => {
  it('escapes every value', () => {
    const attack = `]]></string></dict>&"'<key>`;
    const xml = renderProfileService({
      responseUrl: attack,
      challenge: attack,
      pageId: attack,
      organization: attack,
      displayName: `${attack}\u0000`,
      description: attack,
    });
    expect(xml).not.toContain(attack);
    expect(xml).not.toContain('\u0000');
    expect(xml.match(/<key>/g)).toHaveLength(11);
  });
});
