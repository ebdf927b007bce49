/** Which browser on which system a session is in, as people call them. Pure. */

export interface BrowserWords {
  /** Null when the text names none that is known. */
  browser: string | null;
  system: string | null;
}

/** Browsers call themselves by the names of others too: the first that fits is the one. */
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

/** Longer ones are made up, and some of the patterns read the text more than once. */
const maxUserAgentLength = 1024;

export function readBrowserWords(userAgent: string): BrowserWords {
  const named = (list: typeof browsers) =>
    list.find(([pattern]) => pattern.test(userAgent.slice(0, maxUserAgentLength)))?.[1] ?? null;
  return { browser: named(browsers), system: named(systems) };
}
