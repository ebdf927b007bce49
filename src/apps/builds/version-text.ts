/** Formats names and versions. */

import { currentLanguage } from '../../core/language/current-language.ts';
import { androidVersionOf, unreleasedApiLevel } from '../../packages/apk/android-releases.ts';
import type { IosFacts, PackageInfo, Platform } from '../../packages/package-info.ts';
import { texts } from '../../web/shell/texts.ts';
import { buildTexts } from './build-texts.ts';

/** The name of the app in the language of the visitor, as a device in that language shows it; otherwise its default name. */
export function localName({ labels, name }: Pick<PackageInfo, 'labels' | 'name'>): string {
  const language = currentLanguage();
  const tag = Object.keys(labels).find((one) => one === language || one.startsWith(`${language}-`));
  return labels[language]?.trim() || (tag && labels[tag]?.trim()) || name;
}

/** Formats `2.4.0 (1042)`: version name and version code, or the code alone. */
export function versionText(info: Pick<PackageInfo, 'versionName' | 'versionCode'>): string {
  if (!info.versionName) return info.versionCode;
  if (info.versionCode === '' || info.versionCode === info.versionName) return info.versionName;
  return `${info.versionName} (${info.versionCode})`;
}

/** Formats `Android 8.0` or `iOS 15.0`. An API level without a release becomes `API 10000`. */
export function systemVersion(platform: Platform, sdkVersion: string): string {
  if (platform === 'ios') return `${texts.platforms.ios} ${sdkVersion}`;
  return androidRelease(Number(sdkVersion)) ?? `API ${sdkVersion}`;
}

/** Formats `Android 16`. Null for an API level without a release. */
export function androidRelease(level: number): string | null {
  const version = androidVersionOf(level);
  return version === null ? null : `${texts.platforms.android} ${version}`;
}

/** Formats `API 36, Android 16`, or the API level alone if it has no release. */
export function apiLevelText(level: number): string {
  const release = androidRelease(level);
  return release === null ? `API ${level}` : `API ${level}, ${release}`;
}

/** The lowest version that can install the package, such as `Android 8.0` or an unknown codename. Null if it states no minimum. */
export function requiredSystem(info: PackageInfo): string | null {
  if (info.rawSdkVersion === null || info.sdkVersion === null) return null;
  const codename = info.android?.minSdkCodename;
  return codename && Number(info.sdkVersion) === unreleasedApiLevel
    ? `${texts.platforms.android} ${codename}`
    : (otherAppleSystem(info) ?? systemVersion(info.platform, info.sdkVersion));
}

const appleSystems: Partial<Record<IosFacts['deviceFamilies'][number], string>> = {
  vision: 'visionOS',
  'apple-tv': 'tvOS',
  'apple-watch': 'watchOS',
  mac: 'macOS',
};

/** Returns the minimum version of visionOS, tvOS or another system; null for iOS. */
function otherAppleSystem({ ios, sdkVersion }: PackageInfo): string | null {
  const [family, ...more] = ios?.deviceFamilies ?? [];
  const system = family !== undefined && more.length === 0 ? appleSystems[family] : undefined;
  return system === undefined ? null : `${system} ${sdkVersion}`;
}

/** Formats `Android 8.0 or newer`. Null if the package states no minimum. */
export function minimumSystem(info: PackageInfo): string | null {
  const system = requiredSystem(info);
  return system === null ? null : buildTexts.systemOrNewer({ system });
}
