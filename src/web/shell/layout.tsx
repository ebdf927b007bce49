/** The layout of every page: a complete HTML document that works without script. */
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { PageFrame } from './page-frame.ts';
import { sitePaths } from './site-paths.ts';
import { language, texts } from './texts.ts';

export interface Page {
  frame: PageFrame;
  title: string;
  /** One or two sentences for link previews. */
  description?: string;
  /** Absolute address of the preview image. */
  image?: string;
  /** Absolute address of the page itself, for link previews. */
  address?: string;
  /** Default true: pages are for people with the link, not for search engines. */
  noIndex?: boolean;
  /** `narrow` for pages with one column of text or one form. */
  width?: 'wide' | 'narrow';
  /** Loads the stylesheet for pages with larger forms. */
  forms?: boolean;
  /** Additional scripts of the page. */
  scripts?: readonly ('uploadScript' | 'passkeyScript')[];
  children: ComponentChildren;
}

/** Returns the document as text, including `<!doctype html>`. */
export function renderPage(page: Page): string {
  return `<!doctype html>${renderToString(<Document {...page} />)}`;
}

function Document(page: Page) {
  return (
    <html lang={language}>
      <Head {...page} />
      <body>
        <a class="skip" href="#content">
          {texts.skipToContent}
        </a>
        <Header {...page.frame} />
        <main id="content" class={widthClass(page)}>
          {page.children}
        </main>
        <Footer />
      </body>
    </html>
  );
}

/** Narrow pages are centered for visitors, and left-aligned for signed-in users like all other pages. */
function widthClass({ width, frame }: Page): string | undefined {
  if (width !== 'narrow') return undefined;
  return frame.viewer ? 'narrow inside' : 'narrow';
}

function Head(page: Page) {
  const { assets } = page.frame;
  return (
    <head>
      <meta charSet="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{page.title === texts.product ? texts.product : `${page.title} · ${texts.product}`}</title>
      {page.noIndex !== false && <meta name="robots" content="noindex, nofollow" />}
      {page.description && <meta name="description" content={page.description} />}
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={texts.product} />
      <meta property="og:title" content={page.title} />
      {page.description && <meta property="og:description" content={page.description} />}
      {page.image && <meta property="og:image" content={page.image} />}
      {page.address && <meta property="og:url" content={page.address} />}
      {page.image && <meta name="twitter:card" content="summary" />}
      <link rel="icon" href={assets.favicon} type="image/svg+xml" />
      <link rel="stylesheet" href={assets.stylesheet} />
      {page.forms && <link rel="stylesheet" href={assets.formStylesheet} />}
      <script type="module" src={assets.script} />
      {page.scripts?.map((name) => (
        <script type="module" src={assets[name]} />
      ))}
    </head>
  );
}

function Header(frame: PageFrame) {
  const { viewer, viewerUnknown } = frame;
  return (
    <header class="site-header">
      <div class="bar">
        <a class="wordmark" href={sitePaths.home} aria-label={texts.product}>
          <Mark />
          <span class={viewer ? 'wide-only' : undefined}>{texts.product}</span>
        </a>
        {viewer ? (
          <div class="session">
            <a class="viewer" href={viewer.address}>
              {viewer.name}
            </a>
            {viewer.administrator && (
              <a class="session-link wide-only" href={sitePaths.administration}>
                {texts.administration.title}
              </a>
            )}
            <a class="session-link" href={sitePaths.settings}>
              {texts.settings}
            </a>
            <form method="post" action={sitePaths.signOut}>
              <input type="hidden" name="csrf" value={frame.formToken} />
              <button class="quiet" type="submit">
                {texts.signOut}
              </button>
            </form>
          </div>
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

/** A ship on its slipway, stern towards the water. */
function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
      <g transform="rotate(14 16 16)">
        <path class="mark-hull" d="M2 11.5h14.5V7H23v4.5h5.5l-1.2 8.2H9.6c-2.2 0-3.7-1-4.6-2.8Z" />
        <path class="mark-ramp" d="M1.5 24h29" />
      </g>
    </svg>
  );
}

function Footer() {
  return (
    <footer class="site-footer">
      <div class="bar">
        <span>{texts.footerLine}</span>
        <a href={sitePaths.docs}>{texts.docs}</a>
      </div>
    </footer>
  );
}
