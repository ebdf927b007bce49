/**
 * A stroke font, so that a server without fonts can draw two letters. Each glyph contains the center lines of its strokes, with
 * capitals from y 0 down to 100; `width` is the position of the rightmost center line.
 */
export interface Glyph {
  width: number;
  path: string;
}

export const glyphs: Readonly<Record<string, Glyph>> = {
  A: { width: 84, path: 'M0 100L42 0L84 100M15 66H69' },
  B: { width: 67, path: 'M0 0V100H40A27 27 0 0 0 40 46H0M0 0H36A23 23 0 0 1 36 46' },
  C: { width: 84, path: 'M84 22A46 50 0 1 0 84 78' },
  D: { width: 80, path: 'M0 0V100H30A50 50 0 0 0 30 0Z' },
  E: { width: 60, path: 'M60 0H0V100H60M0 49H52' },
  F: { width: 58, path: 'M58 0H0V100M0 50H50' },
  G: { width: 90, path: 'M84 21A46 50 0 1 0 91 54H56' },
  H: { width: 72, path: 'M0 0V100M72 0V100M0 49H72' },
  I: { width: 0, path: 'M0 0V100' },
  J: { width: 56, path: 'M56 0V70A28 30 0 0 1 0 70' },
  K: { width: 72, path: 'M0 0V100M68 0L0 61M24 40L72 100' },
  L: { width: 56, path: 'M0 0V100H56' },
  M: { width: 96, path: 'M0 100V0L48 68L96 0V100' },
  N: { width: 76, path: 'M0 100V0L76 100V0' },
  O: { width: 96, path: 'M48 0A48 50 0 1 0 48 100A48 50 0 1 0 48 0Z' },
  P: { width: 65, path: 'M0 100V0H36A29 29 0 0 1 36 58H0' },
  Q: { width: 96, path: 'M48 0A48 50 0 1 0 48 100A48 50 0 1 0 48 0ZM60 68L94 104' },
  R: { width: 67, path: 'M0 100V0H36A29 29 0 0 1 36 58H0M34 58L67 100' },
  S: {
    width: 66,
    path: 'M62 19C56 5 44 0 33 0C14 0 2 11 2 26C2 60 65 40 65 74C65 90 52 100 33 100C18 100 5 94 0 80',
  },
  T: { width: 76, path: 'M0 0H76M38 0V100' },
  U: { width: 72, path: 'M0 0V62A36 38 0 0 0 72 62V0' },
  V: { width: 84, path: 'M0 0L42 100L84 0' },
  W: { width: 120, path: 'M0 0L29 100L60 16L91 100L120 0' },
  X: { width: 76, path: 'M0 0L76 100M76 0L0 100' },
  Y: { width: 80, path: 'M0 0L40 54L80 0M40 54V100' },
  Z: { width: 72, path: 'M0 0H72L0 100H72' },
  '0': { width: 72, path: 'M36 0A36 50 0 1 0 36 100A36 50 0 1 0 36 0Z' },
  '1': { width: 30, path: 'M0 22L30 0V100' },
  '2': { width: 64, path: 'M2 28A31 29 0 1 1 55 46L0 100H64' },
  '3': { width: 64, path: 'M4 15A30 24 0 1 1 30 47A33 27 0 1 1 0 84' },
  '4': { width: 72, path: 'M54 100V0L0 70H72' },
  '5': { width: 64, path: 'M58 0H10L5 47A34 31 0 1 1 0 84' },
  '6': { width: 68, path: 'M52 0C20 12 0 38 0 66A34 34 0 1 0 34 32C18 32 6 42 1 58' },
  '7': { width: 64, path: 'M0 0H64L22 100' },
  '8': {
    width: 66,
    path: 'M33 0A25 23 0 1 0 33 46A25 23 0 1 0 33 0ZM33 46A33 27 0 1 0 33 100A33 27 0 1 0 33 46Z',
  },
  '9': { width: 68, path: 'M16 100C48 88 68 62 68 34A34 34 0 1 0 34 68C50 68 62 58 67 42' },
};

/** Symbols for names that do not start with a letter or digit of this alphabet, in a space of 100 by 100. */
export const marks: readonly string[] = [
  'M50 2L96 26V74L50 98L4 74V26ZM4 26L50 50L96 26M50 50V98',
  'M50 4L96 50L50 96L4 50ZM50 32L68 50L50 68L32 50Z',
  'M8 30L50 8L92 30L50 52ZM8 52L50 74L92 52M8 74L50 96L92 74',
  'M50 4A46 46 0 1 0 50 96A46 46 0 1 0 50 4ZM50 34A16 16 0 1 0 50 66A16 16 0 1 0 50 34Z',
];
