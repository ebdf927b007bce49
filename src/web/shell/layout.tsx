/** The layout of all pages: a complete HTML document that works without scripts. */
import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { currentLocale } from '../../core/language/current-language.ts';
import { brandStylesheetPath } from '../components/brand-colors.ts';
import { linkTo } from '../components/message-tags.tsx';
import { ConsoleHeader } from './console-header.tsx';
import { BrandName, siteName } from './mark.tsx';
import type { Brand, PageFrame } from './page-frame.ts';
import { type SiteSection, sitePaths } from './site-paths.ts';
import { texts } from './texts.ts';

export interface Page {
  frame: PageFrame;
  /** The Workspace that determines the brand. Only for pages of people who may know about the Workspace. */
  workspace?: { id: string } | null;
  title: string;
  /** One or two sentences for link previews. */
  description?: string;
  /** Absolute address of the image for link previews and home screens. */
  image?: string;
  /** Absolute address of the page itself, for link previews. */
  address?: string;
  /** True by default, because pages are for people with the link, not for search engines. */
  noIndex?: boolean;
  /** `narrow` for pages with one column of text or one form. */
  width?: 'wide' | 'narrow';
  /**
   * `console` (default for signed-in people): navigation, search and account menu. `visitor`: the lighter frame of pages that
   * testers open from a link.
   */
  shell?: 'console' | 'visitor';
  /** The entry in the main navigation that the page belongs to. */
  section?: SiteSection;
  /** The bar above the content, for example `AppHead`. Only shown in the console. */
  head?: ComponentChildren;
  /** Loads the stylesheet for pages with large forms. */
  forms?: boolean;
  /** Additional scripts of the page. */
  scripts?: readonly ('uploadScript' | 'passkeyScript')[];
  children: ComponentChildren;
}

/** Returns the document as text, including `<!doctype html>`. */
export function renderPage(page: Page): string {
  const { workspace, frame } = page;
  const brand = workspace && frame.brandOfWorkspace?.(workspace.id);
  const branded = brand ? withBrand(frame, brand) : frame;
  return `<!doctype html>${renderToString(<Document {...page} frame={branded} />)}`;
}

/** Preserves the getters of the frame. */
const withBrand = (frame: PageFrame, brand: Brand): PageFrame =>
  Object.create(frame, { brand: { value: brand } });

function Document(page: Page) {
  const isConsole = hasConsole(page);
  return (
    <html lang={currentLocale()}>
      <Head {...page} />
      <body class={isConsole ? 'console' : undefined}>
        <a class="skip" href="#content">
          {texts.skipToContent}
        </a>
        {isConsole ? <ConsoleMain {...page} /> : <VisitorMain {...page} />}
        <Footer isConsole={isConsole} support={page.frame.brand?.support ?? null} />
      </body>
    </html>
  );
}

/** A page with a bar keeps it for visitors who opened the page with a key. */
const hasConsole = ({ shell = 'console', frame, head }: Page) =>
  shell === 'console' && (frame.viewer !== null || head !== undefined);

function ConsoleMain({ frame, section, head, width, children }: Page) {
  const isReadOnly = head !== undefined && frame.isReadOnly;
  const content = (
    <>
      {head}
      <div class={width === 'narrow' ? 'wrap body body-narrow' : 'wrap body'}>
        {isReadOnly && <p class="callout">{texts.readOnly}</p>}
        {children}
      </div>
    </>
  );
  return (
    <>
      {frame.viewer ? (
        <ConsoleHeader frame={frame} viewer={frame.viewer} section={section} />
      ) : (
        <VisitorHeader frame={frame} />
      )}
      {isReadOnly ? (
        <main id="content" class="read-only" dangerouslySetInnerHTML={{ __html: disableForms(content) }} />
      ) : (
        <main id="content">{content}</main>
      )}
    </>
  );
}

/**
 * Disables the controls of forms that change data, so that the keyboard does not reach them and screen readers still read them.
 * Every `<` is one of an element, because text and attributes escape it.
 */
function disableForms(content: VNode): string {
  const [start = '', ...forms] = renderToString(content).split('<form ');
  return [start, ...forms.map(disableForm)].join('<form ');
}

function disableForm(html: string): string {
  const attributes = html.slice(0, html.indexOf('>'));
  const end = html.indexOf('</form>');
  if (!attributes.includes('method="post"') || attributes.includes('/leave"')) return html;
  return html.slice(0, end).replace(/<(?:button|input|select|textarea)\b/g, '$& disabled') + html.slice(end);
}

function VisitorMain({ frame, width, children }: Page) {
  return (
    <>
      <VisitorHeader frame={frame} />
      <main id="content" class={width === 'narrow' ? 'narrow' : undefined}>
        {children}
      </main>
    </>
  );
}

function Head(page: Page) {
  const { assets, brand } = page.frame;
  const site = siteName(page.frame);
  return (
    <head>
      <meta charSet="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{page.title === texts.product ? site : `${page.title} · ${site}`}</title>
      {page.noIndex !== false && <meta name="robots" content="noindex, nofollow" />}
      {page.description && <meta name="description" content={page.description} />}
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={site} />
      <meta property="og:title" content={page.title} />
      {page.description && <meta property="og:description" content={page.description} />}
      {page.image && <meta property="og:image" content={page.image} />}
      {page.address && <meta property="og:url" content={page.address} />}
      {page.image && <meta name="twitter:card" content="summary" />}
      <link rel="icon" href={assets.favicon} type="image/svg+xml" />
      {page.image && <link rel="apple-touch-icon" href={page.image.replace(page.frame.origin, '')} />}
      <link rel="stylesheet" href={assets.stylesheet} />
      {page.forms && <link rel="stylesheet" href={assets.formStylesheet} />}
      {hasConsole(page) && <link rel="stylesheet" href={assets.consoleStylesheet} />}
      {brand?.accent && <link rel="stylesheet" href={brandStylesheetPath(brand.accent)} />}
      <script type="module" src={assets.script} />
      {hasConsole(page) && <script type="module" src={assets.consoleScript} />}
      {page.scripts?.map((name) => (
        <script type="module" src={assets[name]} />
      ))}
    </head>
  );
}

function VisitorHeader({ frame }: { frame: PageFrame }) {
  const { viewer, viewerUnknown } = frame;
  return (
    <header class="site-header">
      <div class="site-bar">
        <a class="wordmark" href={sitePaths.home}>
          <BrandName frame={frame} />
        </a>
        {viewer ? (
          <a class="session-link" href={sitePaths.home}>
            {texts.nav.apps}
          </a>
        ) : (
          !viewerUnknown && (
            <a class="session-link" href={sitePaths.signIn}>
              {texts.signIn}
            </a>
          )
        )}
      </div>
    </header>
  );
}

function Footer({ isConsole, support }: { isConsole: boolean; support: string | null }) {
  return (
    <footer class="site-footer">
      <div class={isConsole ? 'site-bar wrap' : 'site-bar'}>
        <span>{texts.footerLine}</span>
        {support && (
          <span>
            {texts.support({
              address: support.replace(/^https:\/\//, ''),
              link: linkTo(support.startsWith('https://') ? support : `mailto:${support}`),
            })}
          </span>
        )}
        <a href={sitePaths.docs}>{texts.docs}</a>
      </div>
    </footer>
  );
}
