/** Release notes as HTML. They come from whoever may upload, so nothing in them may act, load or grow without limit. */
import MarkdownIt, { type Token } from 'markdown-it';
import { excerpt } from './formats.ts';

/** UTF-8 bytes of a note that are shown; what a longer one has beyond is left out, with an ellipsis in its place. */
export const maxMarkdownBytes = 20_000;
/** UTF-16 units of the HTML. Links and tables can make much of a little: beyond this the note is shown as it was written. */
export const maxMarkdownHtmlLength = 100_000;
/** The page has `h1` for itself and `h2` for what stands above the note. */
const highestHeading = 3;
const lowestHeading = 6;

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true, maxNesting: 20 });
// Without a scheme, names of files such as `build.rs` would become links to other hosts.
markdown.linkify.set({ fuzzyLink: false });
// Lines are indented by CI and git far more often than to mean code; references make a short note grow without limit.
markdown.disable(['code', 'reference']);
markdown.validateLink = (address) => /^(https?:\/\/|mailto:)/i.test(address);
markdown.core.ruler.push('house_style', ({ tokens }) => {
  const headings: number[] = [];
  for (const token of tokens) {
    styleBlock(token, headings);
    for (const part of token.children ?? []) stylePart(part);
  }
});
/** A picture would be fetched from another host: its text stands for it. */
markdown.renderer.rules.image = (tokens, at) =>
  markdown.utils.escapeHtml(textOf(tokens[at]?.children ?? []).join(''));

/**
 * HTML without scripts, styles, pictures and classes, whose links lead to http, https and mailto alone. Headings begin
 * at `h3` and skip no level. Empty for a note without text.
 */
export function renderMarkdown(text: string): string {
  const note = cut(text, maxMarkdownBytes);
  const html = markdown.render(note).trimEnd();
  return html.length > maxMarkdownHtmlLength ? asWritten(note) : html;
}

/** The beginning of a note as one line without its marks, for lists and link previews. */
export function markdownExcerpt(text: string, maxCharacters: number): string {
  const beginning = cut(text, maxCharacters * 8);
  const words = textOf(markdown.parse(beginning, {})).join('').replace(/\s+/g, ' ').replaceAll(': · ', ': ');
  return excerpt(words.replace(/^[ ·]+|:? $/g, ''), maxCharacters);
}

function styleBlock(token: Token, headings: number[]): void {
  token.info = '';
  token.attrs = token.type === 'ordered_list_open' ? token.attrs : null;
  if (token.type === 'heading_open') token.tag = headingTag(Number(token.tag.slice(1)), headings);
  if (token.type === 'heading_close') token.tag = headingTag(headings.at(-1) ?? 1, headings);
  // A note may be in any language, and each of its blocks in another.
  if (token.level === 0 && token.nesting === 1) token.attrSet('dir', 'auto');
}

/** By how deep the heading stands below those before it, whatever numbers the note uses. */
function headingTag(level: number, open: number[]): string {
  while ((open.at(-1) ?? 0) >= level) open.pop();
  open.push(level);
  return `h${Math.min(highestHeading + open.length - 1, lowestHeading)}`;
}

function stylePart(token: Token): void {
  if (token.type !== 'link_open') return;
  token.attrs = [
    ['href', token.attrGet('href') ?? ''],
    ['rel', 'nofollow noopener noreferrer'],
  ];
}

/** Blocks and line breaks become spaces, headings end in a colon, and list items begin with a dot. */
function textOf(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) => {
    if (token.children) return textOf(token.children);
    if (token.type === 'heading_close') return [': '];
    if (token.type === 'list_item_open') return [' · '];
    return token.block || token.tag === 'br' ? [token.content, ' '] : [token.content];
  });
}

function cut(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  // In UTF-8 a character's later bytes begin with the bits 10 (RFC 3629, section 3).
  let end = maxBytes;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.toString('utf8', 0, end)}…`;
}

function asWritten(note: string): string {
  const lines = note.trim().split('\n');
  return `<p dir="auto">${lines.map((line) => markdown.utils.escapeHtml(line)).join('<br>')}</p>`;
}
