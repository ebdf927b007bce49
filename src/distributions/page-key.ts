/** Reads the key of a distribution page as people and CI services hand it over. */

/** Returns the key, which may be in the URL of the page on the server at `origin`. Other text is returned as it is. */
export function readPageKey(text: string, origin: string): string {
  const url = URL.parse(text);
  const key = url?.origin === origin ? /^\/distributions\/([^/]+)/.exec(url.pathname)?.[1] : undefined;
  return key ?? text;
}
