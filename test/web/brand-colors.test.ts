import { describe, expect, it } from 'vitest';
import {
  brandColors,
  brandStylesheet,
  brandStylesheetPath,
  contrast,
} from '../../src/web/components/brand-colors.ts';

/** Every 17th value of each channel: 4,096 colors, the extremes included. */
const colors = Array.from({ length: 4096 }, (_, at) => {
  const digits = at.toString(16).padStart(3, '0');
  return `#${[...digits].map((digit) => digit + digit).join('')}`;
});
const grounds = {
  light: ['#ffffff', '#f4f7f7', '#e9efef'],
  dark: ['#0e1416', '#161f22', '#141c1f', '#1f2a2e'],
};
const inkSoft = { light: '#4b5a60', dark: '#a3b2b7' };

describe('the colors of a brand', () => {
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
