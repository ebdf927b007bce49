import { describe, expect, test } from 'vitest';
import { parsePathData, svgPathData } from '../../../src/packages/icon/vector/path-data.ts';
import { maxCrossings, measurePath } from '../../../src/packages/icon/vector/path-ink.ts';

const written = (text: string) => svgPathData(parsePathData(text, () => undefined));

test.each([
  ['M0,0 L10 20z', 'M0 0L10 20z'],
  ['M1-2-3.5.5', 'M1 -2L-3.5 0.5'],
  ['m1 2 3 4 5 6', 'm1 2l3 4l5 6'],
  ['M.5.5.25.75', 'M0.5 0.5L0.25 0.75'],
  ['M1e1 1E-1 h+2v-2', 'M10 0.1h2v-2'],
  ['M 0 0 C1 2 3 4 5 6 7 8 9 10 11 12', 'M0 0C1 2 3 4 5 6C7 8 9 10 11 12'],
  ['M0 0a1 2 3 0 1 4 5', 'M0 0a1 2 3 0 1 4 5'],
  ['M0 0a1 2 3 014 5', 'M0 0a1 2 3 0 1 4 5'],
  ['M0 0a1 2 3 0.0,1.0 4 5', 'M0 0a1 2 3 0 1 4 5'],
  ['M0 0A1 2 3 5 -1 4 5', 'M0 0A1 2 3 1 1 4 5'],
  ['L5 5', 'M0 0L5 5'],
  ['z', 'M0 0z'],
  ['', ''],
  ['   ', ''],
  ['M1', ''],
  ['M1 2 L3', 'M1 2'],
  ['M1 2 L3 4 5', 'M1 2L3 4'],
  ['M1 2 X3 4', 'M1 2'],
  ['M1 2"/><script>alert(1)</script>', 'M1 2'],
  ['M1 2 url(#x)', 'M1 2'],
  ['M1e999 2', ''],
  ['M1e300 -1e300', 'M1000000 -1000000'],
  ['MNaN Infinity', ''],
  ['M0x10 1', ''],
])('path data %j is read as %j', (text, expected) => expect(written(text)).toBe(expected));

test('path data yields only commands and numbers for any input', () => {
  const pieces = [
    'M',
    'z',
    ' ',
    ',',
    '.',
    '-',
    '+',
    '1',
    'e',
    '"',
    "'",
    '<',
    '>',
    '&',
    ';',
    'a',
    'C',
    'q',
    '(',
    '\0',
    '\n',
    'é',
  ];
  let state = 1;
  for (let round = 0; round < 3_000; round++) {
    let text = '';
    for (let index = 0; index < 40; index++) {
      state = (state * 48_271) % 2_147_483_647;
      text += pieces[state % pieces.length];
    }
    expect(written(text)).toMatch(/^[MmLlHhVvCcSsQqTtAaZz0-9 .e+-]*$/);
  }
});

test('path parsing reports the number of segments to its budget', () => {
  let segments = 0;
  parsePathData('M0 0l1 1 2 2 3 3z', (count) => {
    segments += count;
  });
  expect(segments).toBe(5);
});

describe('the cost of a path', () => {
  const ink = (text: string, stroke = 0) =>
    measurePath(
      parsePathData(text, () => undefined),
      stroke,
    );
  const zigzag = (count: number, width = 100, height = 100) =>
    `M0 0${Array.from({ length: count }, (_, index) => `L${(((index * 37) % 101) / 101) * width} ${(((index * 53) % 103) / 103) * height}`).join('')}`;

  test('is its length plus its lines', () => {
    expect(ink('M0 0H3V4H0Z')).toMatchObject({ lines: 4, curves: 0, length: 14 });
    expect(ink('M0 0h3m10 0h3')).toMatchObject({ lines: 2, length: 6 });
    const circle = ink('M0 10A10 10 0 1 1 20 10A10 10 0 1 1 0 10');
    expect(circle.curves).toBe(2);
    expect(circle.length).toBeGreaterThan(58);
    expect(circle.length).toBeLessThan(63);
    expect(ink('M0 0C0 9 9 9 9 0S18 -9 18 0Q20 9 22 0T26 0').curves).toBe(4);
  });

  test('is the number of line crossings, never underestimated', () => {
    const comb = `${Array.from({ length: 50 }, (_, index) => `M${index} 0V50`).join('')}${Array.from({ length: 50 }, (_, index) => `M0 ${index}H50`).join('')}`;
    expect(ink(comb).crossings).toBeGreaterThan(2_400);
    expect(ink('M0 0H99V99H0Z').crossings).toBeLessThan(10);
  });

  test('does not depend on scale, and increases with a stroke', () => {
    const plain = ink(zigzag(500)).crossings;
    expect(ink(zigzag(500, 0.001, 5)).crossings).toBeGreaterThan(plain * 0.8);
    expect(ink(zigzag(500), 5).crossings).toBeGreaterThan(plain * 2);
  });

  test('includes a small knot in a large path', () => {
    expect(ink(`${zigzag(5_000, 0.1, 0.1)}L1000 1000`).crossings).toBe(Number.POSITIVE_INFINITY);
    expect(ink(zigzag(400, 0.1, 0.1)).crossings).toBeLessThan(maxCrossings);
  });
});
