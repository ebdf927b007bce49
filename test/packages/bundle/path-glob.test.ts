import { describe, expect, it } from 'vitest';
import { placeAssets } from '../../../src/packages/bundle/asset-suffixes.ts';
import { createGlob, maxGlobAlternatives, maxGlobLength } from '../../../src/packages/bundle/path-glob.ts';

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
    ['[a', 'a', false],
    ['{a', 'a', false],
    ['', '', true],
  ])('%s and %s: %s', (pattern, path, matches) => {
    expect(createGlob(pattern)(path)).toBe(matches);
  });

  it('above maxGlobLength or maxGlobAlternatives match nothing', () => {
    expect(createGlob('a'.repeat(maxGlobLength))('a'.repeat(maxGlobLength))).toBe(true);
    expect(createGlob('a'.repeat(maxGlobLength + 1))('a'.repeat(maxGlobLength + 1))).toBe(false);
    expect(createGlob(`{${'a,'.repeat(maxGlobAlternatives - 1)}a}`)('a')).toBe(true);
    expect(createGlob(`{${'a,'.repeat(maxGlobAlternatives)}a}`)('a')).toBe(false);
  });

  it('with many stars do not take long', () => {
    expect(createGlob('**a'.repeat(300))(`${'a'.repeat(4000)}b`)).toBe(false);
  });
});

describe('assets for some devices', () => {
  const place = (paths: string[], key: string, defaultValue: string, stripsSuffix = true) => [
    ...placeAssets(paths, [{ key, defaultValue, stripsSuffix }]).values(),
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

  it('keep the suffixes of other dimensions', () => {
    expect(place(['assets/t#tcf_astc#tier_0/a'], 'tier', '0')).toEqual(['assets/t#tcf_astc/a']);
  });
});
