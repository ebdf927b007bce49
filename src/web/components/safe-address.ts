/** Decides which addresses from uploads and settings may become a link or an image. */

/** Returns an absolute http or https address, normalized; null for everything else. */
export function safeLink(address: string | null | undefined): string | null {
  if (!address) return null;
  const url = URL.parse(address);
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : null;
}

/**
 * Returns a path on this origin in ASCII, as a Location header needs it: `/…`, but not `//host` or `/\host`, which browsers read as another
 * host, nor what becomes one without its dot segments. Null for everything else.
 */
export function localPath(address: string | null | undefined): string | null {
  if (!address || !startsOnThisHost(address) || hasControlCharacter(address)) return null;
  const { origin, pathname, search, hash } = new URL(address, anyOrigin);
  return origin === anyOrigin && startsOnThisHost(pathname) ? `${pathname}${search}${hash}` : null;
}

const anyOrigin = 'http://localhost';
const startsOnThisHost = (path: string) => /^\/(?![/\\])/.test(path);

/** Browsers remove tabs and line breaks from addresses, so `/\t/host` would become `//host`. */
function hasControlCharacter(address: string): boolean {
  return [...address].some((character) => character < ' ');
}

/**
 * Returns an image address that the pages’ policy (`img-src 'self' data:`) allows: on this origin, absolute or
 * relative, or a `data:image/…`. Null for everything else, which is replaced by a monogram.
 */
export function safeImage(address: string | null | undefined, origin: string): string | null {
  if (!address) return null;
  const url = URL.parse(address, `${origin}/`);
  if (!url) return null;
  if (url.protocol === 'data:') return /^image\//i.test(url.pathname) ? url.href : null;
  return url.origin === origin ? `${url.pathname}${url.search}` : null;
}
