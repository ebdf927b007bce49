/** A path of an App's pages, with the App's secret when that is what opened the page it stands on. */
export function keyedPath(path: string, appKey: string | null): string {
  return appKey === null ? path : `${path}?key=${encodeURIComponent(appKey)}`;
}
