/** Decides which addresses out of uploads and settings may become a link or an image. */

/** The address when it is an absolute http or https one, in its normal form; null for everything else. */
export function linkable(address: string | null | undefined): string | null {
  if (!address) return null;
  const url = URL.parse(address);
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : null;
}

/**
 * The address when it is a path on this origin: `/…`, but not `//host` or `/\host`, which browsers read as another
 * host. Null for everything else.
 */
export function localPath(address: string | null | undefined): string | null {
  if (!address || !/^\/(?![/\\])/.test(address) || hasControlCharacter(address)) return null;
  return address;
}

/** Browsers drop tabs and line breaks inside an address, so `/\t/host` would turn into `//host`. */
function hasControlCharacter(address: string): boolean {
  return [...address].some((character) => character < ' ');
}

/**
 * The address of an image that the pages' policy (`img-src 'self' data:`) lets through: on this origin, absolute or
 * relative, or a `data:image/…`. Null for everything else, for which a monogram stands in.
 */
export function ownImage(address: string | null | undefined, origin: string): string | null {
  if (!address) return null;
  const url = URL.parse(address, `${origin}/`);
  if (!url) return null;
  if (url.protocol === 'data:') return /^image\//i.test(url.pathname) ? url.href : null;
  return url.origin === origin ? `${url.pathname}${url.search}` : null;
}
