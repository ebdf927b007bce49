/** The content of build emails, with any text from the package and its uploader. */
import { describe, expect, it } from 'vitest';
import type { BuildMail } from '../../src/mail/messages/build-mail.ts';
import { renderBuildMailHtml } from '../../src/mail/messages/build-mail-html.tsx';
import { buildMailSubject, renderBuildMailText } from '../../src/mail/messages/build-mail-text.ts';
import { mailLinks } from '../../src/mail/pages/mail-paths.ts';
import { readElements } from '../web/elements.ts';
import { hostileText, makeApp, makeBuild, makeIosInfo, plainText, type TextOf } from '../web/hostile.ts';

const unbranded = { name: null, accent: null, support: null, logo: null };
const origin = 'https://apps.example.com';
const links = mailLinks(origin, `${origin}/unsubscribe/token`);

function told(text: TextOf, changes: Partial<BuildMail> = {}): BuildMail {
  return {
    mail: { address: 'mina@example.com' },
    userName: 'mina',
    app: makeApp(text, 'ios'),
    build: makeBuild(text, makeIosInfo(text)),
    page: { id: 'd1', access: 'unlisted', accessKey: 'c'.repeat(40) },
    releaseNote: text('New: a banner'),
    failedChecks: [],
    reason: 'team',
    icon: new Uint8Array(4),
    brand: unbranded,
    ...changes,
  };
}

const render = (mail: BuildMail) => renderBuildMailHtml(mail, links, 'cid:icon');
/** Without the stylesheet, which contains no text of an upload. */
const elementsOf = (html: string) => readElements(html.replace(/<style>[^<]*<\/style>/, ''));

describe('HTML part of a build email', () => {
  it('has the same elements when every field is hostile', () => {
    const outline = (html: string) =>
      elementsOf(html).map(({ tag, attributes }) => `${tag} ${[...attributes.keys()].join(' ')}`);
    expect(outline(render(told(hostileText)))).toEqual(outline(render(told(plainText))));
  });

  it('loads no external resources, runs no scripts and links only to this server', () => {
    const html = render(told(hostileText));
    for (const { tag, attributes } of elementsOf(html)) {
      expect(['script', 'link', 'iframe', 'object', 'form', 'base']).not.toContain(tag);
      for (const name of attributes.keys()) expect(name).not.toMatch(/^on/);
      if (attributes.has('src')) expect(attributes.get('src')).toBe('cid:icon');
      if (attributes.has('href')) expect(attributes.get('href')).toMatch(/^https:\/\/apps\.example\.com\//);
    }
    expect(html).not.toMatch(/url\(|@import/);
  });

  it('has one heading, one button, an unsubscribe link and a reason', () => {
    const elements = elementsOf(render(told(plainText)));
    expect(elements.filter(({ tag }) => tag === 'h1')).toHaveLength(1);
    const buttons = elements.filter(({ tag, text }) => tag === 'a' && text === 'Install');
    expect(buttons.map(({ attributes }) => attributes.get('href'))).toEqual([
      expect.stringMatching(`^${origin}/users/.+/binaries/\\d+/install\\?page=${'c'.repeat(40)}$`),
    ]);
    const all = elements.map(({ attributes }) => attributes.get('href'));
    expect(all).toContain(links.unsubscribe);
    expect(all).toContain(links.settings);
    expect(elements[0]?.text).toContain('belongs to your Project');
  });

  it.each<[string, string]>([
    ['letters', 'x'.repeat(40_000)],
    ['signs', `<>&"'`.repeat(8000)],
    ['emoji', '🚢'.repeat(10_000)],
    ['lists', '- a\n'.repeat(10_000)],
    ['tables', `|${'a|'.repeat(500)}\n|${'-|'.repeat(500)}\n${'|\n'.repeat(500)}`],
    ['quotes', '> '.repeat(5000)],
    ['links', '[a](https://x.example) '.repeat(2000)],
  ])('stays within 30 KiB with a note of many %s', (_, releaseNote) => {
    const long = (text: string) => text + releaseNote;
    // Names of owners and packages have separate limits.
    const mail = told(plainText, { build: makeBuild(long, makeIosInfo(long)), releaseNote });
    const html = render(mail);
    expect(Buffer.byteLength(html)).toBeLessThanOrEqual(30 * 1024);
    elementsOf(html);
    expect(renderBuildMailText(mail, links).length).toBeLessThan(10_000);
  });

  it('omits unknown details', () => {
    const bare = told(plainText, { releaseNote: '', page: null, icon: null });
    Object.assign(bare.build, { branch: null, commit: null, label: null });
    const html = renderBuildMailHtml(bare, links, null);
    expect(html).not.toMatch(/<img|Branch|Commit|Label|What’s new/);
    expect(renderBuildMailText(bare, links)).not.toMatch(/Branch|Commit|Label|What’s new/);
    expect(html).toContain('/binaries/128/install"');
  });
});

describe('text part of a build email', () => {
  it('has a one-line subject for any names', () => {
    expect(buildMailSubject(told(plainText))).toMatch(/^\S.* for iOS$/);
    const strange = told(() => 'Tide\r\nBcc: x@example.com\u2028\u0000 watch');
    expect(buildMailSubject(strange)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    expect(buildMailSubject(told(() => 'n'.repeat(5000))).length).toBeLessThanOrEqual(150);
    expect(buildMailSubject(told((text) => (text === 'Tidewatch' ? ' \n' : text)))).not.toMatch(/^ /);
  });

  it('contains everything in the HTML part', () => {
    const text = renderBuildMailText(told(plainText), links);
    for (const part of [
      'New: a banner',
      'feature/storm',
      '9f31c2a · run 42, verified',
      'PR 412',
      '17.9 MiB',
      `Install:\n${origin}/users/`,
      links.unsubscribe,
      links.settings,
      '\n-- \n',
    ]) {
      expect(text).toContain(part);
    }
  });
});
