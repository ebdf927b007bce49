/** Icons that try to inject text, hang or exhaust memory: each quickly yields a PNG or nothing. */
import { describe, expect, test } from 'vitest';
import { drawIcon } from '../../../src/packages/icon/draw-icon.ts';
import { createCanvas, maxDrawingWork } from '../../../src/packages/icon/drawing-cost.ts';
import { openPicture } from '../../../src/packages/icon/image-library.ts';
import { maxSvgCharacters, svg, svgText } from '../../../src/packages/icon/svg.ts';
import {
  maxDrawableFiles,
  maxElements,
  maxPathCharacters,
  maxPictures,
} from '../../../src/packages/icon/vector/drawable-files.ts';
import { maxDrawableDepth } from '../../../src/packages/icon/vector/read-drawable.ts';
import { maxVectorDepth } from '../../../src/packages/icon/vector/read-vector.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { buildBinaryXml, type XmlElementSpec } from '../../support/build-binary-xml.ts';
import { fileInMemory } from '../../support/build-zip.ts';
import { runsEverything } from '../../support/runs-everything.ts';
import { startProcessorTime } from '../processor-time.ts';
import {
  buildIconPackage,
  color,
  dp,
  drawElement,
  drawPackage,
  element,
  float,
  type IconPackageSpec,
  path,
  pixelsOf,
  plainPng,
  vector,
} from './build-icon-package.ts';

/** The time of the work limit on a slow, busy core. */
const maxMs = 10_000;
const red = color(0xffff0000);
const full = 'M0 0H24V24H0Z';
const square = path(full, { fillColor: red });
const first = { reference: 0x7f010000 };

const many = <T>(count: number, build: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => build(index));
const icon = (root: XmlElementSpec): IconPackageSpec => ({ files: { 'icon.xml': root } });
const resourceFiles = (...paths: string[]) => [
  { name: 'drawable', resources: paths.map((value, index) => ({ name: `d${index}`, values: [{ value }] })) },
];

let state = 1;
/** Deterministic numbers from 0 to 1. */
function random(): number {
  state = (state * 48_271) % 2_147_483_647;
  return state / 2_147_483_647;
}
const place = () => (random() * 24).toFixed(2);
const zigzag = (count: number) => `M0 0${many(count, () => `L${place()} ${place()}`).join('')}`;
const curves = (count: number) => `M0 0${many(count, () => `C${many(6, place).join(' ')}`).join('')}`;

async function drawInTime(spec: IconPackageSpec): Promise<Buffer | null> {
  const archive = await openZip(fileInMemory(buildIconPackage(spec)));
  const takesAtMost = startProcessorTime();
  const png = await drawIcon(archive, { kind: 'adaptive', source: 'icon.xml', width: null, height: null });
  takesAtMost(maxMs);
  if (png) expect((await openPicture(png).metadata()).format).toBe('png');
  return png;
}

describe('package text never gets into the picture', () => {
  const attack = '"/><image href="file:///etc/passwd"/><path d="';

  test.each([
    ['path data', vector(24, [square, path(`${full}${attack}`, { fillColor: red })])],
    ['a clip', vector(24, [element('clip-path', { pathData: `${full}${attack}` }), square])],
    [
      'names',
      vector(24, [
        {
          ...square,
          attributes: [...(square.attributes ?? []), { name: 'name', value: attack, resourceId: 0x01010003 }],
        },
      ]),
    ],
    [
      'a color',
      vector(24, [
        square,
        path(full, { fillColor: attack, strokeColor: `url(#${attack})`, strokeWidth: float(2) }),
      ]),
    ],
    ['numbers', vector(24, [square], { alpha: attack, tint: attack, tintMode: attack })],
    ['groups', vector(24, [element('group', { rotation: attack, scaleX: 'scale(9)' }, [square])])],
    ['strokes', vector(24, [{ ...path(full, { fillColor: red, strokeLineCap: attack, fillType: attack }) }])],
  ])('in %s', async (_, root) => {
    expect((await pixelsOf(await drawInTime(icon(root)))).at(0.5, 0.5)).toBe('#ff0000ff');
  });

  test('because own attributes are escaped', () => {
    expect(svgText(svg('path', { d: `<&>"'` }))).toBe('<path d="&lt;&amp;&gt;&quot;&#39;"/>');
    expect(svgText(svg('g', { a: Number.NaN, b: Number.POSITIVE_INFINITY, c: 1e-9 }))).toBe(
      '<g a="0" b="1000000" c="0"/>',
    );
  });

  test('because a picture path is only looked up in the archive', async () => {
    for (const target of [
      '/etc/passwd',
      '../../etc/passwd',
      'file:///etc/passwd',
      'http://127.0.0.1/',
      'data:image/png;base64,AAAA',
    ]) {
      const files = { 'icon.xml': element('bitmap', { src: first }) };
      expect(await drawInTime({ files, resources: resourceFiles(target) })).toBeNull();
      expect(await drawInTime(icon(element('bitmap', { src: target })))).toBeNull();
    }
  });
});

describe('the renderer stops at circular', () => {
  test('drawables', async () => {
    const itself = element('inset', { drawable: first });
    expect(
      await drawInTime({ files: { 'icon.xml': itself }, resources: resourceFiles('icon.xml') }),
    ).toBeNull();
    const layers = element(
      'layer-list',
      {},
      many(20, () => element('item', { drawable: first })),
    );
    expect(
      await drawInTime({ files: { 'icon.xml': layers }, resources: resourceFiles('icon.xml') }),
    ).toBeNull();
    const adaptive = element('adaptive-icon', {}, [element('background', { drawable: first })]);
    expect(
      await drawInTime({ files: { 'icon.xml': adaptive }, resources: resourceFiles('icon.xml') }),
    ).toBeNull();
  });

  test('references', async () => {
    const resources = [
      {
        name: 'color',
        resources: [
          { name: 'a', values: [{ value: { reference: 0x7f010001 } }] },
          { name: 'b', values: [{ value: first }] },
        ],
      },
    ];
    const files = { 'icon.xml': vector(24, [square, path(full, { fillColor: first })]) };
    expect((await pixelsOf(await drawInTime({ files, resources }))).at(0.5, 0.5)).toBe('#ff0000ff');
  });

  test('colors', async () => {
    const list = element('selector', {}, [element('item', { color: first })]);
    const gradient = element('gradient', { startColor: first, endColor: first });
    for (const root of [list, gradient]) {
      const files = { 'icon.xml': vector(24, [square, path(full, { fillColor: first })]), 'res/c.xml': root };
      expect(await drawInTime({ files, resources: resourceFiles('res/c.xml') })).not.toBeUndefined();
    }
  });
});

describe('the renderer limits', () => {
  test('elements', async () => {
    expect(
      await drawInTime(icon(vector(24, [square, ...many(maxElements - 10, () => element('group'))]))),
    ).not.toBeNull();
    expect(
      await drawInTime(icon(vector(24, [square, ...many(maxElements, () => element('group'))]))),
    ).toBeNull();
  });

  test('nested groups', async () => {
    const nested = (depth: number): XmlElementSpec =>
      many(depth, () => null).reduce<XmlElementSpec>((child) => element('group', {}, [child]), square);
    expect((await pixelsOf(await drawInTime(icon(vector(24, [nested(maxVectorDepth)]))))).at(0.5, 0.5)).toBe(
      '#ff0000ff',
    );
    const pixels = await pixelsOf(
      await drawInTime(icon(vector(24, [nested(maxVectorDepth + 1), path('M0 0h2v2z', { fillColor: red })]))),
    );
    expect(pixels.at(0.5, 0.5)).toBe('#00000000');
    expect(await drawInTime(icon(vector(24, [nested(1_000)])))).toBeNull();
  });

  test('nested drawables', async () => {
    const nested = (depth: number) =>
      many(depth, () => null).reduce<XmlElementSpec>(
        (child) => element('inset', {}, [child]),
        vector(24, [square]),
      );
    expect(await drawInTime(icon(nested(maxDrawableDepth - 1)))).not.toBeNull();
    expect(await drawInTime(icon(nested(maxDrawableDepth)))).toBeNull();
  });

  test('files and pictures', async () => {
    const list = (count: number) =>
      element(
        'layer-list',
        {},
        many(count, (index) => element('item', { drawable: { reference: 0x7f010000 + index } })),
      );
    const spec = async (count: number, ending: string, content: XmlElementSpec | Buffer) => {
      const paths = many(count, (index) => `res/${index}${ending}`);
      return {
        files: { 'icon.xml': list(count), ...Object.fromEntries(paths.map((name) => [name, content])) },
        resources: resourceFiles(...paths),
      };
    };
    expect(await drawInTime(await spec(maxDrawableFiles - 1, '.xml', vector(24, [square])))).not.toBeNull();
    expect(await drawInTime(await spec(maxDrawableFiles, '.xml', vector(24, [square])))).toBeNull();
    const png = await plainPng(9, 9, 0xff0000ff);
    expect(await drawInTime(await spec(maxPictures, '.png', png))).not.toBeNull();
    expect(await drawInTime(await spec(maxPictures + 1, '.png', png))).toBeNull();
  });

  test('path data', async () => {
    const padded = (length: number) => vector(24, [square, path(full.padEnd(length), { fillColor: red })]);
    expect(await drawInTime(icon(padded(32_000)))).not.toBeNull();
    const paths = many(20, () => path(full.padEnd(maxPathCharacters / 19), { fillColor: red }));
    expect(await drawInTime(icon(vector(24, paths)))).toBeNull();
    expect(
      await drawInTime(icon(vector(24, [path(`M0 0${'l0 0'.repeat(50_000)}`, { fillColor: red })]))),
    ).toBeNull();
  });

  test('the length of the SVG', () => {
    const text = 'x'.repeat(1_000_000);
    const picture = (count: number) =>
      svg(
        'g',
        {},
        many(count, () => svg('path', { d: text })),
      );
    expect(svgText(picture(9)).length).toBeLessThan(maxSvgCharacters);
    expect(() => svgText(picture(10))).toThrow('too complex');
  });

  test('drawing work', () => {
    const canvas = createCanvas(24);
    canvas.spend(maxDrawingWork);
    expect(() => canvas.spend(1)).toThrow('too complex');
    expect(() => createCanvas(24).spend(Number.NaN)).toThrow('too complex');
    expect(() => createCanvas(24).spend(Number.POSITIVE_INFINITY)).toThrow('too complex');
  });
});

describe('a picture that would take minutes to draw ends early', () => {
  const clip = (data: string) => element('clip-path', { pathData: data });
  const stroke = { strokeColor: red, strokeWidth: float(2), strokeLineJoin: 1, strokeLineCap: 1 };
  const layers = (count: number, child: XmlElementSpec) =>
    element(
      'layer-list',
      {},
      many(count, () => element('item', {}, [child])),
    );
  const gradient = (attributes: object) =>
    element('shape', {}, [
      element('gradient', { startColor: color(0x88ff0000), endColor: color(0x8800ff00), ...attributes }),
    ]);

  const pictures: [name: string, root: XmlElementSpec][] = [
    [
      'a knot',
      vector(24, [path(zigzag(1_200), { fillColor: red }), path(zigzag(1_200), { fillColor: red })]),
    ],
    ['the largest knot', vector(24, [path(zigzag(30_000), { fillColor: red })])],
    ['a knot in a stroke', vector(24, [path(zigzag(900), stroke)])],
    ['a knot of curves', vector(24, [path(curves(2_500), { fillColor: red, ...stroke })])],
    [
      'a squeezed knot',
      vector(24, [
        element('group', { scaleX: float(1e-4), scaleY: float(0.05) }, [
          path(zigzag(20_000), { fillColor: red }),
        ]),
      ]),
    ],
    ['a knot as a clip', vector(24, [clip(zigzag(900)), ...many(3_000, () => square)])],
    ['knots in knots', vector(24, [clip(zigzag(1_000)), path(zigzag(1_000), { fillColor: red })])],
    [
      'clips in clips',
      vector(24, [...many(60, () => clip('M0 0L24 0L12 24Z')), ...many(3_000, () => square)]),
    ],
    [
      'huge arcs',
      vector(24, [
        path(`M0 0${many(10_000, () => `A1e6 1e6 0 1 1 ${place()} ${place()}`).join('')}`, {
          fillColor: red,
        }),
      ]),
    ],
    [
      'a huge scale',
      vector(24, [
        element('group', { scaleX: float(1e30), scaleY: float(1e30) }, [
          path(curves(500), { fillColor: red, ...stroke }),
        ]),
      ]),
    ],
    [
      'a huge stroke',
      vector(24, [path(zigzag(200), { ...stroke, strokeWidth: float(1e30), strokeMiterLimit: float(1e30) })]),
    ],
    [
      'a viewport of nothing',
      vector(24, [path(zigzag(500), stroke)], { viewportWidth: float(1e-30), viewportHeight: float(1e-30) }),
    ],
    [
      'many squares',
      vector(
        24,
        many(3_900, () => square),
      ),
    ],
    ['many tints', layers(1_000, vector(24, [square], { tint: red }))],
    ['many fades', layers(1_000, vector(24, [square], { alpha: float(0.5) }))],
    ['many radial gradients', layers(1_300, gradient({ type: 1, gradientRadius: float(24) }))],
    ['many sweeps', layers(1_300, gradient({ type: 2 }))],
    [
      'tiny dashes over long ways',
      layers(
        100,
        element('shape', {}, [
          element('stroke', { width: dp(1), color: red, dashWidth: float(0.5), dashGap: float(0) }),
          element('size', { width: dp(30_000), height: dp(30_000) }),
        ]),
      ),
    ],
  ];
  /** Each ends with a second of work. */
  const slow = ['a knot', 'knots in knots', 'many fades', 'many squares'];

  test.each(pictures.filter(([name]) => runsEverything || !slow.includes(name)))('%s', async (_, root) => {
    await drawInTime(icon(root));
  });

  test('with a large picture drawn many times', async () => {
    const list = element(
      'layer-list',
      {},
      many(1_900, () => element('item', { drawable: first })),
    );
    const files = { 'icon.xml': list, 'res/p.png': await plainPng(1024, 1024, 0xff000080) };
    expect(await drawInTime({ files, resources: resourceFiles('res/p.png') })).toBeNull();
  });
});

describe('a damaged file draws nothing', () => {
  test('when it is truncated anywhere', async () => {
    const whole = buildBinaryXml(vector(24, [square, element('group', { rotation: float(9) }, [square])]));
    for (let length = 0; length < whole.length; length += 7) {
      expect(await drawPackage({ files: { 'icon.xml': whole.subarray(0, length) } })).toBeNull();
    }
  });

  test('or yields a PNG when any byte is changed', async () => {
    const table = resourceFiles('res/a.xml', 'res/b.png');
    const spec: IconPackageSpec = {
      files: {
        'icon.xml': element('layer-list', {}, [
          element('item', { drawable: first }),
          element('item', { drawable: { reference: 0x7f010001 } }),
        ]),
        'res/a.xml': vector(24, [square, element('clip-path', { pathData: full }), path(zigzag(9), stroked)]),
        'res/b.png': await plainPng(20, 20, 0x00ff0080),
      },
      resources: table,
    };
    for (const name of Object.keys(spec.files)) {
      const content = spec.files[name];
      const whole = Buffer.isBuffer(content) ? content : buildBinaryXml(content ?? square);
      for (let round = 0; round < (runsEverything ? 60 : 12); round++) {
        const changed = Buffer.from(whole);
        changed[Math.floor(random() * changed.length)] = Math.floor(random() * 256);
        await drawInTime({ ...spec, files: { ...spec.files, [name]: changed } });
      }
    }
  }, 60_000);

  const stroked = { fillColor: red, strokeColor: red, strokeWidth: float(1) };

  test('but disk errors are thrown', async () => {
    const file = fileInMemory(buildIconPackage(icon(vector(24, [square]))));
    const archive = await openZip(file);
    const broken = { ...archive, read: () => Promise.reject(new Error('EIO: i/o error, read')) };
    const choice = { kind: 'vector', source: 'icon.xml', width: null, height: null } as const;
    await expect(drawIcon(broken, choice)).rejects.toThrow('EIO');
  });

  test('when its table is invalid', async () => {
    const files = {
      'icon.xml': element('bitmap', { src: first }),
      'resources.arsc': Buffer.from('nonsense'),
    };
    expect(await drawPackage({ files })).toBeNull();
  });
});

test('a single element parses to one element', async () => {
  expect((await pixelsOf(await drawElement(vector(24, [square])))).at(0.5, 0.5)).toBe('#ff0000ff');
});
