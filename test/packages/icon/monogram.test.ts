import { describe, expect, test } from 'vitest';
import {
  drawMonogram,
  initialsOf,
  maxMonogramNameLength,
  monogramPalette,
} from '../../../src/packages/icon/monogram.ts';
import { glyphs, marks } from '../../../src/packages/icon/monogram-glyphs.ts';
import { startProcessorTime } from '../processor-time.ts';
import { pixelsOf } from './build-icon-package.ts';

describe('the initials', () => {
  test.each([
    ['Slipway', ['S']],
    ['Contact Manager', ['C', 'M']],
    ['ApiDemos', ['A', 'D']],
    ['my-app', ['M', 'A']],
    ['Émile 9', ['E', '9']],
    ['  spaced   out  more', ['S', 'O']],
    ['1Password', ['1']],
    ['日記 App', []],
    ['App 日記', ['A']],
    ['Привет', []],
    ['🙂 smile', ['S']],
    ['', []],
    ['???', []],
  ])('are found in %j', (name, expected) => expect(initialsOf(name)).toEqual(expected));

  test('maxMonogramNameLength: ignore what follows', () => {
    const spaces = ' '.repeat(maxMonogramNameLength - 2);
    expect(initialsOf(`A${spaces}B`)).toEqual(['A', 'B']);
    expect(initialsOf(`A ${spaces}B`)).toEqual(['A']);
  });

  test('take constant time for a very long name', () => {
    const takesAtMost = startProcessorTime();
    expect(initialsOf('a'.repeat(10_000_000))).toEqual(['A']);
    takesAtMost(200);
  });
});

test('the monogram is a square PNG with rounded corners and white letters on the seed’s color', async () => {
  const pixels = await pixelsOf(await drawMonogram('Ill', 'com.example'));
  expect([pixels.width, pixels.height]).toEqual([512, 512]);
  expect(pixels.at(0.01, 0.01)).toMatch(/00$/);
  expect(pixels.at(0.5, 0.5)).toBe('#ffffffff');
  expect(pixels.at(0.1, 0.5)).toMatch(/ff$/);
  expect(pixels.at(0.1, 0.5)).not.toBe('#ffffffff');
});

test('the monogram depends only on name and seed, and the color on the seed', async () => {
  const first = await drawMonogram('Slipway', 'a');
  expect((await drawMonogram('Slipway', 'a')).equals(first)).toBe(true);
  const colors = await Promise.all(
    Array.from({ length: 40 }, async (_, index) =>
      (await pixelsOf(await drawMonogram('S', `seed ${index}`))).at(0.1, 0.5),
    ),
  );
  expect(new Set(colors).size).toBeGreaterThan(8);
});

test('names without Latin letters get a symbol', async () => {
  const [mark, letter] = await Promise.all([drawMonogram('日本語', 'x'), drawMonogram('N', 'x')]);
  expect(mark.equals(letter)).toBe(false);
  expect(mark.equals(await drawMonogram('', 'x'))).toBe(true);
});

test('every letter, digit and symbol leaves a margin', async () => {
  for (const name of [...Object.keys(glyphs), 'W W', 'M M', 'Q Q', '???']) {
    const pixels = await pixelsOf(await drawMonogram(name, 'margin'));
    let white = 0;
    for (let step = 0; step < 200; step++) {
      for (const line of [0.06, 0.94]) {
        for (const color of [pixels.at(line, step / 200), pixels.at(step / 200, line)]) {
          if (color === '#ffffffff') throw new Error(`${name} reaches the margin`);
        }
      }
      for (let row = 0; row < 40; row++) if (pixels.at(step / 200, row / 40) === '#ffffffff') white++;
    }
    expect(white, name).toBeGreaterThan(50);
  }
  expect(marks.length).toBeGreaterThan(1);
});

test('white has a contrast of at least 4.5 on every color', () => {
  for (const { top, bottom } of monogramPalette) {
    for (const color of [top, bottom]) expect(1.05 / (luminanceOf(color) + 0.05), color).toBeGreaterThan(4.5);
  }
});

/** WCAG 2.2, relative luminance. */
function luminanceOf(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(hex.slice(start, start + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
