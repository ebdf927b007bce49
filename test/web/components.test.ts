import { readdirSync, readFileSync } from 'node:fs';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { encode } from 'uqr';
import { describe, expect, it } from 'vitest';
import { apiLevelText, minimumSystem, versionText } from '../../src/apps/builds/version-text.ts';
import { formatBytes, readByteSize, writeByteSize } from '../../src/core/byte-size.ts';
import { runInLanguage } from '../../src/core/language/current-language.ts';
import type { PackageInfo } from '../../src/packages/package-info.ts';
import { excerpt, formatDistance, formatNames, formatTimestamp } from '../../src/web/components/formats.ts';
import { QrCode } from '../../src/web/components/qr-code.tsx';
import { FoldedList } from '../../src/web/components/result-list.tsx';
import { localPath, safeImage, safeLink } from '../../src/web/components/safe-address.ts';
import { readStaticFiles, staticPath, staticPaths } from '../../src/web/shell/static-files.ts';
import { makeAndroidInfo, makeIosInfo, now, plainText } from './hostile.ts';

describe('formatting', () => {
  it('shows sizes in binary units with at most one decimal', () => {
    const gibibyte = 1024 ** 3;
    const sizes = [0, 1, 1023, 1024, 1536, 18_734_112, 1024 ** 2 - 1, 5e8, 4 * gibibyte, 5000 * 1024 ** 4];
    expect(sizes.map(formatBytes)).toEqual([
      ...['0 B', '1 B', '1023 B', '1 KiB', '1.5 KiB', '17.9 MiB', '1 MiB', '476.8 MiB', '4 GiB', '5000 TiB'],
    ]);
  });

  it('shows the limit of a form exactly', () => {
    const limits = [1023, 12_345, 5e8, 1.25 * 1024 ** 3, 5000 * 1024 ** 3];
    expect(limits.map(writeByteSize)).toEqual([
      ...['1023 B', '12345 B', '488281.25 KiB', '1.25 GiB', '5000 GiB'],
    ]);
    for (const bytes of limits) expect(readByteSize(writeByteSize(bytes))).toBe(bytes);
  });

  it('shows times relative to now, past and future', () => {
    const ago = [0, 59_999, 60_000, 3 * 3_600_000, 86_400_000, 40 * 86_400_000, 800 * 86_400_000];
    expect(ago.map((distance) => formatDistance(now - distance, now))).toEqual([
      'now',
      'now',
      '1 minute ago',
      '3 hours ago',
      'yesterday',
      'last month',
      '2 years ago',
    ]);
    expect(formatDistance(now + 3 * 86_400_000, now)).toBe('in 3 days');
  });

  it('shows times in UTC, whatever the time zone of the machine', () => {
    expect(formatTimestamp(now)).toBe('21 Nov 2026, 09:40 UTC');
  });

  it('truncates between characters, not inside one', () => {
    expect(excerpt('🚢'.repeat(10), 5)).toBe('🚢🚢🚢🚢…');
    expect(excerpt('short', 5)).toBe('short');
    expect(excerpt('longer', 5)).toBe('long…');
  });
});

describe('long lists', () => {
  it('name three in a sentence, and count the others', () => {
    const names = ['QA', 'Beta', 'Client', 'Field', 'Press'];
    expect(formatNames(names.slice(0, 3))).toBe('QA, Beta, Client');
    expect(formatNames(names)).toBe('QA, Beta, Client and 2 more');
    expect(runInLanguage('ja', () => formatNames(names))).toBe('QA、Beta、Client、ほか2件');
  });

  it('show five rows, and fold the others', () => {
    const listOf = (count: number) => {
      const rows = Array.from({ length: count }, (_, at) => h('li', null, at));
      return renderToString(h(FoldedList, { style: 'rows', rows }));
    };
    expect(listOf(5)).not.toContain('<details');
    const [shown, folded] = listOf(7).split('<details class="quiet-fold"><summary>Show 2 more</summary>');
    expect(shown).toMatch(/<li>4<\/li><\/ul>$/);
    expect(folded).toBe('<ul class="rows"><li>5</li><li>6</li></ul></details>');
  });
});

describe('version texts', () => {
  it('combine name and code, and omit redundant parts', () => {
    expect(versionText({ versionName: '2.4', versionCode: '418' })).toBe('2.4 (418)');
    expect(versionText({ versionName: null, versionCode: '418' })).toBe('418');
    expect(versionText({ versionName: '7', versionCode: '7' })).toBe('7');
    expect(versionText({ versionName: '7', versionCode: '' })).toBe('7');
  });

  it('name the release of every API level, also of those that are not known yet', () => {
    expect([37, 38, 99, 9_999, 10_000, 0].map(apiLevelText)).toEqual([
      'API 37, Android 17',
      'API 38, Android 18',
      'API 99, Android 79',
      'API 9999, Android 9979',
      'API 10000',
      'API 0',
    ]);
  });

  it('include the system version that a package needs', () => {
    expect(minimumSystem(makeAndroidInfo(plainText))).toBe('Android 8.0 or newer');
    expect(minimumSystem({ ...makeAndroidInfo(plainText), sdkVersion: '99' })).toBe('Android 79 or newer');
    expect(minimumSystem({ ...makeAndroidInfo(plainText), sdkVersion: '10000' })).toBe('API 10000 or newer');
    const apple = (...deviceFamilies: NonNullable<PackageInfo['ios']>['deviceFamilies']) => {
      const info = makeIosInfo(plainText);
      return minimumSystem({
        ...info,
        sdkVersion: '1.0',
        rawSdkVersion: '1.0',
        ios: info.ios && { ...info.ios, deviceFamilies },
      });
    };
    expect([apple('vision'), apple('apple-tv'), apple('mac'), apple('iphone', 'vision'), apple()]).toEqual([
      'visionOS 1.0 or newer',
      'tvOS 1.0 or newer',
      'macOS 1.0 or newer',
      'iOS 1.0 or newer',
      'iOS 1.0 or newer',
    ]);
    expect(minimumSystem({ ...makeAndroidInfo(plainText), rawSdkVersion: null })).toBeNull();
    expect(minimumSystem({ ...makeIosInfo(plainText), sdkVersion: '16.0' })).toBe('iOS 16.0 or newer');
  });
});

describe('safe addresses', () => {
  it('include only http and https links', () => {
    expect(safeLink('https://ci.example.com/a b')).toBe('https://ci.example.com/a%20b');
    const refused = [
      'javascript:alert(1)',
      ' JaVaScRiPt:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,x',
      '/path',
    ];
    for (const address of [...refused, 'vbscript:x', 'file:///etc/passwd', '', null]) {
      expect(safeLink(address), String(address)).toBeNull();
    }
  });

  it('include only paths of this origin to return to', () => {
    expect(localPath('/users/mina?page=2')).toBe('/users/mina?page=2');
    expect(localPath('/\u65e5\u672c?q=\u00fc&a=%20#\u00df')).toBe(
      '/%E6%97%A5%E6%9C%AC?q=%C3%BC&a=%20#%C3%9F',
    );
    expect(localPath('/\ud800')).toBe('/%EF%BF%BD');
    const refused = [
      '/..//evil.example',
      '/.\\/evil.example',
      '/a/%2e%2e//evil.example',
      '//evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      'https://evil.example',
      'x',
      '',
      null,
    ];
    for (const address of refused) expect(localPath(address), String(address)).toBeNull();
  });

  it('include only images of this origin and data images', () => {
    const origin = 'https://apps.example.com';
    expect(safeImage('icons/a.png', origin)).toBe('/icons/a.png');
    expect(safeImage(`${origin}/a.png?key=1`, origin)).toBe('/a.png?key=1');
    expect(safeImage('data:image/png;base64,AA', origin)).toBe('data:image/png;base64,AA');
    const refused = [
      'https://other.example/a.png',
      '//other.example/a.png',
      'data:text/html,x',
      'javascript:1',
      '',
    ];
    for (const address of refused) expect(safeImage(address, origin), address).toBeNull();
  });
});

describe('the QR code', () => {
  it('draws exactly the dark modules, inside a quiet zone of four', () => {
    const address = 'https://apps.example.com/distributions/0123456789abcdef0123456789abcdef01234567';
    const svg = renderToString(h(QrCode, { address, label: 'QR' }));
    const dark = new Set<string>();
    for (const [, x, y, length] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
      for (let step = 0; step < Number(length); step += 1) dark.add(`${Number(x) + step},${y}`);
    }
    const { data, size } = encode(address, { ecc: 'M', border: 0 });
    const expected = data.flatMap((row, y) => row.flatMap((on, x) => (on ? [`${x + 4},${y + 4}`] : [])));
    expect([...dark].sort()).toEqual(expected.sort());
    expect(svg).toContain(`viewBox="0 0 ${size + 8} ${size + 8}"`);
    expect(svg.length).toBeLessThan(8_000);
  });
});

describe('static files', () => {
  it('have addresses that change with their bytes', () => {
    const files = readStaticFiles();
    expect(Object.values(staticPaths(files)).every((address) => /\?v=[0-9a-f]{16}$/.test(address))).toBe(
      true,
    );
    const compressed = async () => Buffer.alloc(0);
    const changed = new Map([
      ['slipway.css', { bytes: new Uint8Array(), compressed, type: 'text/css', etag: '"other"' }],
    ]);
    expect(staticPath(changed, 'slipway.css')).toBe('/assets/slipway.css?v=other');
    expect(() => staticPath(files, 'missing.css')).toThrow('missing.css');
  });

  it('combine each stylesheet of the folder into exactly one file', () => {
    const folder = new URL('../../src/web/static/styles/', import.meta.url);
    const bare = (css: string) => css.replace(/\/\*.*?\*\//gs, '').replace(/\s+/g, '');
    const files = readStaticFiles();
    const sheets = ['slipway.css', 'forms.css', 'console.css'].map((name) => {
      return bare(Buffer.from(files.get(name)?.bytes ?? []).toString());
    });
    const parts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.css'),
    );
    expect(parts.length).toBeGreaterThan(15);
    for (const part of parts) {
      const css = bare(readFileSync(new URL(part, folder), 'utf8'));
      const holding = sheets.filter((sheet) => sheet.includes(css));
      expect([part, holding.length]).toEqual([part, 1]);
    }
  });

  it('include scripts of one file each without imports', () => {
    const files = readStaticFiles();
    for (const name of ['slipway.js', 'console.js', 'upload.js', 'passkeys.js']) {
      const script = Buffer.from(files.get(name)?.bytes ?? []).toString();
      expect(script).toContain('querySelector');
      expect(script).not.toMatch(/\bimport\b|\bexport\b|sourceMappingURL/);
    }
  });

  it('load nothing from other hosts, and use only features that old phones support', () => {
    const css = Buffer.from(readStaticFiles().get('slipway.css')?.bytes ?? []).toString();
    expect(css).not.toMatch(/@import|url\(|:has\(|light-dark\(|color-mix\(|&/);
    const icon = Buffer.from(readStaticFiles().get('favicon.svg')?.bytes ?? []).toString();
    expect(icon).not.toMatch(/<script|href|style=/);
  });
});

describe('colors', () => {
  const css = Buffer.from(readStaticFiles().get('slipway.css')?.bytes ?? []).toString();
  const themes = [...css.matchAll(/:root \{([^}]*--paper[^}]*)\}/g)].map(([, body]) => {
    return new Map(
      [...(body ?? '').matchAll(/(--[a-z-]+): (#[0-9a-f]+);/g)].map(([, name, value]) => [name, value]),
    );
  });
  const text = ['--ink', '--ink-soft', '--accent', '--accent-deep'].flatMap((ink) => [
    [ink, '--paper'],
    [ink, '--ground'],
  ]);
  const tones = ['--good', '--warning', '--danger'].flatMap((tone) => [
    [tone, `${tone}-ground`],
    ['--ink', `${tone}-ground`],
  ]);
  const pairs = [...text, ...tones, ['--on-accent', '--accent'], ['--on-accent', '--accent-deep']];

  it('exist in a light and a dark theme', () => {
    expect(themes).toHaveLength(2);
  });

  it.each([0, 1])('have a contrast of 4.5 for text and 3 for edges in theme %i', (index) => {
    const theme = themes[index];
    const ratio = (front: string | undefined, back: string | undefined) =>
      contrast(theme?.get(front) ?? '', theme?.get(back) ?? '');
    for (const [front, back] of pairs)
      expect(ratio(front, back), `${front} on ${back}`).toBeGreaterThanOrEqual(4.5);
    expect(ratio('--edge', '--paper')).toBeGreaterThanOrEqual(3);
  });
});

/** WCAG 2.2, definition of contrast ratio. */
function contrast(front: string, back: string): number {
  const [light = 0, dark = 0] = [luminance(front), luminance(back)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const digits = colour.length === 4 ? colour.slice(1).replace(/./g, '$&$&') : colour.slice(1);
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const channel = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
