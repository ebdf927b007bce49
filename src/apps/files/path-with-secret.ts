/** Path of an app page, with the app secret if it opened the current page. */
export function keyedPath(path: string, appKey: string | null): string {
  return appKey === null ? path : `${path}?key=${encodeURIComponent(appKey)}`;
}
