import { describe, expect, test } from 'vitest';
import { readChunk } from '../../../src/packages/apk/resource-chunk.ts';
import { maxDecodedBytes, maxTextBytes, openStringPool } from '../../../src/packages/apk/string-pool.ts';
import { buildStringPool } from '../../support/build-binary-xml.ts';

const open = (bytes: Buffer) => openStringPool(readChunk(bytes, 0, bytes.length));

describe.each([
  ['UTF-8', false],
  ['UTF-16', true],
])('a %s pool', (_, utf16) => {
  test.each([
    ['ASCII', 'hello'],
    ['nothing', ''],
    ['every alphabet', 'привет こんにちは 안녕 مرحبا'],
    ['characters outside the basic plane', 'a😀b🇯🇵'],
    ['127 characters', 'x'.repeat(127)],
    ['128 characters', 'x'.repeat(128)],
    ['300 characters of two bytes', 'é'.repeat(300)],
    ['32,767 characters', 'x'.repeat(32_767)],
  ])('returns %s', (_name, text) => {
    expect(open(buildStringPool(['before', text, 'behind'], { utf16 }))(1)).toBe(text);
  });

  test('returns nothing past its last text', () => {
    const pool = open(buildStringPool(['a'], { utf16 }));
    expect([pool(1), pool(0xffffffff), pool(-1)]).toEqual([null, null, null]);
  });

  test('returns no text without a terminating zero', () => {
    const bytes = buildStringPool(['abcdef'], { utf16 });
    bytes.fill(0x41, bytes.length - (utf16 ? 2 : 4));
    expect(open(bytes)(0)).toBeNull();
  });

  test('returns no text that starts or ends out of bounds', () => {
    const outside = buildStringPool(['abc'], { utf16 });
    outside.writeUInt32LE(outside.length, 28);
    expect(open(outside)(0)).toBeNull();
    const long = buildStringPool(['abc'], { utf16 });
    long.writeUInt16LE(0x7f7f, 32);
    expect(open(long)(0)).toBeNull();
  });

  test('rejects a text count larger than its offsets', () => {
    const bytes = buildStringPool(['abc'], { utf16 });
    bytes.writeUInt32LE(0x10000000, 8);
    expect(() => open(bytes)).toThrow('damaged');
  });
});

test('UTF-8 surrogates, as written by aapt2, form one character', () => {
  const bytes = buildStringPool(['aXXXXXXb']);
  Buffer.from([0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]).copy(bytes, bytes.indexOf('XXXXXX'));
  expect(open(bytes)(0)).toBe('a😀b');
});

test('a text over 32,767 bytes keeps its full length although the length field has 15 bits', () => {
  const text = 'long '.repeat(10_000);
  const bytes = buildStringPool([text]);
  bytes.writeUInt16BE(0x8000 | (50_000 & 0x7fff), 32);
  bytes.writeUInt16BE(0x8000 | (50_000 & 0x7fff), 34);
  expect(open(bytes)(0)).toBe(text);
});

test('maxTextBytes: a longer text counts as damaged', () => {
  const pool = open(
    buildStringPool(['x'.repeat(maxTextBytes / 2), 'x'.repeat(maxTextBytes / 2 + 1)], { utf16: true }),
  );
  expect(pool(0)).toHaveLength(maxTextBytes / 2);
  expect(pool(1)).toBeNull();
  const utf8 = (length: number) => {
    const bytes = buildStringPool(['x'.repeat(length)]);
    const start = bytes.readUInt32LE(20);
    bytes.writeUInt16BE(0x8000 | (length & 0x7fff), start);
    bytes.writeUInt16BE(0x8000 | (length & 0x7fff), start + 2);
    return open(bytes)(0);
  };
  expect(utf8(maxTextBytes)).toHaveLength(maxTextBytes);
  expect(utf8(maxTextBytes + 1)).toBeNull();
});

test('maxDecodedBytes: limits decoding through many indexes of one text', () => {
  const length = 500_000;
  const texts = Array.from({ length: 100 }, () => 'a');
  const bytes = buildStringPool([...texts, 'x'.repeat(length)], { utf16: true });
  for (let index = 0; index < 100; index++) bytes.writeUInt32LE(bytes.readUInt32LE(28 + 400), 28 + index * 4);
  const pool = open(bytes);
  const decodable = Math.floor(maxDecodedBytes / (length + 1));
  for (let index = 0; index < decodable; index++) expect(pool(index)).toHaveLength(length);
  expect(pool(0)).toHaveLength(length);
  expect(() => pool(decodable)).toThrow('damaged');
});
