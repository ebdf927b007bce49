/** What opens a page, as far as its headers tell. Pure: the headers are passed in. */

export interface Visitor {
  /** A computer, and everything that is not known to be a phone, is a `desktop`; a `bot` draws link previews. */
  system: 'ios' | 'android' | 'desktop' | 'bot';
  /** For example `17.5`; null when the browser keeps it to itself or gives everybody the same. */
  osVersion: string | null;
  /** `safari` on a desktop may be an iPad, which says of itself that it is a Macintosh. */
  browser: 'safari' | 'in-app' | 'other';
  /** The app whose own browser it is, for example `Instagram`; null when it is not `in-app` or does not say. */
  inAppName: string | null;
  model: 'iphone' | 'ipad' | null;
}

export interface VisitorHeaders {
  userAgent: string | undefined;
  /** The client hint `Sec-CH-UA-Platform-Version`, quotes and all, where the browser sent one. */
  platformVersion?: string | undefined;
}

/** Longer ones are made up, and every pattern below has to read the text to its end. */
const maxUserAgentLength = 1024;

export function readVisitor(headers: VisitorHeaders): Visitor {
  const userAgent = (headers.userAgent ?? '').slice(0, maxUserAgentLength);
  const system = readSystem(userAgent);
  if (system === 'ios') return readIos(userAgent);
  if (system === 'android') return readAndroid(userAgent, headers.platformVersion);
  const browser = /\(Macintosh;/.test(userAgent) && isSafari(userAgent) ? 'safari' : 'other';
  return { system, osVersion: null, browser, inAppName: null, model: null };
}

/** Cubot is a maker of phones. */
const previews =
  /(?<!cu)bot(\b|[/_-])|crawl|spider|facebookexternalhit|^WhatsApp\/|SkypeUriPreview|Slack-ImgProxy|Embedly|vkShare|preview|^(curl|Wget|python|Go-http-client|okhttp|axios|node|undici|Java|libwww|Ruby|PostmanRuntime|HTTPie)\b/i;

function readSystem(userAgent: string): Visitor['system'] {
  if (userAgent === '' || previews.test(userAgent)) return 'bot';
  if (/Windows Phone/.test(userAgent)) return 'desktop';
  if (/\((iPhone|iPad|iPod)/.test(userAgent)) return 'ios';
  return /\bAndroid\b/.test(userAgent) ? 'android' : 'desktop';
}

/** Browsers of iOS that are no Safari although they carry its name; each is Apple's engine in a shell of its own. */
const otherIosBrowsers =
  /CriOS|FxiOS|EdgiOS|OPT\/|OPiOS|OPX\/|DuckDuckGo|Ddg\/|Brave|YaBrowser|Focus\/|Klar\//;

const isSafari = (userAgent: string) =>
  /Version\/[\d.]+ .*Safari\//.test(userAgent) && !/Chrom(e|ium)\/|Edg\//.test(userAgent);

/** Names that apps put into the user agent of the browser inside them. The first that fits counts. */
const inAppNames: readonly (readonly [RegExp, string])[] = [
  [/FBAN\/Messenger|FB_IAB\/(MESSENGER|Orca)/i, 'Messenger'],
  [/Instagram/, 'Instagram'],
  [/FBAN\/|FBAV\/|FB_IAB\//, 'Facebook'],
  [/\bLine\/\d/, 'LINE'],
  [/MicroMessenger/, 'WeChat'],
  [/KAKAOTALK/, 'KakaoTalk'],
  [/Slack/, 'Slack'],
  [/TeamsMobile|\bTeams\//, 'Teams'],
  [/Telegram/, 'Telegram'],
  [/\bGmail\//, 'Gmail'],
  [/\bGSA\//, 'Google'],
  [/LinkedInApp/, 'LinkedIn'],
  [/Snapchat/, 'Snapchat'],
  [/musical_ly|BytedanceWebview|TikTok/, 'TikTok'],
  [/Twitter/, 'X'],
  [/Pinterest/, 'Pinterest'],
  [/WhatsApp/, 'WhatsApp'],
];

const readInAppName = (userAgent: string) =>
  inAppNames.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null;

function readIos(userAgent: string): Visitor {
  const inAppName = readInAppName(userAgent);
  // A bare web view names the engine and not Safari.
  const inApp = inAppName !== null || !/Safari\//.test(userAgent);
  const own = !inApp && isSafari(userAgent) && !otherIosBrowsers.test(userAgent);
  const browser = inApp ? 'in-app' : own ? 'safari' : 'other';
  const model = /\(iPad/.test(userAgent) ? 'ipad' : 'iphone';
  return { system: 'ios', osVersion: iosVersion(userAgent, browser), browser, inAppName, model };
}

/**
 * From iOS 26 on, the place where the version of iOS stood keeps saying 18_6 or 18_7; Safari's own `Version/` has
 * always been that of iOS and goes on (webkit.org/blog/17333, "Update to UA String"). Firefox says 18_7 on every
 * version (mozilla-mobile/firefox-ios#29548). There has been no iOS 19 to 25.
 */
function iosVersion(userAgent: string, browser: Visitor['browser']): string | null {
  const ofSafari = /Version\/(\d+\.\d+(?:\.\d+)?)/.exec(userAgent)?.[1];
  if (browser === 'safari' && ofSafari && Number.parseInt(ofSafari, 10) >= 26) return ofSafari;
  const [, major = '', minor = '', patch] = / OS (\d+)_(\d+)(?:_(\d+))?/.exec(userAgent) ?? [];
  if (major === '') return null;
  const mayBeFrozen = browser !== 'safari' && major === '18' && Number(minor) >= 6;
  if (mayBeFrozen || (Number(major) > 18 && Number(major) < 26)) return null;
  return [major, minor, ...(patch ? [patch] : [])].join('.');
}

function readAndroid(userAgent: string, platformVersion: string | undefined): Visitor {
  const inAppName = readInAppName(userAgent);
  const inApp = inAppName !== null || /; wv\)|Version\/4\.0 Chrome\//.test(userAgent);
  return {
    system: 'android',
    osVersion: androidVersion(userAgent, platformVersion),
    browser: inApp ? 'in-app' : 'other',
    inAppName,
    model: null,
  };
}

/** Chrome says 10 on every version from 110 on (developer.chrome.com, "User-Agent reduction"); the hint tells. */
function androidVersion(userAgent: string, platformVersion: string | undefined): string | null {
  const hinted = /^"?(\d{1,3}(?:\.\d{1,3}){0,2})"?$/.exec(platformVersion ?? '')?.[1];
  if (hinted && Number.parseInt(hinted, 10) > 0) return hinted.replace(/(?:\.0){1,2}$/, '');
  const stated = /\bAndroid (\d{1,3}(?:\.\d{1,3}){0,2})/.exec(userAgent)?.[1] ?? null;
  return stated === '10' ? null : stated;
}
