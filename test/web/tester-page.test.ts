import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { runInLanguage } from '../../src/core/language/current-language.ts';
import { renderPageGate } from '../../src/distributions/access/page-gate.tsx';
import { renderTesterPage } from '../../src/distributions/install/tester-page.tsx';
import type { TesterPageProps } from '../../src/distributions/install/tester-page-props.ts';
import { readStaticFiles } from '../../src/web/shell/static-files.ts';
import { maxTesterPageBytes } from '../support/page-weight.ts';
import { type Element, readElements } from './elements.ts';
import { hostileText, makeAndroidInfo, makeFrame, makeIosInfo, now, origin, plainText } from './hostile.ts';
import { testerProps, visitors } from './page-props.ts';

const itms = `itms-services://?action=download-manifest&url=${encodeURIComponent(`${origin}/m.plist?a=1&b=2`)}`;

const android = (change: Partial<TesterPageProps> = {}) => ({ ...testerProps(plainText), ...change });
const ios = (change: Partial<TesterPageProps> = {}) => ({
  ...testerProps(plainText, makeIosInfo(plainText)),
  installAddress: itms,
  ...change,
});
const withNote = (props: TesterPageProps, releaseNote: string) => ({
  ...props,
  update: { ...props.update, releaseNote },
});

const elementsOf = (props: TesterPageProps) => readElements(renderTesterPage(props));
const hrefs = (elements: Element[]) => elements.map(({ attributes }) => attributes.get('href') ?? '');
const classed = (elements: Element[], name: string) =>
  elements.filter(({ attributes }) => attributes.get('class')?.split(' ').includes(name));
const largeButtons = (props: TesterPageProps) => hrefs(classed(elementsOf(props), 'button-large'));
const meta = (html: string, name: string) =>
  readElements(html)
    .find(({ attributes }) => attributes.get('property') === name || attributes.get('name') === name)
    ?.attributes.get('content');

/** Text that gzip compresses poorly, the same in every run. */
function words(count: number, seed: number): string {
  const letters = 'etaoinshrdlucmfwypvbgkqjxz';
  let state = seed;
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const word = () => Array.from({ length: 2 + next(8) }, () => letters[next(26)]).join('');
  return Array.from({ length: count }, word).join(' ');
}

describe('the weight of the tester page', () => {
  it.each(['android', 'computer', 'instagram'] as const)(
    'does not exceed 30 KiB on the wire with the longest note and twenty builds: %s',
    async (who) => {
      const props = android({ visitor: visitors[who], installAddress: '/distributions/c/128/file' });
      const [update] = props.history;
      if (!update) throw new Error('no update');
      const history = Array.from({ length: 20 }, (_, index) => ({
        ...update,
        id: `u${index}`,
        revision: 1000 - index,
        createdAt: now - index * 5_000_000,
        releaseNote: words(6000, index + 7),
      }));
      const html = renderTesterPage({ ...withNote(props, `## New\n\n- ${words(6000, 1)}`), history });
      expect(classed(readElements(html), 'history-line')).toHaveLength(20);
      const files = readStaticFiles();
      const parts = await Promise.all(
        ['slipway.css', 'slipway.js'].map((name) => files.get(name)?.compressed('gzip')),
      );
      const total = [gzipSync(html), ...parts].reduce((sum, part) => sum + (part?.byteLength ?? 1e9), 0);
      expect(total).toBeGreaterThan(10_000);
      expect(total).toBeLessThanOrEqual(maxTesterPageBytes);
    },
  );

  it('includes only one stylesheet, one script and the icon', () => {
    const loaded = elementsOf(android()).flatMap(({ tag, attributes }) => {
      if (tag === 'link') return [attributes.get('href')];
      return tag === 'img' || tag === 'script' ? [attributes.get('src')] : [];
    });
    expect(loaded).toEqual([
      '/assets/favicon.svg?v=3',
      // As the touch icon.
      '/distributions/c/128/icon?ticket=k',
      '/assets/slipway.css?v=1',
      '/assets/slipway.js?v=2',
      '/distributions/c/128/icon?ticket=k',
    ]);
  });
});

describe('the name of the app', () => {
  const named = (labels: Record<string, string>, language: 'en' | 'ja') => {
    const props = testerProps(plainText, { ...makeIosInfo(plainText), name: 'internal-target', labels });
    return runInLanguage(language, () => renderTesterPage(props));
  };
  const labels = { '': 'internal-target', ja: '日本名', 'en-GB': 'Tides' };

  it('is the localized one of the visitor, else the default one', () => {
    expect(named(labels, 'ja')).toMatch(/<title>日本名 /);
    expect(named(labels, 'ja')).toMatch(/<bdi>日本名<\/bdi>/);
    expect(named(labels, 'en')).toMatch(/<title>Tides /);
    expect(named({ fr: 'Marées', ja: ' ' }, 'ja')).toMatch(/<title>internal-target /);
  });
});

describe('the install button', () => {
  it('is a single large link to the given address', () => {
    expect(largeButtons(android())).toEqual(['/distributions/c/128/file?ticket=k']);
    expect(largeButtons(ios())).toEqual([itms]);
  });

  it('is replaced by the reason when the build cannot be installed', () => {
    const unsigned = makeAndroidInfo(plainText);
    unsigned.signing = { schemes: [], certificates: [], lineage: [], sourceStamp: false };
    const cases: [TesterPageProps, string][] = [
      [{ ...testerProps(plainText, unsigned) }, 'The package is not signed'],
      [android({ blockers: ['No https here.'] }), 'No https here.'],
      [ios({ blockers: ['No https here.'], visitor: visitors.computer }), 'No https here.'],
    ];
    for (const [props, reason] of cases) {
      const elements = elementsOf(props);
      expect(elements.filter(({ attributes }) => attributes.has('data-install'))).toEqual([]);
      expect(hrefs(elements)).not.toContain(props.installAddress ?? itms);
      const [callout] = classed(elements, 'callout-danger');
      expect(callout?.text).toContain('This build cannot be installed');
      expect(callout?.text).toContain(reason);
    }
  });

  it('is secondary when the phone will probably refuse the build, with the reason', () => {
    const visitor = { ...visitors.iphone, osVersion: '14.8' };
    const elements = elementsOf(ios({ visitor }));
    expect(classed(elements, 'button-large')).toEqual([]);
    expect(classed(elements, 'callout-danger')[0]?.text).toContain(
      'requires iOS 15.0 or newer. This device has iOS 14.8',
    );
    expect(hrefs(elements)).toContain(itms);
  });

  it('is replaced by a QR code and the address on the other platform', () => {
    for (const props of [ios({ visitor: visitors.android }), android({ visitor: visitors.iphone })]) {
      const elements = elementsOf(props);
      expect(hrefs(elements)).not.toContain(props.installAddress);
      expect(classed(elements, 'qr')).toHaveLength(1);
      expect(classed(elements, 'address-box')[0]?.text).toBe(`${origin}/distributions/${'c'.repeat(40)}`);
    }
  });

  it('follows the hint to the right browser inside an in-app browser', () => {
    const elements = elementsOf(ios({ visitor: visitors.instagram }));
    expect(classed(elements, 'callout-warning')[0]?.text).toContain('Instagram’s own browser cannot install');
    expect(classed(elements, 'address-box')).toHaveLength(1);
    expect(classed(elements, 'button-large')).toEqual([]);
    expect(hrefs(classed(elements, 'button'))).toEqual([itms]);
  });
});

describe('the tester page on a computer', () => {
  it('shows the QR code, a secondary download for Android, and none for iOS', () => {
    const withAndroid = elementsOf(android({ visitor: visitors.computer }));
    expect(classed(withAndroid, 'qr')).toHaveLength(1);
    expect(classed(withAndroid, 'button-large')).toEqual([]);
    expect(hrefs(classed(withAndroid, 'button'))).toEqual(['/distributions/c/128/file?ticket=k']);
    const withIos = renderTesterPage(ios({ visitor: visitors.computer }));
    expect(withIos).toContain('cannot be installed from a computer');
    expect(withIos).not.toContain('itms-services');
  });

  it('offers the button to Safari too, since it may be an iPad: hidden until the script runs, and as a link without it', () => {
    const elements = elementsOf(ios({ visitor: visitors.mac }));
    const links = elements.filter(({ attributes }) => attributes.get('href') === itms);
    expect(links.map(({ text }) => text)).toEqual(['Install on this iPad', 'Install']);
    const swapped = elements.filter(({ attributes }) => attributes.has('data-touch'));
    expect(swapped.map(({ attributes }) => attributes.has('hidden'))).toEqual([false, true, false]);
  });

  it('offers the button to a browser that knows its device is an iPad', () => {
    const device = { udid: 'udid-1', product: 'iPad14,3', osVersion: '17.5', name: null };
    const elements = elementsOf(ios({ visitor: visitors.mac, device }));
    expect(hrefs(classed(elements, 'button-large'))).toEqual([itms]);
    expect(classed(elements, 'device-listed')[0]?.text).toBe('Signed for this iPad');
  });
});

describe('a build for registered devices', () => {
  const device = { udid: 'UDID-9', product: 'iPhone15,4', osVersion: '14.0', name: 'Mina’s iPhone' };

  it('shows for how many devices it is, and where to look, while the device is unknown', () => {
    const [line] = classed(elementsOf(ios()), 'device-line');
    expect(line?.text).toContain('Only for 2 registered devices.');
    expect(hrefs(elementsOf(ios()))).toContain('/distributions/c/device');
    expect(renderTesterPage(android())).not.toContain('registered device');
  });

  it('confirms a registered device, ignoring the case of its UDID', () => {
    const elements = elementsOf(ios({ device: { ...device, udid: 'UDID-2' } }));
    expect(classed(elements, 'device-listed')[0]?.text).toBe('Signed for this iPhone');
    expect(hrefs(classed(elements, 'button-large'))).toEqual([itms]);
  });

  it('warns an unregistered device before the tap, with a link to check again', () => {
    const elements = elementsOf(ios({ device }));
    expect(classed(elements, 'button-large')).toEqual([]);
    expect(classed(elements, 'callout-danger')[0]?.text).toContain('This iPhone cannot install it');
    expect(hrefs(elements)).toContain('/distributions/c/device');
  });
});

describe('the build details', () => {
  it('hide details meant for developers', () => {
    expect(renderTesterPage(android())).not.toContain('It is debuggable.');
  });

  it('show the branch, the label, a short commit with the full one, and the CI run by its host', () => {
    const commit = '9f31c2ab77d0e5b1c0de9f31c2ab77d0e5b1c0de';
    const elements = elementsOf(android({ build: { ...android().build, commit, source: null } }));
    const [about] = classed(elements, 'about');
    for (const text of ['feature/storm', 'PR 412', '9f31c2ab77', 'ci.example.com'])
      expect(about?.text).toContain(text);
    expect(about?.text).not.toContain(commit);
    expect(elements.some(({ attributes }) => attributes.get('title') === commit)).toBe(true);
    const run = elements.find(({ attributes }) =>
      attributes.get('href')?.startsWith('https://ci.example.com'),
    );
    expect(run?.attributes.get('rel')).toContain('noreferrer');
  });

  it('do not link a CI run that is not an address', () => {
    const buildUrl = 'javascript:alert(1)';
    expect(
      hrefs(elementsOf(android({ build: { ...android().build, buildUrl, source: null } }))),
    ).not.toContain(buildUrl);
  });

  it('show how long the page is open', () => {
    const page = { ...android().page, expiresAt: Date.UTC(2026, 11, 24) };
    expect(renderTesterPage(android({ page }))).toContain('open until 24 Dec 2026');
  });
});

describe('the link preview in chats', () => {
  it('shows icon, name, version and the beginning of the note without markup', () => {
    const html = renderTesterPage(withNote(android(), `## Storm\n\n**Bold** ${'word '.repeat(500)}`));
    expect(meta(html, 'og:title')).toBe('Tidewatch 2.4.0 (418)');
    expect(meta(html, 'og:image')).toBe(`${origin}/distributions/c/128/icon?ticket=k`);
    expect(meta(html, 'og:url')).toBe(`${origin}/distributions/${'c'.repeat(40)}`);
    expect(meta(html, 'og:description')).toMatch(/^2\.4\.0 \(418\) for Android: Storm: Bold word .*…$/);
    expect(meta(html, 'og:description')?.length).toBeLessThanOrEqual(200);
    expect(meta(html, 'twitter:card')).toBe('summary');
  });

  it('shows the selected build at its own address when it is not live', () => {
    const html = renderTesterPage(android({ current: false }));
    expect(meta(html, 'og:url')).toBe(`${origin}/distributions/${'c'.repeat(40)}/128`);
    expect(meta(html, 'og:description')).toContain('not the live build');
  });
});

describe('the history', () => {
  const lines = (props: TesterPageProps) =>
    classed(elementsOf(props), 'history-line').map(({ text }) => text);

  it('links every build at its own address, newest first, and marks unavailable ones', () => {
    const links = hrefs(classed(elementsOf(android()), 'history-link'));
    expect(links).toEqual([128, 127, 126].map((revision) => `/distributions/${'c'.repeat(40)}/${revision}`));
    const [first, second, third] = lines(android());
    expect(first).toContain('Live');
    expect(second).not.toMatch(/Live|Shown here|Not available/);
    expect(third).toContain('Not available');
  });

  it('states that another build is live, newer or older, and links to it', () => {
    const [latest, update] = android().history;
    if (!latest || !update) throw new Error('no history');
    const props = android({ current: false, update });
    const elements = elementsOf(props);
    expect(classed(elements, 'tester-notice')[0]?.text).toContain('Not the live build');
    expect(hrefs(elements)).toContain(`/distributions/${'c'.repeat(40)}`);
    expect(lines(props)[0]).toContain('Live');
    expect(lines(props)[1]).toContain('Shown here');
    const current = elements.filter(({ attributes }) => attributes.get('aria-current') === 'page');
    expect(hrefs(current)).toEqual([`/distributions/${'c'.repeat(40)}/127`]);
    const page = { ...props.page, buildId: update.buildId };
    expect(lines(android({ page, update, current: true }))[0]).not.toContain('Live');
    expect(lines(android({ page, update, current: true }))[1]).toContain('Live');
  });

  it('links to older pages and back, and is omitted when it would add nothing', () => {
    const links = (props: TesterPageProps) => hrefs(elementsOf(props));
    expect(links(android())).toContain('/distributions/c?before=u126');
    expect(links(android({ newestAddress: '/newest' }))).toContain('/newest');
    const alone = android({ history: android().history.slice(0, 1), olderAddress: null });
    expect(classed(elementsOf(alone), 'history')).toEqual([]);
  });
});

describe('hostile texts', () => {
  it('neither run nor load anything from a note', () => {
    const note = `${hostileText('x')}\n\n![p](https://spy.example/p.png) [j](javascript:alert(1)) <b onclick=x>y</b>`;
    for (const element of elementsOf(withNote(android(), note))) {
      expect([...element.attributes.keys()].filter((name) => name.startsWith('on'))).toEqual([]);
      expect(element.attributes.get('src') ?? '').not.toContain('spy');
      expect(element.attributes.get('href') ?? '').not.toMatch(/^javascript:/i);
    }
  });

  it('do not affect the surrounding text with right-to-left marks', () => {
    const info = makeAndroidInfo(plainText);
    info.name = '\u202Eevil مراقبة';
    const html = renderTesterPage(withNote(testerProps(plainText, info), 'الجديد'));
    expect(html).toContain('<bdi>\u202Eevil مراقبة</bdi>');
    expect(html).toContain('<p dir="auto">الجديد</p>');
  });
});

describe('access to the page', () => {
  const nobody = {
    frame: makeFrame(plainText, false),
    managePath: null,
    appPath: null,
    signInPath: '/sign-in?to=%2Fd',
  };

  it('requires a passcode as text that browsers neither autofill nor correct, and explains a wrong one', () => {
    const gate = { kind: 'passcode', action: '/distributions/c/passcode', error: 'Not that one.' } as const;
    const elements = readElements(renderPageGate({ ...nobody, gate }));
    const field = elements.find(({ attributes }) => attributes.get('name') === 'passcode')?.attributes;
    expect(field?.get('type')).toBe('text');
    expect(field?.get('autocomplete')).toBe('off');
    expect(field?.get('maxlength')).toBe('128');
    expect(field?.get('aria-invalid')).toBe('true');
    expect(field?.get('aria-describedby')).toBe('passcode-error');
    expect(elements.find(({ attributes }) => attributes.get('role') === 'alert')?.text).toBe('Not that one.');
    const form = elements.find(({ tag }) => tag === 'form')?.attributes;
    expect([form?.get('method'), form?.get('action')]).toEqual(['post', '/distributions/c/passcode']);
  });

  it('shows the settings link only to those who may change the page', () => {
    const gate = { kind: 'closed', reason: 'expired' } as const;
    const links = (managePath: string | null) =>
      hrefs(readElements(renderPageGate({ ...nobody, gate, managePath })));
    expect(links('/settings')).toContain('/settings');
    expect(links(null)).not.toContain('/settings');
    expect(renderPageGate({ ...nobody, gate })).toContain('This page has expired');
  });

  it('offers members who are not signed in to do so instead of a passcode, and leads members to the app', () => {
    const passcode = { kind: 'passcode', action: '/distributions/c/passcode', error: null } as const;
    const closed = { kind: 'closed', reason: 'inactive' } as const;
    const inMain = (html: string) =>
      hrefs(readElements(/<main[\s\S]*<\/main>/.exec(html)?.[0] ?? '')).filter(Boolean);
    expect(inMain(renderPageGate({ ...nobody, gate: passcode }))).toEqual(['/sign-in?to=%2Fd']);
    expect(inMain(renderPageGate({ ...nobody, gate: closed }))).toEqual([]);
    const member = { ...nobody, signInPath: null, appPath: '/users/a/apps/b' };
    expect(inMain(renderPageGate({ ...member, gate: closed }))).toEqual(['/users/a/apps/b']);
  });
});
