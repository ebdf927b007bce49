import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  brandColors,
  brandGrounds,
  brandStylesheet,
  brandStylesheetPath,
  contrast,
} from '../../src/web/components/brand-colors.ts';

/** Every 17th value of each channel: 4,096 colors, the extremes included. */
const colors = Array.from({ length: 4096 }, (_, at) => {
  const digits = at.toString(16).padStart(3, '0');
  return `#${[...digits].map((digit) => digit + digit).join('')}`;
});
const grounds = { light: backgroundsOf(0), dark: backgroundsOf(1) };
const inkSoft = { light: '#4b5a60', dark: '#a3b2b7' };

/** The backgrounds in `elements.css`: of its first `:root` for the light scheme, of its second for the dark one. */
function backgroundsOf(scheme: number): string[] {
  const css = readFileSync('src/web/static/styles/elements.css', 'utf8');
  const root = css.split(':root {')[scheme + 1]?.split('}')[0] ?? '';
  return ['paper', 'raised', 'ground', 'sunken'].map((token) => {
    const value = new RegExp(`--${token}: (#[0-9a-f]+);`).exec(root)?.[1] ?? '';
    return value.length === 4 ? value.replace(/[0-9a-f]/g, '$&$&') : value;
  });
}

describe('the colors of a brand', () => {
  it.each(['light', 'dark'] as const)(
    'are checked on the backgrounds of the stylesheet in the %s scheme',
    (name) => {
      const tokens = grounds[name];
      expect(tokens.every((token) => /^#[0-9a-f]{6}$/.test(token))).toBe(true);
      expect(new Set(brandGrounds[name])).toEqual(new Set(tokens));
    },
  );

  it('calculates contrast as WCAG does', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 10);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.478, 3);
    expect(contrast('#ffffff', '#767676')).toBeCloseTo(4.542, 3);
    expect(contrast('#0b5f66', '#ffffff')).toBeCloseTo(7.4, 1);
  });

  it.each(['light', 'dark'] as const)('keeps text readable for every color in the %s scheme', (name) => {
    const unreadable = colors.filter((color) => {
      const scheme = brandColors(color)[name];
      const pairs = [
        ...[...grounds[name], scheme.accentGround].map((ground) => [scheme.accent, ground]),
        [scheme.onAccent, scheme.accent],
        [scheme.onAccent, scheme.accentDeep],
        [inkSoft[name], scheme.accentGround],
      ] as [string, string][];
      return pairs.some(([text, ground]) => contrast(text, ground) < 4.5);
    });
    expect(unreadable).toEqual([]);
  });

  it('keeps a color that is readable as it is', () => {
    expect(brandColors('#0b5f66').light.accent).toBe('#0b5f66');
    expect(brandColors('#6fcdc6').dark.accent).toBe('#6fcdc6');
  });

  it('darkens a color on light paper and lightens it on dark paper', () => {
    expect(brandColors('#ffcc00').light.accent).not.toBe('#ffcc00');
    expect(brandColors('#ffcc00').dark.accent).toBe('#ffcc00');
    expect(brandColors('#101080').dark.accent).not.toBe('#101080');
  });

  it('names a stylesheet after its color and answers no other name', () => {
    const name = brandStylesheetPath('#ff8800').slice('/branding/'.length);
    expect(brandStylesheet(name)).toContain(`--accent:${brandColors('#ff8800').light.accent};`);
    for (const other of ['0-ff8800.css', '1-ff88.css', '1-FF8800.css', `${name}x`, `1-ff8800;.css`])
      expect(brandStylesheet(other)).toBeNull();
  });
});
