import { expect, test } from 'vitest';
import { type PackageInfo, UnreadablePackage } from '../../src/packages/package-info.ts';
import { cleanFacts } from '../../src/packages/read-package.ts';

const facts: PackageInfo = {
  platform: 'ios',
  packageName: 'com.example',
  name: 'Example',
  labels: {},
  versionCode: '1',
  versionName: '1.0',
  sdkVersion: null,
  rawSdkVersion: null,
  targetSdkVersion: null,
  signature: null,
  signing: { schemes: [], certificates: [], lineage: [], sourceStamp: false },
  icon: null,
  android: null,
  ios: null,
  warnings: [],
};

test('clean facts are returned as the same object', () => {
  const info = { ...facts, name: 'Smile 😀 "quoted" \\u0000 \\ud83d\n' };
  expect(cleanFacts(info)).toBe(info);
});

test('texts and keys are cleaned at every depth', () => {
  const clean = cleanFacts({
    ...facts,
    labels: { 'a\0': 'x\0y', '': '\ud83d\0\ude00' },
    warnings: ['\\\0', '\ude00'],
  });
  expect(clean).toEqual({ ...facts, labels: { a: 'xy', '': '\ufffd\ufffd' }, warnings: ['\\', '\ufffd'] });
});

test('an empty cleaned name becomes the identifier, and an app without an identifier is rejected', () => {
  expect(cleanFacts({ ...facts, name: ' \0 ' }).name).toBe('com.example');
  expect(() => cleanFacts({ ...facts, packageName: '\0' })).toThrow(UnreadablePackage);
});
