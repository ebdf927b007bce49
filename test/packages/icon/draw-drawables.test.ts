import { describe, expect, test } from 'vitest';
import type { XmlElementSpec } from '../../support/build-binary-xml.ts';
import type { ResourceTypeSpec } from '../../support/build-resource-table.ts';
import {
  type Attributes,
  color,
  dp,
  drawElement,
  drawPackage,
  element,
  float,
  path,
  percent,
  pixelsOf,
  plainPng,
  themeAttribute,
  vector,
} from './build-icon-package.ts';

const [red, green, blue] = [color(0xffff0000), color(0xff00ff00), color(0xff0000ff)];
const nothing = '#00000000';
const first = { reference: 0x7f010000 };
const second = { reference: 0x7f010001 };

const draw = async (root: XmlElementSpec) => pixelsOf(await drawElement(root));
const item = (attributes: Attributes, children: XmlElementSpec[] = []) =>
  element('item', attributes, children);
const solid = (paint: typeof red, attributes: Attributes = {}, more: XmlElementSpec[] = []) =>
  element('shape', attributes, [element('solid', { color: paint }), ...more]);
const size = (width: number, height: number) => element('size', { width: dp(width), height: dp(height) });

/** Resources of one type, each a file or a value, at mdpi or the density given. */
function drawables(...values: (string | { path: string; density: number })[]): ResourceTypeSpec[] {
  const resources = values.map((value, index) => ({
    name: `d${index}`,
    values: [
      typeof value === 'string' ? { value } : { config: { density: value.density }, value: value.path },
    ],
  }));
  return [{ name: 'drawable', resources }];
}

describe('an adaptive icon', () => {
  const adaptive = (
    background: Attributes | null,
    foreground: Attributes | null,
    more: XmlElementSpec[] = [],
  ) =>
    element('adaptive-icon', {}, [
      ...(background ? [element('background', background)] : []),
      ...(foreground ? [element('foreground', foreground)] : []),
      ...more,
    ]);
  const drawAdaptive = (
    icon: XmlElementSpec,
    files: Record<string, XmlElementSpec | Buffer>,
    resources: ResourceTypeSpec[],
  ) => drawPackage({ files: { 'icon.xml': icon, ...files }, resources }, { kind: 'adaptive' });
  /** A centered square of this size in dp. */
  const middle = (side: number) =>
    vector(108, [path(`M${54 - side / 2} ${54 - side / 2}h${side}v${side}h-${side}z`, { fillColor: red })]);

  test('shows 72 of 108 dp, clipped to a rounded square', async () => {
    const icon = adaptive({ drawable: { reference: 0x0106000b } }, { drawable: first });
    const pixels = await pixelsOf(
      await drawAdaptive(icon, { 'res/f.xml': middle(36) }, drawables('res/f.xml')),
    );
    expect([pixels.width, pixels.height]).toEqual([512, 512]);
    expect([
      pixels.at(0.26, 0.5),
      pixels.at(0.24, 0.5),
      pixels.at(0.74, 0.74),
      pixels.at(0.76, 0.76),
    ]).toEqual(['#ff0000ff', '#ffffffff', '#ff0000ff', '#ffffffff']);
    expect([pixels.at(0.01, 0.01), pixels.at(0.99, 0.01), pixels.at(0.04, 0.96)]).toEqual([
      nothing,
      nothing,
      nothing,
    ]);
    expect([pixels.at(0.5, 0), pixels.at(0, 0.5), pixels.at(0.08, 0.08)]).toEqual([
      '#ffffffff',
      '#ffffffff',
      '#ffffffff',
    ]);
  });

  test('has clean edges without pixels from below the background', async () => {
    const icon = adaptive({ drawable: { reference: 0x0106000b } }, { drawable: { reference: 0x0106000d } });
    const pixels = await pixelsOf(await drawAdaptive(icon, {}, drawables()));
    for (let step = 0; step < 512; step++) {
      expect(pixels.at(step / 512, 0.02)).toMatch(/^#(ffffff|000000(?=00))/);
    }
  });

  test('is black under a transparent background and white under an unreadable one', async () => {
    const transparent = adaptive({ drawable: { reference: 0x0106000d } }, { drawable: first });
    const files = { 'res/f.xml': middle(36) };
    expect(
      (await pixelsOf(await drawAdaptive(transparent, files, drawables('res/f.xml')))).at(0.1, 0.5),
    ).toBe('#000000ff');
    for (const background of [
      null,
      { drawable: { reference: 0x01080093 } },
      { drawable: themeAttribute(0x01010433) },
    ]) {
      const icon = adaptive(background, { drawable: first });
      const pixels = await pixelsOf(await drawAdaptive(icon, files, drawables('res/f.xml')));
      expect([pixels.at(0.1, 0.5), pixels.at(0.5, 0.5)]).toEqual(['#ffffffff', '#ff0000ff']);
    }
  });

  test('uses pictures of the highest density and ignores the monochrome layer', async () => {
    const resources = [
      {
        name: 'mipmap',
        resources: [
          {
            name: 'f',
            values: [
              { config: { density: 160 }, value: 'res/m.png' },
              { config: { density: 640 }, value: 'res/x.png' },
              { config: { density: 320 }, value: 'res/h.png' },
            ],
          },
        ],
      },
    ];
    const icon = adaptive({ drawable: { reference: 0x0106000c } }, { drawable: first }, [
      element('monochrome', { drawable: { reference: 0x0106000b } }),
    ]);
    const files = {
      'res/m.png': await plainPng(108, 108, 0xff0000ff),
      'res/h.png': await plainPng(216, 216, 0x00ff00ff),
      'res/x.png': await plainPng(432, 432, 0x0000ffff),
    };
    expect((await pixelsOf(await drawAdaptive(icon, files, resources))).at(0.5, 0.5)).toBe('#0000ffff');
  });

  test('can contain inline drawables with a percentage inset', async () => {
    const icon = element('adaptive-icon', {}, [
      element('background', {}, [element('color', { color: blue })]),
      element('foreground', {}, [element('inset', { inset: percent(25) }, [solid(red)])]),
    ]);
    const pixels = await pixelsOf(await drawPackage({ files: { 'icon.xml': icon } }));
    expect([pixels.at(0.5, 0.5), pixels.at(0.14, 0.5), pixels.at(0.11, 0.5)]).toEqual([
      '#ff0000ff',
      '#ff0000ff',
      '#0000ffff',
    ]);
  });

  test('is absent when no layer can be read', async () => {
    expect(await drawAdaptive(adaptive(null, null), {}, [])).toBeNull();
    const missing = adaptive({ drawable: first }, { drawable: { reference: 0x01080093 } });
    expect(await drawAdaptive(missing, {}, drawables('res/missing.xml'))).toBeNull();
  });
});

describe('the shape renderer', () => {
  test('draws rectangles with corners, ovals and lines', async () => {
    const round = await draw(solid(red, {}, [element('corners', { radius: dp(24) })]));
    expect([round.at(0.5, 0.5), round.at(0.02, 0.02), round.at(0.5, 0.01)]).toEqual([
      '#ff0000ff',
      nothing,
      '#ff0000ff',
    ]);
    const one = await draw(solid(red, {}, [element('corners', { bottomRightRadius: dp(24) })]));
    expect([one.at(0.01, 0.01), one.at(0.98, 0.98)]).toEqual(['#ff0000ff', nothing]);
    const oval = await draw(solid(green, { shape: 1 }));
    expect([oval.at(0.5, 0.5), oval.at(0.1, 0.1), oval.at(0.5, 0.02)]).toEqual([
      '#00ff00ff',
      nothing,
      '#00ff00ff',
    ]);
    const line = await draw(
      element('shape', { shape: 2 }, [element('stroke', { width: dp(8), color: blue })]),
    );
    expect([line.at(0.5, 0.5), line.at(0.5, 0.3)]).toEqual(['#0000ffff', nothing]);
  });

  test('draws rings that follow the level by default', async () => {
    const ring = (attributes: Attributes) =>
      drawElement(
        element('layer-list', {}, [
          item({}, [element('color', { color: green })]),
          item({}, [solid(red, { shape: 3, innerRadius: dp(12), thickness: dp(6), ...attributes })]),
        ]),
      );
    const pixels = await pixelsOf(await ring({ useLevel: false }));
    expect([pixels.at(0.5, 0.5), pixels.at(0.5 + 15 / 48, 0.5), pixels.at(0.95, 0.5)]).toEqual([
      '#00ff00ff',
      '#ff0000ff',
      '#00ff00ff',
    ]);
    expect((await pixelsOf(await ring({}))).at(0.5 + 15 / 48, 0.5)).toBe('#00ff00ff');
  });

  test('draws strokes inside the outline, and dashed strokes', async () => {
    const framed = await draw(solid(red, {}, [element('stroke', { width: dp(6), color: blue })]));
    expect([framed.at(0.02, 0.5), framed.at(0.11, 0.11), framed.at(0.14, 0.5)]).toEqual([
      '#0000ffff',
      '#0000ffff',
      '#ff0000ff',
    ]);
    const dashed = await draw(
      element('shape', { shape: 2 }, [
        element('stroke', { width: dp(8), color: blue, dashWidth: dp(8), dashGap: dp(8) }),
      ]),
    );
    const along = Array.from({ length: 4 }, (_, index) => dashed.at((index * 8 + 8) / 48, 0.5));
    expect(new Set(along)).toEqual(new Set(['#0000ffff', nothing]));
  });

  test('draws gradients by angle, with a center, radial and sweep', async () => {
    const gradient = (attributes: Attributes) =>
      draw(element('shape', {}, [element('gradient', { startColor: red, endColor: blue, ...attributes })]));
    const reds = (pixels: { at(x: number, y: number): string }) =>
      [pixels.at(0.01, 0.01), pixels.at(0.99, 0.01), pixels.at(0.01, 0.99), pixels.at(0.99, 0.99)].map(
        (hex) => Math.round(Number.parseInt(hex.slice(1, 3), 16) / 127.5),
      );
    expect(reds(await gradient({}))).toEqual([2, 0, 2, 0]);
    expect(reds(await gradient({ angle: float(90) }))).toEqual([0, 0, 2, 2]);
    expect(reds(await gradient({ angle: float(180) }))).toEqual([0, 2, 0, 2]);
    expect(reds(await gradient({ angle: float(270) }))).toEqual([2, 2, 0, 0]);
    expect(reds(await gradient({ angle: float(-90) }))).toEqual([2, 2, 0, 0]);
    expect(reds(await gradient({ angle: float(45) }))).toEqual([1, 0, 2, 1]);
    expect(reds(await gradient({ angle: float(315) }))).toEqual([2, 1, 1, 0]);
    expect((await gradient({ centerColor: green, centerX: float(0.25) })).at(0.25, 0.5)).toMatch(
      /^#0[0-4]f[a-f]0[0-4]ff$/,
    );
    const radial = await gradient({ type: 1, gradientRadius: percent(50) });
    expect([radial.at(0.5, 0.5).slice(0, 3), radial.at(0.01, 0.01)]).toEqual(['#fe', '#0000ffff']);
    const sweep = await gradient({ type: 2 });
    expect([sweep.at(0.9, 0.52).slice(0, 2), sweep.at(0.9, 0.48).slice(5, 6)]).toEqual(['#f', 'f']);
  });
});

describe('layers', () => {
  const list = (items: XmlElementSpec[], attributes: Attributes = {}) =>
    element('layer-list', attributes, [item({}, [solid(blue, {}, [size(48, 48)])]), ...items]);

  test('overlap with their inset, size and gravity', async () => {
    const pixels = await draw(list([item({ left: dp(24), top: dp(12) }, [solid(red)])]));
    expect([pixels.at(0.75, 0.75), pixels.at(0.25, 0.5), pixels.at(0.75, 0.1)]).toEqual([
      '#ff0000ff',
      '#0000ffff',
      '#0000ffff',
    ]);
    const corner = await draw(list([item({ width: dp(12), height: dp(12), gravity: 0x55 }, [solid(red)])]));
    expect([corner.at(0.9, 0.9), corner.at(0.7, 0.9), corner.at(0.1, 0.1)]).toEqual([
      '#ff0000ff',
      '#0000ffff',
      '#0000ffff',
    ]);
    const center = await draw(list([item({ gravity: 0x11 }, [solid(red, {}, [size(12, 12)])])]));
    expect([center.at(0.5, 0.5), center.at(0.3, 0.5)]).toEqual(['#ff0000ff', '#0000ffff']);
    const start = await draw(list([item({ width: dp(12), height: dp(12) }, [solid(red)])]));
    expect([start.at(0.1, 0.1), start.at(0.5, 0.5)]).toEqual(['#ff0000ff', '#0000ffff']);
  });

  test('are placed within the padding of lower layers, unless stacked', async () => {
    const padding = element('padding', { left: dp(12), top: dp(12), right: dp(12), bottom: dp(12) });
    const layers = [item({}, [solid(green, {}, [padding])]), item({}, [solid(red)])];
    const nested = await draw(list(layers));
    expect([nested.at(0.5, 0.5), nested.at(0.1, 0.5)]).toEqual(['#ff0000ff', '#00ff00ff']);
    const stacked = await draw(list(layers, { paddingMode: 1 }));
    expect(stacked.at(0.1, 0.5)).toBe('#ff0000ff');
  });

  test('are skipped when they cannot be read', async () => {
    const pixels = await draw(
      list([item({ drawable: { reference: 0x7f990000 } }), item({}, [element('my.own.View')])]),
    );
    expect(pixels.at(0.5, 0.5)).toBe('#0000ffff');
  });
});

describe('pictures in drawables', () => {
  const drawPicture = async (root: XmlElementSpec, density = 160) =>
    pixelsOf(
      await drawPackage({
        files: { 'icon.xml': root, 'res/p.png': await plainPng(16, 16, 0xff0000ff) },
        resources: drawables({ path: 'res/p.png', density }),
      }),
    );
  const around = (attributes: Attributes) =>
    element('layer-list', {}, [
      item({}, [solid(blue, {}, [size(48, 48)])]),
      item({}, [element('bitmap', { src: first, ...attributes })]),
    ]);

  test('fill the area, or keep their size in dp and follow their gravity', async () => {
    expect((await drawPicture(around({}))).at(0.05, 0.95)).toBe('#ff0000ff');
    const center = await drawPicture(around({ gravity: 0x11 }));
    expect([center.at(0.5, 0.5), center.at(0.37, 0.5), center.at(0.3, 0.5)]).toEqual([
      '#ff0000ff',
      '#ff0000ff',
      '#0000ffff',
    ]);
    const dense = await drawPicture(around({ gravity: 0x11 }), 640);
    expect([dense.at(0.5, 0.5), dense.at(0.43, 0.5)]).toEqual(['#ff0000ff', '#0000ffff']);
    const bottomLeft = await drawPicture(around({ gravity: 0x53 }));
    expect([bottomLeft.at(0.1, 0.9), bottomLeft.at(0.5, 0.5)]).toEqual(['#ff0000ff', '#0000ffff']);
  });

  test('can be tinted, translucent and tiled', async () => {
    expect((await drawPicture(around({ tint: green }))).at(0.5, 0.5)).toBe('#00ff00ff');
    expect((await drawPicture(around({ alpha: float(0.5) }))).at(0.5, 0.5)).toMatch(/^#(7f|80)00(7f|80)ff$/);
    const tiled = await drawPicture(around({ tileMode: 1 }));
    expect([tiled.at(0.05, 0.05), tiled.at(0.95, 0.95)]).toEqual(['#ff0000ff', '#ff0000ff']);
  });

  test('draw nothing when they are not pictures', async () => {
    const files = { 'icon.xml': element('bitmap', { src: first }), 'res/p.png': Buffer.from('<svg/>') };
    expect(await drawPackage({ files, resources: drawables('res/p.png') })).toBeNull();
  });
});

describe('other drawables', () => {
  test('can rotate, inset and select', async () => {
    const bar = vector(24, [path('M0 0H24V6H0Z', { fillColor: red })]);
    const turned = await draw(element('rotate', { fromDegrees: float(90) }, [bar]));
    expect([turned.at(0.9, 0.9), turned.at(0.1, 0.1)]).toEqual(['#ff0000ff', nothing]);
    const inset = await draw(element('inset', { insetLeft: dp(24) }, [solid(red, {}, [size(24, 48)])]));
    expect([inset.at(0.75, 0.5), inset.at(0.25, 0.5)]).toEqual(['#ff0000ff', nothing]);
    const state = { name: 'state_pressed', value: true, resourceId: 0x010100a7 };
    const pressed = { name: 'item', attributes: [state], children: [solid(green)] };
    expect((await draw(element('selector', {}, [pressed, item({}, [solid(red)])]))).at(0.5, 0.5)).toBe(
      '#ff0000ff',
    );
    const levels = element('level-list', {}, [
      item({ minLevel: 5, maxLevel: 9 }, [solid(green)]),
      item({ maxLevel: 4 }, [solid(red)]),
    ]);
    expect((await draw(levels)).at(0.5, 0.5)).toBe('#ff0000ff');
    expect(
      (await draw(element('animation-list', {}, [item({}, [solid(red)]), item({}, [solid(green)])]))).at(
        0.5,
        0.5,
      ),
    ).toBe('#ff0000ff');
    const mask = item({ id: { reference: 0x0102002e } }, [solid(green)]);
    expect(
      (await draw(element('ripple', { color: blue }, [item({}, [solid(red)]), mask]))).at(0.5, 0.5),
    ).toBe('#ff0000ff');
  });

  test('can refer to each other', async () => {
    const pixels = await pixelsOf(
      await drawPackage({
        files: {
          'icon.xml': element('animated-vector', { drawable: first }),
          'res/v.xml': element('inset', { drawable: second, inset: dp(0) }),
          'res/w': vector(24, [path('M0 0H24V24H0Z', { fillColor: green })]),
        },
        resources: drawables('res/v.xml', 'res/w'),
      }),
    );
    expect(pixels.at(0.5, 0.5)).toBe('#00ff00ff');
  });

  test.each(['my.own.Drawable', 'drawable', 'constructor', '__proto__', 'svg', 'manifest', 'scale', 'clip'])(
    'draw nothing for <%s>',
    async (name) => expect(await drawElement(element(name, {}, [solid(red)]))).toBeNull(),
  );
});

test('the best valid picture of the same name replaces a drawable that cannot be drawn', async () => {
  const files = {
    'res/mipmap-anydpi-v26/ic.xml': element('my.own.Drawable'),
    'res/mipmap-mdpi-v4/ic.png': await plainPng(48, 48, 0xff0000ff),
    'res/mipmap-xxxhdpi-v4/ic.png': Buffer.from('damaged'),
    'res/mipmap-xhdpi-v4/ic.webp': await plainPng(96, 96, 0x00ff00ff),
    'res/mipmap-xxhdpi-v4/other.png': await plainPng(144, 144, 0x0000ffff),
    'res/raw/ic.png': await plainPng(999, 999, 0x0000ffff),
  };
  const choice = { kind: 'adaptive', source: 'res/mipmap-anydpi-v26/ic.xml' } as const;
  const pixels = await pixelsOf(await drawPackage({ files }, choice));
  expect([pixels.width, pixels.at(0.5, 0.5)]).toEqual([96, '#00ff00ff']);
});
