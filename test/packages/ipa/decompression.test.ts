import { describe, expect, it } from 'vitest';
import { decompressLzfse, isLzfse } from '../../../src/packages/ipa/asset-catalog/lzfse.ts';
import { decompressLzvn } from '../../../src/packages/ipa/asset-catalog/lzvn.ts';
import { encodeLzvn, lzfseLzvn, lzfseRaw, uint32s } from './build-asset-catalog.ts';
import { encodeLzfse, type Triplet } from './encode-lzfse.ts';

const end = [6, 0, 0, 0, 0, 0, 0, 0];
const text = Buffer.from('the quick brown fox jumps over the lazy dog. '.repeat(40));

describe('LZVN', () => {
  it.each([
    ['literals', [0xe3, 97, 98, 99], 'abc'],
    ['many literals', [0xe0, 1, ...Buffer.from('0123456789abcdefg')], '0123456789abcdefg'],
    ['a small distance', [0xe3, 97, 98, 99, 0x00, 3], 'abcabc'],
    ['a small distance with literals', [0xe3, 97, 98, 99, 0x88, 5, 120, 121], 'abcxyabcx'],
    ['a medium distance', [0xe3, 97, 98, 99, 0xa0, 0x0d, 0x00], 'abcabca'],
    ['a large distance', [0xe3, 97, 98, 99, 0x07, 3, 0], 'abcabc'],
    ['the distance before', [0xe3, 97, 98, 99, 0x00, 3, 0x46, 120], 'abcabcxbcx'],
    ['a match alone', [0xe3, 97, 98, 99, 0x00, 3, 0xf2], 'abcabcab'],
    ['a long match alone', [0xe1, 97, 0x00, 1, 0xf0, 0], `a${'a'.repeat(19)}`],
    ['what does nothing', [0x0e, 0x16, 0xe1, 97], 'a'],
  ])('reads %s', (_name, bytes, expected) => {
    expect(decompressLzvn(Buffer.from([...bytes, ...end]), 1000).toString()).toBe(expected);
  });

  it('stops at the limit before it allocates the memory', () => {
    const bomb = Buffer.concat([
      Buffer.from([0xe1, 97, 0x00, 1]),
      Buffer.alloc(100_000, Buffer.from([0xf0, 0xff])),
      Buffer.from(end),
    ]);
    expect(() => decompressLzvn(bomb, 100_000)).toThrow('more than 100000 bytes');
  });

  it.each([
    ['an early end', [0xe3, 97], 'ends too early'],
    ['no end', [0xe1, 97], 'ends too early'],
    ['a distance before the start', [0xe1, 97, 0x00, 9, ...end], 'has an invalid reference'],
    ['a distance of nothing', [0xe1, 97, 0x00, 0, ...end], 'has an invalid reference'],
    ['an unknown opcode', [0x70, ...end], 'unknown opcode'],
    ['another unknown opcode', [0x1e, ...end], 'unknown opcode'],
  ])('rejects %s', (_name, bytes, words) => {
    expect(() => decompressLzvn(Buffer.from(bytes), 1000)).toThrow(words);
  });
});

describe('LZFSE', () => {
  const triplets: Triplet[] = [
    { literals: Buffer.from('abcdefghijklmnopqrstuvwxyz'), matchBytes: 30, distance: 26 },
    { literals: Buffer.from('!'), matchBytes: 5, distance: 0 },
    { literals: Buffer.alloc(0), matchBytes: 700, distance: 3 },
    { literals: Buffer.from(text.subarray(0, 300)), matchBytes: 0, distance: 1 },
    { literals: Buffer.from([0, 255, 128]), matchBytes: 2359, distance: 300 },
  ];

  function expand(parts: Triplet[]): Buffer {
    const bytes: number[] = [];
    let distance = 0;
    for (const part of parts) {
      bytes.push(...part.literals);
      distance = part.distance || distance;
      for (let index = 0; index < part.matchBytes; index++) bytes.push(bytes[bytes.length - distance] ?? 0);
    }
    return Buffer.from(bytes);
  }

  it('reads blocks with finite state entropy', () => {
    expect(decompressLzfse(encodeLzfse(triplets), 10_000)).toEqual(expand(triplets));
  });

  it('reads consecutive blocks of every kind', () => {
    const endless = (stream: Buffer) => stream.subarray(0, -4);
    const blocks = [lzfseRaw(text), lzfseLzvn(text), encodeLzfse(triplets)];
    const stream = Buffer.concat([...blocks.map(endless), Buffer.from('bvx$')]);
    expect(decompressLzfse(stream, 100_000)).toEqual(Buffer.concat([text, text, expand(triplets)]));
    expect(isLzfse(stream)).toBe(true);
    expect(isLzfse(text)).toBe(false);
  });

  it('stops at the limit', () => {
    expect(() => decompressLzfse(encodeLzfse(triplets), 1000)).toThrow('more than 1000 bytes');
    expect(() => decompressLzfse(lzfseRaw(text), 1000)).toThrow('more than 1000 bytes');
    expect(() => decompressLzfse(lzfseLzvn(text), 1000)).toThrow('more than 1000 bytes');
  });

  it.each([
    ['an unknown block', Buffer.from('bvx9'), 'unknown block'],
    ['nothing', Buffer.alloc(0), 'unknown block'],
    ['a raw block that is cut', lzfseRaw(text).subarray(0, 100), 'ends too early'],
    [
      'an LZVN block of another size',
      Buffer.concat([Buffer.from('bvxn'), uint32s(5, 12), encodeLzvn(Buffer.from('abc'))]),
      'with the wrong size',
    ],
    ['a block that is cut in its header', encodeLzfse(triplets).subarray(0, 20), 'ends too early'],
    ['a block that is cut in its payload', encodeLzfse(triplets).subarray(0, 300), 'ends too early'],
  ])('rejects %s', (_name, bytes, words) => {
    expect(() => decompressLzfse(bytes, 100_000)).toThrow(words);
  });

  it('rejects or reads input with any byte changed, within the limits', () => {
    const stream = encodeLzfse(triplets);
    for (let position = 0; position < stream.length; position++) {
      const changed = Buffer.from(stream);
      changed[position] = (changed[position] ?? 0) ^ 0x91;
      try {
        expect(decompressLzfse(changed, 20_000).length).toBeLessThanOrEqual(20_000);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }
  });
});
