import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { renderTesterPage } from '../../src/distributions/tester-page.tsx';
import { readStaticFiles } from '../../src/web/static-files.ts';
import { readElements } from './elements.ts';
import { testerProps } from './every-page.ts';
import { makeAndroidInfo, makeIosInfo, origin, plainText } from './hostile.ts';

const maxTesterPageBytes = 30 * 1024;

function property(html: string, name: string): string | undefined {
  return readElements(html)
    .find(({ attributes }) => attributes.get('property') === name)
    ?.attributes.get('content');
}

const installLinks = (html: string) =>
  readElements(html).filter(({ attributes }) => attributes.get('class')?.includes('button-large'));

describe('the tester page', () => {
  it('takes at most 30 KiB with its stylesheet and script, even uncompressed', () => {
    const html = renderTesterPage(testerProps(plainText));
    const files = readStaticFiles();
    const sizes = ['slipway.css', 'slipway.js'].map((name) => files.get(name)?.bytes ?? new Uint8Array(1e9));
    const total = Buffer.byteLength(html) + sizes.reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(total).toBeLessThanOrEqual(maxTesterPageBytes);
  });

  it('stays within 30 KiB on the wire with a long history of long notes', () => {
    const props = testerProps(plainText);
    const [update] = props.history;
    if (!update) throw new Error('no update');
    const history = Array.from({ length: 500 }, (_, index) => ({
      ...update,
      revision: 1000 - index,
      createdAt: index,
      releaseNote: `${index} says something else. `.repeat(900),
    }));
    const html = renderTesterPage({ ...props, history });
    const files = [...readStaticFiles().entries()].filter(([name]) => name !== 'favicon.svg');
    const total = [Buffer.from(html), ...files.map(([, file]) => file.bytes)]
      .map((bytes) => gzipSync(bytes).length)
      .reduce((sum, length) => sum + length, 0);
    expect(total).toBeLessThanOrEqual(maxTesterPageBytes);
    expect(
      readElements(html).filter(({ tag, ancestors }) => tag === 'li' && ancestors.at(-1) === 'ol'),
    ).toHaveLength(20);
  });

  it('has one install button, which leads to the given address', () => {
    const links = installLinks(renderTesterPage(testerProps(plainText)));
    expect(links).toHaveLength(1);
    expect(links[0]?.attributes.get('href')).toBe('/builds/b1/file?key=k');
    const address = `itms-services://?action=download-manifest&url=${encodeURIComponent(`${origin}/m.plist?a=1&b=2`)}`;
    const ios = renderTesterPage({
      ...testerProps(plainText, makeIosInfo(plainText)),
      installAddress: address,
    });
    expect(installLinks(ios)[0]?.attributes.get('href')).toBe(address);
  });

  it('takes the button away and says why when the build cannot be installed', () => {
    const unsigned = makeAndroidInfo(plainText);
    unsigned.signing = { schemes: [], certificates: [], lineage: [], sourceStamp: false };
    const expired = makeIosInfo(plainText);
    if (expired.ios?.profile) expired.ios.profile.expiresAt = '2026-11-20T00:00:00Z';
    const problems = { verified: false, verifiedFromSdk: null, problems: [] };
    const cases: [Parameters<typeof renderTesterPage>[0], string][] = [
      [testerProps(plainText, unsigned), 'The package is not signed'],
      [testerProps(plainText, expired), 'expired on 20 Nov 2026'],
      [{ ...testerProps(plainText), verification: problems }, 'The signature does not match'],
      [{ ...testerProps(plainText), serverObstacles: ['No https here.'] }, 'No https here.'],
    ];
    for (const [props, reason] of cases) {
      const html = renderTesterPage(props);
      expect(installLinks(html)).toEqual([]);
      expect(html).toContain('This build cannot be installed');
      expect(html).toContain(reason);
    }
  });

  it('does not bother testers with what only developers should know', () => {
    expect(renderTesterPage(testerProps(plainText))).not.toContain('It is debuggable.');
  });

  it('carries a preview for chats: absolute picture and address, a short description', () => {
    const props = testerProps(plainText);
    props.page.releaseNote = 'word '.repeat(500);
    const html = renderTesterPage(props);
    expect(property(html, 'og:title')).toBe('Tidewatch');
    expect(property(html, 'og:image')).toBe(`${origin}/builds/b1/icon?key=k`);
    expect(property(html, 'og:url')).toBe(`${origin}/distributions/${'c'.repeat(40)}`);
    expect(property(html, 'og:description')).toMatch(/^Tidewatch 2\.4\.0 \(418\) for Android: word .*…$/);
    expect(property(html, 'og:description')?.length).toBeLessThanOrEqual(200);
  });

  it('keeps line breaks of the note and lists earlier updates without the current one', () => {
    const html = renderTesterPage(testerProps(plainText));
    expect(html).toContain('New: a banner\n\nTry it');
    const history = readElements(html).filter(
      ({ tag, ancestors }) => tag === 'li' && ancestors.at(-1) === 'ol',
    );
    expect(history).toHaveLength(1);
    expect(history[0]?.text).toContain('#127');
  });

  it('tells testers of an ad hoc build how many devices it runs on', () => {
    expect(renderTesterPage(testerProps(plainText, makeIosInfo(plainText)))).toContain(
      '2 registered devices',
    );
    expect(renderTesterPage(testerProps(plainText))).not.toContain('registered device');
  });
});
