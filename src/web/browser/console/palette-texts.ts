/** The words of the palette around its results, which the server renders. */
export const paletteTexts = {
  title: 'Search',
  hint: 'Search or jump to…',
  results: 'Results',
  closeKey: 'Esc',
  close: ': close',
  keys: [
    [['↑', '↓'], 'to move'],
    [['Enter'], 'to open'],
  ],
  offline: 'Slipway can’t be reached. Check your connection.',
  tooMany: 'Too many searches. Try again in a few minutes.',
} as const;
