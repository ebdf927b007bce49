/** Detects the client that visits a page, from its headers. Pure. */

export interface Visitor {
  /** `desktop`: computers and unknown clients. `bot`: generates link previews. */
  system: 'ios' | 'android' | 'desktop' | 'bot';
  /** For example `17.5`. Null if the browser hides it or always sends the same version. */
  osVersion: string | null;
  /** `safari` on a desktop can be an iPad, which identifies as a Macintosh. */
  browser: 'safari' | 'in-app' | 'other';
  /** The app that contains the browser, for example `Instagram`. Null if unknown or not `in-app`. */
  inAppName: string | null;
  model: 'iphone' | 'ipad' | null;
}

export interface VisitorHeaders {
  userAgent: string | undefined;
  /** The client hint `Sec-CH-UA-Platform-Version` including quotes, if sent. */
  platformVersion?: string | undefined;
}

/** Longer user agents are not genuine, and every pattern below scans the entire text. */
const maxUserAgentLength = 1024;

export function readVisitor(headers: VisitorHeaders): Visitor {
  const userAgent = (headers.userAgent ?? '').slice(0, maxUserAgentLength);
  const system = readSystem(userAgent);
  if (system === 'ios') return readIos(userAgent);
  if (system === 'android') return readAndroid(userAgent, headers.platformVersion);
  const browser = /\(Macintosh;/.test(userAgent) && isSafari(userAgent) ? 'safari' : 'other';
  return { system, osVersion: null, browser, inAppName: null, model: null };
}

/** Excludes Cubot, a phone brand. */
const previews =
  /(?<!cu)bot(\b|[/_-])|crawl|spider|facebookexternalhit|^WhatsApp\/|SkypeUriPreview|Slack-ImgProxy|Embedly|vkShare|preview|^(curl|Wget|python|Go-http-client|okhttp|axios|node|undici|Java|libwww|Ruby|PostmanRuntime|HTTPie)\b/i;

function readSystem(userAgent: string): Visitor['system'] {
  if (userAgent === '' || previews.test(userAgent)) return 'bot';
  if (/Windows Phone/.test(userAgent)) return 'desktop';
  if (/\((iPhone|iPad|iPod)/.test(userAgent)) return 'ios';
  return /\bAndroid\b/.test(userAgent) ? 'android' : 'desktop';
}

/** iOS browsers other than Safari that include its name; all of them use Apple's engine. */
const otherIosBrowsers =
  /CriOS|FxiOS|EdgiOS|OPT\/|OPiOS|OPX\/|DuckDuckGo|Ddg\/|Brave|YaBrowser|Focus\/|Klar\//;

const isSafari = (userAgent: string) =>
  /Version\/[\d.]+ .*Safari\//.test(userAgent) && !/Chrom(e|ium)\/|Edg\//.test(userAgent);

/** Tokens of in-app browsers. The first match wins. */
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
  // A plain web view includes the engine but not Safari.
  const inApp = inAppName !== null || !/Safari\//.test(userAgent);
  const own = !inApp && isSafari(userAgent) && !otherIosBrowsers.test(userAgent);
  const browser = inApp ? 'in-app' : own ? 'safari' : 'other';
  const model = /\(iPad/.test(userAgent) ? 'ipad' : 'iphone';
  return { system: 'ios', osVersion: iosVersion(userAgent, browser), browser, inAppName, model };
}

/**
 * Since iOS 26, the OS version in the user agent is frozen at 18_6 or 18_7, but `Version/` of Safari still equals the
 * iOS version (webkit.org/blog/17333, "Update to UA String"). Firefox always sends 18_7
 * (mozilla-mobile/firefox-ios#29548). iOS 19 to 25 do not exist.
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

/**
 * Chrome sends 10 on every version since 110 (developer.chrome.com, "User-Agent reduction"). The client hint contains
 * the real version.
 */
function androidVersion(userAgent: string, platformVersion: string | undefined): string | null {
  const hinted = /^"?(\d{1,3}(?:\.\d{1,3}){0,2})"?$/.exec(platformVersion ?? '')?.[1];
  if (hinted && Number.parseInt(hinted, 10) > 0) return hinted.replace(/(?:\.0){1,2}$/, '');
  const stated = /\bAndroid (\d{1,3}(?:\.\d{1,3}){0,2})/.exec(userAgent)?.[1] ?? null;
  return stated === '10' ? null : stated;
}
