/** Versions in display form. */

import { androidVersionOf, unreleasedApiLevel } from '../../packages/apk/android-releases.ts';
import type { PackageInfo, Platform } from '../../packages/package-info.ts';
import { texts } from '../../web/shell/texts.ts';

/** Formats `2.4.0 (1042)`: version name and version code, or the code alone. */
export function versionText(info: Pick<PackageInfo, 'versionName' | 'versionCode'>): string {
  if (!info.versionName) return info.versionCode;
  if (info.versionCode === '' || info.versionCode === info.versionName) return info.versionName;
  return `${info.versionName} (${info.versionCode})`;
}

/** Formats `Android 8.0` or `iOS 15.0`. An API level of no release becomes `API 10000`. */
export function systemVersion(platform: Platform, sdkVersion: string): string {
  if (platform === 'ios') return `${texts.platforms.ios} ${sdkVersion}`;
  const version = androidVersionOf(Number(sdkVersion));
  return version ? `${texts.platforms.android} ${version}` : `API ${sdkVersion}`;
}

/** The lowest version that installs the package, `Android 8.0`, or a codename that nobody knows. Null if it states no minimum. */
export function requiredSystem(info: PackageInfo): string | null {
  if (info.rawSdkVersion === null || info.sdkVersion === null) return null;
  const codename = info.android?.minSdkCodename;
  return codename && Number(info.sdkVersion) === unreleasedApiLevel
    ? `${texts.platforms.android} ${codename}`
    : systemVersion(info.platform, info.sdkVersion);
}

/** Formats `Android 8.0 or newer`. Null if the package states no minimum. */
export function minimumSystem(info: PackageInfo): string | null {
  const system = requiredSystem(info);
  return system === null ? null : texts.systemOrNewer({ system });
}
