import { describe, expect, it } from 'vitest';
import { parseResponse } from '../../src/packages/package-response.ts';

const zip = { bundleIdentifier: 'com.example.test', appFolder: 'a', name: 'a', minimumOsVersion: null };
const parse = (told: unknown) =>
  parseResponse('read-simulator-zip', Buffer.from(JSON.stringify(told)), Buffer.alloc(0));

describe('a response of the package reader process', () => {
  it.each([
    ['null', null],
    ['facts without a name', { ok: true, value: { ...zip, name: undefined } }],
    ['a list of texts in place of a text', { ok: true, value: { ...zip, name: ['a'] } }],
    ['neither', { ok: 'maybe', value: zip }],
    [
      'an error of 10,001 characters',
      { ok: false, unreadable: true, message: 'm'.repeat(10_001), stack: '' },
    ],
    ['an error without a message', { ok: false, unreadable: true, message: 1, stack: '' }],
  ])('is rejected: %s', (_, told) => {
    expect(() => parse(told)).toThrow();
  });

  it('is passed on without anything that was not requested', () => {
    expect(parse({ ok: true, value: { ...zip, extra: 'x' }, extra: 'x' })).toEqual({ ok: true, value: zip });
  });

  it('may be an error of 10,000 characters', () => {
    const failed = { ok: false, unreadable: true, message: 'm'.repeat(10_000), stack: '' };
    expect(parse({ ...failed, extra: 'x' })).toEqual(failed);
  });
});
