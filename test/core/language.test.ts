import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { TooManyRequests } from '../../src/core/errors.ts';
import { catalog, type Messages, messageAt } from '../../src/core/language/catalog.ts';
import {
  currentLanguage,
  currentLocale,
  preferLanguage,
  runInLanguage,
} from '../../src/core/language/current-language.ts';
import { negotiateLanguage } from '../../src/core/language/negotiate-language.ts';

const t = catalog({
  en: {
    plain: 'Manage build',
    braces: 'Use } and <version> as they are',
    list: { count: '{count, plural, one {# install} other {# installs}}' },
    steps: ['First', 'Second'],
    greeting: 'Hello {name}',
    asked: '<link>{name}</link> is waiting <b>now</b>',
    titles: { 404: 'Not found' },
  },
  ja: {
    plain: 'ビルドを管理',
    braces: '} と <version> をそのまま使用',
    list: { count: '{count, plural, other {#件のインストール}}' },
    steps: ['最初'],
    greeting: '{name}さん、こんにちは',
    asked: '<b>いま</b><link>{name}</link>が待っています',
    titles: { 404: '見つかりません' },
  },
});

const inJapanese = <Result>(run: () => Result) => runInLanguage('ja', run);

describe('a catalog', () => {
  it('returns messages without arguments as strings of the current language', () => {
    expect(t.plain).toBe('Manage build');
    expect(inJapanese(() => t.plain)).toBe('ビルドを管理');
    expect(inJapanese(() => t.braces)).toBe('} と <version> をそのまま使用');
    expect(inJapanese(() => t.steps)).toEqual(['最初']);
  });

  it('formats plurals by the rules of the language', () => {
    expect([0, 1, 2, 1234].map((count) => t.list.count({ count }))).toEqual([
      '0 installs',
      '1 install',
      '2 installs',
      '1,234 installs',
    ]);
    expect(inJapanese(() => t.list.count({ count: 1 }))).toBe('1件のインストール');
  });

  it('keeps groups usable as constants', () => {
    const { list } = t;
    expect(inJapanese(() => list.count({ count: 2 }))).toBe('2件のインストール');
  });

  it('inserts arguments as they are, whatever characters they contain', () => {
    const hostile = `{count, plural, one {x}} '{' <b>&amp; </link> #'`;
    expect(t.greeting({ name: hostile })).toBe(`Hello ${hostile}`);
    expect(inJapanese(() => t.greeting({ name: hostile }))).toBe(`${hostile}さん、こんにちは`);
  });

  it('turns tags into elements in the word order of the language, and escapes arguments in them', () => {
    const render = () =>
      renderToString(
        h(
          'p',
          null,
          t.asked({
            name: '<script>',
            link: (children) => h('a', { href: '/x' }, children),
            b: (children) => h('strong', null, children),
          }),
        ),
      );
    expect(render()).toBe('<p><a href="/x">&lt;script></a> is waiting <strong>now</strong></p>');
    expect(inJapanese(render)).toBe('<p><strong>いま</strong><a href="/x">&lt;script></a>が待っています</p>');
  });

  it('finds messages by keys that may be missing', () => {
    expect(messageAt(t.titles, 404)).toBe('Not found');
    expect(messageAt(t.titles, 500)).toBeUndefined();
    expect(messageAt(t.titles, 'constructor')).toBeUndefined();
  });

  it('falls back to English without a translation', () => {
    const english = catalog({ en: { one: 'One' } });
    expect(inJapanese(() => english.one)).toBe('One');
  });

  it('refuses wrong arguments and translations at compile time', () => {
    // @ts-expect-error a count is a number
    t.list.count({ count: 'two' });
    // @ts-expect-error the name is missing
    const withoutName = () => t.greeting({});
    expect(withoutName).toThrow();
    const wrong = (source: Messages) => source;
    // @ts-expect-error the translation lacks a message
    catalog({ en: { one: 'One', two: 'Two' }, ja: { one: '一' } });
    // @ts-expect-error the translation has a message too many
    catalog({ en: { one: 'One' }, ja: { one: '一', two: '二' } });
    expect(wrong({ one: 'One' })).toEqual({ one: 'One' });
  });
});

describe('the current language', () => {
  it('is English outside of requests', () => {
    expect([currentLanguage(), currentLocale()]).toEqual(['en', 'en-GB']);
    preferLanguage('ja');
    expect(currentLanguage()).toBe('en');
  });

  it('stays the same across asynchronous work, and separate between requests', async () => {
    const answers = await Promise.all([
      runInLanguage('ja', async () => {
        await Promise.resolve();
        return currentLocale();
      }),
      runInLanguage('en', async () => currentLocale()),
    ]);
    expect(answers).toEqual(['ja', 'en-GB']);
  });

  it('changes once the person is known, unless it is fixed', async () => {
    const afterChoice = async (language: 'ja' | null) => {
      const choose = async () => preferLanguage(language);
      await choose();
      return currentLanguage();
    };
    expect(await runInLanguage('en', () => afterChoice('ja'))).toBe('ja');
    expect(await runInLanguage('ja', () => afterChoice(null))).toBe('ja');
    expect(await runInLanguage({ language: 'en', fixed: true }, () => afterChoice('ja'))).toBe('en');
  });
});

it('a refusal by a limit is said in the language of the person, who may be known only later', () => {
  const refusal = runInLanguage('en', () => new TooManyRequests('signIns', 60));
  expect(refusal.sentence).toBe('Too many failed sign-ins: try again in 15 minutes.');
  expect(runInLanguage('ja', () => refusal.sentence)).toMatch(/^サインインの失敗/);
  expect(new TooManyRequests(['uploadsWithKey', { limit: 3 }], 60).message).toContain('3 per hour');
});

describe('negotiation', () => {
  it.each([
    ['ja', 'ja'],
    ['ja-JP,ja;q=0.9,en-US;q=0.8,en;q=0.7', 'ja'],
    ['JA-jp', 'ja'],
    ['en-US,en;q=0.9,ja;q=0.8', 'en'],
    ['en;q=0.5, ja;q=0.9', 'ja'],
    ['fr-FR, ja;q=0.3', 'ja'],
    ['fr, ja;q=0', 'en'],
    ['ja;q=0.000', 'en'],
    ['*', 'en'],
    ['*;q=0.5, ja;q=0.4', 'en'],
    ['de, fr', 'en'],
    ['', 'en'],
    [', ,ja,', 'ja'],
    ['ja ; q=1.0', 'ja'],
    ['jav', 'en'],
    ['constructor', 'en'],
    [undefined, 'en'],
  ] as const)('chooses for %s the language %s', (header, expected) => {
    expect(negotiateLanguage(header, 'en')).toBe(expected);
  });

  it('uses the default of the installation where nothing else fits', () => {
    expect(['fr', '*', undefined].map((header) => negotiateLanguage(header, 'ja'))).toEqual([
      'ja',
      'ja',
      'ja',
    ]);
    expect(negotiateLanguage('en', 'ja')).toBe('en');
  });

  it.each([
    'ja;q=2',
    'ja;q=0.1234',
    'ja;q=',
    'ja;level=1',
    'ja_JP',
    'ja\u0000',
    'ja, <script>',
    `ja,${' en,'.repeat(400)}`,
    'ja'.repeat(5000),
  ])('answers the malformed or oversized header %# in the default language', (header) => {
    expect(negotiateLanguage(header, 'en')).toBe('en');
  });
});
