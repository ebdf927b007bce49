import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  apkKey,
  InvalidBlobKey,
  iconKey,
  isBlobKey,
  packageKey,
  parseBlobKey,
  simulatorKey,
} from '../../src/blobs/blob-key.ts';

test('a blob key is defined for each kind of blob', () => {
  expect(packageKey('0199-b')).toBe('packages/0199-b');
  expect(simulatorKey('0199-b')).toBe('simulators/0199-b');
  expect(apkKey('0199-b', 'r')).toBe('apks/0199-b.r');
  expect(iconKey('0199-b', 'c0ffee')).toBe('icons/0199-b.c0ffee');
});

test('a blob key accepts parts up to the length limit and refuses longer ones', () => {
  const longest = 'a'.repeat(64);
  expect(packageKey(longest)).toBe(`packages/${longest}`);
  expect(iconKey(longest, longest)).toBe(`icons/${longest}.${longest}`);
  expect(() => packageKey(`${longest}a`)).toThrow(InvalidBlobKey);
  expect(() => iconKey('a', `${longest}a`)).toThrow(InvalidBlobKey);
});

test('a blob key refuses ids that have a special meaning in a path', () => {
  for (const id of ['', '.', '..', '../a', 'a/b', 'a\\b', 'a.b', 'A', '.a', 'a\0']) {
    expect(() => packageKey(id)).toThrow(InvalidBlobKey);
    expect(() => simulatorKey(id)).toThrow(InvalidBlobKey);
    expect(() => iconKey(id, 'r')).toThrow(InvalidBlobKey);
  }
});

test('parsing accepts generated blob keys, and refuses others with an error of limited length', () => {
  expect(parseBlobKey(String(iconKey('a', 'b')))).toBe('icons/a.b');
  expect(() => parseBlobKey('x'.repeat(10_000))).toThrow(/^not a blob key: .{1,200}$/);
});

test('parsing accepts only two plain path segments', () => {
  const pieces = fc.constantFrom(
    'packages',
    'icons',
    'simulators',
    '/',
    '.',
    '..',
    '\\',
    'a',
    '-',
    '_',
    'A',
    ' ',
    '\0',
    '\n',
  );
  fc.assert(
    fc.property(
      fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join('')),
      (text) => {
        if (!isBlobKey(text)) return;
        const [kind, name, ...rest] = text.split('/');
        expect(rest).toEqual([]);
        expect(kind).toMatch(/^(packages|simulators|icons)$/);
        expect(name).toMatch(/^[a-z0-9]/);
        expect(name).not.toContain('..');
      },
    ),
    { numRuns: 2000 },
  );
});
