import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  markdownExcerpt,
  maxMarkdownBytes,
  maxMarkdownHtmlLength,
  renderMarkdown,
} from '../../src/web/components/markdown.ts';
import { type Element, readElements } from './elements.ts';
import { attack } from './hostile.ts';

/** The parser requires one root element. */
const elementsOf = (note: string): Element[] => readElements(`<div>${renderMarkdown(note)}</div>`).slice(1);
const tagsOf = (note: string) => elementsOf(note).map(({ tag }) => tag);
const linksOf = (note: string) => elementsOf(note).flatMap(({ attributes }) => attributes.get('href') ?? []);

describe('notes in Markdown', () => {
  it('render paragraphs, lists, code, tables and quotes', () => {
    expect(tagsOf('**a** `b`\n\n- c\n\n1. d\n\n> e\n\n```js\nf\n```\n\n| g |\n|:-:|\n| h |')).toEqual(
      'p strong code ul li ol li blockquote p pre code table thead tr th tbody tr td'.split(' '),
    );
  });

  it('keep the line breaks of plain text, and treat its indentation as text', () => {
    expect(renderMarkdown('Faster start.\nNew icon.')).toBe('<p dir="auto">Faster start.<br>\nNew icon.</p>');
    expect(tagsOf('commit 9f31\n\n    Fix the crash')).toEqual(['p', 'p']);
  });

  it.each([
    ['# A\n## B\n# C', ['h3', 'h4', 'h3']],
    ['### A\n# B\n###### C\n## D', ['h3', 'h3', 'h4', 'h4']],
    ['# A\n## B\n### C\n#### D\n##### E', ['h3', 'h4', 'h5', 'h6', 'h6']],
  ])('render headings below those of the page, without a gap: %j', (note, headings) => {
    expect(tagsOf(note)).toEqual(headings);
  });

  it('link only http, https and mailto, without a referrer', () => {
    const schemes = [
      'javascript:alert(1)',
      'JaVaScRiPt:x',
      'data:text/html,x',
      'file:///etc',
      'vbscript:x',
      'tel:1',
    ];
    for (const address of [...schemes, '/path', 'path', '//host.example', '#part']) {
      expect(linksOf(`[a](${address}) <${address}>`), address).toEqual([]);
    }
    expect(linksOf('[a](https://a.example/b "t") http://c.example d@e.example build.rs')).toEqual([
      'https://a.example/b',
      'http://c.example',
      'mailto:d@e.example',
    ]);
    for (const { tag, attributes } of elementsOf('[a](https://a.example "t")')) {
      if (tag !== 'a') continue;
      expect([...attributes]).toEqual([
        ['href', 'https://a.example'],
        ['rel', 'nofollow noopener noreferrer'],
      ]);
    }
  });

  it('show the alternative text of an image, and never load it', () => {
    expect(renderMarkdown('![a *b* <c>](https://spy.example/p.png)')).toBe('<p dir="auto">a b &lt;c&gt;</p>');
    expect(linksOf('[![b](https://spy.example/p.svg)](https://ci.example)')).toEqual(['https://ci.example']);
  });

  it('render no custom tags, styles, classes or event handlers', () => {
    for (const note of [
      attack,
      `\`\`\`${attack}\nx\n\`\`\``,
      `[${attack}](https://a.example)`,
      `| ${attack} |\n|-:|`,
    ]) {
      for (const { tag, attributes } of elementsOf(note)) {
        expect(['p', 'pre', 'code', 'a', 'table', 'thead', 'tr', 'th', 'br']).toContain(tag);
        for (const name of attributes.keys()) expect(['href', 'rel', 'dir']).toContain(name);
      }
    }
  });

  it('have no link without an address', () => {
    expect(renderMarkdown('[text]() []()')).toBe('<p dir="auto"><a>text</a> <a></a></p>');
  });

  it('stay well-formed and harmless for any input', () => {
    const marks = [
      '*',
      '_',
      '`',
      '[',
      ']',
      '(',
      ')',
      '<',
      '>',
      '#',
      '-',
      '|',
      '\n',
      ' ',
      '!',
      '~',
      '&',
      ':',
      '"',
      "'",
      'a',
    ];
    const word = fc.oneof(fc.constantFrom(...marks, 'https://x.y', 'javascript:', '\n\n'), fc.string());
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), (parts) => {
        for (const { tag, attributes } of elementsOf(parts.join('').replaceAll('\0', ''))) {
          expect(['script', 'img', 'style', 'iframe', 'form', 'input']).not.toContain(tag);
          for (const name of attributes.keys()) expect(['href', 'rel', 'dir', 'start']).toContain(name);
          expect(attributes.get('href') ?? 'https://').toMatch(/^(https?:\/\/|mailto:)/i);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('are truncated at the length limit, between characters', () => {
    const html = renderMarkdown('ä'.repeat(maxMarkdownBytes));
    expect(html).toBe(`<p dir="auto">${'ä'.repeat(maxMarkdownBytes / 2)}…</p>`);
    expect(renderMarkdown(`a${'ä'.repeat(maxMarkdownBytes)}`)).not.toContain('\ufffd');
  });

  it.each([
    ['tables', `|${'a|'.repeat(300)}\n|${'-|'.repeat(300)}\n${'|x\n'.repeat(6000)}`],
    ['many links', '[a](http://b)'.repeat(1600)],
    ['quotes in quotes', '> '.repeat(9000)],
    ['references', `[a]: https://${'b'.repeat(9000)}\n\n${'[a]'.repeat(3000)}`],
  ])('have output of limited size: %s', (_, note) => {
    expect(renderMarkdown(note).length).toBeLessThanOrEqual(maxMarkdownHtmlLength);
  });

  it('are shown as plain text when their output would be too large', () => {
    const autolinks = '<http://a>'.repeat(2000);
    expect(tagsOf(autolinks.slice(0, 10_000))).toContain('a');
    expect(tagsOf(autolinks)).toEqual(['p']);
    expect(elementsOf(autolinks)[0]?.text).toBe(autolinks);
  });

  it('render nothing for an empty text', () => {
    expect(renderMarkdown(' \n\n')).toBe('');
    expect(markdownExcerpt('', 100)).toBe('');
  });
});

describe('the excerpt of a note', () => {
  it('is one line without markup', () => {
    const note =
      '## Storm banner\n\nNow **bold**,\nsee [it](https://a.example).\n\n- one\n- two\n\n```\nlet a\n```';
    expect(markdownExcerpt(note, 200)).toBe('Storm banner: Now bold, see it. · one · two · let a');
    expect(markdownExcerpt('- one\n- two', 200)).toBe('one · two');
    expect(markdownExcerpt('## New\n\n- one\n  - two\n\n## Fixed\n\n1. three\n\nThanks', 200)).toBe(
      'New: one · two · Fixed: three · Thanks',
    );
    expect(markdownExcerpt('# Only a heading', 200)).toBe('Only a heading');
  });

  it('is truncated between characters', () => {
    expect(markdownExcerpt('🚢'.repeat(100), 5)).toBe('🚢🚢🚢🚢…');
  });
});
