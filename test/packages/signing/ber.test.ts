import { describe, expect, it } from 'vitest';
import {
  BerTag,
  berChildren,
  berIntegerHex,
  berObjectIdentifier,
  berOctets,
  MalformedBer,
  maxBerChildren,
  maxBerDepth,
  maxObjectIdentifierBytes,
  readBer,
} from '../../../src/packages/certificate/ber.ts';
import { der, derIdentifier, derSequence } from '../../support/test-key.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('the BER reader', () => {
  it('reads short, long and non-minimal lengths', () => {
    expect(readBer(hex('04 02 aabb')).content).toEqual(hex('aabb'));
    expect(readBer(der(4, Buffer.alloc(300, 1))).content).toEqual(Buffer.alloc(300, 1));
    expect(readBer(hex('04 83 000002 aabb ffff')).encoded).toEqual(hex('04 83 000002 aabb'));
  });

  it('reads indefinite lengths, also nested', () => {
    const value = readBer(hex('30 80 30 80 0401aa 0000 0401bb 0000 ff'));
    const children = berChildren(value);
    expect(children.map(({ encoded }) => encoded.toString('hex'))).toEqual(['30800401aa0000', '0401bb']);
    expect(value.encoded.at(-1)).toBe(0);
  });

  it('joins a fragmented octet string', () => {
    expect(berOctets(readBer(hex('24 80 0401aa 0402bbcc 0000')))).toEqual(hex('aabbcc'));
  });

  it('formats object identifiers with dots', () => {
    for (const dotted of [
      '2.5.4.3',
      '1.2.840.113549.1.9.1',
      '0.9.2342.19200300.100.1.25',
      '2.16.840.1.101.3.4.2.1',
    ]) {
      expect(berObjectIdentifier(readBer(derIdentifier(dotted)))).toBe(dotted);
    }
  });

  it('formats a number as canonical hexadecimal', () => {
    expect(berIntegerHex(readBer(hex('02 03 00 00 ff')))).toBe('ff');
    expect(berIntegerHex(readBer(hex('02 01 00')))).toBe('00');
  });

  it.each([
    ['nothing', ''],
    ['no length', '30'],
    ['a length beyond the end', '3005 0401aa'],
    ['a length of five octets', '04 85 0000000001 aa'],
    ['a high tag number', '1f 81 01 00'],
    ['an indefinite length without end', '30 80 0401aa'],
    ['an indefinite length of a primitive value', '04 80 aa 0000'],
  ])('rejects %s', (_, text) => {
    expect(() => readBer(hex(text))).toThrow(MalformedBer);
  });

  it('rejects values nested deeper than its limit', () => {
    const nested = (depth: number) => hex('3080'.repeat(depth) + '0000'.repeat(depth));
    expect(readBer(nested(maxBerDepth)).tag).toBe(BerTag.sequence);
    expect(() => readBer(nested(maxBerDepth + 2))).toThrow('nested too deep');
    expect(() => readBer(nested(100_000))).toThrow('nested too deep');
  });

  it('rejects more children than its limit', () => {
    const full = derSequence([Buffer.concat(Array<Buffer>(maxBerChildren).fill(hex('0500')))]);
    expect(berChildren(readBer(full))).toHaveLength(maxBerChildren);
    const over = derSequence([Buffer.concat(Array<Buffer>(maxBerChildren + 1).fill(hex('0500')))]);
    expect(() => berChildren(readBer(over))).toThrow('too many values');
  });

  it('rejects an object identifier that is too long or truncated', () => {
    expect(() => berObjectIdentifier(readBer(der(6, Buffer.alloc(maxObjectIdentifierBytes + 1, 1))))).toThrow(
      MalformedBer,
    );
    expect(() => berObjectIdentifier(readBer(hex('06 02 2a 86')))).toThrow('truncated');
  });
});
