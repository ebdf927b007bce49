import { describe, expect, test } from 'vitest';
import type { XmlElementSpec } from '../../support/build-binary-xml.ts';
import {
  color,
  drawElement,
  drawPackage,
  element,
  float,
  path,
  pixelsOf,
  themeAttribute,
  vector,
} from './build-icon-package.ts';

const red = color(0xffff0000);
const green = color(0xff00ff00);
const full = 'M0 0H24V24H0Z';
const nothing = '#00000000';

const draw = async (children: XmlElementSpec[], attributes = {}) =>
  pixelsOf(await drawElement(vector(24, children, attributes)));

describe('the path renderer', () => {
  test('fills exactly what paths enclose, at 512 pixels', async () => {
    const pixels = await draw([path('M12 0H24V12H12z', { fillColor: red })]);
    expect([pixels.width, pixels.height]).toEqual([512, 512]);
    expect([pixels.at(0.75, 0.25), pixels.at(0.25, 0.25), pixels.at(0.75, 0.75)]).toEqual([
      '#ff0000ff',
      nothing,
      nothing,
    ]);
  });

  test('supports colors with alpha, from the table and the platform, but not from a theme', async () => {
    const reference = (id: number) => path(full, { fillColor: { reference: id } });
    const resources = [
      { name: 'color', resources: [{ name: 'c', values: [{ value: { type: 0x1d, data: 0xff336699 } }] }] },
    ];
    const at = async (child: XmlElementSpec) =>
      (
        await pixelsOf(
          await drawPackage({
            files: { 'icon.xml': vector(24, [path('M0 0h1v1h-1z', { fillColor: red }), child]) },
            resources,
          }),
        )
      ).at(0.5, 0.5);
    expect(await at(reference(0x7f010000))).toBe('#336699ff');
    expect(await at(reference(0x0106000b))).toBe('#ffffffff');
    expect(await at(reference(0x01060017))).toBe('#cc0000ff');
    expect(await at(reference(0x0106ffff))).toBe(nothing);
    expect(await at(reference(0x7f01ffff))).toBe(nothing);
    expect(await at(path(full, { fillColor: themeAttribute(0x01010433) }))).toBe(nothing);
    expect(await at(path(full, { fillColor: color(0x800000ff) }))).toBe('#0000ff80');
    expect(await at(path(full, { fillColor: green, fillAlpha: float(0.5) }))).toBe('#00ff0080');
  });

  test('supports fill types', async () => {
    const holed = `${full}M6 6H18V18H6Z`;
    expect((await draw([path(holed, { fillColor: red })])).at(0.5, 0.5)).toBe('#ff0000ff');
    expect((await draw([path(holed, { fillColor: red, fillType: 1 })])).at(0.5, 0.5)).toBe(nothing);
  });

  test('supports strokes with caps and joins', async () => {
    const line = (attributes = {}) =>
      draw([path('M8 12H16', { strokeColor: green, strokeWidth: float(6), ...attributes })]);
    const [butt, round, square] = [
      await line(),
      await line({ strokeLineCap: 1 }),
      await line({ strokeLineCap: 2 }),
    ];
    expect([butt.at(0.5, 0.5), butt.at(0.28, 0.5), butt.at(0.5, 0.3)]).toEqual([
      '#00ff00ff',
      nothing,
      nothing,
    ]);
    expect([round.at(0.28, 0.5), round.at(0.22, 0.39)]).toEqual(['#00ff00ff', nothing]);
    expect(square.at(0.22, 0.39)).toBe('#00ff00ff');
    const corner = (join: number) =>
      draw([path('M4 20V4H20', { strokeColor: green, strokeWidth: float(6), strokeLineJoin: join })]);
    expect([
      (await corner(0)).at(0.06, 0.06),
      (await corner(1)).at(0.06, 0.06),
      (await corner(2)).at(0.06, 0.06),
    ]).toEqual(['#00ff00ff', nothing, nothing]);
    expect(
      (await draw([path(full, { strokeColor: green }), path('M0 0h1v1z', { fillColor: red })])).at(0, 0.5),
    ).toBe(nothing);
  });

  test('supports trimming', async () => {
    const trimmed = (start: number, end: number, offset = 0) =>
      draw([
        path('M0 12H24', {
          strokeColor: red,
          strokeWidth: float(4),
          trimPathStart: float(start),
          trimPathEnd: float(end),
          trimPathOffset: float(offset),
        }),
        path('M0 0h1v1z', { fillColor: red }),
      ]);
    const along = (pixels: { at(x: number, y: number): string }) =>
      [0.1, 0.4, 0.6, 0.9].map((x) => pixels.at(x, 0.5) !== nothing);
    expect(along(await trimmed(0, 1))).toEqual([true, true, true, true]);
    expect(along(await trimmed(0.25, 0.75))).toEqual([false, true, true, false]);
    expect(along(await trimmed(0, 0.5, 0.75))).toEqual([true, false, false, true]);
    expect(along(await trimmed(0.5, 0.5))).toEqual([false, false, false, false]);
  });

  test('keeps a trimmed arc on its circle', async () => {
    const pixels = await draw([
      path('M12 2A10 10 0 1 1 11.99 2', { strokeColor: red, strokeWidth: float(2), trimPathEnd: float(0.5) }),
    ]);
    const on = (degrees: number) =>
      pixels.at(
        0.5 + (10 / 24) * Math.sin((degrees * Math.PI) / 180),
        0.5 - (10 / 24) * Math.cos((degrees * Math.PI) / 180),
      );
    expect([on(20), on(90), on(160)]).toEqual(['#ff0000ff', '#ff0000ff', '#ff0000ff']);
    expect([on(200), on(270), on(340)]).toEqual([nothing, nothing, nothing]);
  });
});

describe('the gradient renderer', () => {
  const gradient = (attributes = {}, items: XmlElementSpec[] = []) => element('gradient', attributes, items);
  const drawWith = async (root: XmlElementSpec, paint = {}) =>
    pixelsOf(
      await drawPackage({
        files: {
          'icon.xml': vector(24, [path(full, { fillColor: { reference: 0x7f010000 }, ...paint })]),
          'res/color.xml': root,
        },
        resources: [{ name: 'color', resources: [{ name: 'c', values: [{ value: 'res/color.xml' }] }] }],
      }),
    );

  test('draws linear gradients from start through center to end', async () => {
    const pixels = await drawWith(
      gradient({
        startX: float(0),
        endX: float(24),
        startColor: red,
        centerColor: green,
        endColor: color(0xff0000ff),
      }),
    );
    expect([pixels.at(0, 0.5), pixels.at(0.5, 0.5), pixels.at(0.999, 0.5)]).toEqual([
      '#ff0000ff',
      '#00ff00ff',
      '#0000ffff',
    ]);
  });

  test('prefers items to start and end colors', async () => {
    const item = (offset: number, argb: number) =>
      element('item', { offset: float(offset), color: color(argb) });
    const pixels = await drawWith(
      gradient({ endX: float(24), startColor: red, endColor: red }, [
        item(0.5, 0xff0000ff),
        item(0.5, 0xff00ff00),
      ]),
    );
    expect([pixels.at(0.4, 0.5), pixels.at(0.6, 0.5)]).toEqual(['#0000ffff', '#00ff00ff']);
  });

  test('draws radial gradients, and nothing without a radius', async () => {
    const attributes = { type: 1, centerX: float(12), centerY: float(12), startColor: red, endColor: green };
    const pixels = await drawWith(gradient({ ...attributes, gradientRadius: float(6) }));
    expect(pixels.at(0.5, 0.5)).toMatch(/^#f[d-f]0[0-2]00ff$/);
    expect(pixels.at(0.9, 0.5)).toBe('#00ff00ff');
    expect((await drawWith(gradient(attributes))).at(0.9, 0.5)).toBe(nothing);
  });

  test('draws sweep gradients clockwise from three o’clock', async () => {
    const pixels = await drawWith(
      gradient({
        type: 2,
        centerX: float(12),
        centerY: float(12),
        startColor: red,
        centerColor: green,
        endColor: color(0xff0000ff),
      }),
    );
    expect(pixels.at(0.9, 0.52)).toMatch(/^#f.0.00ff$/);
    expect(pixels.at(0.1, 0.51)).toMatch(/^#0.f.0.ff$/);
    expect(pixels.at(0.9, 0.48)).toMatch(/^#000.f.ff$/);
    expect(pixels.at(0.5, 0.9)).toMatch(/^#[78].[78].00ff$/);
  });

  test('repeats a gradient past its end', async () => {
    const pixels = await drawWith(
      gradient({ endX: float(6), tileMode: 1, startColor: red, endColor: green }),
    );
    expect(pixels.at(0.01, 0.5).slice(0, 4)).toBe(pixels.at(0.51, 0.5).slice(0, 4));
    expect(pixels.at(0.24, 0.5)).toMatch(/^#[01].[ef]./);
  });

  test('uses the stateless color of a color list, with its alpha', async () => {
    const pressed = {
      name: 'item',
      attributes: [
        { name: 'state_pressed', value: true, resourceId: 0x010100a7 },
        { name: 'color', value: green, resourceId: 0x010101a5 },
      ],
    };
    const list = element('selector', {}, [pressed, element('item', { color: red, alpha: float(0.5) })]);
    expect((await drawWith(list)).at(0.5, 0.5)).toBe('#ff000080');
  });
});

describe('the group renderer', () => {
  test('scales groups, rotates them about the pivot and translates them', async () => {
    const square = path('M0 0h6v6h-6z', { fillColor: red });
    const group = (attributes: Parameters<typeof element>[1]) =>
      draw([element('group', attributes, [square])]);
    const moved = await group({ translateX: float(12), translateY: float(6) });
    expect([moved.at(0.6, 0.4), moved.at(0.1, 0.1)]).toEqual(['#ff0000ff', nothing]);
    const turned = await group({ rotation: float(90), pivotX: float(12), pivotY: float(12) });
    expect([turned.at(0.9, 0.1), turned.at(0.1, 0.1)]).toEqual(['#ff0000ff', nothing]);
    const scaled = await group({ scaleX: float(2), scaleY: float(4), pivotX: float(0) });
    expect([scaled.at(0.45, 0.9), scaled.at(0.55, 0.5)]).toEqual(['#ff0000ff', nothing]);
    const none = await draw([
      element('group', { scaleX: float(0) }, [square]),
      path('M9 9h1v1z', { fillColor: red }),
    ]);
    expect(none.at(0.1, 0.1)).toBe(nothing);
  });

  test('applies a clip to the following siblings in its group', async () => {
    const left = element('clip-path', { pathData: 'M0 0H12V24H0Z' });
    const top = element('clip-path', { pathData: 'M0 0H24V12H0Z' });
    const before = await draw([path(full, { fillColor: green }), left, path(full, { fillColor: red })]);
    expect([before.at(0.25, 0.5), before.at(0.75, 0.5)]).toEqual(['#ff0000ff', '#00ff00ff']);
    const grouped = await draw([
      element('group', {}, [left, top, path(full, { fillColor: red })]),
      path('M20 20h4v4h-4z', { fillColor: green }),
    ]);
    expect([
      grouped.at(0.25, 0.25),
      grouped.at(0.25, 0.75),
      grouped.at(0.75, 0.25),
      grouped.at(0.9, 0.9),
    ]).toEqual(['#ff0000ff', nothing, nothing, '#00ff00ff']);
  });

  test('draws nothing inside an empty clip', async () => {
    const pixels = await draw([
      path('M0 0h2v2h-2z', { fillColor: green }),
      element('clip-path', { pathData: '' }),
      path(full, { fillColor: red }),
    ]);
    expect([pixels.at(0.04, 0.04), pixels.at(0.5, 0.5)]).toEqual(['#00ff00ff', nothing]);
  });
});

describe('a vector drawable', () => {
  test('supports alpha and tint', async () => {
    const children = [path(full, { fillColor: red, fillAlpha: float(0.5) })];
    expect((await draw(children, { alpha: float(0.5) })).at(0.5, 0.5)).toBe('#ff000040');
    expect((await draw(children, { tint: color(0xff0000ff) })).at(0.5, 0.5)).toBe('#0000ff80');
    expect((await draw(children, { tint: color(0x800000ff) })).at(0.5, 0.5)).toBe('#0000ff40');
    const opaque = [path(full, { fillColor: color(0xffff8000) })];
    expect((await draw(opaque, { tint: color(0xff80ff00), tintMode: 14 })).at(0.5, 0.5)).toBe('#808000ff');
    expect((await draw(opaque, { tint: color(0xff0000ff), tintMode: 9 })).at(0.5, 0.5)).toBe('#0000ffff');
    expect((await draw(opaque, { tint: color(0x000000ff), tintMode: 3 })).at(0.5, 0.5)).toBe('#ff8000ff');
    expect((await draw(opaque, { tint: color(0xff0000ff), tintMode: 15 })).at(0.5, 0.5)).toBe('#ff8000ff');
  });

  test('is centered in the square when it is wider than high', async () => {
    const wide = await pixelsOf(
      await drawElement(
        vector(24, [path(full, { fillColor: red })], { height: { type: 5, data: (12 << 8) | 1 } }),
      ),
    );
    expect([wide.width, wide.height]).toEqual([512, 512]);
    expect([wide.at(0.5, 0.2), wide.at(0.5, 0.3), wide.at(0.01, 0.5), wide.at(0.5, 0.8)]).toEqual([
      nothing,
      '#ff0000ff',
      '#ff0000ff',
      nothing,
    ]);
  });

  test('draws nothing outside its viewport', async () => {
    const children = [path('M-99 -99H99V99H-99Z', { fillColor: red })];
    const inset = element('inset', { inset: { type: 5, data: (6 << 8) | 1 } }, [vector(12, children)]);
    const pixels = await pixelsOf(await drawElement(inset));
    expect([pixels.at(0.5, 0.5), pixels.at(0.1, 0.1), pixels.at(0.9, 0.9)]).toEqual([
      '#ff0000ff',
      nothing,
      nothing,
    ]);
  });

  test.each([
    ['without a width', { width: { type: 5, data: 1 } }],
    ['without a viewport', { viewportWidth: float(0) }],
    ['with a viewport that is no number', { viewportHeight: float(Number.NaN) }],
    ['with an endless viewport', { viewportHeight: float(Number.POSITIVE_INFINITY) }],
  ])('draws nothing %s', async (_, attributes) => {
    expect(await drawElement(vector(24, [path(full, { fillColor: red })], attributes))).toBeNull();
  });
});
