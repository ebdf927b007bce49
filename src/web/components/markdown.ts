/** Renders release notes as HTML. They are written by uploaders, so they must not run scripts, load resources or grow without limit. */
import MarkdownIt, { type Token } from 'markdown-it';
import { excerpt } from './formats.ts';

/** Maximum length of a rendered note in UTF-8 bytes; the rest is replaced by an ellipsis. */
export const maxMarkdownBytes = 20_000;
/** Maximum length of the HTML in UTF-16 units. Links and tables can make a short note much longer; it is then shown as plain text. */
export const maxMarkdownHtmlLength = 100_000;
/** The page uses `h1` for its title and `h2` for sections. */
const highestHeading = 3;
const lowestHeading = 6;

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true, maxNesting: 20 });
// If schemes were optional, file names such as `build.rs` would become links.
markdown.linkify.set({ fuzzyLink: false });
// Indentation usually comes from CI and git and is not code. References can make a short note grow without limit.
markdown.disable(['code', 'reference']);
markdown.validateLink = (address) => /^(https?:\/\/|mailto:)/i.test(address);
markdown.core.ruler.push('house_style', ({ tokens }) => {
  const headings: number[] = [];
  for (const token of tokens) {
    styleBlock(token, headings);
    for (const part of token.children ?? []) stylePart(part);
  }
});
/** Replaces images with their alternative text, because they would be loaded from another host. */
markdown.renderer.rules.image = (tokens, at) =>
  markdown.utils.escapeHtml(textOf(tokens[at]?.children ?? []).join(''));

/**
 * Renders HTML without scripts, styles, images and classes, with links only to http, https and mailto. Headings start at `h3` and
 * skip no level. Empty for a note without text.
 */
export function renderMarkdown(text: string, maxBytes = maxMarkdownBytes): string {
  const note = cut(text, maxBytes);
  const html = markdown.render(note).trimEnd();
  return html.length > maxMarkdownHtmlLength ? asWritten(note) : html;
}

/** Returns the beginning of a note as one line without markup, for lists and link previews. */
export function markdownExcerpt(text: string, maxCharacters: number): string {
  const beginning = cut(text, maxCharacters * 8);
  const words = textOf(markdown.parse(beginning, {})).join('').replace(/\s+/g, ' ');
  const line = words.replace(/(?:· ){2,}/g, '· ').replaceAll(': · ', ': ');
  return excerpt(line.replace(/^[ ·]+|(?: ·)? $/g, '').replace(/:$/, ''), maxCharacters);
}

function styleBlock(token: Token, headings: number[]): void {
  token.info = '';
  token.attrs = token.type === 'ordered_list_open' ? token.attrs : null;
  if (token.type === 'heading_open') token.tag = headingTag(Number(token.tag.slice(1)), headings);
  if (token.type === 'heading_close') token.tag = headingTag(headings.at(-1) ?? 1, headings);
  // A note may be in any language, and so may each of its blocks.
  if (token.level === 0 && token.nesting === 1) token.attrSet('dir', 'auto');
}

/** Chooses the tag by the nesting of earlier headings, whatever levels the note uses. */
function headingTag(level: number, open: number[]): string {
  while ((open.at(-1) ?? 0) >= level) open.pop();
  open.push(level);
  return `h${Math.min(highestHeading + open.length - 1, lowestHeading)}`;
}

function stylePart(token: Token): void {
  if (token.type !== 'link_open') return;
  const address = token.attrGet('href');
  // Without an address, as in `[text]()`, the link would lead to this page.
  token.attrs = address
    ? [
        ['href', address],
        ['rel', 'nofollow noopener noreferrer'],
      ]
    : [];
}

/**
 * Converts blocks and line breaks to spaces, ends headings with a colon, and puts a dot between list items and before the text
 * after a list.
 */
function textOf(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) => {
    if (token.children) return textOf(token.children);
    if (token.type === 'heading_close') return [': '];
    if (/^(list_item_open|(bullet|ordered)_list_close)$/.test(token.type)) return [' · '];
    return token.block || token.tag === 'br' ? [token.content, ' '] : [token.content];
  });
}

function cut(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  // In UTF-8, continuation bytes begin with the bits 10 (RFC 3629, section 3).
  let end = maxBytes;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.toString('utf8', 0, end)}…`;
}

function asWritten(note: string): string {
  const lines = note.trim().split('\n');
  return `<p dir="auto">${lines.map((line) => markdown.utils.escapeHtml(line)).join('<br>')}</p>`;
}
