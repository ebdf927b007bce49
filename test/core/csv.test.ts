import { expect, it } from 'vitest';
import { csvLine } from '../../src/core/csv.ts';

it.each(['=', '+', '-', '@', '|', '%', '＝', '＋', '－', '＠', ' @', '\t', '\n'])(
  'a cell that begins with %j is text for a spreadsheet',
  (begin) => {
    expect(csvLine([`${begin}SUM(A1)`])).toContain(`'${begin}SUM(A1)`);
    expect(csvLine([`a${begin}`])).not.toContain("'");
  },
);
