/** Common names of the browser and operating system of a session. */

export interface BrowserWords {
  /** Null if not recognized. */
  browser: string | null;
  system: string | null;
}

/** Browsers also include the names of others, so the first match wins. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:OPR|OPX|OPT|OPiOS)\//, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\b(?:Edg|EdgA|EdgiOS)\//, 'Edge'],
  [/\b(?:DuckDuckGo|Ddg)\//, 'DuckDuckGo'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ .*Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/\((?:iPhone|iPod)/, 'iPhone'],
  [/\(iPad/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Longer ones are not genuine, and some patterns scan the text more than once. */
const maxUserAgentLength = 1024;

export function readBrowserWords(userAgent: string): BrowserWords {
  const named = (list: typeof browsers) =>
    list.find(([pattern]) => pattern.test(userAgent.slice(0, maxUserAgentLength)))?.[1] ?? null;
  return { browser: named(browsers), system: named(systems) };
}
