import { describe, expect, it } from 'vitest';
import { placeAssets } from '../../../src/packages/bundle/asset-suffixes.ts';
import { createGlobs, maxGlobLetters } from '../../../src/packages/bundle/path-glob.ts';
import { startProcessorTime } from '../processor-time.ts';

describe('patterns of paths', () => {
  it.each([
    ['**.png', 'res/a/b.png', true],
    ['**.png', 'b.png', true],
    ['*.png', 'a/b.png', false],
    ['**.[pP][nN][gG]', 'a/B.PnG', true],
    ['assets/*/x', 'assets/a/x', true],
    ['assets/*/x', 'assets/a/b/x', false],
    ['assets/**', 'assets/a/b/x', true],
    ['assets/**', 'assets', false],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['**.{mp3,ogg}', 'a/b.ogg', true],
    ['**.{mp3,ogg}', 'a/b.wav', false],
    ['[!a-c]x', 'dx', true],
    ['[!a-c]x', 'bx', false],
    ['a\\*', 'a*', true],
    ['a\\*', 'ab', false],
    ['[^a]x', '^x', true],
    ['[^a]x', 'bx', false],
    ['[-a]x', '-x', true],
    ['{a,b}{c,}', 'b', true],
    ['{a,b}{c,}', 'bd', false],
    ['a/*', 'a/b/c', false],
    ['***', 'a/b', true],
    ['*?/**?', 'a/b', true],
    ['*?/**?', 'a/', false],
    ['x?', 'x\u{1f30a}', true],
    ['', '', true],
    ['', 'a', false],
    [`${'ab'.repeat(100)}**c`, `${'ab'.repeat(100)}/c`, true],
  ])('%s and %s: %s', (pattern, path, matches) => {
    expect(createGlobs([pattern])(path)).toBe(matches);
    // Also next to others.
    expect(createGlobs(['z'.repeat(31), pattern, '?', 'zz'])(path)).toBe(matches || [...path].length === 1);
  });

  it.each(['[a', '{a', '{a,{b}}', '[a/b]', '[c-a]', 'a\\'])('%s is refused', (pattern) => {
    expect(() => createGlobs([pattern])).toThrow(`a pattern that is not valid: ${pattern}`);
  });

  it('match as simple rules do', () => {
    const letters = ['a', 'b', '/'];
    const random = randomNumbers(7);
    const pick = (list: readonly string[], most: number) =>
      Array.from({ length: random(most + 1) }, () => list[random(list.length)] ?? '').join('');
    for (let round = 0; round < 3000; round++) {
      const patterns = Array.from({ length: 3 }, () => pick([...letters, '*', '**', '?', '[ab]'], 8));
      const path = pick(letters, 8);
      const expected = patterns.some((one) => regexOf(one).test(path));
      expect([patterns, path, createGlobs(patterns)(path)]).toEqual([patterns, path, expected]);
    }
  });

  it('above maxGlobLetters together are refused, each choice counted', () => {
    const half = 'a'.repeat(maxGlobLetters / 2 - 1);
    expect(createGlobs([half, half])(half)).toBe(true);
    expect(() => createGlobs([half, `${half}a`])).toThrow('more than 8192 characters of patterns');
    expect(() => createGlobs(['{a,b}'.repeat(12)])).toThrow('more than 8192 characters of patterns');
    expect(() => createGlobs([`{${','.repeat(maxGlobLetters)}}`])).toThrow('more than 8192 characters');
  });

  it('take time for the length of path and pattern only', () => {
    const matches = createGlobs(['**a'.repeat(2666)]);
    const path = `${'a'.repeat(4000)}b`;
    const stop = startProcessorTime();
    for (let round = 0; round < 50; round++) expect(matches(path)).toBe(false);
    stop(5_000);
  });
});

function randomNumbers(start: number): (below: number) => number {
  let seed = start;
  return (below) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (seed >>> 8) % below;
  };
}

/** Translates a pattern without groups and escapes. */
const regexOf = (pattern: string) =>
  new RegExp(
    `^${pattern.replace(/\*\*|\*|\?|\[ab\]/g, (one) => ({ '**': '.*', '*': '[^/]*', '?': '[^/]' })[one] ?? one)}$`,
  );

describe('assets for some devices', () => {
  const place = (paths: string[], key: string, defaultValue: string, stripsSuffix = true) => [
    ...placeAssets('textures', paths, [{ key, defaultValue, stripsSuffix }]).values(),
  ];
  const paths = ['assets/t/a', 'assets/t#tcf_astc/a', 'assets/t#tcf_etc2/a', 'assets/b'];

  it.each([
    ['tcf', 'astc', true, ['assets/t/a', 'assets/b']],
    ['tcf', 'astc', false, ['assets/t#tcf_astc/a', 'assets/b']],
    ['tcf', '', true, ['assets/t/a', 'assets/b']],
    ['tier', '0', true, paths],
  ])('%s with the default “%s”', (key, defaultValue, strips, expected) => {
    expect(place(paths, key, defaultValue, strips)).toEqual(expected);
  });

  it.each([
    ['tcf', 'pvrtc', ['assets/t/a', 'assets/t#tcf_astc/a']],
    ['tcf', '', ['assets/t#tcf_astc/a', 'assets/t#tcf_etc2/a']],
    ['tier', '0', ['assets/t#tier_1/a', 'assets/b']],
  ])('%s without the default “%s” are refused', (key, defaultValue, assets) => {
    const described = `the module textures has no assets for ${key} “${defaultValue}”`;
    expect(() => place(assets, key, defaultValue)).toThrow(described);
  });

  it('keep the suffixes of other dimensions', () => {
    expect(place(['assets/t#tcf_astc#tier_0/a'], 'tier', '0')).toEqual(['assets/t#tcf_astc/a']);
  });
});
