/** Determines the system and model of a visitor's device from its headers, with few distinct values. Pure. */

import { readVisitor, type VisitorHeaders } from '../../core/visitor.ts';
import { deviceShortName } from '../../devices/device-models.ts';

export interface VisitorSystem {
  /** Platform and major version, for example `Android 16`; the platform alone if the version is unknown. */
  system: string;
  /** For example `Pixel 9` or `iPhone 15 Pro`. Null if the browser hides it. */
  model: string | null;
}

export interface SystemHeaders extends VisitorHeaders {
  /** The client hint `Sec-CH-UA-Model` including quotes, if sent. */
  model?: string | undefined;
}

const maxUserAgentLength = 1024;
const maxModelLength = 40;
const computers: readonly (readonly [RegExp, string])[] = [
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

export function readVisitorSystem(headers: SystemHeaders): VisitorSystem {
  const userAgent = (headers.userAgent ?? '').slice(0, maxUserAgentLength);
  const installer = readIosInstaller(userAgent);
  if (installer) return installer;
  const { system, osVersion, model } = readVisitor({ ...headers, userAgent });
  if (system === 'ios') return { system: versioned('iOS', osVersion), model: modelNames[model ?? 'iphone'] };
  if (system === 'android')
    return { system: versioned('Android', osVersion), model: androidModel(userAgent, headers.model) };
  const computer = system === 'bot' ? undefined : computers.find(([pattern]) => pattern.test(userAgent));
  return { system: computer?.[1] ?? 'Other', model: null };
}

const modelNames = { iphone: 'iPhone', ipad: 'iPad' } as const;

/** Parses `com.apple.appstored/1.0 iOS/17.5.1 model/iPhone15,2 …`, which iOS sends when it installs. */
function readIosInstaller(userAgent: string): VisitorSystem | null {
  const version = / iOS\/(\d{1,3})\b/.exec(userAgent)?.[1];
  if (version === undefined) return null;
  const product = / model\/([A-Za-z]{1,20}\d{1,3},\d{1,3})\b/.exec(userAgent)?.[1];
  return { system: versioned('iOS', version), model: product ? deviceShortName(product) : null };
}

/** Includes only major versions below 100, so that forged headers create few rows. */
function versioned(platform: 'iOS' | 'Android', version: string | null): string {
  const major = Number.parseInt(version ?? '', 10);
  return major > 0 && major < 100 ? `${platform} ${major}` : platform;
}

/** Chrome sends `K` for every model unless the hint was requested. */
function androidModel(userAgent: string, hint: string | undefined): string | null {
  const hinted = /^"([^"\\]{1,100})"$/.exec(hint ?? '')?.[1];
  const [, inUserAgent] = /\bAndroid [\d.]{1,12}; ([^;()]{1,100})[;)]/.exec(userAgent) ?? [];
  const model = (hinted ?? inUserAgent?.split(' Build/', 1)[0] ?? '').trim();
  const isModel = /^[\w .,+-]+$/.test(model) && !/^(K|wv|Mobile|Tablet)$/.test(model);
  return isModel ? model.slice(0, maxModelLength) : null;
}
