import { describe, expect, it } from 'vitest';
import { readVisitorSystem, type SystemHeaders } from '../../src/distributions/activity/visitor-system.ts';
import { phones } from '../support/page-visits.ts';

const read = (userAgent: string, hints: Omit<SystemHeaders, 'userAgent'> = {}) => {
  const { system, model } = readVisitorSystem({ userAgent, ...hints });
  return [system, model];
};
const android = (device: string) =>
  `Mozilla/5.0 (Linux; ${device}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36`;

describe('the system of a visitor', () => {
  it('is the platform with its major version', () => {
    expect(read(phones.iphone)).toEqual(['iOS 17', 'iPhone']);
    expect(read(phones.iphone.replaceAll('iPhone', 'iPad'))).toEqual(['iOS 17', 'iPad']);
    expect(read(android('Android 15; Pixel 9'))).toEqual(['Android 15', 'Pixel 9']);
    expect(read(android('Android 14; SM-S911B Build/UP1A.231005.007'))).toEqual(['Android 14', 'SM-S911B']);
  });

  it('comes from the installer of iOS, which names the model', () => {
    expect(read(phones.installer)).toEqual(['iOS 17', 'iPhone 14 Pro']);
    expect(read(phones.installer.replace('iPhone15,2', 'iPhone99,1'))).toEqual(['iOS 17', 'iPhone']);
    expect(read('com.apple.appstored/1.0 iOS/26.1')).toEqual(['iOS 26', null]);
  });

  it('comes from the hints that Chrome sends instead of the version and model', () => {
    expect(read(phones.android)).toEqual(['Android', null]);
    expect(read(phones.android, { platformVersion: '"16.0.0"', model: '"Pixel 9 Pro"' })).toEqual([
      'Android 16',
      'Pixel 9 Pro',
    ]);
    expect(read(phones.android, { model: '""' })).toEqual(['Android', null]);
  });

  it('is the kind of a computer, without a version', () => {
    expect(read('Mozilla/5.0 (Windows NT 10.0; Win64; x64) Firefox/140.0')).toEqual(['Windows', null]);
    expect(read('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari/605.1.15')).toEqual(['macOS', null]);
    expect(read('Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0')).toEqual(['Linux', null]);
    expect(read('curl/8.0 (Windows)')).toEqual(['Other', null]);
    expect(read('')).toEqual(['Other', null]);
  });

  it('has few values and short models, however forged the headers are', () => {
    for (const version of ['100', '999', '0'])
      expect(read(android(`Android ${version}; X`))[0], version).toBe('Android');
    expect(read('x iOS/777 model/iPhone15,2')[0]).toBe('iOS');
    expect(read(phones.android, { platformVersion: '"999.0.0"' })[0]).toBe('Android');
    for (const model of ['<b>', '=1+1', 'a"b', 'K', 'é', 'x'.repeat(101)])
      expect(read(android(`Android 15; ${model}`), {})[1], model).toBeNull();
    expect(read(phones.android, { model: `"${'x'.repeat(100)}"` })[1]).toHaveLength(40);
    expect(read(`${'x'.repeat(2000)} iOS/17.0 model/iPhone15,2`)).toEqual(['Other', null]);
  });

  it('ignores what Firefox sends instead of a model', () => {
    expect(read('Mozilla/5.0 (Android 14; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0')).toEqual([
      'Android 14',
      null,
    ]);
  });
});
