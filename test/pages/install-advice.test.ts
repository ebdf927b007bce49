import { describe, expect, it } from 'vitest';
import type { PackageInfo } from '../../src/packages/package-info.ts';
import { adviseInstall, type InstallQuestion } from '../../src/pages/install/install-advice.ts';
import { visitors } from '../web/every-page.ts';
import { makeAndroidInfo, makeIosInfo, now, plainText } from '../web/hostile.ts';

const question = (info: PackageInfo, change: Partial<InstallQuestion> = {}): InstallQuestion => ({
  build: { info, verification: null },
  visitor: info.platform === 'ios' ? visitors.iphone : visitors.android,
  device: null,
  obstacles: [],
  available: true,
  now,
  ...change,
});
const android = (change: Partial<InstallQuestion> = {}, of: Partial<PackageInfo> = {}) =>
  adviseInstall(question({ ...makeAndroidInfo(plainText), ...of }, change));

function ios(change: Partial<InstallQuestion> = {}, of: (info: PackageInfo) => void = () => {}) {
  const info = makeIosInfo(plainText);
  of(info);
  return adviseInstall(question(info, change));
}

const device = { udid: 'udid-1', product: 'iPhone15,4', osVersion: '12.0', name: null };
const stranger = { ...device, udid: 'udid-3' };

describe('which way an installation goes', () => {
  it.each([
    ['a phone with Android', android(), 'ready'],
    ['an iPhone', ios(), 'ready'],
    ['a computer', android({ visitor: visitors.computer }), 'computer'],
    ['a preview', ios({ visitor: visitors.bot }), 'computer'],
    ['an iPhone before an APK', android({ visitor: visitors.iphone }), 'elsewhere'],
    ['Android before an IPA', ios({ visitor: visitors.android }), 'elsewhere'],
    ['a browser inside an app', ios({ visitor: visitors.instagram }), 'in-app'],
    ['an obstacle', android({ obstacles: ['No.'] }), 'blocked'],
    ['a page that hands it out no more', android({ available: false }), 'blocked'],
    ['a device that the profile names', ios({ device }), 'ready'],
    ['a device that it does not name', ios({ device: stranger }), 'refused'],
    ['a known iPad that says it is a Macintosh', ios({ visitor: visitors.mac, device }), 'ready'],
    ['an Android phone with a cookie of an iPhone', ios({ visitor: visitors.android, device }), 'elsewhere'],
  ] as const)('%s', (_, advice, way) => {
    expect(advice.way).toBe(way);
    expect(advice.title === null).toBe(way === 'ready' || way === 'computer');
  });

  it('says first what nobody can change, then what the tester can', () => {
    const advice = ios({ visitor: visitors.instagram, device: stranger, obstacles: ['Withdrawn.'] });
    expect([advice.way, advice.sentences]).toEqual(['blocked', ['Withdrawn.']]);
    expect(ios({ visitor: visitors.instagram, device: stranger }).way).toBe('refused');
  });
});

describe('a system that is too old', () => {
  const onIos = (osVersion: string | null) => ios({ visitor: { ...visitors.iphone, osVersion } }).way;
  const onAndroid = (osVersion: string | null) =>
    android({ visitor: { ...visitors.android, osVersion } }).way;

  it('is said only of versions that are known', () => {
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

  it('is named with what is needed', () => {
    const advice = android({ visitor: { ...visitors.android, osVersion: '7.1.1' } });
    expect(advice.sentences).toEqual(['The build needs Android 8.0 or newer, and this is Android 7.1.1.']);
  });

  it('is not what a device said of itself on the day it was registered', () => {
    expect(ios({ device }).way).toBe('ready');
    expect(ios({ device, visitor: { ...visitors.iphone, osVersion: '14.8' } }).way).toBe('refused');
  });

  it('is nothing where the package does not say what it needs', () => {
    const visitor = { ...visitors.android, osVersion: '4.4' };
    expect(android({ visitor }, { rawSdkVersion: null, sdkVersion: '1' }).way).toBe('ready');
    expect(android({ visitor }, { sdkVersion: '99' }).way).toBe('ready');
  });
});

describe('an app made for too old an Android', () => {
  it.each([
    [22, '13', 'ready'],
    [22, '14', 'refused'],
    [23, '14', 'ready'],
    [23, '15', 'refused'],
    [24, '16', 'ready'],
  ] as const)('with the target %i on Android %s', (targetSdkVersion, osVersion, way) => {
    expect(android({ visitor: { ...visitors.android, osVersion } }, { targetSdkVersion }).way).toBe(way);
  });

  it('is a remark where the version is not known', () => {
    const advice = android({ visitor: { ...visitors.android, osVersion: null } }, { targetSdkVersion: 22 });
    expect(advice.way).toBe('ready');
    expect(advice.remarks).toEqual(['Android 14 and newer refuse it: its target SDK is too old.']);
  });
});

describe('kinds of device', () => {
  const madeFor =
    (...families: NonNullable<PackageInfo['ios']>['deviceFamilies']) =>
    (info: PackageInfo) =>
      Object.assign(info.ios ?? {}, { deviceFamilies: families });

  it('an iPhone is told of an app for iPad alone', () => {
    expect(ios({}, madeFor('ipad')).sentences).toEqual(['The build is made for iPad alone.']);
    expect(ios({ visitor: { ...visitors.iphone, model: 'ipad' } }, madeFor('iphone')).way).toBe('ready');
  });

  it('nobody installs an app for Apple TV from a page', () => {
    expect(ios({ visitor: visitors.computer }, madeFor('apple-tv'))).toMatchObject({
      way: 'blocked',
      sentences: ['The build is made for Apple TV, which takes no installation from a page.'],
    });
  });

  it('are called by their names', () => {
    expect(ios({ device: stranger }).title).toBe('This iPhone will refuse it');
    expect(ios({ device: { ...stranger, product: 'iPad14,3' } }).title).toBe('This iPad will refuse it');
    expect(android({ visitor: { ...visitors.android, osVersion: '5.0' } }).title).toBe(
      'This phone will refuse it',
    );
  });
});

describe('the list of devices', () => {
  const typed = (type: 'enterprise' | 'development') => (info: PackageInfo) =>
    Object.assign(info.ios?.profile ?? {}, { type });

  it('is asked for with ad hoc and development profiles alone', () => {
    expect([ios().listed, ios({}, typed('development')).listed]).toEqual(['unknown', 'unknown']);
    expect([ios({}, typed('enterprise')).listed, android().listed]).toEqual(['any', 'any']);
    expect([ios({ device }).listed, ios({ device: stranger }).listed]).toEqual(['yes', 'no']);
  });
});

describe('remarks', () => {
  it('help where another browser of iOS does not hand the app on', () => {
    expect(ios({ visitor: { ...visitors.iphone, browser: 'other' } }).remarks).toHaveLength(1);
    expect(android().remarks).toEqual([]);
  });

  it('announce the end of the signature two weeks ahead', () => {
    const end = Date.parse('2027-01-10T00:00:00Z');
    expect(ios({ now: end - 15 * 86_400_000 }).remarks).toEqual([]);
    expect(ios({ now: end - 13 * 86_400_000 }).remarks).toEqual([
      'It stops working on 10 Jan 2027, when its signature ends.',
    ]);
    expect(ios({ now: end }).way).toBe('blocked');
  });
});
