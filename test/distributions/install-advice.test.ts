import { describe, expect, it } from 'vitest';
import { adviseInstall, type InstallContext } from '../../src/distributions/install/install-advice.ts';
import type { PackageInfo } from '../../src/packages/package-info.ts';
import { makeAndroidInfo, makeIosInfo, now, plainText } from '../web/hostile.ts';
import { visitors } from '../web/page-props.ts';

const question = (info: PackageInfo, change: Partial<InstallContext> = {}): InstallContext => ({
  build: { info, verification: null, apk: null },
  visitor: info.platform === 'ios' ? visitors.iphone : visitors.android,
  device: null,
  blockers: [],
  now,
  ...change,
});
const released = (): PackageInfo => {
  const info = makeAndroidInfo(plainText);
  return { ...info, android: info.android && { ...info.android, targetSdkCodename: null } };
};
const android = (change: Partial<InstallContext> = {}, of: Partial<PackageInfo> = {}) =>
  adviseInstall(question({ ...released(), ...of }, change));

function ios(change: Partial<InstallContext> = {}, of: (info: PackageInfo) => void = () => {}) {
  const info = makeIosInfo(plainText);
  of(info);
  return adviseInstall(question(info, change));
}

const device = { udid: 'udid-1', product: 'iPhone15,4', osVersion: '12.0', name: null };
const stranger = { ...device, udid: 'udid-3' };

describe('install advice', () => {
  it.each([
    ['a phone with Android', android(), 'ready'],
    ['an iPhone', ios(), 'ready'],
    ['a computer', android({ visitor: visitors.computer }), 'computer'],
    ['a preview', ios({ visitor: visitors.bot }), 'computer'],
    ['an iPhone before an APK', android({ visitor: visitors.iphone }), 'elsewhere'],
    ['Android before an IPA', ios({ visitor: visitors.android }), 'elsewhere'],
    ['a browser inside an app', ios({ visitor: visitors.instagram }), 'in-app'],
    ['an obstacle', android({ blockers: ['No.'] }), 'blocked'],
    ['a device that the profile names', ios({ device }), 'ready'],
    ['a device that it does not name', ios({ device: stranger }), 'refused'],
    ['a known iPad that says it is a Macintosh', ios({ visitor: visitors.mac, device }), 'ready'],
    ['an Android phone with a cookie of an iPhone', ios({ visitor: visitors.android, device }), 'elsewhere'],
  ] as const)('is correct for %s', (_, advice, way) => {
    expect(advice.way).toBe(way);
    expect(advice.title === null).toBe(way === 'ready' || way === 'computer');
  });

  it('lists unfixable reasons first, then what the tester can fix', () => {
    const advice = ios({ visitor: visitors.instagram, device: stranger, blockers: ['Withdrawn.'] });
    expect([advice.way, advice.sentences]).toEqual(['blocked', ['Withdrawn.']]);
    expect(ios({ visitor: visitors.instagram, device: stranger }).way).toBe('refused');
  });
});

describe('an outdated system', () => {
  const onIos = (osVersion: string | null) => ios({ visitor: { ...visitors.iphone, osVersion } }).way;
  const onAndroid = (osVersion: string | null) =>
    android({ visitor: { ...visitors.android, osVersion } }).way;

  it('is reported only for known versions', () => {
    expect([onIos('14.8'), onIos('15.0'), onIos('15'), onIos('26.1'), onIos(null)]).toEqual([
      'refused',
      'ready',
      'ready',
      'ready',
      'ready',
    ]);
    expect([onAndroid('7.1.1'), onAndroid('8.0'), onAndroid('8'), onAndroid('15'), onAndroid(null)]).toEqual([
      'refused',
      'ready',
      'ready',
      'ready',
      'ready',
    ]);
  });

  it('is reported with the required version', () => {
    const advice = android({ visitor: { ...visitors.android, osVersion: '7.1.1' } });
    expect(advice.sentences).toEqual([
      'The build requires Android 8.0 or newer. This device has Android 7.1.1.',
    ]);
  });

  it('is detected from the browser, not from the version at registration', () => {
    expect(ios({ device }).way).toBe('ready');
    expect(ios({ device, visitor: { ...visitors.iphone, osVersion: '14.8' } }).way).toBe('refused');
  });

  it('is compared by API level, also for releases and codenames that are not known yet', () => {
    const on = (osVersion: string, minimum: Partial<PackageInfo>, codename: string | null = null) => {
      const facts = released().android;
      const changed = facts && { ...facts, minSdkCodename: codename };
      const advice = android(
        { visitor: { ...visitors.android, osVersion } },
        { ...minimum, android: changed },
      );
      return advice.sentences[0] ?? advice.way;
    };
    const level = (sdkVersion: string) => ({ sdkVersion, rawSdkVersion: sdkVersion });
    expect(on('16', level('37'))).toBe('The build requires Android 17 or newer. This device has Android 16.');
    expect(on('17', level('37'))).toBe('ready');
    expect(on('17', level('45'))).toBe('The build requires Android 25 or newer. This device has Android 17.');
    expect(on('11', level('32'))).toBe(
      'The build requires Android 12L or newer. This device has Android 11.',
    );
    expect(on('12', level('32'))).toBe('ready');
    expect(on('16', level('37'), 'CinnamonBun')).toBe(
      'The build requires Android 17 or newer. This device has Android 16.',
    );
    expect(on('17', level('37'), 'CinnamonBun')).toBe(
      'The build requires a preview of Android (CinnamonBun). This device has Android 17.',
    );
    expect(on('30', { sdkVersion: '10000', rawSdkVersion: 'Zabaglione' }, 'Zabaglione')).toBe(
      'The build requires Android Zabaglione or newer. This device has Android 30.',
    );
  });

  it('is ignored when the package does not state a minimum', () => {
    const visitor = { ...visitors.android, osVersion: '4.4' };
    expect(android({ visitor }, { rawSdkVersion: null, sdkVersion: '1' }).way).toBe('ready');
  });
});

describe('an outdated target SDK', () => {
  it.each([
    [22, '13', 'ready'],
    [22, '14', 'refused'],
    [23, '14', 'ready'],
    [23, '15', 'refused'],
    [24, '16', 'ready'],
  ] as const)('is evaluated for API level %i on Android %s', (targetSdkVersion, osVersion, way) => {
    expect(android({ visitor: { ...visitors.android, osVersion } }, { targetSdkVersion }).way).toBe(way);
  });

  it('is only a note when the Android version is unknown', () => {
    const advice = android({ visitor: { ...visitors.android, osVersion: null } }, { targetSdkVersion: 22 });
    expect(advice.way).toBe('ready');
    expect(advice.remarks).toEqual(['Android 14 and newer reject it because its target SDK is too old.']);
  });
});

describe('device families', () => {
  const madeFor =
    (...families: NonNullable<PackageInfo['ios']>['deviceFamilies']) =>
    (info: PackageInfo) =>
      Object.assign(info.ios ?? {}, { deviceFamilies: families });

  it('stop an iPad-only app on an iPhone', () => {
    expect(ios({}, madeFor('ipad')).sentences).toEqual(['The build is for iPad only.']);
    expect(ios({ visitor: { ...visitors.iphone, model: 'ipad' } }, madeFor('iphone')).way).toBe('ready');
  });

  it('stop Apple TV apps everywhere', () => {
    expect(ios({ visitor: visitors.computer }, madeFor('apple-tv'))).toMatchObject({
      way: 'blocked',
      sentences: ['The build is for Apple TV, which cannot install apps from a web page.'],
    });
  });

  it('are shown by their names', () => {
    expect(ios({ device: stranger }).title).toBe('This iPhone cannot install it');
    expect(ios({ device: { ...stranger, product: 'iPad14,3' } }).title).toBe('This iPad cannot install it');
    expect(android({ visitor: { ...visitors.android, osVersion: '5.0' } }).title).toBe(
      'This phone cannot install it',
    );
  });
});

describe('the device list', () => {
  const submitted = (type: 'enterprise' | 'development') => (info: PackageInfo) =>
    Object.assign(info.ios?.profile ?? {}, { type });

  it('applies only to ad hoc and development profiles', () => {
    expect([ios().listed, ios({}, submitted('development')).listed]).toEqual(['unknown', 'unknown']);
    expect([ios({}, submitted('enterprise')).listed, android().listed]).toEqual(['any', 'any']);
    expect([ios({ device }).listed, ios({ device: stranger }).listed]).toEqual(['yes', 'no']);
  });
});

describe('notes', () => {
  it('help with other iOS browsers that cannot install apps', () => {
    expect(ios({ visitor: { ...visitors.iphone, browser: 'other' } }).remarks).toHaveLength(1);
    expect(android().remarks).toEqual([]);
  });

  it('announce the expiry of the signature two weeks ahead', () => {
    const end = Date.parse('2027-01-10T00:00:00Z');
    expect(ios({ now: end - 15 * 86_400_000 }).remarks).toEqual([]);
    expect(ios({ now: end - 13 * 86_400_000 }).remarks).toEqual([
      'It stops working on 10 Jan 2027, when its signature expires.',
    ]);
    expect(ios({ now: end }).way).toBe('blocked');
  });
});
