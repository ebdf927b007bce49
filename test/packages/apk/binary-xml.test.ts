import { describe, expect, test } from 'vitest';
import { attributeById, parseBinaryXml, plainAttribute } from '../../../src/packages/apk/binary-xml.ts';
import { UnreadablePackage } from '../../../src/packages/package-info.ts';
import {
  androidNamespace,
  buildBinaryXml,
  chunk,
  type XmlElementSpec,
  type XmlValueSpec,
} from '../../support/build-binary-xml.ts';

const root: XmlElementSpec = {
  name: 'manifest',
  attributes: [
    { name: 'versionCode', value: 7 },
    { name: 'package', value: 'com.example', resourceId: 0 },
  ],
  children: [
    { name: 'uses-sdk', attributes: [{ name: 'minSdkVersion', value: 21 }] },
    { name: 'application', children: [{ name: 'activity' }] },
  ],
};

describe.each([
  ['UTF-8', false],
  ['UTF-16', true],
])('binary XML with a %s pool', (_, utf16) => {
  test('is parsed as a tree', () => {
    expect(parseBinaryXml(buildBinaryXml(root, { utf16 }))).toEqual({
      namespace: null,
      name: 'manifest',
      attributes: [
        {
          namespace: androidNamespace,
          name: 'versionCode',
          resourceId: 0x0101021b,
          value: { kind: 'integer', number: 7 },
        },
        { namespace: null, name: 'package', resourceId: 0, value: { kind: 'string', text: 'com.example' } },
      ],
      children: [
        expect.objectContaining({ name: 'uses-sdk', children: [] }),
        expect.objectContaining({
          name: 'application',
          children: [expect.objectContaining({ name: 'activity' })],
        }),
      ],
    });
  });
});

test('attributes with stripped names are found by id', () => {
  const element = parseBinaryXml(buildBinaryXml(root, { stripAttributeNames: true }));
  expect(element.attributes[0]?.name).toBe('');
  expect(attributeById(element, 0x0101021b)).toEqual({ kind: 'integer', number: 7 });
  expect(attributeById(element, 0x0101021c)).toBeNull();
  expect(plainAttribute(element, 'package')).toEqual({ kind: 'string', text: 'com.example' });
  expect(plainAttribute(element, 'split')).toBeNull();
});

test('a matching name without an id is not a platform attribute', () => {
  const element = parseBinaryXml(
    buildBinaryXml({ name: 'a', attributes: [{ name: 'versionCode', value: 7, resourceId: 0 }] }),
  );
  expect(attributeById(element, 0x0101021b)).toBeNull();
});

const values: [what: string, spec: XmlValueSpec, value: unknown][] = [
  ['a reference', { reference: 0x7f010002 }, { kind: 'reference', id: 0x7f010002, dynamic: false }],
  [
    'a dynamic reference',
    { type: 0x07, data: 0x02010002 },
    { kind: 'reference', id: 0x02010002, dynamic: true },
  ],
  ['@null', { type: 0x01, data: 0 }, { kind: 'null', empty: false }],
  ['@empty', { type: 0x00, data: 1 }, { kind: 'null', empty: true }],
  ['an attribute of the theme', { type: 0x02, data: 0x7f020001 }, { kind: 'attribute', id: 0x7f020001 }],
  ['a negative number', -5, { kind: 'integer', number: -5 }],
  ['a number in hexadecimal', { type: 0x11, data: 0xff }, { kind: 'integer', number: 255 }],
  ['true', true, { kind: 'boolean', truth: true }],
  ['false', false, { kind: 'boolean', truth: false }],
  ['a float', { type: 0x04, data: 0x3fc00000 }, { kind: 'float', number: 1.5 }],
  ['24dp', { type: 0x05, data: 0x00001801 }, { kind: 'dimension', number: 24, unit: 'dip' }],
  ['-1.5px', { type: 0x05, data: 0xffff4010 }, { kind: 'dimension', number: -1.5, unit: 'px' }],
  ['a unit that is not known', { type: 0x05, data: 0x0000010f }, { kind: 'unknown', type: 5, data: 0x10f }],
  ['50%', { type: 0x06, data: 0x40000030 }, { kind: 'fraction', number: 0.5, ofParent: false }],
  ['a color', { type: 0x1c, data: 0xff336699 }, { kind: 'color', argb: 0xff336699 }],
  ['a text that the pool does not have', { type: 0x03, data: 999 }, { kind: 'null', empty: false }],
  ['a type that is not known', { type: 0x42, data: 9 }, { kind: 'unknown', type: 0x42, data: 9 }],
];
test.each(values)('decodes the value %s', (_, spec, value) => {
  const element = parseBinaryXml(buildBinaryXml({ name: 'a', attributes: [{ name: 'label', value: spec }] }));
  expect(element.attributes[0]?.value).toEqual(value);
});

describe('like the platform, the reader accepts', () => {
  const sound = () => buildBinaryXml(root);

  test('another type in the file header', () => {
    const bytes = sound();
    bytes.writeUInt16LE(0, 0);
    expect(parseBinaryXml(bytes).name).toBe('manifest');
  });

  test('trailing bytes and chunks of an unknown type', () => {
    const bytes = Buffer.concat([sound(), Buffer.from('behind')]);
    const unknown = chunk(0x0999, Buffer.alloc(0), Buffer.alloc(12));
    const mixed = Buffer.concat([bytes.subarray(0, 8), unknown, bytes.subarray(8)]);
    mixed.writeUInt32LE(bytes.length - 6 + unknown.length, 4);
    expect(parseBinaryXml(mixed)).toEqual(parseBinaryXml(sound()));
  });

  test('a file that ends inside its elements', () => {
    const bytes = sound();
    const cut = bytes.length - 24 - 24;
    bytes.writeUInt32LE(cut, 4);
    expect(parseBinaryXml(bytes.subarray(0, cut)).children).toHaveLength(2);
  });
});

describe('the reader rejects', () => {
  const expectDamaged = (bytes: Buffer) => expect(() => parseBinaryXml(bytes)).toThrow(UnreadablePackage);

  test('empty input, text and truncated files', () => {
    expectDamaged(Buffer.alloc(0));
    expectDamaged(Buffer.from('<manifest package="com.example"/>'));
    expectDamaged(buildBinaryXml(root).subarray(0, -1));
  });

  test('a file without elements', () => {
    expectDamaged(chunk(0x0003, Buffer.alloc(0), Buffer.alloc(0)));
  });

  test('a chunk of size zero', () => {
    expectDamaged(chunk(0x0003, Buffer.alloc(0), Buffer.alloc(16)));
  });

  test.each([
    ['attributes that reach behind their element', 28, 0xff],
    ['attributes that start behind their element', 24, 0xff],
    ['attributes of four bytes', 26, 4],
  ])('%s', (_, offset, value) => {
    const bytes = buildBinaryXml(root);
    const start = bytes.indexOf(Buffer.from([0x02, 0x01, 0x10, 0x00]));
    bytes.writeUInt16LE(value, start + offset);
    expectDamaged(bytes);
  });

  test('elements nested deeper than in any real file', () => {
    const nest = (depth: number): XmlElementSpec => ({
      name: 'a',
      children: depth > 1 ? [nest(depth - 1)] : [],
    });
    expect(parseBinaryXml(buildBinaryXml(nest(256))).name).toBe('a');
    expect(() => parseBinaryXml(buildBinaryXml(nest(257)))).toThrow('nested too deep');
  });
});
