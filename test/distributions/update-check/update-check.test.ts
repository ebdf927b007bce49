import { describe, expect, it } from 'vitest';
import {
  compareDotted,
  decideUpdate,
  type UpdateQuestion,
} from '../../../src/distributions/update-check/update-check.ts';
import type { PackageInfo } from '../../../src/packages/package-info.ts';

const info = (facts: Partial<PackageInfo>) =>
  ({
    platform: 'android',
    versionCode: '10',
    versionName: '1.10',
    sdkVersion: '26',
    rawSdkVersion: '26',
    targetSdkVersion: 35,
    signature: 'a',
    android: null,
    ios: null,
    ...facts,
  }) as PackageInfo;

const ask = (facts: Partial<PackageInfo>, question: Partial<UpdateQuestion>) => {
  const { available, reason, mandatory } = decideUpdate({
    latest: { revision: 10, info: info(facts) },
    running: null,
    mandatoryFrom: null,
    versionCode: undefined,
    versionName: undefined,
    osVersion: undefined,
    deviceId: undefined,
    blocked: false,
    ...question,
  });
  return `${reason}${available ? ', update' : ''}${mandatory ? ', mandatory' : ''}`;
};
const running = (revision: number, versionCode: string, signature = 'a', withdrawn = false) => ({
  running: { revision, versionCode, signature, withdrawn },
});

const onSystem = (osVersion: string) => ({ ...running(9, '9'), osVersion });
const codenames = (minSdkCodename: string | null, targetSdkCodename: string | null) => ({
  android: { minSdkCodename, targetSdkCodename } as PackageInfo['android'],
});
const preview = (codename: string, sdkVersion: string) => ({ ...codenames(codename, codename), sdkVersion });
const targetPreview = (codename: string) => codenames(null, codename);

describe('the decision about an update', () => {
  it.each([
    ['an earlier build', {}, running(9, '9'), 'newer_on_page, update'],
    ['an earlier build of the same version', {}, running(9, '10'), 'newer_on_page, update'],
    ['the same build', {}, running(10, '10'), 'up_to_date'],
    ['a later build on Android', {}, running(11, '11'), 'rolled_back'],
    ['a later build on iOS', { platform: 'ios' }, running(11, '11'), 'rolled_back, update'],
    ['a build with a higher version code', {}, running(9, '11'), 'not_installable'],
    ['a build of another signer', {}, running(9, '9', 'b'), 'not_installable'],
    ['an iOS build of another signer', { platform: 'ios' }, running(9, '9', 'b'), 'newer_on_page, update'],
    ['a blocked build', {}, { ...running(9, '9'), blocked: true }, 'not_installable'],
    ['an older system', {}, { ...running(9, '9'), osVersion: '25' }, 'os_too_old'],
    ['a system older than a release that nobody knows', { sdkVersion: '38' }, onSystem('37'), 'os_too_old'],
    ['a system that nobody knows', { sdkVersion: '38' }, onSystem('99'), 'newer_on_page, update'],
    ['a preview that the system is not', preview('CinnamonBun', '37'), onSystem('37'), 'not_installable'],
    ['a preview that nobody knows', preview('Foobar', '10000'), onSystem('38'), 'os_too_old'],
    ['a target that is a preview', targetPreview('Foobar'), onSystem('38'), 'not_installable'],
    [
      'a preview, from an unknown system',
      preview('CinnamonBun', '37'),
      running(9, '9'),
      'newer_on_page, update',
    ],
    ['a target that the system refuses', { targetSdkVersion: 22 }, onSystem('34'), 'not_installable'],
    ['a target that the system accepts', { targetSdkVersion: 22 }, onSystem('33'), 'newer_on_page, update'],
    ['no stated minimum', { sdkVersion: '1', rawSdkVersion: null }, onSystem('9'), 'newer_on_page, update'],
    ['the minimum system', {}, { ...running(9, '9'), osVersion: '26' }, 'newer_on_page, update'],
    [
      'a build that must be updated',
      {},
      { ...running(9, '9'), mandatoryFrom: 10 },
      'newer_on_page, update, mandatory',
    ],
    [
      'the oldest build that is allowed',
      {},
      { ...running(9, '9'), mandatoryFrom: 9 },
      'newer_on_page, update',
    ],
    [
      'the build of a page that wants a later one',
      {},
      { ...running(10, '10'), mandatoryFrom: 11 },
      'up_to_date',
    ],
    [
      'a build that must be, but cannot be updated',
      {},
      { ...running(9, '9', 'b'), mandatoryFrom: 10 },
      'not_installable',
    ],
    [
      'an unknown build that must be updated',
      {},
      { versionCode: '9', mandatoryFrom: 1 },
      'newer_on_page, update, mandatory',
    ],
    ['an unknown lower version', {}, { versionCode: '9' }, 'newer_on_page, update'],
    ['an unknown equal version', {}, { versionCode: '10', versionName: '1.10' }, 'up_to_date'],
    ['an unknown equal code alone', {}, { versionCode: '10' }, 'up_to_date'],
    ['an unknown lower name', {}, { versionCode: '10', versionName: '1.9' }, 'newer_on_page, update'],
    ['an unknown higher version', {}, { versionCode: '11' }, 'newer_than_page'],
    ['an unknown higher name', {}, { versionCode: '10', versionName: '1.11' }, 'newer_than_page'],
  ] as const)('for %s is right', (_, facts, question, expected) => {
    expect(ask(facts, question)).toBe(expected);
  });

  it('for a device depends on the provisioning profile', () => {
    const facts = (devices: string[]) =>
      ({ platform: 'ios', ios: { profile: { devices } } }) as unknown as Partial<PackageInfo>;
    const question = { ...running(9, '9'), deviceId: 'mine' };
    expect(ask(facts(['other']), question)).toBe('device_not_in_profile');
    expect(ask(facts(['other', 'mine']), question)).toBe('newer_on_page, update');
    expect(ask(facts([]), question)).toBe('newer_on_page, update');
  });
});

it.each([
  ['1', '1', 0],
  ['1.0', '1', 0],
  ['1.10', '1.9', 1],
  ['9', '10', -1],
  ['', '0', 0],
  ['2.x', '2', 0],
  ['2.1b', '2', 1],
  ['9'.repeat(40), '9'.repeat(39), 1],
])('compares the dotted numbers %s and %s', (one, other, order) => {
  expect(compareDotted(one, other)).toBe(order);
});
