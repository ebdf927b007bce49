/** Determines which addresses from uploads and settings may be used for links and images. */

/** Returns a normalized absolute http or https address; null for everything else. */
export function safeLink(address: string | null | undefined): string | null {
  if (!address) return null;
  const url = URL.parse(address);
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : null;
}

/**
 * Returns a path on this origin in ASCII, as required in a Location header: `/…`, but neither `//host` nor `/\host`, which
 * browsers interpret as another host, nor a path that becomes one of these when its dot segments are removed. Null for everything
 * else.
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
 * Returns an image address that the policy of pages (`img-src 'self' data:`) allows: absolute or relative on this origin, or a
 * `data:image/…`. Null for everything else, which is replaced with a monogram.
 */
export function safeImage(address: string | null | undefined, origin: string): string | null {
  if (!address) return null;
  const url = URL.parse(address, `${origin}/`);
  if (!url) return null;
  if (url.protocol === 'data:') return /^image\//i.test(url.pathname) ? url.href : null;
  return url.origin === origin ? `${url.pathname}${url.search}` : null;
}
