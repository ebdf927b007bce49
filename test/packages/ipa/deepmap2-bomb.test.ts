/** Images in asset catalogs that would decompress to far more than they have pixels. */
import { describe, expect, it } from 'vitest';
import { decodeDeepmap2 } from '../../../src/packages/ipa/asset-catalog/deepmap2.ts';
import { uint16s, uint32s } from './build-asset-catalog.ts';
import { tile } from './encode-deepmap2.ts';

/** LZVN of 100 bytes, then matches of 271 bytes and one of 155: the pixels of 128 by 127. */
const stream = Buffer.concat([
  Buffer.from([0xe0, 81]),
  Buffer.alloc(97),
  Buffer.from([0x00, 1]),
  Buffer.alloc(2 * 239, Buffer.from([0xf0, 0xff])),
  Buffer.from([0xf0, 139]),
  Buffer.from([0x06, 0, 0, 0, 0, 0, 0, 0]),
]);

function image(width: number, height: number, method: number, content: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from('dmp2'),
    Buffer.from([method, 0, 0, 4]),
    uint16s(width, height),
    content,
  ]);
}

function wrapped(content: Buffer): Buffer {
  return Buffer.concat([uint32s(1, 4, content.length, 0), content]);
}

const streams = (count: number) =>
  Buffer.concat(Array.from({ length: count }, () => Buffer.concat([uint32s(stream.length), stream])));

describe('a deepmap2 image', () => {
  it('of many compressed streams is limited like one of a single stream', () => {
    const once = wrapped(image(128, 128, 3, streams(1)));
    expect(decodeDeepmap2(once, 128, 127).length).toBe(128 * 127 * 4);
    const often = wrapped(image(128, 128, 3, streams(1_000)));
    expect(() => decodeDeepmap2(often, 128, 127)).toThrow('it decompresses to more than');
  });

  it('of many palette streams is limited like one of a single stream', () => {
    const palette = Buffer.concat([uint16s(1, 4), uint32s(0xffffffff)]);
    const often = wrapped(image(256, 256, 4, Buffer.concat([palette, streams(1_000)])));
    expect(() => decodeDeepmap2(often, 256, 256)).toThrow('it decompresses to more than');
  });

  it('of overlapping tiles is rejected before decoding', () => {
    const broken = image(64, 64, 9, Buffer.alloc(0));
    const tiles = Buffer.concat([tile(0, 0, broken), tile(0, 0, broken)]);
    expect(() => decodeDeepmap2(wrapped(tiles), 64, 64)).toThrow('the tiles do not cover their image');
  });
});
