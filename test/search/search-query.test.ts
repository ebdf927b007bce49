import { describe, expect, it } from 'vitest';
import {
  markedParts,
  maxQueryLength,
  maxQueryWords,
  readQuery,
  revisionOf,
  searchDepth,
} from '../../src/search/search-query.ts';

describe('a search query', () => {
  it('is split into a limited number of words', () => {
    expect(readQuery('  tide  38 ')).toEqual({ text: 'tide  38', words: ['tide', '38'] });
    expect(readQuery('a b c d e f g h').words).toHaveLength(maxQueryWords);
    expect(readQuery('x'.repeat(maxQueryLength + 1)).text).toHaveLength(maxQueryLength);
    expect([readQuery(undefined).words, readQuery('a\0b').words]).toEqual([[], []]);
  });

  it.each([
    ['14', 14],
    ['#14', 14],
    ['0', null],
    ['#', null],
    ['1.4', null],
    ['2147483647', 2147483647],
    ['2147483648', null],
    ['99999999999', null],
  ])('reads the revision of %s', (word, revision) => {
    expect(revisionOf(word)).toBe(revision);
  });

  it.each([
    [[], 100, 0],
    [[5, 7], 100, 7],
    [[5, 500], 100, 95],
    [[60, 500, 500], 100, 33],
    [[1, 1, 1], 2, 0],
  ])('covers as many revisions of each app as fit: %j within %i', (revisions, limit, depth) => {
    expect(searchDepth(revisions, limit)).toBe(depth);
    expect(revisions.reduce((sum, one) => sum + Math.min(one, depth), 0)).toBeLessThanOrEqual(limit);
  });

  it('marks every match in a text, ignoring case, and keeps the text', () => {
    const marked = (text: string, words: string[]) =>
      markedParts(text, words).map((part) => (part.marked ? `[${part.text}]` : part.text));
    expect(marked('Tideline 3.8.0 (381)', ['tide', '38'])).toEqual(['[Tide]', 'line 3.8.0 (', '[38]', '1)']);
    expect(marked('aaa', ['a', 'aa'])).toEqual(['[aa]', '[a]']);
    expect(marked('İstanbul', ['i'])).toEqual(['İstanbul']);
    expect(marked('', ['x'])).toEqual([]);
  });
});
