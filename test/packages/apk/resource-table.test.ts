import { describe, expect, test } from 'vitest';
import { phone } from '../../../src/packages/apk/choose-config.ts';
import {
  maxLocales,
  maxReferenceDepth,
  resolveCandidates,
  resolveInLocales,
  resolveValue,
} from '../../../src/packages/apk/resolve-resource.ts';
import { localeTag } from '../../../src/packages/apk/resource-config.ts';
import {
  maxBagItems,
  maxTypeChunks,
  maxVariants,
  parseResourceTable,
} from '../../../src/packages/apk/resource-table.ts';
import { type TypedValue, textOf } from '../../../src/packages/apk/typed-value.ts';
import { UnreadablePackage } from '../../../src/packages/package-info.ts';
import { buildStringPool, chunk, uint32s } from '../../support/build-binary-xml.ts';
import {
  buildResourceTable,
  type ConfigSpec,
  type ResourceSpec,
  type ResourceTableOptions,
  type ResourceTypeSpec,
} from '../../support/build-resource-table.ts';
import { runsEverything } from '../../support/runs-everything.ts';

const reference = (id: number, dynamic = false): TypedValue => ({ kind: 'reference', id, dynamic });

function table(types: readonly ResourceTypeSpec[], options: ResourceTableOptions = {}) {
  return parseResourceTable(buildResourceTable([{ types }], options));
}

const strings: ResourceTypeSpec = {
  name: 'string',
  resources: [
    { name: 'absent', values: [] },
    {
      name: 'app_name',
      values: [
        { value: 'Hello' },
        { config: { language: 'ja' }, value: 'こんにちは' },
        { config: { language: 'pt', region: 'BR' }, value: 'Olá' },
      ],
    },
    { name: 'other', values: [{ value: 'Other' }, { config: { language: 'fr' }, value: 'Autre' }] },
  ],
};

describe.each<[NonNullable<ResourceTableOptions['layout']>]>([
  ['plain'],
  ['sparse'],
  ['offset16'],
  ['compact'],
])('a table with %s entries', (layout) => {
  test.each([false, true])('returns every value of a resource, UTF-16 pool: %s', (utf16) => {
    const read = table([strings], { layout, utf16 });
    const texts = (id: number) =>
      read.resolveAll(id).map(({ config, value }) => [localeTag(config), value && textOf(value)]);
    expect(texts(0x7f010001)).toEqual([
      ['', 'Hello'],
      ['ja', 'こんにちは'],
      ['pt-BR', 'Olá'],
    ]);
    expect(texts(0x7f010002)).toEqual([
      ['', 'Other'],
      ['fr', 'Autre'],
    ]);
  });

  test('returns nothing for missing resources', () => {
    const read = table([strings], { layout });
    for (const id of [
      0x7f010000, 0x7f010003, 0x7f01ffff, 0x7f020000, 0x7f000000, 0x01010001, 0, 0xffffffff,
    ]) {
      expect(read.resolveAll(id)).toEqual([]);
    }
  });
});

test('the table contains the names of packages and types', () => {
  const read = table([strings, { name: 'mipmap', resources: [] }]);
  expect(read.packages).toEqual([{ id: 0x7f, name: 'test' }]);
  expect([read.typeName(0x7f010000), read.typeName(0x7f020000), read.typeName(0x7f030000)]).toEqual([
    'string',
    'mipmap',
    null,
  ]);
  expect(read.typeName(0x01010000)).toBeNull();
});

test('several packages keep separate ids', () => {
  const read = parseResourceTable(
    buildResourceTable([
      { id: 0x7f, types: [{ name: 'string', resources: [{ name: 'a', values: [{ value: 'app' }] }] }] },
      { id: 0x80, types: [{ name: 'string', resources: [{ name: 'a', values: [{ value: 'feature' }] }] }] },
    ]),
  );
  expect(read.resolveAll(0x7f010000)[0]?.value).toEqual({ kind: 'string', text: 'app' });
  expect(read.resolveAll(0x80010000)[0]?.value).toEqual({ kind: 'string', text: 'feature' });
});

test('a style has a parent and items', () => {
  const read = table([
    {
      name: 'style',
      resources: [
        {
          name: 'Theme',
          values: [
            { value: { parent: 0x01030005, bag: [{ key: 0x01010036, type: 0x1c, data: 0xff0000ff }] } },
          ],
        },
      ],
    },
  ]);
  expect(read.resolveAll(0x7f010000)).toEqual([
    expect.objectContaining({
      value: null,
      bag: { parent: 0x01030005, items: [{ key: 0x01010036, value: { kind: 'color', argb: 0xff0000ff } }] },
    }),
  ]);
});

test.each<[what: string, config: ConfigSpec, tag: string]>([
  ['no locale', {}, ''],
  ['a language', { language: 'de' }, 'de'],
  ['a region', { language: 'en', region: 'GB' }, 'en-GB'],
  ['a region in digits', { language: 'es', region: '419' }, 'es-419'],
  ['a language of three letters', { language: 'fil' }, 'fil'],
  ['a script', { language: 'zh', script: 'Hant', region: 'TW' }, 'zh-Hant-TW'],
  ['a variant', { language: 'de', variant: '1996' }, 'de-1996'],
  ['an old code for Hebrew', { language: 'iw' }, 'he'],
  ['an old code for Indonesian', { language: 'in' }, 'id'],
  ['the first structure of 28 bytes', { language: 'de', script: 'Latn', bytes: 28 }, 'de'],
])('decodes a locale with %s', (_, config, tag) => {
  const read = table([{ name: 'string', resources: [{ name: 'a', values: [{ config, value: 'x' }] }] }]);
  expect(read.resolveAll(0x7f010000).map((variant) => localeTag(variant.config))).toEqual([tag]);
});

describe('references', () => {
  const chain = (length: number): ResourceSpec[] => [
    ...Array.from({ length }, (_, index) => ({
      name: `link${index}`,
      values: [{ value: { reference: 0x7f010001 + index } }],
    })),
    { name: 'end', values: [{ value: 'found' }] },
  ];
  const resolveChain = (length: number) =>
    resolveValue(table([{ name: 'string', resources: chain(length) }]), reference(0x7f010000), phone(160));

  test('are followed up to the platform limit', () => {
    expect(resolveChain(1)).toEqual({ kind: 'string', text: 'found' });
    expect(resolveChain(maxReferenceDepth - 1)).toEqual({ kind: 'string', text: 'found' });
    expect(resolveChain(maxReferenceDepth)).toBeNull();
  });

  test('in a circle resolve to nothing', () => {
    const circle = table([
      {
        name: 'string',
        resources: [
          { name: 'a', values: [{ value: { reference: 0x7f010001 } }] },
          { name: 'b', values: [{ value: { reference: 0x7f010000 } }] },
        ],
      },
    ]);
    expect(resolveValue(circle, reference(0x7f010000), phone(160))).toBeNull();
    expect(resolveInLocales(circle, reference(0x7f010000), textOf)).toEqual(new Map());
    expect(resolveCandidates(circle, reference(0x7f010000), phone(640))).toEqual([]);
  });

  test('into another package resolve to nothing, and dynamic ones to package 0 resolve to the own package', () => {
    const read = table([strings]);
    expect(resolveValue(read, reference(0x01040000), phone(160))).toBeNull();
    expect(resolveValue(read, reference(0x00010001, true), phone(160))).toEqual({
      kind: 'string',
      text: 'Hello',
    });
  });

  test('contribute the texts of every locale along the way', () => {
    const read = table([
      strings,
      {
        name: 'bool',
        resources: [
          {
            name: 'alias',
            values: [
              { value: { reference: 0x7f010001 } },
              { config: { language: 'fr' }, value: { reference: 0x7f010002 } },
            ],
          },
        ],
      },
    ]);
    expect(resolveInLocales(read, reference(0x7f020000), textOf)).toEqual(
      new Map([
        ['', 'Hello'],
        ['fr', 'Autre'],
        ['ja', 'こんにちは'],
        ['pt-BR', 'Olá'],
      ]),
    );
  });
});

describe('resource table limits', () => {
  test('maxVariants: limits the values of a resource', () => {
    const values = Array.from({ length: maxVariants + 5 }, (_, index) => ({
      config: { density: index + 1 },
      value: 'x',
    }));
    const read = table([{ name: 'string', resources: [{ name: 'a', values }] }]);
    expect(read.resolveAll(0x7f010000)).toHaveLength(maxVariants);
  });

  test('maxLocales: limits the locales of a label', () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz'];
    const languages = letters.flatMap((first) => letters.map((second) => first + second));
    const values = languages.map((language) => ({ config: { language }, value: language }));
    const read = table([{ name: 'string', resources: [{ name: 'a', values }] }]);
    expect(resolveInLocales(read, reference(0x7f010000), textOf).size).toBe(maxLocales);
  });

  test.runIf(runsEverything)(
    'maxComparedVariants: yields fewer labels for a table designed to be slow',
    { timeout: 120_000 },
    () => {
      const links = Array.from({ length: 15 }, (_, link) => ({
        name: `link${link}`,
        values: Array.from({ length: maxVariants }, (__, density) => ({
          config: { density: density + 1 },
          value: { reference: 0x7f010001 + link },
        })),
      }));
      const letters = [...'abcdefghijklmnopqrstuvwxyz'];
      const values = letters.map((letter) => ({ config: { language: `a${letter}` }, value: letter }));
      const read = table([{ name: 'string', resources: [...links, { name: 'end', values }] }]);
      const labels = resolveInLocales(read, reference(0x7f010000), textOf);
      expect(labels.size).toBeGreaterThan(5);
      expect(labels.size).toBeLessThan(letters.length);
    },
  );

  test('maxBagItems: limits the bag items of a resource', () => {
    const bag = Array.from({ length: maxBagItems - 1 }, (_, key) => ({ key, type: 0x10, data: 0 }));
    const values = [{ value: { bag } }, { config: { density: 240 }, value: { bag } }];
    const read = table([{ name: 'style', resources: [{ name: 'a', values }] }]);
    expect(read.resolveAll(0x7f010000).map((variant) => variant.bag?.items.length)).toEqual([
      maxBagItems - 1,
      1,
    ]);
  });

  test('maxTypeChunks: rejects tables with too many small chunks', () => {
    const typeChunk = chunk(0x0201, uint32s(1, 0, 24, 4), Buffer.alloc(0));
    const head = Buffer.alloc(280);
    const chunks = Buffer.concat(Array.from({ length: maxTypeChunks + 1 }, () => typeChunk));
    const build = (body: Buffer) => chunk(0x0002, uint32s(1), chunk(0x0200, head, body));
    expect(parseResourceTable(build(chunks.subarray(typeChunk.length))).packages).toHaveLength(1);
    expect(() => parseResourceTable(build(chunks))).toThrow(UnreadablePackage);
  });
});

describe('a damaged table', () => {
  test('is rejected or loses its missing part when it is truncated', () => {
    const bytes = buildResourceTable([{ types: [strings] }]);
    for (let length = 0; length < bytes.length; length++) {
      expect(() => parseResourceTable(bytes.subarray(0, length))).toThrow(UnreadablePackage);
    }
  });

  test('is empty when it has no texts or packages', () => {
    const bytes = chunk(0x0002, uint32s(0), buildStringPool([]));
    expect(parseResourceTable(bytes).packages).toEqual([]);
    expect(parseResourceTable(bytes).resolveAll(0x7f010000)).toEqual([]);
  });

  test('ignores an entry that starts past its chunk', () => {
    const bytes = buildResourceTable([
      { types: [{ name: 'string', resources: [{ name: 'a', values: [{ value: 'x' }] }] }] },
    ]);
    const type = bytes.indexOf(Buffer.from([0x01, 0x02, 84, 0]));
    bytes.writeUInt32LE(12, type + 84);
    expect(parseResourceTable(bytes).resolveAll(0x7f010000)).toEqual([]);
    bytes.writeUInt32LE(0xfffffff0, type + 84);
    expect(parseResourceTable(bytes).resolveAll(0x7f010000)).toEqual([]);
  });
});
