import { build, buildBinary, parse, parseOpenStep } from 'plist';
import { describe, expect, it } from 'vitest';
import { UnreadablePackage } from '../../../src/packages/package-info.ts';
import { parsePropertyList } from '../../../src/packages/property-list/property-list.ts';
import { propertyListLimits } from '../../../src/packages/property-list/property-list-value.ts';
import { startProcessorTime } from '../processor-time.ts';

const sample = {
  text: 'naïve ☃ <&> "quoted"',
  empty: '',
  whole: 42,
  negative: -7,
  large: 4_294_967_296,
  real: 1.5,
  yes: true,
  no: false,
  when: new Date('2026-11-21T09:16:00Z'),
  data: Buffer.from([0, 1, 2, 255]),
  list: ['a', ['b'], []],
  inner: { 'key with spaces': { deep: 1 } },
};

function xml(body: string): Buffer {
  return Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0">${body}</plist>`);
}

/** Builds a binary list of encoded objects; references are one byte wide. */
function binary(objects: Buffer[], root = 0): Buffer {
  const offsets: number[] = [];
  let position = 8;
  for (const object of objects) {
    offsets.push(position);
    position += object.length;
  }
  const table = Buffer.alloc(offsets.length * 4);
  for (const [index, offset] of offsets.entries()) table.writeUInt32BE(offset, index * 4);
  const trailer = Buffer.alloc(32);
  trailer.writeUInt8(4, 6);
  trailer.writeUInt8(1, 7);
  trailer.writeBigUInt64BE(BigInt(objects.length), 8);
  trailer.writeBigUInt64BE(BigInt(root), 16);
  trailer.writeBigUInt64BE(BigInt(position), 24);
  return Buffer.concat([Buffer.from('bplist00'), ...objects, table, trailer]);
}

function reasonFor(bytes: Buffer): string {
  try {
    parsePropertyList(bytes, 'Info.plist');
  } catch (error) {
    if (error instanceof UnreadablePackage) return error.message;
    throw error;
  }
  throw new Error('it was read');
}

describe('the property list reader', () => {
  it('reads XML', () => {
    expect(parsePropertyList(Buffer.from(build(sample)))).toEqual(sample);
  });

  it('reads the binary format', () => {
    expect(parsePropertyList(Buffer.from(buildBinary(sample)))).toEqual(sample);
  });

  it('reads the OpenStep format with comments, bare words, data and arrays', () => {
    const text =
      '// names\n{ "a b" = "c\\n\\U00e9\\"\\101"; bare = com.example/x-1; /* list */ l = (1, "2", (3),); d = <0f bd77>; }';
    expect(parsePropertyList(Buffer.from(text))).toEqual({
      'a b': 'c\né"A',
      bare: 'com.example/x-1',
      l: ['1', '2', ['3']],
      d: Buffer.from('0fbd77', 'hex'),
    });
  });

  it('reads strings files without braces, and uses a key without a value as its own value', () => {
    const text = '/* Localized */\nCFBundleDisplayName = \'Caf\u00e9\';\n"alone";\n';
    expect(parsePropertyList(Buffer.from(text))).toEqual({ CFBundleDisplayName: 'Café', alone: 'alone' });
  });

  it('reads blank text as an empty dictionary', () => {
    expect(parsePropertyList(Buffer.from('\n // nothing\n'))).toEqual({});
  });
});

describe('the encoding detection', () => {
  const text = '"CFBundleDisplayName" = "テスト";';
  const little = Buffer.from(text, 'utf16le');
  const big = Buffer.from(little).swap16();

  it.each([
    ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${text}`)],
    ['UTF-16LE with a byte order mark', Buffer.concat([Buffer.from([0xff, 0xfe]), little])],
    ['UTF-16BE with a byte order mark', Buffer.concat([Buffer.from([0xfe, 0xff]), big])],
    ['UTF-16LE without', little],
    ['UTF-16BE without', big],
  ])('reads %s', (_name, bytes) => {
    expect(parsePropertyList(bytes)).toEqual({ CFBundleDisplayName: 'テスト' });
  });

  it('uses the encoding declared in XML', () => {
    const bytes = Buffer.from(
      '<?xml version="1.0" encoding="ISO-8859-1"?><plist><string>caf\u00e9</string></plist>',
      'latin1',
    );
    expect(parsePropertyList(bytes)).toBe('café');
  });

  it('rejects an unknown encoding', () => {
    const bytes = Buffer.from('<?xml version="1.0" encoding="klingon"?><plist><true/></plist>');
    expect(reasonFor(bytes)).toContain('klingon');
  });
});

describe('the value parser', () => {
  it('keeps integers beyond the number range', () => {
    expect(parsePropertyList(xml('<integer>18446744073709551615</integer>'))).toBe(
      18_446_744_073_709_551_615n,
    );
    expect(parsePropertyList(xml('<integer>-9223372036854775808</integer>'))).toBe(
      -9_223_372_036_854_775_808n,
    );
    const wide = Buffer.alloc(17, 0);
    wide[0] = 0x14;
    wide.fill(0xff, 9);
    expect(parsePropertyList(binary([wide]))).toBe(18_446_744_073_709_551_615n);
    const negative = Buffer.alloc(9, 0xff);
    negative[0] = 0x13;
    expect(parsePropertyList(binary([negative]))).toBe(-1);
  });

  it('reads hexadecimal integers, infinity and NaN', () => {
    const list = parsePropertyList(
      xml('<array><integer>0x1F</integer><real>-infinity</real><real>nan</real></array>'),
    );
    expect(list).toEqual([31, -Infinity, Number.NaN]);
  });

  it('decodes entities, CDATA and comments within text', () => {
    const text = '<string>a&amp;&#x263A;&#65;<![CDATA[<b>&amp;]]><!-- c -->d</string>';
    expect(parsePropertyList(xml(text))).toBe('a&☺A<b>&amp;d');
  });

  it('treats __proto__ as an ordinary key', () => {
    for (const bytes of [
      xml('<dict><key>__proto__</key><dict><key>polluted</key><true/></dict></dict>'),
      Buffer.from('{ "__proto__" = { polluted = 1; }; }'),
      binary([
        Buffer.from([0xd1, 1, 2]),
        Buffer.concat([Buffer.from([0x59]), Buffer.from('__proto__')]),
        Buffer.from([0xd1, 3, 4]),
        Buffer.concat([Buffer.from([0x58]), Buffer.from('polluted')]),
        Buffer.from([0x09]),
      ]),
    ]) {
      const list = parsePropertyList(bytes);
      expect(Object.keys(list ?? {})).toEqual(['__proto__']);
      expect(Reflect.get({}, 'polluted')).toBeUndefined();
    }
  });
});

describe('for hostile lists, the reader', () => {
  it('rejects a list that is too large before reading it', () => {
    const bytes = Buffer.alloc(propertyListLimits.maxBytes + 1, 0x20);
    expect(reasonFor(bytes)).toBe(`Info.plist is larger than ${propertyListLimits.maxBytes} bytes`);
  });

  it('rejects nesting beyond the limit in every format', () => {
    const depth = propertyListLimits.maxDepth + 2;
    const nested = Array.from({ length: depth }, (_, index) => Buffer.from([0xa1, index + 1]));
    const words = `deeper than ${propertyListLimits.maxDepth} levels`;
    expect(reasonFor(xml('<array>'.repeat(depth) + '</array>'.repeat(depth)))).toContain(words);
    expect(reasonFor(Buffer.from('('.repeat(depth)))).toContain(words);
    expect(reasonFor(binary([...nested, Buffer.from([0x09])]))).toContain(words);
    expect(reasonFor(xml('<array>'.repeat(100_000)))).toContain(words);
  });

  it('rejects a binary list that refers to itself', () => {
    expect(reasonFor(binary([Buffer.from([0xa1, 0])]))).toContain('deeper than');
  });

  it('rejects a binary list in which every level refers to the next twice', () => {
    const levels = Array.from({ length: 60 }, (_, index) => Buffer.from([0xa2, index + 1, index + 1]));
    const takesAtMost = startProcessorTime();
    const words = `more than ${propertyListLimits.maxValues} values`;
    expect(reasonFor(binary([...levels, Buffer.from([0x09])]))).toContain(words);
    takesAtMost(2000);
  });

  it('rejects a binary list that refers to one long text many times', () => {
    const text = Buffer.concat([Buffer.from([0x5f, 0x12, 0, 0x10, 0, 0]), Buffer.alloc(0x100000, 0x61)]);
    const list = Buffer.concat([Buffer.from([0xaf, 0x10, 200]), Buffer.alloc(200, 1)]);
    const words = `expands to more than ${propertyListLimits.maxExpandedBytes} bytes`;
    expect(reasonFor(binary([list, text]))).toContain(words);
  });

  it('rejects an array that claims more than the file contains, without allocating it', () => {
    const list = Buffer.from([0xaf, 0x12, 0x7f, 0xff, 0xff, 0xff]);
    expect(reasonFor(binary([list]))).toContain('an array is too long');
    const dictionary = Buffer.from([0xdf, 0x12, 0x7f, 0xff, 0xff, 0xff]);
    expect(reasonFor(binary([dictionary]))).toContain('a dictionary is too long');
  });

  it('skips what is no Base64 in data', () => {
    const parsed = (text: string) => parsePropertyList(xml(`<data>${text}</data>`), 'x');
    expect(parsed(' aGVs\n\tbG8= ')).toEqual(Buffer.from('hello'));
    expect(parsed('aG-Vs_bG8')).toEqual(Buffer.from('hello'));
    expect(parsed('_(removed!)')).toEqual(Buffer.from('removed', 'base64'));
  });

  it('rejects custom entities', () => {
    const bytes = Buffer.from('<!DOCTYPE plist [<!ENTITY a "aaaa">]><plist><string>&a;</string></plist>');
    expect(reasonFor(bytes)).toContain('document type contains declarations');
    expect(reasonFor(xml('<string>&a;</string>'))).toContain('the entity &a; is unknown');
  });

  it.each([
    ['nothing', Buffer.alloc(0), 'Info.plist is empty'],
    ['a cut binary list', Buffer.from('bplist00'), 'ends too early'],
    ['a binary root that is not there', binary([Buffer.from([0x09])], 7), 'there is no object 7'],
    ['an unknown kind of object', binary([Buffer.from([0x70])]), 'unknown kind 0x7'],
    ['a key that is not text', binary([Buffer.from([0xd1, 1, 1]), Buffer.from([0x09])]), 'a key is not text'],
    ['an unclosed dictionary', xml('<dict><key>a</key>'), 'the key a has no value'],
    ['a key without value', xml('<dict><key>a</key></dict>'), 'the key a has no value'],
    ['a value without key', xml('<dict><true/></dict>'), '<true> was found instead of a key'],
    ['a tag from elsewhere', xml('<html></html>'), '<html> is unknown'],
    ['a bad integer', xml('<integer>12x</integer>'), 'an integer is malformed'],
    ['a bad date', xml('<date>yesterday</date>'), 'a date is malformed'],
    ['bad Base64', xml('<data>A</data>'), 'not Base64'],
    ['an impossible date', xml('<date>2026-99-99T00:00:00Z</date>'), 'a date is malformed'],
    ['text that does not end', Buffer.from('{ a = "b'), 'ends within a quoted text'],
    ['a missing semicolon', Buffer.from('{ a = b c = d; }'), 'a semicolon is missing after a'],
    ['odd hexadecimal', Buffer.from('{ a = <abc>; }'), 'not hexadecimal'],
    ['a comment that does not end', Buffer.from('/* a'), 'a comment does not end'],
  ])('rejects %s', (_name, bytes, words) => {
    expect(reasonFor(bytes)).toContain(words);
  });

  it.each([
    ['digits', '<real>', '9', 'x</real>'],
    ['spaces', '<string>', ' ', '</string'],
    ['ampersands', '<string>', '&', '</string>'],
    ['comments', '', '<!---->', ''],
    ['tags', '', '<a ', ''],
  ])('takes time linear in the file size: %s', (_name, before, repeated, after) => {
    const bytes = xml(before + repeated.repeat(3_000_000 / repeated.length) + after);
    const takesAtMost = startProcessorTime();
    expect(reasonFor(bytes)).toContain('not a readable property list');
    takesAtMost(3000);
  });

  it('rejects or reads every truncated list without other errors', () => {
    for (const bytes of [Buffer.from(build(sample)), Buffer.from(buildBinary(sample))]) {
      for (let length = 0; length < bytes.length; length++) {
        try {
          parsePropertyList(bytes.subarray(0, length));
        } catch (error) {
          expect(error).toBeInstanceOf(UnreadablePackage);
        }
      }
    }
  });

  it('agrees with the plist library', () => {
    const text = '{ a = ("x y", z); "b" = { c = <00ff>; }; }';
    expect(parsePropertyList(Buffer.from(text))).toEqual(normalize(parseOpenStep(text)));
    const markup = build({ a: ['x', 1, 2.5, false], b: { c: 'é' } });
    expect(parsePropertyList(Buffer.from(markup))).toEqual(parse(markup));
  });
});

function normalize(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value);
  if (Array.isArray(value)) return value.map(normalize);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, normalize(item)]));
  }
  return value;
}
